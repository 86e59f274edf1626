#include "sim/sync_desk.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/error.hpp"
#include "sim/clique_row.hpp"

namespace gyre {

namespace s4u = simgrid::s4u;

SyncDesk::SyncDesk(const Parts& parts, Hooks hooks)
    : parts_(parts),
      hooks_(std::move(hooks)),
      topology_(parts.network.topology),
      plan_options_{.exchange = parts.spec.exchange,
                    .routing = parts.spec.routing,
                    .keep_rates = parts.spec.packets && parts.spec.packets->unlimited_switches},
      plans_(parts.network, parts.flows, plan_options_),
      gates_(parts.timing.most_in_flight(parts.spec.training.delay(),
                                         parts.spec.stop.rounds_of_one())) {
  passed_.assign(topology_.island_count(), 0);
  for (std::vector<s4u::SemaphorePtr>& lane : gates_) {
    for (std::size_t i = 0; i < topology_.island_count(); ++i) {
      lane.push_back(s4u::Semaphore::create(0));
    }
  }
}

std::shared_ptr<Sync> SyncDesk::enter(IslandId me, std::int64_t round, std::size_t fragment,
                                      const Placement& placement, Instant began, Duration still) {
  const std::size_t clique = placement.clique_of[me.index()];
  const Instant now = simulated_now();
  if (placement.round->cliques[clique].size() == 1) {
    hooks_.report(computed_row(round, fragment, {me}, began, now + still - began));
    return nullptr;
  }
  std::shared_ptr<Sync>& sync = syncs_[{parts_.timing.number(round, fragment), clique}];
  if (sync == nullptr) {
    sync = std::make_shared<Sync>();
    sync->round = round;
    sync->fragment = fragment;
    sync->cliques = placement.round;
    sync->clique = clique;
    sync->exchanges.resize(parts_.timing.pieces(fragment).size());
    sync->waits.resize(sync->members().size());
    if (parts_.mixer != nullptr) {
      sync->mix = parts_.mixer->begin(sync->members(),
                                      {.index = fragment, .count = parts_.timing.fragments()});
    }
    sync->bounds = bounds_of(sync->members(), parts_.timing.bytes(fragment));
    sync->began_round = began;
    sync->first_ready = now;
  }
  if (sync->has_begun()) return sync;
  sync->began_round = std::min(sync->began_round, began);
  sync->compute = std::max(sync->compute, now + still - began);
  if (parts_.mixer != nullptr) parts_.mixer->contribute(*sync->mix, rank_in(sync->members(), me));
  return sync;
}

std::shared_ptr<const CliqueBounds> SyncDesk::bounds_of(const Clique& clique, Bytes payload) {
  if (bounds_.size() >= kMostBounds) bounds_.clear();
  std::shared_ptr<const CliqueBounds>& known = bounds_[{payload, clique}];
  if (known != nullptr) return known;
  CliqueBounds bounds{.all = parts_.bounds.cut(clique, payload), .members = {}};
  for (const IslandId i : clique) {
    bounds.members.push_back(parts_.bounds.member(clique, i, payload));
  }
  known = std::make_shared<const CliqueBounds>(std::move(bounds));
  return known;
}

std::shared_ptr<Sync> SyncDesk::begun(IslandId me, std::int64_t round,
                                      const Placement& placement) const {
  const auto found = syncs_.find({round, placement.clique_of[me.index()]});
  return found != syncs_.end() && found->second->has_begun() ? found->second : nullptr;
}

std::shared_ptr<const PreparedPlan> SyncDesk::plan(const Round& round, std::size_t clique,
                                                   Bytes payload, std::int64_t number) {
  try {
    Reduced* reduced = reduced_for(round.cliques[clique]);
    std::shared_ptr<const PreparedPlan> made =
        reduced == nullptr ? plans_.get(round, clique, payload)
                           : reduced->plans.get(reduced->network.joined(round), clique, payload);
    const RunSpec& spec = parts_.spec;
    if (spec.packets) check_recovery(topology_, *made, *spec.packets, spec.limits);
    tell_routes(made, number);
    return made;
  } catch (const InputError& error) {
    fail(fmt::format("round {}: {}", number, error.what()));
    return nullptr;
  }
}

void SyncDesk::tell_routes(const std::shared_ptr<const PreparedPlan>& plan, std::int64_t round) {
  if (routed_.size() >= kMostRouted) routed_.clear();
  std::shared_ptr<const PreparedPlan>& last = routed_[{plan->plan.payload, plan->plan.members}];
  if (last == plan) return;
  last = plan;
  std::map<ArcId, Bytes> arcs;
  for (const Flow& flow : plan->plan.flows) {
    for (const ArcUse& use : flow.stream.arcs) arcs[use.arc] += flow.bytes * use.copies;
  }
  hooks_.route({.round = round,
                .members = plan->plan.members,
                .exchange = plan->plan.exchange,
                .arcs = {arcs.begin(), arcs.end()}});
}

std::shared_ptr<CliqueExchange> SyncDesk::exchange(const std::shared_ptr<Sync>& sync,
                                                   std::size_t piece) {
  std::shared_ptr<CliqueExchange>& exchange = sync->exchanges[piece];
  if (exchange != nullptr) return exchange;
  const Bytes payload = parts_.timing.pieces(sync->fragment)[piece].bytes;
  std::shared_ptr<const PreparedPlan> made =
      plan(*sync->cliques, sync->clique, payload, sync->round);
  if (made == nullptr) return nullptr;
  const SwitchLimits* limits = parts_.spec.limits;
  const bool eager = limits != nullptr && limits->launch == LaunchRule::kEager;
  const auto lane =
      static_cast<std::size_t>(parts_.timing.number(sync->round, sync->fragment)) % gates_.size();
  exchange = std::make_shared<CliqueExchange>(std::move(made),
                                              Networks{.topology = &topology_,
                                                       .platform = &parts_.platform,
                                                       .flows = parts_.flows,
                                                       .packets = parts_.packets,
                                                       .eager = eager},
                                              gates_[lane], parts_.spec.propagation);
  // Once its members are through nobody minds.
  const std::weak_ptr<Sync> mine = sync;
  exchange->on_give_up = [this, mine, raw = exchange.get()](const std::string& why) {
    if (const std::shared_ptr<Sync> still = mine.lock()) give_up(*still, *raw, why);
  };
  return exchange;
}

bool SyncDesk::play(const std::shared_ptr<Sync>& sync, IslandId me,
                    const std::vector<Instant>& ready, const OnPhase& on_phase) {
  for (std::size_t piece = 0; piece < sync->exchanges.size(); ++piece) {
    const CliqueExchange* known = sync->exchanges[piece].get();
    if (known != nullptr && known->called_off()) continue;
    if (ready[piece] > simulated_now()) sleep_until(ready[piece]);
    on_phase(SyncPhase::kMeeting);
    const Instant arrived = simulated_now();
    if (piece == 0 && sync->exchanges.front() == nullptr) sync->first_ready = arrived;
    if (!meet(sync, piece, me)) return false;
    CliqueExchange& exchange = *sync->exchanges[piece];
    if (piece == 0) sync->waits[rank_in(sync->members(), me)] = exchange.begun - arrived;
    on_phase(SyncPhase::kExchanging);
    exchange.take_part(me);
    sync->ended = simulated_now();
  }
  return true;
}

bool SyncDesk::meet(const std::shared_ptr<Sync>& sync, std::size_t piece, IslandId me) {
  const bool first = piece == 0 && sync->exchanges.front() == nullptr;
  const std::shared_ptr<CliqueExchange> mine = exchange(sync, piece);
  if (mine == nullptr) return false;  // the run has ended
  const bool quorum = parts_.spec.training.follows(StragglerSpec::Rule::kQuorum);
  if (quorum && mine->has_begun()) return false;
  // Whoever launches eagerly lets others run, who may leave, and by that let it begin.
  const bool last = mine->meet(me) && !mine->has_begun() && mine->missing() == 0;
  if (parts_.spec.takes_islands_away()) {
    if (first && parts_.spec.without_member == WithoutMember::kStall) watch_deadline(sync);
    if (!last) consider(sync);
    if (mine->called_off()) return true;
    if (!hooks_.takes_part(me, sync->round)) return false;
  }
  if (!last && quorum && enough(*sync)) s4u::this_actor::yield();  // others may come just now
  if (last || (quorum && enough(*sync) && !mine->has_begun())) {
    begin(sync, piece, me, false);
    return !failed_;
  }
  if (quorum && first) watch_deadline(sync);
  mine->await(me);
  return !parts_.spec.takes_islands_away() || hooks_.takes_part(me, sync->round);
}

bool SyncDesk::enough(const Sync& sync) const {
  const StragglerSpec& rule = *parts_.spec.training.stragglers;
  const auto members = static_cast<double>(sync.members().size());
  const auto ready = static_cast<double>(sync.exchanges.front()->ready().size());
  const double needed = std::max(1.0, std::ceil(rule.quorum * members - 1e-9));
  return ready >= needed && simulated_now() >= sync.first_ready + rule.deadline;
}

void SyncDesk::watch_deadline(const std::shared_ptr<Sync>& sync) {
  const IslandId first = sync->members().front();
  const Duration deadline = parts_.spec.takes_islands_away()
                                ? parts_.spec.stall_deadline
                                : parts_.spec.training.stragglers->deadline;
  const Instant until = sync->first_ready + deadline;
  s4u::Actor::create("deadline", parts_.platform.host(first), [this, sync, until] {
    if (hooks_.is_over()) return;  // killed before it began: must not block
    sleep_until(until);
    s4u::this_actor::yield();
    if (parts_.spec.takes_islands_away()) {
      consider(sync);
      return;
    }
    if (sync->has_begun() || !enough(*sync)) return;
    begin(sync, 0, sync->exchanges.front()->ready().front(), true);
  })->daemonize();
}

void SyncDesk::begin(const std::shared_ptr<Sync>& sync, std::size_t piece, IslandId starter,
                     bool by_clock) {
  const std::shared_ptr<CliqueExchange> mine = sync->exchanges[piece];
  CliqueExchange& exchange = *mine;
  // Going without some lets others run, who may leave, and by that let it begin.
  while (exchange.missing() > 0 && !exchange.ready().empty() && !failed_) {
    go_without_the_absent(*sync);
    if (exchange.has_begun()) return;
  }
  if (exchange.ready().empty()) return;
  if (piece == 0 && parts_.mixer != nullptr && !failed_) average(*sync);
  if (failed_) return;
  exchange.begin(starter, by_clock, setup_of(exchange.shared_plan()));
  if (parts_.outages.any()) follow_rule(*sync, mine);
}

void SyncDesk::tell(const Sync& sync, const CliqueExchange& exchange, std::string_view what,
                    std::string effect) {
  hooks_.tell({.time = simulated_now(),
               .what = std::string(what),
               .subject = to_text(exchange.prepared().plan.members, topology_),
               .round = sync.round,
               .effect = std::move(effect)});
}

void SyncDesk::take_in(const Sync& sync, IslandId me) const {
  if (parts_.mixer == nullptr || sync.dropped()) return;
  parts_.mixer->apply(*sync.mix, rank_in(sync.members(), me));
}

void SyncDesk::leave(const std::shared_ptr<Sync>& sync, IslandId me) {
  if (std::find(sync->absent.begin(), sync->absent.end(), me) == sync->absent.end()) {
    for (const std::shared_ptr<CliqueExchange>& exchange : sync->exchanges) exchange->leave(me);
    close(sync);
    // Whoever is released may come through here before the others are.
    std::vector<IslandId> served;
    std::erase_if(sync->fetching, [me, &served](const std::pair<IslandId, IslandId>& wish) {
      if (wish.first == me) served.push_back(wish.second);
      return wish.first == me;
    });
    for (const IslandId other : served) gate(other)->release();
  }
  ++sync->through;
  close(sync);
}

void SyncDesk::close(const std::shared_ptr<Sync>& sync) {
  const CliqueExchange& exchange = *sync->exchanges.front();
  const Clique& members = exchange.prepared().plan.members;
  const auto coming = std::count_if(members.begin(), members.end(), [&sync](IslandId i) {
    return !std::binary_search(sync->absent.begin(), sync->absent.end(), i);
  });
  if (!sync->reported && exchange.left().size() == static_cast<std::size_t>(coming)) {
    sync->reported = true;
    hooks_.report(clique_row(topology_, *sync, sync->ended));
    if (parts_.packets != nullptr) parts_.packets->report_switches();
  }
  if (sync->through == sync->members().size()) {
    syncs_.erase({parts_.timing.number(sync->round, sync->fragment), sync->clique});
  }
}

void SyncDesk::average(Sync& sync) {
  const SwitchLimits* limits = parts_.spec.limits;
  const PreparedPlan& prepared = sync.exchanges.front()->prepared();
  if (limits == nullptr || !limits->numbers || !prepared.sums_in_switches) {
    parts_.mixer->average(*sync.mix);
    return;
  }
  const SumNumbers& numbers = *limits->numbers;
  const std::vector<Model> models = parts_.mixer->sent(*sync.mix);
  const SwitchAverages sums =
      switch_averages(topology_, prepared.plan, prepared.program, numbers, models);
  parts_.mixer->set_results(*sync.mix, sums.of_member);
  sync.sum_error = sums.largest_error;
  if (sums.overflows == 0) return;
  fail(
      fmt::format("round {}, {}: {} values of its sums leave the 32 bits of the switches at "
                  "scale {}; give a smaller `network.aggregator.numbers.scale`",
                  sync.round, to_text(prepared.plan.members, topology_), sums.overflows,
                  to_text(numbers.scale)));
}

void SyncDesk::fail(const std::string& why) {
  failed_ = true;
  hooks_.fail(why);
}

std::string SyncDesk::who_waits(const IslandTimes& times) const {
  std::string report;
  for (std::size_t i = 0; i < topology_.island_count(); ++i) {
    const IslandId island = IslandId::at(i);
    if (times.position(island) == Position::kDone) continue;
    const bool at_barrier = times.position(island) == Position::kAtBarrier;
    report += fmt::format("{}{} waits {}", report.empty() ? "" : "; ", topology_.name(island),
                          at_barrier ? "for the others at the barrier" : waiting_for(island));
  }
  return report;
}

std::string SyncDesk::waiting_for(IslandId me) const {
  for (const auto& [key, sync] : syncs_) {
    const Clique& members = sync->members();
    if (std::find(members.begin(), members.end(), me) == members.end()) continue;
    for (const std::shared_ptr<CliqueExchange>& exchange : sync->exchanges) {
      if (exchange == nullptr || exchange->has_left(me)) continue;
      return fmt::format("in round {} for {}", sync->round,
                         whom_it_waits_for(topology_, *exchange));
    }
  }
  return "for the others";
}

}  // namespace gyre
