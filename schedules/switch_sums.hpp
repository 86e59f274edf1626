#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "models/fields.hpp"
#include "models/task.hpp"
#include "schedules/exchange_plan.hpp"
#include "schedules/switch_program.hpp"

namespace gyre {

/// What adding switches compute with.
enum class SumFormat : std::uint8_t {
  kFixed,     ///< int32 of scale · value
  kBfloat16,  ///< adds in float32, sends bfloat16 on
  kFloat32,
};
inline constexpr std::array<std::string_view, 3> kSumFormatNames{"fixed", "bf16", "fp32"};

/// `network.aggregator.numbers` of a scenario. Without it sums are exact.
///
/// A source rounds its values to the format (to nearest, ties to even); a switch adds its inputs in
/// the order of its table's row, whatever order they arrive in, and rounds what it sends on.
/// fixed: no overflow iff scale · n · max|x| < 2³¹ for n sources; |error of a sum| ≤ n/(2·scale)
/// (theory, S7).
struct SumNumbers {
  SumFormat format = SumFormat::kFloat32;
  double scale = 65536.0;  ///< of fixed
  Where where;

  void describe(Fields& fields);
  [[nodiscard]] double bytes_per_parameter() const;
};

/// What the members of a clique make of each other's models.
struct SwitchAverages {
  std::vector<Model> of_member;  ///< by rank; a single one where all have the same
  std::int64_t overflows = 0;    ///< additions and roundings that left the range
  double largest_error = 0.0;    ///< of a parameter of an average
};

/// Whether switches add anything in the plan.
bool adds_in_switches(const Topology& topology, const SwitchProgram& program);

/// The averages of `models` (by member's rank) that the plan's flows bring: what switches add, in
/// their numbers, each flow for its part of the parameters; the islands' own additions and the
/// division by the members' number in double. Requires `adds_in_switches`.
SwitchAverages switch_averages(const Topology& topology, const ExchangePlan& plan,
                               const SwitchProgram& program, const SumNumbers& numbers,
                               std::span<const Model> models);

/// Round to nearest, ties to even.
float to_bfloat16(float value);

}  // namespace gyre
