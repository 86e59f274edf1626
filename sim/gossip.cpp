#include "sim/gossip.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sim/clique_row.hpp"

namespace gyre {

Gossip::Gossip(const Parts& parts) : parts_(parts), topology_(parts.network.topology) {
  for (std::size_t i = 0; i < topology_.island_count(); ++i) {
    gates_.push_back(simgrid::s4u::Semaphore::create(0));
  }
}

Gossip::StatePtr Gossip::state_of(std::int64_t number, const Round& overlay, const Turn& turn) {
  StatePtr& state = states_[number];
  if (state != nullptr) return state;
  state = std::make_shared<State>();
  state->round = turn.round;
  state->sent.resize(topology_.island_count());
  for (const MixingEdge& edge : overlay.edges) {
    state->sent[edge.from.index()].receivers.push_back(edge.to);
    state->sent[edge.to.index()].senders.push_back(edge.from);
  }
  if (parts_.mixer == nullptr) return state;
  std::vector<IslandId> everybody;
  everybody.reserve(topology_.island_count());
  for (std::size_t i = 0; i < topology_.island_count(); ++i) everybody.push_back(IslandId::at(i));
  state->mix = parts_.mixer->begin(std::move(everybody),
                                   {.index = turn.fragment, .count = parts_.timing.fragments()});
  return state;
}

Duration Gossip::exchange(IslandId me, const Round& overlay, const Turn& turn,
                          const OnPhase& on_phase) {
  const std::int64_t number = parts_.timing.number(turn.round, turn.fragment);
  const StatePtr held = state_of(number, overlay, turn);
  State& state = *held;
  Sent& mine = state.sent[me.index()];
  const Bytes bytes = parts_.timing.bytes(turn.fragment);
  if (state.mix != nullptr) parts_.mixer->contribute(*state.mix, me.index());
  const Instant ready = simulated_now();
  mine.at = ready;
  mine.least = turn.least;
  mine.row = computed_row(turn.round, turn.fragment, {me}, turn.began, ready - turn.began);
  mine.row.receiver = me;
  if (leaves() && parts_.spec.without_member == WithoutMember::kSkip &&
      misses_a_neighbour(state, me)) {
    Cuts cuts;
    call_off(state, me, cuts);
    carry_out(cuts);
  }
  send(state, me, bytes);

  CliqueRow& row = mine.row;
  Duration least = turn.least;
  std::vector<ModelMixer::Share> shares;
  const auto is_out = [&] {
    return leaves() && (mine.called_off || !parts_.takes_part(me, turn.round));
  };
  const auto senders = std::ranges::equal_range(overlay.edges, me, std::less<>(), &MixingEdge::to);
  for (const MixingEdge& edge : senders) {
    if (is_out()) break;
    const Sent& theirs = state.sent[edge.from.index()];
    on_phase(theirs.begun ? SyncPhase::kExchanging : SyncPhase::kMeeting);
    if (!receive(held, me, edge.from, bytes)) {
      if (is_absent(state, edge.from)) row.absent.push_back(edge.from);
      continue;
    }
    Clique both{edge.from, me};
    std::sort(both.begin(), both.end());
    const Duration bound =
        parts_.spec.propagation ? parts_.bounds.member(both, me, bytes) : Duration();
    least = std::max(least, theirs.least + bound);
    row.bound = std::max(row.bound, (theirs.at - ready) + bound);
    row.members.push_back(edge.from);
    shares.push_back({edge.from.index(), edge.weight});
  }
  if (!mine.through) end(mine, is_out());
  if (leaves()) {
    // Somebody may have waited for what has come to an island that did not.
    for (const IslandId other : mine.senders) report(state.sent[other.index()]);
  }
  if (row.dropped) return turn.least;
  if (state.mix != nullptr) parts_.mixer->take_in(*state.mix, me.index(), shares);
  if (++state.through == topology_.island_count()) states_.erase(number);
  return least;
}

void Gossip::send(State& state, IslandId me, Bytes bytes) {
  Sent& mine = state.sent[me.index()];
  std::vector<IslandId> receivers;
  for (const IslandId other : mine.receivers) {
    const Sent& theirs = state.sent[other.index()];
    const bool wants = !theirs.through && !theirs.called_off &&
                       std::ranges::find(theirs.done_without, me) == theirs.done_without.end();
    const bool can = !leaves() || (parts_.takes_part(other, state.round) && !mine.called_off);
    if (wants && can) receivers.push_back(other);
  }
  if (!receivers.empty()) plan_parts(mine, me, receivers, bytes);
  // Starting lets others run, who may leave, so that there are other parts.
  for (std::size_t p = 0; p < mine.parts.size(); ++p) launch(PartPtr(mine.parts[p]));
  mine.begun = true;
  look_for_dead_ends();
  for (const IslandId other : std::exchange(mine.waiting, {})) gates_[other.index()]->release();
}

void Gossip::plan_parts(Sent& owner, IslandId from, const std::vector<IslandId>& receivers,
                        Bytes bytes) {
  for (Stream& stream : multicast_streams(parts_.network, from, receivers)) {
    FlowRoute route = parts_.flows.route(stream);
    owner.parts.push_back(std::make_shared<Part>(Part{.from = from,
                                                      .stream = std::move(stream),
                                                      .route = std::move(route),
                                                      .bytes = bytes,
                                                      .handle = {}}));
  }
}

void Gossip::launch(const PartPtr& part) {
  if (part->launched || part->left) return;
  part->launched = true;
  part->handle = parts_.flows.start(part->from, part->stream, part->route, part->bytes);
  if (!part->left) return;
  // It was cut at the same instant, before anything had left.
  parts_.flows.settle(part->handle);
  parts_.flows.close(part->handle);
}

bool Gossip::receive(const StatePtr& state, IslandId me, IslandId from, Bytes bytes) {
  Sent& mine = state->sent[me.index()];
  Sent& theirs = state->sent[from.index()];
  const auto leads_here = [me, from](const PartPtr& part) {
    return part->from == from && !part->left && latency_to(part->stream, me).has_value();
  };
  while (true) {
    if (leaves() && (mine.called_off || !parts_.takes_part(me, state->round))) return false;
    if (!theirs.begun) {
      if (leaves() && !will_come(state, me, from)) {
        mine.done_without.push_back(from);
        return false;
      }
      theirs.waiting.push_back(me);
      gates_[me.index()]->acquire();
      continue;
    }
    PartPtr part;
    for (const Sent* owner : {&std::as_const(theirs), &std::as_const(mine)}) {
      const auto found = std::ranges::find_if(owner->parts, leads_here);
      if (found != owner->parts.end()) part = *found;
    }
    if (part == nullptr) {
      // It had begun without an island that was away and for which others waited: it sends again.
      const bool owes = leaves() && parts_.spec.without_member == WithoutMember::kStall &&
                        !theirs.lost && !parts_.is_away(from);
      if (!owes) return false;
      const std::size_t first = mine.parts.size();
      plan_parts(mine, from, {me}, bytes);
      launch(PartPtr(mine.parts[first]));
      continue;
    }
    if (!part->handle.started()) {
      simgrid::s4u::this_actor::yield();
      continue;
    }
    const std::optional<Duration> latency = part->handle.latency_to(me);
    const Instant sent = part->handle.wait();
    if (part->left) continue;
    if (leaves()) report(theirs);
    if (parts_.spec.propagation) sleep_until(sent + latency.value_or(Duration()));
    return true;
  }
}

void Gossip::end(Sent& sent, bool dropped) {
  CliqueRow& row = sent.row;
  std::sort(row.members.begin(), row.members.end());
  row.communication = simulated_now() - sent.at;
  row.dropped = dropped;
  if (dropped) row.bound = Duration();
  if (row.compute < row.communication) row.bound_by = "overlay";
  sent.through = true;
  report(sent);
}

void Gossip::report(Sent& sent) {
  // Who wakes up at the instant of the run's end is no part of it.
  if (!sent.through || sent.reported || parts_.is_over()) return;
  const auto runs_on = [this](const PartPtr& part) { return runs(*part); };
  if (leaves() && std::any_of(sent.parts.begin(), sent.parts.end(), runs_on)) return;
  // Nobody may have waited for one that has ended.
  for (const PartPtr& part : sent.parts) {
    if (!leaves() || part->left) continue;
    part->carried = parts_.flows.settle(part->handle);
  }
  sent.reported = true;
  sent.row.wan_bytes = wan_bytes(sent);
  parts_.report(sent.row);
}

Bytes Gossip::wan_bytes(const Sent& sent) const {
  Bytes all;
  for (const PartPtr& part : sent.parts) {
    const Bytes bytes = leaves() ? part->carried : part->bytes;
    for (const ArcUse& use : part->stream.arcs) {
      if (topology_.is_core(use.arc)) all += bytes * use.copies;
    }
  }
  return all;
}

void Gossip::look_for_dead_ends() {
  if (!parts_.gone.any() || parts_.spec.stop.max_time) return;
  for (const auto& [number, state] : states_) {
    for (std::size_t i = 0; i < state->sent.size(); ++i) {
      for (const PartPtr& part : state->sent[i].parts) {
        const std::optional<ArcId> gone = outage_on(parts_.gone, part->stream);
        if (!gone || !parts_.flows.under_way(part->handle)) continue;
        const IslandId receiver = part->stream.deliveries.front().receiver;
        if (parts_.may_leave(part->from) || parts_.may_leave(receiver)) continue;
        parts_.fail(
            fmt::format("round {} can never end: {} waits for {}, whose model stands still "
                        "on {}, which has failed for good (`network.in_flight: wait`)",
                        state->round, topology_.name(receiver), topology_.name(part->from),
                        topology_.name(*gone)));
        return;
      }
    }
  }
}

}  // namespace gyre
