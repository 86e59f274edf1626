#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/fields.hpp"
#include "schedules/exchange.hpp"
#include "schedules/optimizer/mixing_cost.hpp"
#include "schedules/round.hpp"
#include "schedules/stream.hpp"

namespace gyre {

/// What makes one schedule better than another.
enum class PlanObjective : std::uint8_t {
  kDrift,      ///< least time average of the disagreement (`drift_s`), compute included
  kConsensus,  ///< least time until ‖W_R … W_1 − J‖₂ ≤ ε
  kWindow,     ///< least drift among rounds whose communication fits a window
  kPairs,      ///< most pairs that exchange per second
};
inline constexpr std::array<std::string_view, 4> kPlanObjectiveNames{"drift", "consensus", "window",
                                                                     "pairs"};
constexpr std::string_view name_of(PlanObjective objective) {
  return kPlanObjectiveNames[static_cast<std::size_t>(objective)];
}

/// The `plan` keys of a scenario, and of a `rotating-cliques` schedule.
struct PlanSpec {
  PlanObjective objective = PlanObjective::kDrift;
  std::int64_t max_period = 4;
  std::optional<std::int64_t> max_clique;
  double epsilon = 1e-3;
  std::optional<Duration> window;
  Where window_where;

  void describe(Fields& fields);
};

/// What a schedule is planned for.
struct PlanRequest {
  const Network* network = nullptr;
  Exchange exchange = Exchange::kDirect;  ///< direct, tree, in-network or best
  Routing routing = Routing::kShortest;
  Bytes payload;
  Duration compute;  ///< of a round, before it exchanges
  std::uint64_t seed = 1;
  std::size_t keep = 4;  ///< ranked schedules to return
  /// Whether to say what paces the best rounds, and what everybody knows is worth.
  bool explain = true;
};

/// A round of a planned schedule.
struct PlannedRound {
  Round round;
  Duration time;     ///< τ
  Duration latency;  ///< part of it
  /// What paces it: the arcs with the time that one more Gbit/s on each would save; on all of them
  /// at once if `together`.
  std::vector<std::pair<ArcId, Duration>> prices;
  bool together = false;
  std::vector<std::pair<SwitchId, std::string>> switches;  ///< whose limit paces it, and which
  /// Relative gap between the rate and a bound by prices over any paths; 0 where none was made.
  double certificate = 0.0;
};

/// A schedule and what it is worth.
struct PlannedSchedule {
  std::string name;  ///< of a baseline; empty for what the search found
  std::vector<PlannedRound> rounds;
  double value = kNeverMixes;    ///< of the objective; for pairs the negative rate
  Duration period;               ///< Σ τ
  Consensus consensus;           ///< communication only
  double drift_s = kNeverMixes;  ///< with the compute time; for `window` with rounds of a window
};

/// The rounds of a period, as the CSV writes them: separated by ` ; `.
std::string to_text(const PlannedSchedule& schedule, const Topology& topology);
/// Islands of the largest clique of its rounds.
std::size_t largest_clique(const PlannedSchedule& schedule);

struct PlanResult {
  std::vector<PlannedSchedule> ranked;  ///< best first; empty if nothing fits
  std::vector<PlannedSchedule> baselines;
  double bound = 0.0;  ///< of the objective, over all schedules
  std::string method;  ///< how the bound came about
  bool stopped = false;
};

/// Called now and then with the share done, the incumbent's value and the bound; false ends the
/// search with the best so far.
using PlanWatch = std::function<bool(double share, double incumbent, double bound)>;

/// The best periodic schedule for the network: exact round times (`RoundTimes`) and a search over
/// all partitions for up to `Partitions::kMostIslands` islands; beyond, a grid of cliques whose
/// islands are placed by annealing (`grid_search.hpp`). Deterministic under the seed.
PlanResult plan_schedule(const PlanRequest& request, const PlanSpec& spec,
                         const PlanWatch& watch = {});

/// Fills in what the schedule's rounds are worth: period, consensus, drift (to this relative
/// precision) and the objective's value.
void evaluate(PlannedSchedule& schedule, const PlanRequest& request, const PlanSpec& spec,
              double precision);

/// Why this cannot be planned, in one sentence, or nothing.
std::optional<std::string> request_fault(const PlanRequest& request, const PlanSpec& spec);

}  // namespace gyre
