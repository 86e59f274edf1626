// What becomes of exchanges where something fails, or members are away or late.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sim/clique_row.hpp"
#include "sim/sync_desk.hpp"

namespace gyre {

namespace s4u = simgrid::s4u;

void SyncDesk::consider(const std::shared_ptr<Sync>& sync) {
  const std::shared_ptr<CliqueExchange> exchange = sync->exchanges.front();
  if (failed_ || exchange == nullptr || exchange->has_begun() || exchange->ready().empty()) return;
  const std::vector<IslandId>& ready = exchange->ready();
  std::vector<IslandId> away;
  for (const IslandId i : sync->members()) {
    if (std::find(ready.begin(), ready.end(), i) != ready.end()) continue;
    if (!hooks_.takes_part(i, sync->round)) away.push_back(i);
  }
  const WithoutMember rule = parts_.spec.without_member;
  if (rule == WithoutMember::kSkip && !away.empty()) {
    for (const IslandId i : away) goes_without(*sync, i);
    exchange->call_off();
    return;
  }
  if (ready.size() + away.size() < sync->members().size()) return;
  const bool stalls = rule == WithoutMember::kStall && !away.empty();
  if (stalls && simulated_now() < sync->first_ready + parts_.spec.stall_deadline) return;
  begin(sync, 0, ready.front(), true);
}

void SyncDesk::goes_without(Sync& sync, IslandId island) {
  if (std::find(sync.absent.begin(), sync.absent.end(), island) != sync.absent.end()) return;
  sync.absent.push_back(island);
  std::sort(sync.absent.begin(), sync.absent.end());
  passed_[island.index()] = std::max(passed_[island.index()], sync.round + 1);
  ++sync.through;
}

void SyncDesk::depart(IslandId island) {
  std::vector<std::shared_ptr<Sync>> syncs;
  for (const auto& [key, sync] : syncs_) syncs.push_back(sync);
  for (const std::shared_ptr<Sync>& sync : syncs) {
    const Clique& members = sync->members();
    const bool member = std::binary_search(members.begin(), members.end(), island);
    const std::shared_ptr<CliqueExchange> exchange = sync->exchanges.front();
    if (!member || exchange == nullptr) continue;
    if (!exchange->has_begun()) {
      const std::vector<IslandId>& ready = exchange->ready();
      if (std::find(ready.begin(), ready.end(), island) != ready.end()) {
        if (sync->mix != nullptr) parts_.mixer->withdraw(*sync->mix, rank_in(members, island));
        exchange->withdraw(island);
      }
      consider(sync);
    } else if (!exchange->has_left(island)) {
      lose_member(sync, island);
    }
  }
}

void SyncDesk::lose_member(const std::shared_ptr<Sync>& sync, IslandId island) {
  const std::shared_ptr<CliqueExchange> exchange = sync->exchanges.front();
  const Clique& absent = sync->absent;
  if (std::find(absent.begin(), absent.end(), island) != absent.end()) return;
  goes_without(*sync, island);
  Clique rest = exchange->prepared().plan.members;
  std::erase(rest, island);
  const bool over = !rest.empty() && std::all_of(rest.begin(), rest.end(),
                                                 [&](IslandId i) { return exchange->has_left(i); });
  // Who is in it leaves later, if anybody is.
  if (!over) sync->ended = simulated_now();
  if (!exchange->dropped()) {
    if (over) {
      take_bounds_of(*sync, rest);
      exchange->finish();
    } else if (rest.size() < 2 || parts_.spec.without_member == WithoutMember::kSkip) {
      exchange->drop();
      tell(*sync, *exchange, "dropped", "a member has left; the others keep their models");
    } else if (std::shared_ptr<const PreparedPlan> made = plan_of(*sync, rest)) {
      take_bounds_of(*sync, rest);
      // Who has the result passes it on. If nobody has, what the island sent does not count.
      const bool without_it = sync->mix != nullptr && exchange->left().empty();
      if (without_it) parts_.mixer->withdraw(*sync->mix, rank_in(sync->members(), island));
      exchange->restart(made);
      // Starting lets others run, who may have left as well: then it has been planned once more.
      if (exchange->shared_plan() == made && !exchange->dropped()) {
        if (without_it) average(*sync);
        tell(*sync, *exchange, "planned anew", "a member has left; it starts again without it");
        look_for_dead_end(*sync, *exchange);
      }
    }
  }
  close(sync);
}

std::int64_t SyncDesk::round_to_join(IslandId island, std::int64_t round) const {
  const bool stalls = parts_.spec.without_member == WithoutMember::kStall;
  std::int64_t join = round + 1;
  for (const auto& [key, sync] : syncs_) {
    const Clique& members = sync->members();
    if (!stalls || !std::binary_search(members.begin(), members.end(), island)) continue;
    if (!sync->has_begun()) join = std::min(join, sync->round);
  }
  return std::max(join, passed_[island.index()]);
}

SyncDesk::Reduced* SyncDesk::reduced_for(std::span<const IslandId> members) {
  if (!parts_.outages.any() || parts_.spec.in_flight != InFlight::kReroute) return nullptr;
  const std::string state = parts_.outages.key();
  if (reduced_.size() >= kMostReduced && !reduced_.contains(state)) reduced_.clear();
  std::unique_ptr<Reduced>& reduced = reduced_[state];
  if (reduced == nullptr) {
    reduced =
        std::make_unique<Reduced>(parts_.network, parts_.outages, parts_.flows, plan_options_);
  }
  return reduced->network.joins(members) ? reduced.get() : nullptr;
}

bool SyncDesk::lacks_arcs(const CliqueExchange& exchange) const {
  return exchange.is_held_up(
      [this](const Stream& stream) { return crosses_outage(parts_.outages, stream); });
}

bool SyncDesk::lacks_capabilities(const CliqueExchange& exchange) const {
  return exchange.is_held_up([this](const Stream& stream) {
    return lacks_capability(parts_.network, parts_.outages, stream);
  });
}

void SyncDesk::follow_outages() {
  // Following the rule lets others run, who may come and go.
  std::vector<std::shared_ptr<Sync>> syncs;
  for (const auto& [key, sync] : syncs_) syncs.push_back(sync);
  for (const std::shared_ptr<Sync>& sync : syncs) {
    for (const std::shared_ptr<CliqueExchange>& exchange : sync->exchanges) {
      if (exchange != nullptr) follow_rule(*sync, exchange);
    }
  }
  look_for_dead_fetches();
}

std::optional<std::string> SyncDesk::dead_end(const CliqueExchange& exchange) const {
  const Clique& members = exchange.prepared().plan.members;
  // Chunks are sent again until their sources give up, by a rule of their own.
  if (parts_.spec.in_flight == InFlight::kReroute) {
    if (parts_.flows == nullptr) return std::nullopt;
    const ReducedNetwork left(parts_.network, parts_.gone);
    for (const IslandId from : members) {
      for (const IslandId to : members) {
        if (from == to || left.joins(std::vector{from, to})) continue;
        return fmt::format("{} waits for {}, and what has failed for good leaves no way there",
                           topology_.name(to), topology_.name(from));
      }
    }
    return std::nullopt;
  }
  std::string why;
  const bool stuck = exchange.is_held_up([&](const Stream& stream) {
    const bool lacks = lacks_capability(parts_.network, parts_.gone, stream);
    const std::optional<ArcId> gone =
        parts_.flows != nullptr ? outage_on(parts_.gone, stream) : std::nullopt;
    if (!lacks && !gone) return false;
    Clique sources = stream.sources;
    std::sort(sources.begin(), sources.end());
    why =
        fmt::format("{} waits for what {} sends, which needs {}, and that has failed for good",
                    topology_.name(stream.deliveries.front().receiver), to_text(sources, topology_),
                    gone ? topology_.name(*gone) : std::string("a switch that replicates or adds"));
    return true;
  });
  return stuck ? std::optional(why) : std::nullopt;
}

void SyncDesk::look_for_dead_end(const Sync& sync, const CliqueExchange& exchange) {
  const RunSpec& spec = parts_.spec;
  if (failed_ || !parts_.gone.any() || exchange.dropped() || !exchange.has_begun()) return;
  if (spec.stop.max_time || sync.round >= spec.stop.max_rounds) return;
  if (spec.in_flight == InFlight::kDrop) return;
  const Clique& members = exchange.prepared().plan.members;
  if (std::any_of(members.begin(), members.end(), hooks_.may_leave)) return;
  const std::optional<std::string> why = dead_end(exchange);
  if (!why) return;
  const auto rule = static_cast<std::size_t>(spec.in_flight);
  fail(fmt::format("round {} of {} can never end: {} (`network.in_flight: {}`)", sync.round,
                   to_text(members, topology_), *why, kInFlightNames[rule]));
}

void SyncDesk::look_for_dead_fetches() {
  if (failed_ || !parts_.gone.any() || parts_.flows == nullptr || parts_.spec.stop.max_time) return;
  for (const Fetch& fetch : fetches_) {
    const std::vector<Stream> way = multicast_streams(parts_.network, fetch.from, {&fetch.to, 1});
    const std::optional<ArcId> gone = outage_on(parts_.gone, way.front());
    if (!gone || fetch.round >= parts_.spec.stop.max_rounds) continue;
    fail(fmt::format(
        "round {} can never end: {} is late and fetches the result from {} over {}, "
        "which has failed for good",
        fetch.round, topology_.name(fetch.to), topology_.name(fetch.from), topology_.name(*gone)));
    return;
  }
}

void SyncDesk::follow_rule(const Sync& sync, const std::shared_ptr<CliqueExchange>& stopped) {
  CliqueExchange& exchange = *stopped;
  const bool capabilities = lacks_capabilities(exchange);
  if (parts_.spec.in_flight == InFlight::kWait) {
    // On arcs flows stand still by themselves, and chunks are sent again. What a switch has lost
    // was in the middle of a sum.
    if (capabilities && !exchange.is_held()) {
      tell(sync, exchange, "waits", "it starts again when its switches can");
      exchange.restart(exchange.shared_plan(), true);
    } else if (!capabilities && exchange.is_held()) {
      exchange.go_on();
    }
    look_for_dead_end(sync, exchange);
    return;
  }
  if (!capabilities && !lacks_arcs(exchange)) return;
  if (parts_.spec.in_flight == InFlight::kDrop) {
    exchange.drop();
    tell(sync, exchange, "dropped", "its members keep their models");
    return;
  }
  const Clique& members = exchange.prepared().plan.members;
  if (reduced_for(members) == nullptr) {
    tell(sync, exchange, "waits", "some of its members cannot reach each other");
    look_for_dead_end(sync, exchange);
    return;
  }
  const Round alone = make_round({members}, topology_.island_count());
  const auto at = static_cast<std::size_t>(
      std::find(alone.cliques.begin(), alone.cliques.end(), members) - alone.cliques.begin());
  std::shared_ptr<const PreparedPlan> made =
      plan(alone, at, exchange.prepared().plan.payload, sync.round);
  if (made == nullptr) return;
  const bool other = made->plan.exchange != exchange.prepared().plan.exchange;
  tell(sync, exchange, "planned anew",
       fmt::format("it starts again{}",
                   other ? fmt::format(", as {}", name_of(made->plan.exchange)) : ""));
  const Duration setup = setup_of(made);
  exchange.restart(made, setup > Duration());
  if (setup == Duration()) return;
  s4u::Actor::create("tables", parts_.platform.host(members.front()), [this, stopped, made, setup] {
    if (hooks_.is_over()) return;  // killed before it began: must not block
    sleep_until(simulated_now() + setup);
    // It may have been planned anew once more, or dropped.
    if (stopped->shared_plan() == made && stopped->is_held()) stopped->go_on();
  })->daemonize();
}

Duration SyncDesk::setup_of(const std::shared_ptr<const PreparedPlan>& plan) {
  if (parts_.spec.setup_time == Duration()) return {};
  const bool by_switches =
      std::any_of(plan->plan.flows.begin(), plan->plan.flows.end(), [](const Flow& flow) {
        return flow.stream.sources.size() > 1 || flow.stream.deliveries.size() > 1;
      });
  if (!by_switches) return {};
  std::vector<std::shared_ptr<const PreparedPlan>>& installed = installed_[plan->plan.members];
  if (std::any_of(installed.begin(), installed.end(),
                  [&](const auto& one) { return have_same_tables(one->plan, plan->plan); })) {
    return {};
  }
  installed.push_back(plan);
  return parts_.spec.setup_time;
}

void SyncDesk::go_without_the_absent(Sync& sync) {
  CliqueExchange& exchange = *sync.exchanges.front();
  Clique present = exchange.ready();
  std::sort(present.begin(), present.end());
  std::shared_ptr<const PreparedPlan> made = plan_of(sync, present);
  if (made == nullptr) return;
  exchange.reduce(std::move(made));
  for (const IslandId i : sync.members()) {
    if (std::binary_search(present.begin(), present.end(), i)) continue;
    // Of a quorum they come later.
    if (parts_.spec.takes_islands_away()) {
      goes_without(sync, i);
    } else {
      sync.absent.push_back(i);
    }
  }
  take_bounds_of(sync, present);
}

std::shared_ptr<const PreparedPlan> SyncDesk::plan_of(const Sync& sync, const Clique& present) {
  if (present.size() == 1) {
    return std::make_shared<const PreparedPlan>(
        lone_plan(sync.exchanges.front()->prepared().plan, present.front()));
  }
  Round round = *sync.cliques;
  round.cliques[sync.clique] = present;
  for (const IslandId i : sync.members()) {
    if (!std::binary_search(present.begin(), present.end(), i)) round.cliques.push_back({i});
  }
  return plan(round, sync.clique, parts_.timing.bytes(sync.fragment), sync.round);
}

void SyncDesk::take_bounds_of(Sync& sync, const Clique& present) {
  const Bytes bytes = parts_.timing.bytes(sync.fragment);
  CliqueBounds bounds = *sync.bounds;
  bounds.all = present.size() == 1 ? CutBound() : parts_.bounds.cut(present, bytes);
  for (const IslandId i : present) {
    bounds.members[rank_in(sync.members(), i)] = parts_.bounds.member(present, i, bytes);
  }
  sync.bounds = std::make_shared<const CliqueBounds>(std::move(bounds));
}

void SyncDesk::fetch(const std::shared_ptr<Sync>& sync, IslandId me) {
  const std::optional<IslandId> nearest =
      nearest_to(me, sync->exchanges.front()->prepared().plan.members);
  check(nearest.has_value(), "a latecomer found no member to fetch the result from");
  const std::vector<IslandId>& gone = sync->exchanges.front()->left();
  if (std::find(gone.begin(), gone.end(), *nearest) == gone.end()) {
    sync->fetching.emplace_back(*nearest, me);
    gate(me)->acquire();
  }
  fetches_.push_back({.round = sync->round, .to = me, .from = *nearest});
  look_for_dead_fetches();
  if (failed_) return;
  download(me, *nearest, parts_.timing.bytes(sync->fragment));
  std::erase_if(fetches_, [me](const Fetch& fetch) { return fetch.to == me; });
}

std::optional<IslandId> SyncDesk::nearest_to(IslandId island,
                                             std::span<const IslandId> others) const {
  const auto latency = [&](IslandId from) {
    return parts_.network.routes.latency(topology_.node(from), topology_.node(island));
  };
  std::optional<IslandId> nearest;
  for (const IslandId other : others) {
    if (!nearest || latency(other) < latency(*nearest)) nearest = other;
  }
  return nearest;
}

void SyncDesk::download(IslandId island, IslandId from, Bytes bytes) {
  const std::vector<Stream> way = multicast_streams(parts_.network, from, {&island, 1});
  if (parts_.packets != nullptr) {
    const std::shared_ptr<PacketFlow> flow =
        parts_.packets->open(packets_of(parts_.network, way.front(), bytes), bytes);
    parts_.packets->launch(*flow, from);
    parts_.packets->wait(*flow, island, gate(island));
    return;
  }
  const FlowRoute route = parts_.flows->route(way.front());
  FlowHandle flow = parts_.flows->start(from, way.front(), route, bytes);
  const Instant sent = flow.wait();
  if (parts_.spec.propagation) sleep_until(sent + flow.latency_to(island).value_or(Duration()));
}

void SyncDesk::give_up(const Sync& sync, CliqueExchange& exchange, const std::string& why) {
  if (parts_.packets->give_up_rule() == GiveUpRule::kDrop) {
    exchange.drop(true);
    return;
  }
  fail(fmt::format("round {}, {}: {}", sync.round,
                   to_text(exchange.prepared().plan.members, topology_), why));
}

}  // namespace gyre
