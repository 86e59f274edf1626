#include "sim/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "models/bounds.hpp"
#include "models/error.hpp"
#include "schedules/mixing.hpp"
#include "sim/clique_exchange.hpp"

namespace gyre {
namespace {

namespace s4u = simgrid::s4u;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What a round's cliques are and who is through with it.
struct RoundState {
  Round round;
  std::vector<std::size_t> clique_of;                      ///< by island
  std::vector<std::shared_ptr<CliqueExchange>> exchanges;  ///< by clique; made by its first member
  std::size_t to_end = 0;                                  ///< islands that have not ended it
  std::vector<IslandId> at_barrier;
};

/// Where an island is, for the report of a deadlock.
enum class Position : std::uint8_t { kComputing, kMeeting, kExchanging, kAtBarrier, kDone };

class Simulation {
 public:
  Simulation(const RunSpec& spec, RunObserver& observer, const std::atomic<bool>& interrupted)
      : spec_(spec),
        observer_(observer),
        interrupted_(interrupted),
        topology_(*spec.topology),
        routes_(topology_),
        bounds_(topology_, routes_),
        network_{.topology = topology_, .routes = routes_, .capabilities = spec_.capabilities},
        compute_(spec.compute, topology_.island_names(), spec.seed),
        flows_(topology_),
        plans_(network_, bounds_, flows_, spec.payload, spec.exchange),
        least_(topology_.island_count()),
        positions_(topology_.island_count(), Position::kComputing) {
    spec_.policy->start({.topology = topology_, .seed = spec.seed});
    if (spec_.task != nullptr) {
      spec_.task->start({.islands = topology_.island_names(), .seed = spec.seed});
      outer_.emplace(spec.outer_optimizer, *spec.task, topology_.island_count());
    }
    result_.islands.resize(topology_.island_count());
    for (std::size_t i = 0; i < topology_.island_count(); ++i) {
      gates_.push_back(s4u::Semaphore::create(0));
    }
  }

  RunResult run() {
    const Clock::time_point begun = Clock::now();
    evaluate();
    if (!stopped_) {
      for (std::size_t i = 0; i < topology_.island_count(); ++i) {
        const IslandId island = IslandId::at(i);
        s4u::Actor::create(topology_.name(island), flows_.host(island),
                           [this, island] { live(island); });
      }
      if (spec_.stop.max_time) watch_time();
      if (!flows_.run([this] { report_deadlock(); })) result_.status = RunStatus::kFailed;
    }
    finish();
    result_.total_wall_s = seconds_since(begun);
    return std::move(result_);
  }

 private:
  void live(IslandId me) {
    for (std::int64_t number = 0; number < spec_.stop.max_rounds; ++number) {
      const Instant began = simulated_now();
      compute(me, number);
      RoundState& round = state_of(number);
      const std::size_t clique = round.clique_of[me.index()];
      if (round.round.cliques[clique].size() > 1) {
        exchange(me, number, round, clique, began);
      } else {
        observer_.on_clique({.round = number,
                             .members = {me},
                             .exchange = {},
                             .start = began,
                             .compute = simulated_now() - began,
                             .wait = {},
                             .communication = {},
                             .wan_bytes = {},
                             .bound = {},
                             .bound_by = "compute"});
      }
      end_round(me, number, round);
      if (stopped_) return;
    }
    positions_[me.index()] = Position::kDone;
  }

  void compute(IslandId me, std::int64_t number) {
    positions_[me.index()] = Position::kComputing;
    const Instant began = simulated_now();
    const Duration time = compute_.draw(me, spec_.local_steps);
    sleep_until(began + time);
    if (spec_.task != nullptr) {
      const Clock::time_point start = Clock::now();
      spec_.task->train(me, spec_.local_steps);
      result_.learning_wall_s += seconds_since(start);
      samples_ += spec_.local_steps * spec_.task->samples_per_step();
    }
    least_[me.index()] += time;
    result_.islands[me.index()].compute += time;
    observer_.on_span({me, number, Activity::kCompute, began, simulated_now()});
  }

  void exchange(IslandId me, std::int64_t number, RoundState& round, std::size_t clique,
                Instant began_round) {
    std::shared_ptr<CliqueExchange>& shared = round.exchanges[clique];
    const Clique& members = round.round.cliques[clique];
    const Instant ready = simulated_now();
    if (shared == nullptr) {
      shared =
          std::make_shared<CliqueExchange>(plans_.get(members), flows_, gates_, spec_.propagation);
      shared->began_round = began_round;
    }
    const std::shared_ptr<CliqueExchange> mine = shared;
    mine->began_round = std::min(mine->began_round, began_round);
    mine->compute = std::max(mine->compute, ready - began_round);
    positions_[me.index()] = Position::kMeeting;
    if (mine->meet(me)) {
      if (spec_.task != nullptr) mine->average = learn_average(members);
      mine->begin(me);
    }
    const Instant begun = mine->begun;
    positions_[me.index()] = Position::kExchanging;
    mine->take_part(me);
    const Instant ended = simulated_now();

    if (spec_.task != nullptr) spec_.task->assign(me, outer_->step(me, mine->average));
    const auto rank = static_cast<std::size_t>(
        std::lower_bound(members.begin(), members.end(), me) - members.begin());
    least_[me.index()] += spec_.propagation ? mine->prepared().member_bounds[rank] : Duration();
    TimeShares& shares = result_.islands[me.index()];
    shares.wait += begun - ready;
    shares.exchange += ended - begun;
    mine->wait += begun - ready;
    if (begun > ready) observer_.on_span({me, number, Activity::kWait, ready, begun});
    observer_.on_span({me, number, Activity::kExchange, begun, ended});
    if (mine->leave()) observer_.on_clique(clique_row(number, *mine, ended));
  }

  [[nodiscard]] Model learn_average(const Clique& members) {
    const Clock::time_point start = Clock::now();
    Model average = spec_.task->combine(clique_weights(members));
    result_.learning_wall_s += seconds_since(start);
    return average;
  }

  [[nodiscard]] CliqueRow clique_row(std::int64_t number, const CliqueExchange& exchange,
                                     Instant ended) const {
    const PreparedPlan& prepared = exchange.prepared();
    const auto k = static_cast<double>(prepared.plan.members.size());
    const Duration communication = ended - exchange.begun;
    const Prediction& predicted = prepared.plan.predicted;
    std::string bound_by = "compute";
    if (exchange.compute < communication) {
      const ArcId arc = predicted.binding_arc;
      bound_by = predicted.latency > predicted.bandwidth
                     ? "latency"
                     : fmt::format("{} {}", topology_.is_core(arc) ? "link" : "access",
                                   topology_.name(arc));
    }
    return {.round = number,
            .members = prepared.plan.members,
            .exchange = prepared.plan.exchange,
            .start = exchange.began_round,
            .compute = exchange.compute,
            .wait = exchange.wait / k,
            .communication = communication,
            .wan_bytes = prepared.wan_bytes,
            .bound = prepared.bound.time,
            .bound_by = std::move(bound_by)};
  }

  /// The state of a round that some island is in. Rounds begin in order, since nobody skips one.
  RoundState& state_of(std::int64_t number) {
    const std::int64_t ahead = number - first_open_;
    check(ahead >= 0 && ahead <= static_cast<std::int64_t>(open_.size()), "a round was skipped");
    if (ahead == static_cast<std::int64_t>(open_.size())) {
      RoundState state{.round = spec_.policy->round(number),
                       .clique_of = std::vector<std::size_t>(topology_.island_count()),
                       .exchanges = {},
                       .to_end = topology_.island_count(),
                       .at_barrier = {}};
      state.exchanges.resize(state.round.cliques.size());
      std::size_t placed = 0;
      for (std::size_t c = 0; c < state.round.cliques.size(); ++c) {
        for (const IslandId i : state.round.cliques[c]) state.clique_of[i.index()] = c;
        placed += state.round.cliques[c].size();
      }
      check(placed == topology_.island_count(), "a round has to place every island once");
      check(is_doubly_stochastic(mixing_matrix(state.round, topology_.island_count())),
            "a round's mixing weights have to sum to 1 by rows and by columns");
      open_.push_back(std::move(state));
    }
    return open_[static_cast<std::size_t>(ahead)];
  }

  void end_round(IslandId me, std::int64_t number, RoundState& round) {
    --round.to_end;
    ++result_.islands[me.index()].rounds;
    if (interrupted_) return stop(RunStatus::kTruncated, "interrupted");
    if (round.to_end > 0) {
      if (!spec_.barrier) return;
      positions_[me.index()] = Position::kAtBarrier;
      const Instant from = simulated_now();
      round.at_barrier.push_back(me);
      gates_[me.index()]->acquire();
      result_.islands[me.index()].wait += simulated_now() - from;
      return;
    }
    // The last island through: rounds end in order, so this is the oldest one.
    check(number == first_open_, "a later round ended first");
    const std::vector<IslandId> waiting = std::move(round.at_barrier);
    open_.pop_front();
    ++first_open_;
    result_.rounds = first_open_;
    const bool last = first_open_ == spec_.stop.max_rounds;
    if (last || first_open_ % spec_.evaluate_every == 0) evaluate();
    if (last) stopped_ = true;
    if (stopped_) return stop(result_.status, result_.failure);
    for (const IslandId other : waiting) gates_[other.index()]->release();
  }

  void evaluate() {
    const Clock::time_point start = Clock::now();
    TraceRow row{.time = simulated_now(),
                 .round = first_open_,
                 .steps = first_open_ * spec_.local_steps,
                 .samples = samples_,
                 .evaluation = {}};
    if (spec_.task != nullptr) row.evaluation = spec_.task->evaluate();
    result_.learning_wall_s += seconds_since(start);
    result_.last = row;
    observer_.on_trace(row);
    const bool accurate = spec_.stop.accuracy && row.evaluation.accuracy_average &&
                          *row.evaluation.accuracy_average >= *spec_.stop.accuracy;
    const bool low = spec_.stop.loss && row.evaluation.loss_average <= *spec_.stop.loss;
    if (accurate || low) {
      result_.time_to_target = row.time;
      stopped_ = true;
    }
  }

  /// Ends the run at this instant, whatever is under way.
  void stop(RunStatus status, std::string why) {
    stopped_ = true;
    result_.status = status;
    result_.failure = std::move(why);
    ended_ = simulated_now();
    s4u::Actor::kill_all();
  }

  void watch_time() {
    s4u::Actor::create("clock", flows_.host(IslandId::at(0)), [this] {
      sleep_until(Instant() + *spec_.stop.max_time);
      if (stopped_) return;
      evaluate();
      stop(RunStatus::kComplete, "");
    })->daemonize();
  }

  void report_deadlock() {
    std::string report;
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      if (positions_[i] == Position::kDone) continue;
      const IslandId island = IslandId::at(i);
      report += fmt::format("{}{} waits", report.empty() ? "" : "; ", topology_.name(island));
      for (std::size_t r = 0; r < open_.size(); ++r) {
        const auto& shared = open_[r].exchanges[open_[r].clique_of[i]];
        if (shared == nullptr) continue;
        report += fmt::format(" in round {} for {}", first_open_ + static_cast<std::int64_t>(r),
                              missing_members(*shared));
        break;
      }
      if (positions_[i] == Position::kAtBarrier) report += " for the others at the barrier";
    }
    result_.failure = fmt::format("deadlock at {} s: {}", simulated_now().in_seconds(), report);
  }

  [[nodiscard]] std::string missing_members(const CliqueExchange& exchange) const {
    Clique missing;
    for (const IslandId i : exchange.prepared().plan.members) {
      if (std::find(exchange.ready().begin(), exchange.ready().end(), i) ==
          exchange.ready().end()) {
        missing.push_back(i);
      }
    }
    return missing.empty() ? "its flows" : to_text(missing, topology_);
  }

  void finish() {
    const Instant end = ended_.value_or(simulated_now());
    result_.simulated = end - Instant();
    result_.arcs = flows_.usage();
    const auto rounds = static_cast<double>(std::max<std::int64_t>(result_.rounds, 1));
    result_.mean_round = result_.simulated / rounds;
    result_.bound_round = *std::max_element(least_.begin(), least_.end()) / rounds;
  }

  const RunSpec& spec_;
  RunObserver& observer_;
  const std::atomic<bool>& interrupted_;
  const Topology& topology_;
  Routes routes_;
  Bounds bounds_;
  Network network_;
  ComputeModel compute_;
  FlowNetwork flows_;
  PlanCache plans_;
  std::optional<OuterOptimizer> outer_;
  std::vector<s4u::SemaphorePtr> gates_;  ///< by island: what it blocks on
  std::deque<RoundState> open_;           ///< rounds first_open_, first_open_ + 1, …
  std::int64_t first_open_ = 0;
  std::int64_t samples_ = 0;
  bool stopped_ = false;
  std::optional<Instant> ended_;
  std::vector<Duration> least_;  ///< by island: Σ compute + member bound
  std::vector<Position> positions_;
  RunResult result_;
};

}  // namespace

RunResult simulate(const RunSpec& spec, RunObserver& observer,
                   const std::atomic<bool>& interrupted) {
  return Simulation(spec, observer, interrupted).run();
}

}  // namespace gyre
