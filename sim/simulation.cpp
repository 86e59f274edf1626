#include "sim/simulation.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "models/bounds.hpp"
#include "models/error.hpp"
#include "schedules/mixing.hpp"
#include "sim/clique_exchange.hpp"
#include "sim/clique_row.hpp"
#include "sim/placements.hpp"
#include "sim/wall_clock.hpp"

namespace gyre {
namespace {

namespace s4u = simgrid::s4u;

/// A switch's state is reported no more often than this, in simulated time.
constexpr Duration kSwitchReports = Duration::milliseconds(10);

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
        network_{.topology = topology_,
                 .routes = routes_,
                 .capabilities = spec_.capabilities,
                 .limits = spec_.limits},
        compute_(spec.compute, topology_.island_names(), spec.seed),
        platform_(topology_,
                  spec.packets ? 0 : most_paced_flows(network_, spec.exchange, spec.routing)),
        flows_(spec.packets ? nullptr : std::make_unique<FlowNetwork>(topology_, platform_)),
        packets_(spec.packets ? std::make_unique<PacketNetwork>(
                                    topology_, platform_,
                                    packet_options(topology_, *spec.packets, spec.limits, spec.seed,
                                                   spec.propagation))
                              : nullptr),
        plans_(network_, bounds_, flows_.get(),
               {.payload = spec.payload,
                .exchange = spec.exchange,
                .routing = spec.routing,
                .keep_rates = spec.packets && spec.packets->unlimited_switches}),
        placements_(*spec.policy, topology_.island_count()),
        least_(topology_.island_count()),
        islands_(topology_.island_count()) {
    behind_ = topology_.island_count();
    const ExchangeContext exchanges = exchange_context(spec, network_);
    spec_.policy->start({.topology = topology_, .seed = spec.seed, .exchanges = &exchanges});
    spec_.policy->prepare([&interrupted] { return !interrupted; });
    if (spec_.task != nullptr) {
      spec_.task->start({.islands = topology_.island_names(), .seed = spec.seed});
      mixer_.emplace(spec.mixing, *spec.task, topology_.island_count());
    }
    result_.islands.resize(topology_.island_count());
    for (std::size_t i = 0; i < topology_.island_count(); ++i) {
      gates_.push_back(s4u::Semaphore::create(0));
    }
  }

  RunResult run() {
    const WallClock begun;
    evaluate();
    if (!stopped_) {
      if (packets_ != nullptr) {
        packets_->start([this] {
          if (!interrupted_) return;
          stop(RunStatus::kTruncated, "interrupted");
          packets_->stop();
        });
        packets_->watch_switches([this](const SwitchRow& row) { observer_.on_switch(row); },
                                 kSwitchReports);
      }
      for (std::size_t i = 0; i < topology_.island_count(); ++i) {
        const IslandId island = IslandId::at(i);
        s4u::Actor::create(topology_.name(island), platform_.host(island),
                           [this, island] { live(island); });
      }
      if (spec_.stop.max_time) watch_time();
      if (!platform_.run([this] { report_deadlock(); })) result_.status = RunStatus::kFailed;
    }
    finish();
    result_.total_wall_s = begun.elapsed_s();
    return std::move(result_);
  }

 private:
  void live(IslandId me) {
    for (std::int64_t number = 0; number < spec_.stop.max_rounds; ++number) {
      const Instant began = simulated_now();
      compute(me);
      if (stopped_) return;
      const Placement& placement = placements_.of(number);
      const std::size_t clique = placement.clique_of[me.index()];
      if (placement.round.cliques[clique].size() > 1) {
        exchange(me, number, placement.round, clique, began);
        if (stopped_) return;
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
                             .paced = {},
                             .bound_by = "compute",
                             .dropped = false,
                             .partly = false,
                             .in_exchange = {},
                             .sum_error = 0.0,
                             .retransmissions = 0});
      }
      end_round(me);
      if (stopped_) return;
    }
    go(me, Position::kDone);
  }

  /// The island changes what it does: the time since the last change goes to what it did.
  void go(IslandId me, Position position) {
    IslandState& state = islands_[me.index()];
    const Instant now = simulated_now();
    TimeShares& shares = result_.islands[me.index()];
    const Duration spent = now - state.since;
    if (state.position == Position::kComputing) shares.compute += spent;
    if (state.position == Position::kExchanging) shares.exchange += spent;
    if (state.position == Position::kMeeting || state.position == Position::kAtBarrier) {
      shares.wait += spent;
    }
    if (spent > Duration() && state.position != Position::kDone) {
      // Who waits at a barrier has already counted the round.
      const std::int64_t round = state.rounds - (state.position == Position::kAtBarrier ? 1 : 0);
      observer_.on_span({me, round, activity(state.position), state.since, now});
    }
    state.position = position;
    state.since = now;
  }

  static Activity activity(Position position) {
    if (position == Position::kComputing) return Activity::kCompute;
    return position == Position::kExchanging ? Activity::kExchange : Activity::kWait;
  }

  void compute(IslandId me) {
    go(me, Position::kComputing);
    const Duration time = compute_.draw(me, spec_.local_steps);
    sleep_until(simulated_now() + time);
    if (spec_.task != nullptr && !train(me)) return;
    least_[me.index()] += time;
  }

  /// The round's local steps, in slices between which an interrupt is seen; false if it was.
  bool train(IslandId me) {
    constexpr std::int64_t kSlice = 4096;
    const WallClock start;
    for (std::int64_t done = 0; done < spec_.local_steps; done += kSlice) {
      if (interrupted_) {
        stop(RunStatus::kTruncated, "interrupted");
        return false;
      }
      spec_.task->train(me, std::min(kSlice, spec_.local_steps - done));
    }
    result_.learning_wall_s += start.elapsed_s();
    samples_ += spec_.local_steps * spec_.task->samples_per_step();
    return true;
  }

  void exchange(IslandId me, std::int64_t number, const Round& round, std::size_t clique,
                Instant began_round) {
    const Clique members = round.cliques[clique];  // the stretch may end while the island waits
    std::shared_ptr<CliqueExchange>& shared = exchanges_[{number, clique}];
    const Instant ready = simulated_now();
    if (shared == nullptr) {
      std::shared_ptr<const PreparedPlan> plan;
      try {
        plan = plans_.get(round, clique);
        if (spec_.packets) check_recovery(topology_, *plan, *spec_.packets, spec_.limits);
      } catch (const InputError& error) {
        stop(RunStatus::kFailed, fmt::format("round {}: {}", number, error.what()));
        return;
      }
      const bool eager = spec_.limits != nullptr && spec_.limits->launch == LaunchRule::kEager;
      shared = std::make_shared<CliqueExchange>(
          std::move(plan),
          Networks{.flows = flows_.get(), .packets = packets_.get(), .eager = eager}, gates_,
          spec_.propagation);
      shared->on_give_up = [this, number, exchange = shared.get()](const std::string& why) {
        give_up(number, *exchange, why);
      };
      if (mixer_) shared->mix = mixer_->begin(members, {});
      shared->began_round = began_round;
      shared->first_ready = ready;
    }
    const std::shared_ptr<CliqueExchange> mine = shared;
    mine->began_round = std::min(mine->began_round, began_round);
    mine->compute = std::max(mine->compute, ready - began_round);
    go(me, Position::kMeeting);
    if (mixer_) mixer_->contribute(*mine->mix, rank_in(members, me));
    if (mine->meet(me)) {
      if (mixer_) learn_average(*mine, number);
      if (stopped_) return;
      mine->begin(me);
    }
    go(me, Position::kExchanging);
    mine->take_part(me);
    const Instant ended = simulated_now();

    if (mixer_ && !mine->dropped()) mixer_->apply(*mine->mix, rank_in(members, me));
    if (spec_.propagation && !mine->dropped()) {
      const Duration bound = mine->prepared().member_bounds[rank_in(members, me)];
      // What the others sent before the island was ready has had the time of its compute.
      least_[me.index()] +=
          mine->eager() ? std::max(Duration(), bound - (ready - began_round)) : bound;
    }
    mine->wait += mine->begun - ready;
    if (mine->leave()) {
      observer_.on_clique(clique_row(topology_, number, *mine, ended));
      exchanges_.erase({number, clique});
      if (packets_ != nullptr) packets_->report_switches();
    }
  }

  /// An exchange has waited too long for what was lost.
  void give_up(std::int64_t number, CliqueExchange& exchange, const std::string& why) {
    if (packets_->give_up_rule() == GiveUpRule::kDrop) {
      exchange.drop();
      return;
    }
    stop(RunStatus::kFailed,
         fmt::format("round {}, {}: {}", number,
                     to_text(exchange.prepared().plan.members, topology_), why));
    packets_->stop();
  }

  void learn_average(CliqueExchange& exchange, std::int64_t number) {
    const WallClock start;
    const PreparedPlan& prepared = exchange.prepared();
    const Clique& members = prepared.plan.members;
    const bool rounds =
        spec_.limits != nullptr && spec_.limits->numbers && prepared.sums_in_switches;
    if (!rounds) {
      mixer_->average(*exchange.mix);
    } else {
      const SumNumbers numbers = spec_.limits->numbers.value_or(SumNumbers());
      const std::vector<Model> models = mixer_->sent(*exchange.mix);
      SwitchAverages sums =
          switch_averages(topology_, prepared.plan, prepared.program, numbers, models);
      mixer_->set_results(*exchange.mix, sums.of_member);
      exchange.sum_error = sums.largest_error;
      if (sums.overflows > 0) {
        stop(RunStatus::kFailed,
             fmt::format("round {}, {}: {} values of its sums leave the 32 bits of the switches at "
                         "scale {}; give a smaller `network.aggregator.numbers.scale`",
                         number, to_text(members, topology_), sums.overflows,
                         to_text(numbers.scale)));
      }
    }
    result_.learning_wall_s += start.elapsed_s();
  }

  void end_round(IslandId me) {
    IslandState& state = islands_[me.index()];
    go(me, Position::kAtBarrier);
    ++state.rounds;
    ++result_.islands[me.index()].rounds;
    if (interrupted_) {
      stop(RunStatus::kTruncated, "interrupted");
      return;
    }
    if (state.rounds != result_.rounds + 1 || --behind_ > 0) {
      if (!spec_.barrier) return;
      at_barrier_.push_back(me);
      gates_[me.index()]->acquire();
      return;
    }
    // The last island through: every island has ended this round now.
    ++result_.rounds;
    behind_ = static_cast<std::size_t>(
        std::count_if(islands_.begin(), islands_.end(),
                      [this](const IslandState& i) { return i.rounds == result_.rounds; }));
    placements_.forget_before(result_.rounds);
    const auto rounds = static_cast<double>(result_.rounds);
    result_.mean_round = (simulated_now() - Instant()) / rounds;
    result_.bound_round = *std::max_element(least_.begin(), least_.end()) / rounds;
    const bool last = result_.rounds == spec_.stop.max_rounds;
    if (last || result_.rounds % spec_.evaluate_every == 0) evaluate();
    if (last) stopped_ = true;
    if (stopped_) {
      stop(result_.status, result_.failure);
      return;
    }
    for (const IslandId other : std::exchange(at_barrier_, {})) gates_[other.index()]->release();
  }

  void evaluate() {
    const WallClock start;
    TraceRow row{.time = simulated_now(),
                 .round = result_.rounds,
                 .steps = result_.rounds * spec_.local_steps,
                 .samples = samples_,
                 .evaluation = {}};
    if (spec_.task != nullptr) row.evaluation = spec_.task->evaluate();
    result_.learning_wall_s += start.elapsed_s();
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
    for (std::size_t i = 0; i < islands_.size(); ++i) go(IslandId::at(i), Position::kDone);
    s4u::Actor::kill_all();
  }

  void watch_time() {
    s4u::Actor::create("clock", platform_.host(IslandId::at(0)), [this] {
      sleep_until(Instant() + *spec_.stop.max_time);
      if (stopped_) return;
      evaluate();
      stop(RunStatus::kComplete, "");
    })->daemonize();
  }

  void report_deadlock() {
    std::string report;
    for (std::size_t i = 0; i < islands_.size(); ++i) {
      const IslandState& state = islands_[i];
      if (state.position == Position::kDone) continue;
      report +=
          fmt::format("{}{} waits ", report.empty() ? "" : "; ", topology_.name(IslandId::at(i)));
      if (state.position == Position::kAtBarrier) {
        report += "for the others at the barrier";
        continue;
      }
      const auto exchange =
          exchanges_.find({state.rounds, placements_.of(state.rounds).clique_of[i]});
      report += fmt::format("in round {} for {}", state.rounds,
                            exchange == exchanges_.end()
                                ? "the others"
                                : whom_it_waits_for(topology_, *exchange->second));
    }
    result_.failure = fmt::format("deadlock at {} s: {}", simulated_now().in_seconds(), report);
  }

  void finish() {
    result_.simulated = ended_.value_or(simulated_now()) - Instant();
    if (packets_ == nullptr) {
      result_.arcs = flows_->usage();
      return;
    }
    result_.arcs = packets_->usage();
    result_.events = packets_->events();
    for (std::size_t a = 0; a < result_.arcs.size(); ++a) {
      result_.lost.push_back(packets_->lost(ArcId::at(a)));
    }
  }

  struct IslandState {
    Position position = Position::kDone;
    Instant since;
    std::int64_t rounds = 0;  ///< that it has ended
  };

  const RunSpec& spec_;
  RunObserver& observer_;
  const std::atomic<bool>& interrupted_;
  const Topology& topology_;
  Routes routes_;
  Bounds bounds_;
  Network network_;
  ComputeModel compute_;
  Platform platform_;
  std::unique_ptr<FlowNetwork> flows_;  ///< one of both
  std::unique_ptr<PacketNetwork> packets_;
  PlanCache plans_;
  std::optional<ModelMixer> mixer_;       ///< before the exchanges, which give their slots back
  std::vector<s4u::SemaphorePtr> gates_;  ///< by island: what it blocks on
  Placements placements_;
  std::size_t behind_ = 0;  ///< islands that have ended no more rounds than all have
  std::map<std::pair<std::int64_t, std::size_t>, std::shared_ptr<CliqueExchange>>
      exchanges_;  ///< under way, by round and clique
  std::vector<IslandId> at_barrier_;
  std::int64_t samples_ = 0;
  bool stopped_ = false;
  std::optional<Instant> ended_;
  std::vector<Duration> least_;  ///< by island: Σ compute + member bound
  std::vector<IslandState> islands_;
  RunResult result_;
};

}  // namespace

ExchangeContext exchange_context(const RunSpec& spec, const Network& network) {
  const ComputeModel compute(spec.compute, spec.topology->island_names(), spec.seed);
  return {.network = network,
          .exchange = spec.exchange,
          .routing = spec.routing,
          .payload = spec.payload,
          .compute = compute.slowest_mean_step_time() * static_cast<double>(spec.local_steps)};
}

RunResult simulate(const RunSpec& spec, RunObserver& observer,
                   const std::atomic<bool>& interrupted) {
  return Simulation(spec, observer, interrupted).run();
}

}  // namespace gyre
