#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "models/fields.hpp"
#include "schedules/exchange_plan.hpp"
#include "schedules/switch_sums.hpp"

namespace gyre {

/// When a switch lets go of the state of a sum.
enum class AggregationDiscipline : std::uint8_t {
  kOpenLoop,    ///< on forwarding it: senders are paced
  kAckClocked,  ///< when its result is acknowledged: senders wait for that
  // At fidelity `packet`:
  kBestEffort,      ///< on forwarding it; what finds no room is passed on unsummed
  kPartialTimeout,  ///< the same, and on forwarding a partial sum after a time-out
};
inline constexpr std::array<std::string_view, 4> kAggregationDisciplineNames{
    "open-loop", "ack-clocked", "best-effort", "partial-timeout"};
/// When the islands of an exchange launch.
enum class LaunchRule : std::uint8_t {
  kTogether,  ///< all at once
  kAligned,   ///< the nearer the later, so that contributions meet at every switch
  kEager,     ///< each as soon as it is ready; who is early holds memory (fidelity `packet`)
};
inline constexpr std::array<std::string_view, 3> kLaunchRuleNames{"together", "aligned", "eager"};

/// What every adding switch has (`network.aggregator` of a scenario); what is absent is unlimited.
///
/// A stream of rate y keeps y·h bytes of sums at a switch where it merges, with the holding time
///
///     ack-clocked           h = 2·depth of its tree (the farthest source to the root, and back)
///     open-loop, together   h = arrival of its last input there − arrival of its first
///     open-loop, aligned    h = jitter
///     best-effort, partial-timeout   0: they never wait for memory
///
/// (theory, S3). So Σ_streams y·h ≤ memory, Σ_streams y·inputs ≤ rate, no sum has more inputs than
/// `fan_in`, and no more than `groups` streams merge at a switch at once.
struct SwitchLimits {
  std::optional<Bytes> memory;
  AggregationDiscipline discipline = AggregationDiscipline::kOpenLoop;
  LaunchRule launch = LaunchRule::kTogether;
  Duration jitter = Duration::milliseconds(1);
  std::optional<Bandwidth> rate;                  ///< of all inputs together
  Duration latency;                               ///< of an addition (fidelity `packet`)
  Duration timeout = Duration::milliseconds(20);  ///< of partial sums
  std::optional<std::int64_t> fan_in;
  std::optional<std::int64_t> groups;
  std::optional<SumNumbers> numbers;  ///< absent: exact
  Where where;
  Where memory_where;  ///< `where` if it is not given; so are the others
  Where discipline_where;
  Where launch_where;
  Where latency_where;

  void describe(Fields& fields);
  /// Whether a contribution that finds no memory goes on unsummed instead of waiting for it.
  [[nodiscard]] bool passes_unsummed() const {
    return discipline == AggregationDiscipline::kBestEffort ||
           discipline == AggregationDiscipline::kPartialTimeout;
  }
};

/// What one stream needs at a switch where it merges, for each unit of its rate.
struct AggregationLoad {
  SwitchId at;
  std::size_t inputs = 0;
  Duration hold;
};
std::vector<AggregationLoad> aggregation_loads(const Network& network, const Stream& stream);

/// How many streams of the flows merge at each switch.
std::vector<std::size_t> merging_streams(const Network& network, std::span<const Flow> flows);

/// Whether the flows' sums have no more inputs, and no switch more of them, than the limits allow.
bool within_tables(const Network& network, std::span<const Flow> flows);

/// Slows plans of one round down to what the switches can hold and add: each plan's streams go at
/// the rate that its prediction says, times the least share that the limits of a switch they merge
/// at leave to what wants to merge there. Sets the rates of slowed plans and their predictions.
void keep_within_limits(const Network& network, std::vector<ExchangePlan>& plans);

}  // namespace gyre
