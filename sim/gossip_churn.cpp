// What becomes of an overlay's rounds where islands are away.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sim/gossip.hpp"

namespace gyre {

namespace s4u = simgrid::s4u;

bool Gossip::runs(const Part& part) const {
  return !part.left && (!part.handle.started() || parts_.flows.under_way(part.handle));
}

bool Gossip::is_absent(const State& state, IslandId island) const {
  const Sent& sent = state.sent[island.index()];
  return sent.lost || (!sent.through && !parts_.takes_part(island, state.round));
}

bool Gossip::misses_a_neighbour(const State& state, IslandId me) const {
  const Sent& mine = state.sent[me.index()];
  const auto any = [&](const std::vector<IslandId>& neighbours) {
    return std::any_of(neighbours.begin(), neighbours.end(),
                       [&](IslandId other) { return is_absent(state, other); });
  };
  return any(mine.senders) || any(mine.receivers);
}

bool Gossip::will_come(const StatePtr& state, IslandId me, IslandId from) {
  if (parts_.takes_part(from, state->round)) return true;
  const bool stalls = parts_.spec.without_member == WithoutMember::kStall;
  const Instant until = state->sent[me.index()].at + parts_.spec.stall_deadline;
  if (!stalls || !parts_.is_away(from) || simulated_now() >= until) return false;
  watch_deadline(state, me);
  return true;
}

void Gossip::watch_deadline(const StatePtr& state, IslandId me) {
  if (std::exchange(state->sent[me.index()].watches, true)) return;
  const Instant until = state->sent[me.index()].at + parts_.spec.stall_deadline;
  s4u::Actor::create("deadline", parts_.flows.host(me), [this, state, me, until] {
    if (parts_.is_over()) return;  // killed before it began: must not block
    sleep_until(until);
    s4u::this_actor::yield();
    for (Sent& sent : state->sent) {
      if (std::erase(sent.waiting, me) > 0) gates_[me.index()]->release();
    }
  })->daemonize();
}

void Gossip::call_off(State& state, IslandId me, Cuts& cuts) {
  state.sent[me.index()].called_off = true;
  let_out(state, me, cuts);
}

void Gossip::let_out(State& state, IslandId me, Cuts& cuts) {
  for (Sent& owner : state.sent) {
    if (std::erase(owner.waiting, me) > 0) cuts.woken.push_back(me);
    for (std::size_t p = 0; p < owner.parts.size(); ++p) {
      const PartPtr part = owner.parts[p];
      if (!runs(*part) || !latency_to(part->stream, me)) continue;
      const Bytes sent = cut(owner, part, cuts);
      std::vector<IslandId> others;
      for (const Delivery& delivery : part->stream.deliveries) {
        if (delivery.receiver != me) others.push_back(delivery.receiver);
      }
      if (others.empty()) continue;
      const std::size_t first = owner.parts.size();
      plan_parts(owner, part->from, others, Bytes::count(part->bytes.in_bytes() - sent.in_bytes()));
      for (std::size_t n = first; n < owner.parts.size(); ++n) {
        // Who is about to send launches all that there is by then.
        if (owner.begun || part->launched) cuts.pruned.push_back(owner.parts[n]);
      }
    }
  }
}

Bytes Gossip::cut(Sent& owner, const PartPtr& part, Cuts& cuts) {
  part->left = true;
  cuts.ended.emplace_back(&owner, part);
  if (part->handle.started()) part->carried = parts_.flows.settle(part->handle);
  return part->carried;
}

void Gossip::carry_out(const Cuts& cuts) {
  // First what is to be told: the rest lets others run, who may end the run.
  for (const auto& [owner, part] : cuts.ended) report(*owner);
  for (const PartPtr& part : cuts.pruned) launch(part);
  for (const auto& [owner, part] : cuts.ended) {
    if (part->handle.started()) parts_.flows.close(part->handle);
  }
  for (const IslandId woken : cuts.woken) gates_[woken.index()]->release();
}

void Gossip::depart(IslandId island) {
  Cuts cuts;
  std::vector<StatePtr> held;
  for (const auto& [number, state] : states_) {
    held.push_back(state);
    depart_from(*state, island, cuts);
  }
  // What has come to an island that leaves may be all that a row has waited for.
  for (const StatePtr& state : held) {
    for (Sent& sent : state->sent) report(sent);
  }
  carry_out(cuts);
}

void Gossip::depart_from(State& state, IslandId island, Cuts& cuts) {
  Sent& own = state.sent[island.index()];
  own.lost = own.lost || own.begun || !own.parts.empty();
  std::vector<IslandId> without;
  for (Sent& owner : state.sent) {
    for (const PartPtr& part : owner.parts) {
      if (part->from != island || !runs(*part)) continue;
      cut(owner, part, cuts);
      for (const Delivery& delivery : part->stream.deliveries) {
        without.push_back(delivery.receiver);
      }
    }
  }
  std::sort(without.begin(), without.end());
  for (const IslandId other : without) {
    Clique both{island, other};
    std::sort(both.begin(), both.end());
    parts_.tell({.time = simulated_now(),
                 .what = "dropped",
                 .subject = to_text(both, topology_),
                 .round = state.round,
                 .effect = fmt::format("{} has left; {} does without its model",
                                       topology_.name(island), topology_.name(other))});
  }
  let_out(state, island, cuts);
  if (own.begun && !own.through) end(own, true);
  for (const IslandId other : std::exchange(own.waiting, {})) cuts.woken.push_back(other);
  if (parts_.spec.without_member != WithoutMember::kSkip) return;
  std::vector<IslandId> neighbours = own.senders;
  neighbours.insert(neighbours.end(), own.receivers.begin(), own.receivers.end());
  for (const IslandId other : neighbours) {
    const Sent& theirs = state.sent[other.index()];
    const bool lacks = std::binary_search(without.begin(), without.end(), other);
    if (!theirs.begun || theirs.through || (own.through && !lacks)) continue;
    call_off(state, other, cuts);
  }
}

bool Gossip::waits_for(const State& state, IslandId me, IslandId from) const {
  const Sent& mine = state.sent[me.index()];
  const bool stalls = parts_.spec.without_member == WithoutMember::kStall;
  return stalls && mine.begun && !mine.through && parts_.takes_part(me, state.round) &&
         simulated_now() < mine.at + parts_.spec.stall_deadline &&
         std::ranges::find(mine.done_without, from) == mine.done_without.end();
}

std::int64_t Gossip::round_to_join(IslandId island, std::int64_t round) const {
  std::int64_t join = round;
  for (const auto& [number, state] : states_) {
    if (state->sent[island.index()].begun) continue;
    for (const IslandId other : state->sent[island.index()].receivers) {
      if (waits_for(*state, other, island)) join = std::min(join, state->round);
    }
  }
  return join;
}

void Gossip::come_back(IslandId island, std::int64_t round) {
  std::vector<IslandId> waiting;
  for (const auto& [number, state] : states_) {
    if (state->round >= round) continue;
    for (const IslandId other : std::exchange(state->sent[island.index()].waiting, {})) {
      waiting.push_back(other);
    }
  }
  for (const IslandId other : waiting) gates_[other.index()]->release();
}

void Gossip::forget_before(std::int64_t round) {
  if (!leaves()) return;
  std::erase_if(states_, [round](const auto& entry) { return entry.second->round < round; });
}

}  // namespace gyre
