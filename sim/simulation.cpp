#include "sim/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "models/bounds.hpp"
#include "sim/island_times.hpp"
#include "sim/placements.hpp"
#include "sim/sync_desk.hpp"
#include "sim/wall_clock.hpp"

namespace gyre {
namespace {

namespace s4u = simgrid::s4u;

/// A switch's state is reported no more often than this, in simulated time.
constexpr Duration kSwitchReports = Duration::milliseconds(10);

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
        timing_(sync_timing(spec)),
        platform_(topology_,
                  spec.packets
                      ? 0
                      : timing_.most_in_flight(spec.training.delay(), spec.stop.max_rounds) *
                            most_paced_flows(network_, spec.exchange, spec.routing)),
        flows_(spec.packets ? nullptr : std::make_unique<FlowNetwork>(topology_, platform_)),
        packets_(spec.packets ? std::make_unique<PacketNetwork>(
                                    topology_, platform_,
                                    packet_options(topology_, *spec.packets, spec.limits, spec.seed,
                                                   spec.propagation))
                              : nullptr),
        placements_(*spec.policy, topology_.island_count()),
        times_(topology_.island_count(), observer),
        least_(topology_.island_count()),
        islands_(topology_.island_count()) {
    behind_ = topology_.island_count();
    for (std::size_t i = 0; i < behind_; ++i) barrier_gates_.push_back(s4u::Semaphore::create(0));
    const ExchangeContext exchanges = exchange_context(spec, network_);
    spec_.policy->start({.topology = topology_, .seed = spec.seed, .exchanges = &exchanges});
    spec_.policy->prepare([&interrupted] { return !interrupted; });
    if (spec_.task != nullptr) {
      spec_.task->start({.islands = topology_.island_names(), .seed = spec.seed});
      const MixingRule rule{.outer = spec.training.outer_optimizer,
                            .compression = spec.training.compression,
                            .local_weight = spec.training.local_weight(),
                            .moves_meanwhile = spec.training.delay() >= timing_.least_steps()};
      mixer_.emplace(rule, *spec_.task, topology_.island_count());
    }
    desk_.emplace(
        SyncDesk::Parts{.spec = spec_,
                        .network = network_,
                        .bounds = bounds_,
                        .flows = flows_.get(),
                        .packets = packets_.get(),
                        .timing = timing_,
                        .mixer = mixer_ ? &*mixer_ : nullptr},
        SyncDesk::Hooks{.fail = [this](const std::string& why) { stop(RunStatus::kFailed, why); },
                        .is_over = [this] { return stopped_; },
                        .report = [this](const CliqueRow& row) { observer_.on_clique(row); }});
  }

  RunResult run() {
    const WallClock begun;
    evaluate();
    if (!stopped_) {
      if (packets_ != nullptr) {
        packets_->start([this] {
          if (interrupted_) stop(RunStatus::kTruncated, "interrupted");
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
    std::int64_t& number = islands_[me.index()].number;
    for (; number < spec_.stop.rounds_of_one(); ++number) {
      for (std::size_t f = 0; f < timing_.fragments(); ++f) {
        if (!(timing_.layered() ? train_and_send(me, f) : train_then_send(me, f))) return;
      }
      // What is still under way belongs to the result.
      if (number + 1 == spec_.stop.max_rounds && !merge_all(me)) return;
      end_round(me);
      if (stopped_) return;
    }
    go(me, Position::kDone);
  }

  /// The steps before a fragment's exchange, then the exchange.
  bool train_then_send(IslandId me, std::size_t fragment) {
    const Instant began = simulated_now();
    return compute(me, timing_.steps(me.index(), fragment)) && send(me, fragment, began);
  }

  /// The exchange of a fragment whose steps, which began then, are done; false if the run ended.
  bool send(IslandId me, std::size_t fragment, Instant began) {
    const std::vector<Instant> ready(timing_.pieces(fragment).size(), simulated_now());
    const Placement& placement = placements_.of(islands_[me.index()].number);
    std::shared_ptr<Sync> sync =
        desk_->enter(me, islands_[me.index()].number, fragment, placement, began);
    if (sync != nullptr && spec_.training.delay() > 0) {
      islands_[me.index()].pending.push_back(in_background(me, sync, ready));
    }
    if (sync == nullptr || spec_.training.delay() > 0) return merge_due(me);
    const auto on_phase = [this, me](SyncPhase phase) { go(me, position_of(phase)); };
    const bool took_part = desk_->play(sync, me, ready, on_phase);
    if (stopped_) return false;
    if (!took_part) return come_late(me, sync);
    take_in(me, *sync, least_[me.index()] + least_time(*sync, me, began));
    desk_->leave(sync, me);
    return true;
  }

  /// The steps before a fragment's exchange, whose pieces are sent behind the last one's backward
  /// pass. That step counts from its start, so that its result can be sent before its end.
  bool train_and_send(IslandId me, std::size_t fragment) {
    const Instant began = simulated_now();
    if (!compute(me, timing_.steps(me.index(), fragment) - 1) || !merge_due(me)) return false;
    go(me, Position::kComputing);
    const Duration step = compute_.draw(me, 1);
    const Instant start = simulated_now();
    const Duration least = least_[me.index()];
    if (!train(me, 1)) return false;
    std::vector<Instant> ready;
    for (const Piece& piece : timing_.pieces(fragment)) ready.push_back(start + step * piece.ready);
    // What was sent before counts this step; slower islands may take so few that it is not due yet.
    for (const auto& earlier : islands_[me.index()].pending) --earlier->steps_left;
    const Placement& placement = placements_.of(islands_[me.index()].number);
    std::shared_ptr<Sync> sync =
        desk_->enter(me, islands_[me.index()].number, fragment, placement, began, step);
    if (sync != nullptr) {
      std::shared_ptr<PendingSync> pending = in_background(me, sync, ready);
      if (spec_.propagation) {
        const Duration bound = sync->member_bounds[rank_in(sync->members(), me)];
        pending->least = least + step * timing_.pieces(fragment).front().ready + bound;
      }
      islands_[me.index()].pending.push_back(pending);
    }
    sleep_until(start + step);
    least_[me.index()] += step;
    return spec_.training.delay() > 0 ? merge_due(me) : merge_all(me);
  }

  /// The least time from now until the island holds the sync's result.
  Duration least_time(const Sync& sync, IslandId me, Instant began) const {
    if (!spec_.propagation || sync.dropped()) return {};
    const Duration bound = sync.member_bounds[rank_in(sync.members(), me)];
    if (!sync.exchanges.front()->eager()) return bound;
    // What the others sent before the island was ready has had the time of its compute.
    return std::max(Duration(), bound - (sync.exchanges.front()->begun - began));
  }

  std::shared_ptr<PendingSync> in_background(IslandId me, const std::shared_ptr<Sync>& sync,
                                             const std::vector<Instant>& ready) {
    auto pending = std::make_shared<PendingSync>();
    pending->sync = sync;
    pending->steps_left = spec_.training.delay();
    pending->least = least_[me.index()];
    if (spec_.propagation) pending->least += sync->member_bounds[rank_in(sync->members(), me)];
    s4u::Actor::create(topology_.name(me) + " exchanges", platform_.host(me),
                       [this, me, pending, ready] {
                         if (stopped_) return;  // killed before it began: must not block
                         const auto on_phase = [this, me, &pending](SyncPhase phase) {
                           pending->phase = phase;
                           if (pending->is_awaited) go(me, position_of(phase));
                         };
                         desk_->play(pending->sync, me, ready, on_phase);
                         pending->is_over = true;
                         pending->over->release();
                       });
    return pending;
  }

  /// The island waits for the sync that is due and takes it in; false if the run ended.
  bool merge(IslandId me) {
    const std::shared_ptr<PendingSync> due = islands_[me.index()].pending.front();
    islands_[me.index()].pending.pop_front();
    if (!due->is_over) {
      due->is_awaited = true;
      go(me, position_of(due->phase));
    }
    due->over->acquire();
    if (stopped_) return false;
    take_in(me, *due->sync, due->sync->dropped() ? Duration() : due->least);
    desk_->leave(due->sync, me);
    return true;
  }

  bool merge_all(IslandId me) {
    while (!islands_[me.index()].pending.empty()) {
      if (!merge(me)) return false;
    }
    return true;
  }

  void take_in(IslandId me, const Sync& sync, Duration least) {
    const WallClock clock;
    desk_->take_in(sync, me);
    result_.learning_wall_s += clock.elapsed_s();
    least_[me.index()] = std::max(least_[me.index()], least);
  }

  /// The clique has begun without the island. It goes on with the first exchange that is open:
  /// with its model (`merge`), or with the result of the last one that began, and new steps.
  bool come_late(IslandId me, std::shared_ptr<Sync> missed) {
    const bool drop = spec_.training.stragglers->late == StragglerSpec::Late::kDrop;
    std::int64_t& number = islands_[me.index()].number;
    while (true) {
      std::shared_ptr<Sync> next;
      if (number + 1 < spec_.stop.rounds_of_one()) {
        const Placement& placement = placements_.of(number + 1);
        next = desk_->begun(me, number + 1, placement);
      }
      if (next == nullptr) break;
      desk_->leave(missed, me);
      end_round(me);
      if (stopped_) return false;
      ++number;
      missed = next;
    }
    if (drop) {
      go(me, Position::kExchanging);
      desk_->fetch(missed, me);
      desk_->take_in(*missed, me);
    }
    desk_->leave(missed, me);
    if (drop || number + 1 == spec_.stop.rounds_of_one()) return true;
    end_round(me);
    if (stopped_) return false;
    ++number;
    return send(me, 0, simulated_now());
  }

  void go(IslandId me, Position position) { times_.go(me, position); }

  static Position position_of(SyncPhase phase) {
    return phase == SyncPhase::kMeeting ? Position::kMeeting : Position::kExchanging;
  }

  /// Local steps, with what is due between them; false if the run ended.
  bool compute(IslandId me, std::int64_t steps) {
    std::deque<std::shared_ptr<PendingSync>>& pending = islands_[me.index()].pending;
    while (steps > 0) {
      const std::int64_t now =
          pending.empty() ? steps : std::min(steps, pending.front()->steps_left);
      go(me, Position::kComputing);
      const Duration time = compute_.draw(me, now);
      sleep_until(simulated_now() + time);
      if (spec_.task != nullptr && !train(me, now)) return false;
      if (stopped_) return false;
      least_[me.index()] += time;
      steps -= now;
      for (const std::shared_ptr<PendingSync>& sync : pending) sync->steps_left -= now;
      // At the end of the steps the island first sends what it has made.
      if (steps > 0 && !merge_due(me)) return false;
    }
    return true;
  }

  bool merge_due(IslandId me) {
    const std::deque<std::shared_ptr<PendingSync>>& pending = islands_[me.index()].pending;
    while (!pending.empty() && pending.front()->steps_left == 0) {
      if (!merge(me)) return false;
    }
    return true;
  }

  /// Local steps of the task, in slices between which an interrupt is seen; false if it was.
  bool train(IslandId me, std::int64_t steps) {
    if (spec_.task == nullptr) return true;
    constexpr std::int64_t kSlice = 4096;
    const WallClock start;
    for (std::int64_t done = 0; done < steps; done += kSlice) {
      if (interrupted_) {
        stop(RunStatus::kTruncated, "interrupted");
        return false;
      }
      spec_.task->train(me, std::min(kSlice, steps - done));
    }
    result_.learning_wall_s += start.elapsed_s();
    samples_ += steps * spec_.task->samples_per_step();
    return true;
  }

  void end_round(IslandId me) {
    IslandState& state = islands_[me.index()];
    go(me, Position::kAtBarrier);
    ++state.rounds;
    times_.end_round(me);
    if (interrupted_) {
      stop(RunStatus::kTruncated, "interrupted");
      return;
    }
    if (state.rounds != result_.rounds + 1 || --behind_ > 0) {
      if (!spec_.barrier) return;
      at_barrier_.push_back(me);
      barrier_gates_[me.index()]->acquire();
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
    for (const IslandId i : std::exchange(at_barrier_, {})) barrier_gates_[i.index()]->release();
  }

  void evaluate() {
    const WallClock start;
    TraceRow row{.time = simulated_now(),
                 .round = result_.rounds,
                 .steps = std::llround(static_cast<double>(result_.rounds) * timing_.mean_steps()),
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
    if (packets_ != nullptr && status != RunStatus::kComplete) packets_->stop();
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
    result_.failure =
        fmt::format("deadlock at {} s: {}", simulated_now().in_seconds(), desk_->who_waits(times_));
  }

  void finish() {
    result_.islands = times_.shares();
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
    std::int64_t number = 0;                           ///< of the round that it is in
    std::int64_t rounds = 0;                           ///< that it has ended
    std::deque<std::shared_ptr<PendingSync>> pending;  ///< in the order in which they are due
  };

  const RunSpec& spec_;
  RunObserver& observer_;
  const std::atomic<bool>& interrupted_;
  const Topology& topology_;
  Routes routes_;
  Bounds bounds_;
  Network network_;
  ComputeModel compute_;
  SyncTiming timing_;
  Platform platform_;
  std::unique_ptr<FlowNetwork> flows_;  ///< one of both
  std::unique_ptr<PacketNetwork> packets_;
  std::optional<ModelMixer> mixer_;  ///< before the syncs, which give their slots back to it
  Placements placements_;
  std::size_t behind_ = 0;  ///< islands that have ended no more rounds than all have
  std::vector<IslandId> at_barrier_;
  std::vector<s4u::SemaphorePtr> barrier_gates_;  ///< not those of exchanges under way
  std::int64_t samples_ = 0;
  bool stopped_ = false;
  std::optional<Instant> ended_;
  IslandTimes times_;
  std::vector<Duration> least_;  ///< by island: Σ compute + member bound
  std::vector<IslandState> islands_;
  std::optional<SyncDesk> desk_;
  RunResult result_;
};

}  // namespace

RunResult simulate(const RunSpec& spec, RunObserver& observer,
                   const std::atomic<bool>& interrupted) {
  return Simulation(spec, observer, interrupted).run();
}

}  // namespace gyre
