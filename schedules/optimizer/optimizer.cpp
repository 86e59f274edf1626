#include "schedules/optimizer/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"
#include "schedules/exchange_plan.hpp"
#include "schedules/optimizer/grid_search.hpp"
#include "schedules/optimizer/search.hpp"

namespace gyre {

void PlanSpec::describe(Fields& fields) {
  fields.optional_choice(
      {"objective",
       "drift: least disagreement over time, compute included; consensus: least time until all "
       "agree; window: least drift among rounds that communicate within `window`; pairs: most "
       "pairs "
       "that exchange per second."},
      objective, kPlanObjectiveNames);
  fields.optional({"max_period", "Rounds of a period at most."}, max_period,
                  {.at_least = 1, .at_most = 16});
  fields.optional({"max_clique", "Islands of a clique at most; without it all of them."},
                  max_clique, {.at_least = 2});
  fields.optional({"epsilon", "Consensus is reached when ||W ... W - J|| is no more than this."},
                  epsilon, {.above = 0.0, .below = 1.0});
  fields.optional({"window", "What the communication of a round has to fit into."}, window,
                  kPositive);
  window_where = fields.where("window");
}

namespace {

constexpr double kPrecision = 1e-13;

class SmallPlan {
 public:
  SmallPlan(const PlanRequest& request, const PlanSpec& spec, const PlanWatch& watch)
      : request_(request),
        spec_(spec),
        network_(*request.network),
        partitions_(network_.topology.island_count()) {
    options_ = {.max_period = static_cast<std::size_t>(spec.max_period),
                .max_clique = static_cast<std::size_t>(
                    std::min(spec.max_clique.value_or(Partitions::kMostIslands),
                             static_cast<std::int64_t>(partitions_.islands()))),
                .epsilon = spec.epsilon,
                .compute_s = request.compute.in_seconds(),
                .window_s = spec.window.value_or(Duration()).in_seconds(),
                .keep = request.keep,
                .seed = request.seed,
                .watch = [&](double share, double incumbent, double bound) {
                  if (watch && !watch(share, incumbent, bound)) stopped_ = true;
                  return !stopped_;
                }};
  }

  PlanResult run() {
    RoundTimes times(
        network_, partitions_,
        {.exchange = request_.exchange, .routing = request_.routing, .payload = request_.payload});
    const SearchResult found = search(times);
    PlanResult result{.ranked = {},
                      .baselines = {},
                      .bound = found.bound,
                      .method = found.method,
                      .stopped = false};
    for (const Candidate& one : found.best) {
      result.ranked.push_back(evaluated("", one.rounds, times));
      result.ranked.back().value = one.value;
      // What is worth as much as the best may be shown as the best.
      if (request_.explain &&
          one.value - found.best.front().value <= 1e-9 * std::abs(found.best.front().value)) {
        explain(result.ranked.back(), times);
      }
    }
    if (!stopped_ && request_.explain) result.baselines = baselines();
    result.stopped = stopped_;
    return result;
  }

 private:
  SearchResult search(RoundTimes& times) const {
    switch (spec_.objective) {
      case PlanObjective::kDrift:
        return search_drift(partitions_, times, options_);
      case PlanObjective::kConsensus:
        return search_consensus(partitions_, times, options_);
      case PlanObjective::kWindow:
        return search_window(partitions_, times, options_);
      case PlanObjective::kPairs:
        break;
    }
    return search_pairs(partitions_, times, options_);
  }

  [[nodiscard]] PlannedSchedule evaluated(std::string name, const std::vector<std::size_t>& rounds,
                                          RoundTimes& times) const {
    PlannedSchedule schedule;
    schedule.name = std::move(name);
    for (const std::size_t p : rounds) {
      schedule.rounds.push_back({.round = partitions_.round(p),
                                 .time = Duration::seconds(times.exact_s(p)),
                                 .latency = Duration::seconds(times.latency_s(p)),
                                 .prices = {},
                                 .together = false,
                                 .switches = {},
                                 .certificate = 0.0});
    }
    evaluate(schedule, request_, spec_, kPrecision);
    return schedule;
  }

  /// Says what paces the rounds and how well that is proven, which takes LPs of its own.
  void explain(PlannedSchedule& schedule, RoundTimes& times) const {
    for (PlannedRound& round : schedule.rounds) {
      RoundTimes::Pace pace = times.pace(partitions_.index_of(round.round));
      round.prices = std::move(pace.arcs);
      round.together = pace.together;
      round.switches = std::move(pace.switches);
      round.certificate = pace.certificate;
    }
  }

  /// What everybody knows, on the same network: one clique of all in each exchange, and the best
  /// rotation of pairs.
  [[nodiscard]] std::vector<PlannedSchedule> baselines() {
    std::vector<PlannedSchedule> known;
    for (const Exchange exchange : {Exchange::kDirect, Exchange::kTree, Exchange::kInNetwork}) {
      if (exchange == Exchange::kInNetwork && !available(network_, exchange)) continue;
      RoundTimes times(
          network_, partitions_,
          {.exchange = exchange, .routing = request_.routing, .payload = request_.payload});
      known.push_back(evaluated(fmt::format("all-reduce/{}", name_of(exchange)), {0}, times));
    }
    known.push_back(ring());
    if (partitions_.islands() > 2) {
      SearchOptions pairs_only = options_;
      pairs_only.max_clique = 2;
      pairs_only.keep = 1;
      RoundTimes times(network_, partitions_,
                       {.exchange = Exchange::kDirect,
                        .routing = request_.routing,
                        .payload = request_.payload});
      const SearchResult found = spec_.objective == PlanObjective::kConsensus
                                     ? anneal_consensus(partitions_, times, pairs_only)
                                     : search_drift(partitions_, times, pairs_only);
      if (!found.best.empty()) {
        known.push_back(evaluated("best matchings", found.best.front().rounds, times));
      }
    }
    return known;
  }
  /// The ring as it is planned: its hops share the arcs, which no table of cliques tells.
  [[nodiscard]] PlannedSchedule ring() const {
    const Round everybody = partitions_.round(0);
    const Prediction predicted =
        plan_exchange(network_, everybody.cliques.front(), request_.payload, Exchange::kRing)
            .predicted;
    PlannedSchedule schedule;
    schedule.name = "all-reduce/ring";
    schedule.rounds.push_back({.round = everybody,
                               .time = predicted.total(),
                               .latency = predicted.latency,
                               .prices = {},
                               .together = false,
                               .switches = {},
                               .certificate = 0.0});
    evaluate(schedule, request_, spec_, kPrecision);
    return schedule;
  }

  const PlanRequest& request_;
  const PlanSpec& spec_;
  const Network& network_;
  Partitions partitions_;
  SearchOptions options_;
  bool stopped_ = false;
};

}  // namespace

std::string to_text(const PlannedSchedule& schedule, const Topology& topology) {
  std::string text;
  for (const PlannedRound& round : schedule.rounds) {
    text += (text.empty() ? "" : " ; ") + to_text(round.round, topology);
  }
  return text;
}

std::size_t largest_clique(const PlannedSchedule& schedule) {
  std::size_t largest = 0;
  for (const PlannedRound& round : schedule.rounds) {
    for (const Clique& clique : round.round.cliques) largest = std::max(largest, clique.size());
  }
  return largest;
}

void evaluate(PlannedSchedule& schedule, const PlanRequest& request, const PlanSpec& spec,
              double precision) {
  const std::size_t n = request.network->topology.island_count();
  std::vector<std::vector<std::uint16_t>> blocks;
  std::vector<MixingRound> communicating;
  std::vector<MixingRound> training;
  double pairs = 0.0;
  blocks.reserve(schedule.rounds.size());  // the rounds below look into them
  schedule.period = Duration();
  for (const PlannedRound& round : schedule.rounds) {
    std::vector<std::uint16_t>& block = blocks.emplace_back(n);
    for (std::size_t c = 0; c < round.round.cliques.size(); ++c) {
      const Clique& clique = round.round.cliques[c];
      for (const IslandId i : clique) block[i.index()] = static_cast<std::uint16_t>(c);
      const auto k = static_cast<double>(clique.size());
      pairs += k * (k - 1.0) / 2.0;
    }
    const Duration in_training = spec.objective == PlanObjective::kWindow
                                     ? spec.window.value_or(Duration())
                                     : round.time + request.compute;
    communicating.push_back({.block = block, .time_s = round.time.in_seconds()});
    training.push_back({.block = block, .time_s = in_training.in_seconds()});
    schedule.period += round.time;
  }
  schedule.consensus = time_to_consensus(communicating, spec.epsilon);
  schedule.drift_s = drift_s(training, precision);
  schedule.value = schedule.drift_s;
  if (spec.objective == PlanObjective::kConsensus) schedule.value = schedule.consensus.time_s;
  if (spec.objective == PlanObjective::kPairs) {
    schedule.value = -pairs / schedule.period.in_seconds();
  }
}

std::optional<std::string> request_fault(const PlanRequest& request, const PlanSpec& spec) {
  const Network& network = *request.network;
  const std::size_t n = network.topology.island_count();
  if (n < 2) return "one island has nobody to exchange with";
  if (request.exchange == Exchange::kRing) {
    return "a ring has one order at a time; plan direct, tree, in-network or best";
  }
  if (request.exchange == Exchange::kHub || request.exchange == Exchange::kMultiRoot) {
    return "nobody knows the best cliques for " + std::string(name_of(request.exchange)) +
           "; plan direct, tree, in-network or best";
  }
  if (request.exchange == Exchange::kInNetwork && !available(network, Exchange::kInNetwork)) {
    return "in-network needs a switch that replicates and adds, and none does in this mode";
  }
  if (spec.objective == PlanObjective::kWindow && !spec.window) {
    return "the objective window needs `window`, the time that communication may take";
  }
  if (spec.objective != PlanObjective::kWindow && spec.window) {
    return "`window` has no effect with this objective; set `objective: window`";
  }
  if (n > Partitions::kMostIslands) return grid_fault(request, spec);
  return std::nullopt;
}

PlanResult plan_schedule(const PlanRequest& request, const PlanSpec& spec, const PlanWatch& watch) {
  const std::optional<std::string> fault = request_fault(request, spec);
  check(!fault, fault.value_or(""));
  if (request.network->topology.island_count() > Partitions::kMostIslands) {
    return search_grid(request, spec, watch);
  }
  return SmallPlan(request, spec, watch).run();
}

}  // namespace gyre
