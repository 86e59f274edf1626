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

Gossip::State& Gossip::state_of(std::int64_t number, const Round& overlay, const Turn& turn) {
  std::unique_ptr<State>& state = states_[number];
  if (state != nullptr) return *state;
  state = std::make_unique<State>();
  state->sent.resize(topology_.island_count());
  for (const MixingEdge& edge : overlay.edges) {
    state->sent[edge.from.index()].receivers.push_back(edge.to);
  }
  if (parts_.mixer == nullptr) return *state;
  std::vector<IslandId> everybody;
  everybody.reserve(topology_.island_count());
  for (std::size_t i = 0; i < topology_.island_count(); ++i) everybody.push_back(IslandId::at(i));
  state->mix = parts_.mixer->begin(std::move(everybody),
                                   {.index = turn.fragment, .count = parts_.timing.fragments()});
  return *state;
}

Duration Gossip::exchange(IslandId me, const Round& overlay, const Turn& turn,
                          const OnPhase& on_phase) {
  const std::int64_t number = parts_.timing.number(turn.round, turn.fragment);
  State& state = state_of(number, overlay, turn);
  const Bytes bytes = parts_.timing.bytes(turn.fragment);
  if (state.mix != nullptr) parts_.mixer->contribute(*state.mix, me.index());
  const Instant ready = simulated_now();
  state.sent[me.index()].at = ready;
  state.sent[me.index()].least = turn.least;
  send(state, me, bytes);

  CliqueRow row = computed_row(turn.round, turn.fragment, {me}, turn.began, ready - turn.began);
  row.receiver = me;
  Duration least = turn.least;
  std::vector<ModelMixer::Share> shares;
  const auto senders = std::ranges::equal_range(overlay.edges, me, std::less<>(), &MixingEdge::to);
  for (const MixingEdge& edge : senders) {
    const Sent& theirs = state.sent[edge.from.index()];
    on_phase(theirs.begun ? SyncPhase::kExchanging : SyncPhase::kMeeting);
    receive(state, me, edge.from);
    Clique both{edge.from, me};
    std::sort(both.begin(), both.end());
    const Duration bound =
        parts_.spec.propagation ? parts_.bounds.member(both, me, bytes) : Duration();
    least = std::max(least, theirs.least + bound);
    row.bound = std::max(row.bound, (theirs.at - ready) + bound);
    row.members.push_back(edge.from);
    shares.push_back({edge.from.index(), edge.weight});
  }
  std::sort(row.members.begin(), row.members.end());
  row.communication = simulated_now() - ready;
  if (row.compute < row.communication) row.bound_by = "overlay";
  for (const Sent::Part& part : state.sent[me.index()].parts) {
    for (const ArcUse& use : part.stream.arcs) {
      if (topology_.is_core(use.arc)) row.wan_bytes += bytes * use.copies;
    }
  }
  parts_.report(row);
  if (state.mix != nullptr) parts_.mixer->take_in(*state.mix, me.index(), shares);
  if (++state.through == topology_.island_count()) states_.erase(number);
  return least;
}

void Gossip::send(State& state, IslandId me, Bytes bytes) {
  Sent& mine = state.sent[me.index()];
  if (!mine.receivers.empty()) {
    for (Stream& stream : multicast_streams(parts_.network, me, mine.receivers)) {
      FlowRoute route = parts_.flows.route(stream);
      mine.parts.push_back({.stream = std::move(stream), .route = std::move(route), .handle = {}});
    }
  }
  for (Sent::Part& part : mine.parts) {
    part.handle = parts_.flows.start(me, part.stream, part.route, bytes);
  }
  mine.begun = true;
  look_for_dead_ends();
  for (const IslandId other : std::exchange(mine.waiting, {})) gates_[other.index()]->release();
}

void Gossip::look_for_dead_ends() {
  if (!parts_.gone.any() || parts_.spec.stop.max_time) return;
  for (const auto& [number, state] : states_) {
    for (std::size_t i = 0; i < state->sent.size(); ++i) {
      for (const Sent::Part& part : state->sent[i].parts) {
        const std::optional<ArcId> gone = outage_on(parts_.gone, part.stream);
        if (!gone || !parts_.flows.under_way(part.handle)) continue;
        parts_.fail(
            fmt::format("round {} can never end: {} waits for {}, whose model stands still "
                        "on {}, which has failed for good (`network.in_flight: wait`)",
                        number / static_cast<std::int64_t>(parts_.timing.fragments()),
                        topology_.name(part.stream.deliveries.front().receiver),
                        topology_.name(IslandId::at(i)), topology_.name(*gone)));
        return;
      }
    }
  }
}

void Gossip::receive(State& state, IslandId me, IslandId from) {
  Sent& theirs = state.sent[from.index()];
  if (!theirs.begun) {
    theirs.waiting.push_back(me);
    gates_[me.index()]->acquire();
  }
  for (Sent::Part& part : theirs.parts) {
    const std::optional<Duration> latency = part.handle.latency_to(me);
    if (!latency) continue;
    const Instant left = part.handle.wait();
    if (parts_.spec.propagation) sleep_until(left + *latency);
  }
}

}  // namespace gyre
