#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/error.hpp"
#include "models/fields.hpp"
#include "models/times_spec.hpp"
#include "models/units.hpp"

namespace gyre {

/// What a clique does in a round for which one of its members is away.
enum class WithoutMember : std::uint8_t {
  kShrink,  ///< the others exchange among themselves
  kSkip,    ///< nobody exchanges: each keeps its model
  kStall,   ///< the others wait until it is back, or for `deadline`; then they shrink
};
inline constexpr std::array<std::string_view, 3> kWithoutMemberNames{"shrink", "skip", "stall"};

/// An island that leaves and returns, or that is slow for a while; once, or again and again.
struct ChurnEvent : TimesSpec {
  std::optional<Text> island;
  bool every_island = false;
  std::optional<double> slowdown;  ///< its steps take so many times as long; none: it is away
  Where where;

  void describe(Fields& fields);
};

/// `churn` of a scenario.
///
/// An island that leaves loses what it was computing. When it is back it downloads a model from the
/// nearest island that is there, over the same links as everything else, and goes on with the round
/// after the one in which that island is.
struct ChurnSpec {
  std::vector<ChurnEvent> events;
  std::optional<WithoutMember> without_member;
  std::optional<Duration> deadline;  ///< of `stall`, from the first member that is ready
  Where where;
  Where rule_where;
  Where deadline_where;

  void describe(Fields& fields);
  /// Whether islands are away at times, not only slow.
  [[nodiscard]] bool takes_islands_away() const;
};

}  // namespace gyre
