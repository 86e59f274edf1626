#include "sim/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "sim/running_simulation.hpp"
#include "sim/wall_clock.hpp"

namespace gyre {
namespace {

namespace s4u = simgrid::s4u;

/// A switch's state is reported no more often than this, in simulated time.
constexpr Duration kSwitchReports = Duration::milliseconds(10);

/// Of an evaluation in which islands that are away held the average: that of the others alone.
Evaluation of_those_present(Evaluation all, const std::vector<bool>& away) {
  const auto islands = static_cast<double>(away.size());
  const auto gone = static_cast<double>(std::count(away.begin(), away.end(), true));
  if (gone == 0.0 || gone == islands) return all;
  const auto mean = [&](double of_all, double of_average) {
    return (islands * of_all - gone * of_average) / (islands - gone);
  };
  if (all.accuracy_mean) all.accuracy_mean = mean(*all.accuracy_mean, *all.accuracy_average);
  all.loss_mean = mean(all.loss_mean, all.loss_average);
  all.consensus_distance = mean(all.consensus_distance, 0.0);
  return all;
}

}  // namespace

Simulation::Simulation(const RunSpec& spec, RunObserver& observer,
                       const std::atomic<bool>& interrupted)
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
      platform_(topology_, start_policy()),
      flows_(spec.packets ? nullptr : std::make_unique<FlowNetwork>(platform_)),
      packets_(spec.packets ? std::make_unique<PacketNetwork>(
                                  topology_, platform_,
                                  packet_options(topology_, *spec.packets, spec.limits, spec.seed,
                                                 spec.propagation))
                            : nullptr),
      round_models_(nullptr, topology_.island_count()),
      conditions_(topology_),
      outages_(spec_.capabilities),
      gone_(spec_.capabilities),
      churn_(spec_.churn, topology_.island_count(), spec.seed),
      away_(topology_.island_count(), false),
      future_(spec_),
      placements_(
          *spec.policy, topology_.island_count(), [this] { return arc_rates(); },
          [this](Duration stretch) { return future_.rates(simulated_now(), stretch); },
          [this](std::int64_t number) {
            observer_.on_event({.time = simulated_now(),
                                .what = "plans anew",
                                .subject = "schedule",
                                .round = number,
                                .effect = "other cliques from this round on"});
          }),
      times_(topology_.island_count(), observer),
      least_(topology_.island_count()),
      islands_(topology_.island_count()) {
  behind_ = topology_.island_count();
  for (std::size_t i = 0; i < behind_; ++i) barrier_gates_.push_back(s4u::Semaphore::create(0));
  if (spec_.task != nullptr) {
    const MixingRule rule{.outer = spec.training.outer_optimizer,
                          .compression = spec.training.compression,
                          .local_weight = spec.training.local_weight(),
                          .moves_meanwhile = spec.training.delay() >= timing_.least_steps()};
    mixer_.emplace(rule, *spec_.task, topology_.island_count());
    round_models_ = RoundModels(&*mixer_, topology_.island_count());
  }
  const auto report = [this](const CliqueRow& row) { observer_.on_clique(row); };
  desk_ = std::make_unique<SyncDesk>(
      SyncDesk::Parts{.spec = spec_,
                      .network = network_,
                      .bounds = bounds_,
                      .platform = platform_,
                      .flows = flows_.get(),
                      .packets = packets_.get(),
                      .outages = outages_,
                      .gone = gone_,
                      .timing = timing_,
                      .mixer = mixer_ ? &*mixer_ : nullptr},
      SyncDesk::Hooks{
          .fail = [this](const std::string& why) { stop(RunStatus::kFailed, why); },
          .is_over = [this] { return stopped_; },
          .report = report,
          .tell = [this](const EventRow& row) { observer_.on_event(row); },
          .route = [this](const RoutesRow& row) { observer_.on_routes(row); },
          .takes_part = [this](IslandId island,
                               std::int64_t round) { return takes_part(island, round); },
          .may_leave = [this](IslandId island) { return may_leave(island); }});
  if (flows_ != nullptr && (!spec_.faults.empty() || spec_.takes_islands_away())) {
    flows_->expect_outages();
  }
  if (flows_ != nullptr) {
    gossip_ = std::make_unique<Gossip>(Gossip::Parts{
        .spec = spec_,
        .network = network_,
        .bounds = bounds_,
        .flows = *flows_,
        .gone = gone_,
        .timing = timing_,
        .mixer = mixer_ ? &*mixer_ : nullptr,
        .report = report,
        .tell = [this](const EventRow& row) { observer_.on_event(row); },
        .fail = [this](const std::string& why) { stop(RunStatus::kFailed, why); },
        .is_over = [this] { return stopped_; },
        .takes_part = [this](IslandId island,
                             std::int64_t round) { return takes_part(island, round); },
        .is_away = [this](IslandId island) { return away_[island.index()]; },
        .may_leave = [this](IslandId island) { return may_leave(island); }});
  }
}

std::size_t Simulation::start_policy() {
  const ExchangeContext exchanges = exchange_context(spec_, network_);
  LabelCounts labels;
  if (spec_.task != nullptr) {
    spec_.task->start({.islands = topology_.island_names(), .seed = spec_.seed});
    labels = spec_.task->label_counts();
  }
  Policy& policy = *spec_.policy;
  policy.start({.topology = topology_,
                .seed = spec_.seed,
                .exchanges = &exchanges,
                .labels = labels.empty() ? nullptr : &labels});
  policy.prepare([this] { return !interrupted_; });
  if (spec_.packets || policy.overlay() || !policy.exchanges()) return 0;
  // A quorum leaves cliques of any size.
  std::optional<std::size_t> small;
  if (!spec_.training.follows(StragglerSpec::Rule::kQuorum)) {
    small = policy.different_cliques(kMostPackedIslands);
  }
  return timing_.most_in_flight(spec_.training.delay(), spec_.stop.rounds_of_one()) *
         most_paced_flows(network_, spec_.exchange, spec_.routing,
                          small.value_or(topology_.island_count() / 2));
}

RunResult Simulation::run() {
  const WallClock begun;
  evaluate(Models::kAsTheyAre);
  if (!stopped_) {
    if (packets_ != nullptr) {
      packets_->start([this] {
        if (interrupted_) stop(RunStatus::kTruncated, "interrupted");
      });
      packets_->watch_switches([this](const SwitchRow& row) { observer_.on_switch(row); },
                               kSwitchReports);
    }
    play_changes();
    play_background();
    play_faults();
    play_churn();
    for (std::size_t i = 0; i < topology_.island_count(); ++i) {
      const IslandId island = IslandId::at(i);
      s4u::Actor::create(topology_.name(island), platform_.host(island),
                         [this, island] { live(island); });
    }
    if (spec_.stop.max_time) watch_time();
    if (!platform_.run([this] { report_deadlock(); })) {
      result_.status = RunStatus::kFailed;
    } else if (!stopped_) {
      result_.status = RunStatus::kFailed;
      result_.failure = "all islands have left for good";
    }
  }
  finish();
  result_.total_wall_s = begun.elapsed_s();
  return std::move(result_);
}

void Simulation::end_round(IslandId me) {
  IslandState& state = islands_[me.index()];
  go(me, Position::kAtBarrier);
  ++state.rounds;
  times_.end_round(me);
  round_models_.end_round(me, state.samples);
  if (interrupted_) {
    stop(RunStatus::kTruncated, "interrupted");
    return;
  }
  if (state.rounds == result_.rounds + 1) --behind_;
  if (advance() || stopped_ || state.rounds - result_.rounds <= may_be_ahead(me)) return;
  at_barrier_.push_back(me);
  barrier_gates_[me.index()]->acquire();
}

bool Simulation::advance() {
  bool ended = false;
  while (behind_ == 0 && std::find(away_.begin(), away_.end(), false) != away_.end()) {
    // The last island through: every island has ended this round now.
    ended = true;
    ++result_.rounds;
    for (std::size_t i = 0; i < islands_.size(); ++i) {
      if (!away_[i] && islands_[i].rounds == result_.rounds) ++behind_;
    }
    placements_.forget_before(result_.rounds);
    if (gossip_ != nullptr) gossip_->forget_before(result_.rounds);
    const auto rounds = static_cast<double>(result_.rounds);
    result_.mean_round = (simulated_now() - Instant()) / rounds;
    result_.bound_round = *std::max_element(least_.begin(), least_.end()) / rounds;
    const bool last = result_.rounds == spec_.stop.max_rounds;
    if (last || result_.rounds % spec_.evaluate_every == 0) evaluate(Models::kOfRounds);
    if (last) stopped_ = true;
    if (stopped_) {
      stop(result_.status, result_.failure);
      return true;
    }
  }
  if (!ended) return false;
  for (const IslandId i : std::exchange(at_barrier_, {})) barrier_gates_[i.index()]->release();
  return true;
}

std::int64_t Simulation::may_be_ahead(IslandId me) {
  if (spec_.barrier) return 0;
  // What a policy decides by the state of the network is not to be decided long before it is due by
  // an island that hurries on, since nobody is there to exchange with.
  if (spec_.policy->observes() || spec_.policy->foresees()) {
    const Placement& placement = placements_.of(islands_[me.index()].number);
    return placement.round->cliques[placement.clique_of[me.index()]].size() == 1 ? 0 : 1;
  }
  return std::numeric_limits<std::int64_t>::max();
}

void Simulation::evaluate(Models models) {
  const WallClock start;
  TraceRow row{.time = simulated_now(),
               .round = result_.rounds,
               .steps = std::llround(static_cast<double>(result_.rounds) * timing_.mean_steps()),
               .samples = 0,
               .evaluation = {}};
  const auto see = [this, &row] {
    if (spec_.task != nullptr) row.evaluation = spec_.task->evaluate();
  };
  if (models == Models::kOfRounds) {
    row.samples = round_models_.evaluate(away_, see);
  } else {
    for (const IslandState& island : islands_) row.samples += island.samples;
    round_models_.evaluate_now(away_, see);
  }
  if (spec_.task != nullptr) row.evaluation = of_those_present(row.evaluation, away_);
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

void Simulation::stop(RunStatus status, std::string why) {
  stopped_ = true;
  if (packets_ != nullptr && status != RunStatus::kComplete) packets_->stop();
  result_.status = status;
  result_.failure = std::move(why);
  ended_ = simulated_now();
  // What is under way plays on in the engine, but is no part of the run.
  if (flows_ != nullptr) result_.arcs = flows_->usage();
  for (std::size_t i = 0; i < islands_.size(); ++i) go(IslandId::at(i), Position::kDone);
  killed_ = simgrid_compat::kill_all();
}

void Simulation::watch_time() {
  s4u::Actor::create("clock", platform_.host(IslandId::at(0)), [this] {
    sleep_until(Instant() + *spec_.stop.max_time);
    if (stopped_) return;
    evaluate(Models::kAsTheyAre);
    stop(RunStatus::kComplete, "");
  })->daemonize();
}

bool Simulation::goes_on() {
  if (!stopped_ && interrupted_) stop(RunStatus::kTruncated, "interrupted");
  return !stopped_;
}

void Simulation::set_arc(ArcId arc) {
  if (packets_ != nullptr) {
    packets_->set_arc(arc, conditions_.capacity(arc), conditions_.latency(arc));
    return;
  }
  flows_->set_capacity(arc, conditions_.capacity(arc));
  flows_->set_latency(topology_, arc, conditions_.latency(arc));
}

std::string Simulation::offer_of(ArcId arc) const {
  return fmt::format("it has {}, latency {}", to_text(conditions_.capacity(arc)),
                     to_text(conditions_.latency(arc)));
}

void Simulation::play_changes() {
  const auto apply = [this](const ArcChange& change) {
    conditions_.change(change);
    set_arc(change.arc);
    observer_.on_event({.time = simulated_now(),
                        .what = "changes",
                        .subject = topology_.name(change.arc),
                        .round = {},
                        .effect = offer_of(change.arc)});
  };
  // What holds from the start on is there before anybody acts.
  const auto later = std::find_if(spec_.changes.begin(), spec_.changes.end(),
                                  [](const ArcChange& change) { return change.at > Instant(); });
  std::for_each(spec_.changes.begin(), later, apply);
  if (later == spec_.changes.end()) return;
  s4u::Actor::create("changes", platform_.host(IslandId::at(0)), [this, apply, later] {
    for (auto change = later; change != spec_.changes.end(); ++change) {
      sleep_until(change->at);
      if (!goes_on()) return;
      apply(*change);
    }
  })->daemonize();
}

void Simulation::play_background() {
  for (const Background& background : spec_.background) {
    const auto turn = [this, &background](bool on) {
      conditions_.turn(background, on);
      std::string effect;
      for (const auto& [arc, takes] : background.takes) {
        set_arc(arc);
        effect +=
            fmt::format("{}{}: {}", effect.empty() ? "" : "; ", topology_.name(arc), offer_of(arc));
      }
      observer_.on_event({.time = simulated_now(),
                          .what = on ? "begins" : "ends",
                          .subject = "background " + background.name,
                          .round = {},
                          .effect = std::move(effect)});
    };
    const auto times = std::make_shared<BackgroundTimes>(background, spec_.seed);
    if (times->on()) turn(true);
    if (!background.random) continue;
    s4u::Actor::create("background " + background.name, platform_.host(IslandId::at(0)),
                       [this, turn, times] {
                         while (const std::optional<Instant> at = times->next()) {
                           sleep_until(*at);
                           if (!goes_on()) return;
                           turn(times->on());
                         }
                       })
        ->daemonize();
  }
}

void Simulation::play_faults() {
  for (const Fault& fault : spec_.faults) {
    s4u::Actor::create("fault of " + fault.name, platform_.host(IslandId::at(0)), [this, &fault] {
      FaultTimes times(fault, spec_.seed);
      while (const std::optional<Instant> at = times.next()) {
        sleep_until(*at);
        if (!goes_on()) return;
        times.failed() ? outages_.fail(fault) : outages_.restore(fault);
        if (times.failed() && fault.is_for_good()) gone_.fail(fault);
        const std::size_t halted = flows_ != nullptr ? flows_->set_down(outages_.down()) : 0;
        observer_.on_event(
            {.time = simulated_now(),
             .what = times.failed() ? "fails" : "is back",
             .subject = fault.name,
             .round = {},
             .effect = halted > 0 ? fmt::format("flows that stand still: {}", halted) : ""});
        desk_->follow_outages();
        if (gossip_ != nullptr && !stopped_) gossip_->look_for_dead_ends();
      }
    })->daemonize();
  }
}

bool RunSpec::has_events() const {
  return !faults.empty() || !churn.empty() || !changes.empty() || !background.empty();
}

bool RunSpec::takes_islands_away() const {
  return std::any_of(churn.begin(), churn.end(),
                     [](const IslandEvent& event) { return !event.slowdown; });
}

std::vector<Bandwidth> Simulation::arc_rates() {
  std::vector<Bandwidth> rates =
      flows_ != nullptr ? flows_->take_mean_capacities() : packets_->take_mean_capacities();
  for (const ArcId arc : outages_.down()) rates[arc.index()] = Bandwidth();
  return rates;
}

void Simulation::report_deadlock() {
  result_.failure =
      fmt::format("deadlock at {} s: {}", simulated_now().in_seconds(), desk_->who_waits(times_));
}

void Simulation::finish() {
  result_.islands = times_.shares();
  result_.simulated = ended_.value_or(simulated_now()) - Instant();
  if (packets_ == nullptr) {
    if (!ended_) result_.arcs = flows_->usage();
    result_.flows = flows_->started();
    result_.flow_arcs = flows_->started_arcs();
    return;
  }
  result_.arcs = packets_->usage(result_.simulated);
  result_.events = packets_->events();
  for (std::size_t a = 0; a < result_.arcs.size(); ++a) {
    result_.lost.push_back(packets_->lost(ArcId::at(a)));
  }
}

RunResult simulate(const RunSpec& spec, RunObserver& observer,
                   const std::atomic<bool>& interrupted) {
  return Simulation(spec, observer, interrupted).run();
}

}  // namespace gyre
