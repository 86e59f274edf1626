#include "sim/packet_ports.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace gyre {
namespace {

/// Beyond what the delay needs: the chunks that neighbours in turn may be ahead.
constexpr std::int64_t kSpareChunks = 16;

}  // namespace

PacketPorts::PacketPorts(const Topology& topology, WireOptions options, PacketAgenda& agenda)
    : topology_(&topology),
      options_(std::move(options)),
      outages_(options_.faults, topology.arc_count(), options_.seed),
      agenda_(&agenda),
      ports_(topology.arc_count()),
      usage_(topology.arc_count()),
      lost_(topology.arc_count(), 0) {
  for (std::size_t a = 0; a < topology.arc_count(); ++a) {
    const Arc& arc = topology.arc(ArcId::at(a));
    wires_.push_back(
        {.bytes_per_second = arc.capacity.in_bytes_per_second(), .latency = arc.latency});
    loss_streams_.push_back(
        Rng::stream(options_.seed, fmt::format("loss/{}", topology.name(ArcId::at(a)))));
  }
}

double PacketPorts::latency_s(ArcId arc) const {
  if (!options_.propagation) return 0.0;
  const Arc& a = topology_->arc(arc);
  const Duration hop = topology_->is_switch(a.head) ? options_.transport.hop_latency : Duration();
  return (wires_[arc.index()].latency + hop).in_seconds();
}

double PacketPorts::chunk_s(ArcId arc, std::int64_t bytes) const {
  return static_cast<double>(options_.transport.wire_bytes(bytes)) /
         wires_[arc.index()].bytes_per_second;
}

void PacketPorts::open(PacketFlow& flow) const {
  for (std::size_t l = 0; l < flow.lanes.size(); ++l) {
    flow.lanes[l].window = window_of(flow, l);
    flow.lanes[l].credits = flow.lanes[l].window;
  }
}

std::int64_t PacketPorts::window_of(const PacketFlow& flow, std::size_t lane) const {
  const ArcId arc = flow.tables->lanes[lane].arc;
  const double chunk_time_s = chunk_s(arc, flow.chunk_bytes);
  const std::uint32_t row = flow.tables->lanes[lane].row;
  const bool added =
      row != kNoIndex && flow.tables->rows[row].adds && flow.tables->rows[row].at_switch;
  const double stay_s = added ? options_.adder_latency.in_seconds() : 0.0;
  const std::optional<Bytes>& window = options_.transport.window;
  if (window) return std::max<std::int64_t>(1, window->in_bytes() / flow.chunk_bytes);
  return kSpareChunks + static_cast<std::int64_t>(std::ceil(
                            (2.0 * latency_s(arc) + stay_s + chunk_time_s) / chunk_time_s));
}

void PacketPorts::change(ArcId arc, Bandwidth capacity, Duration latency,
                         std::span<const std::shared_ptr<PacketFlow>> open) {
  Wire& wire = wires_[arc.index()];
  if (!routes_ && latency != wire.latency) routes_.emplace(*topology_);
  wire = {.bytes_per_second = capacity.in_bytes_per_second(), .latency = latency};
  const double now_s = simulated_now().in_seconds();
  for (const std::shared_ptr<PacketFlow>& flow : open) {
    if (flow->ended) continue;
    for (std::uint32_t l = 0; l < flow->lanes.size(); ++l) {
      if (flow->tables->lanes[l].arc != arc) continue;
      LaneState& lane = flow->lanes[l];
      const std::int64_t window = std::max(lane.window, window_of(*flow, l));
      lane.credits += window - std::exchange(lane.window, window);
      wake(*flow, l, now_s);
    }
  }
}

double PacketPorts::extra_s(ArcId arc) const {
  if (!options_.propagation) return 0.0;
  return (wires_[arc.index()].latency - topology_->arc(arc).latency).in_seconds();
}

double PacketPorts::word_delay_s(NodeId from, NodeId to) const {
  double delay_s = 0.0;
  if (!routes_) return delay_s;
  for (const ArcId arc : routes_->path(from, to)) delay_s += extra_s(arc);
  return delay_s;
}

double PacketPorts::extra_way_s(const PacketTables& tables) const {
  if (!routes_) return 0.0;
  const auto from_lane = [&](const auto& self, std::uint32_t lane) -> double {
    double most_s = 0.0;
    const std::uint32_t row = tables.lanes[lane].row;
    if (row != kNoIndex) {
      for (const std::uint32_t next : tables.rows[row].out) {
        most_s = std::max(most_s, self(self, next));
      }
    }
    return extra_s(tables.lanes[lane].arc) + most_s;
  };
  double most_s = 0.0;
  for (const PacketSource& source : tables.sources) {
    for (const std::uint32_t lane : source.out) {
      most_s = std::max(most_s, from_lane(from_lane, lane));
    }
  }
  return most_s;
}

void PacketPorts::put(PacketFlow& flow, std::uint32_t lane, QueuedChunk chunk, double now_s) {
  flow.lanes[lane].queue.push_back(chunk);
  wake(flow, lane, now_s);
}

void PacketPorts::wake(PacketFlow& flow, std::uint32_t lane, double now_s) {
  LaneState& state = flow.lanes[lane];
  if (state.in_ring || state.queue.empty() || !has_credit(flow, lane, now_s)) return;
  join(flow, lane);
  serve(flow.tables->lanes[lane].arc, now_s);
}

void PacketPorts::join(PacketFlow& flow, std::uint32_t lane) {
  flow.lanes[lane].in_ring = true;
  ++flow.pending;
  ports_[flow.tables->lanes[lane].arc.index()].ring.push_back({&flow, lane});
}

bool PacketPorts::has_credit(PacketFlow& flow, std::uint32_t lane, double now_s) {
  LaneState& state = flow.lanes[lane];
  while (!state.credits_at.empty() && state.credits_at.front() <= now_s + kSame_s) {
    state.credits_at.pop_front();
    ++state.credits;
  }
  if (state.credits > 0) return true;
  if (!state.credits_at.empty() && !state.wake_pending) {
    state.wake_pending = true;
    agenda_->put(flow.tables->lanes[lane].tail, {.time_s = state.credits_at.front(),
                                                 .kind = PacketEventKind::kCredit,
                                                 .index = lane,
                                                 .flow = &flow});
  }
  return false;
}

void PacketPorts::give_credit(PacketFlow& flow, std::uint32_t lane, double now_s) {
  LaneState& state = flow.lanes[lane];
  state.credits_at.push_back(now_s + latency_s(flow.tables->lanes[lane].arc));
  wake(flow, lane, now_s);
}

void PacketPorts::free(ArcId arc, double now_s) {
  ports_[arc.index()].waking = false;
  serve(arc, now_s);
}

void PacketPorts::serve(ArcId arc, double now_s) {
  Port& port = ports_[arc.index()];
  while (!port.ring.empty() && port.free_s <= now_s + kSame_s) {
    const auto [flow, lane] = port.ring.front();
    port.ring.pop_front();
    --flow->pending;
    flow->lanes[lane].in_ring = false;
    if (!flow->lanes[lane].queue.empty()) send(*flow, lane, now_s);
  }
  if (port.ring.empty() || port.waking) return;
  port.waking = true;
  agenda_->put(topology_->arc(arc).tail, {.time_s = port.free_s,
                                          .kind = PacketEventKind::kPortFree,
                                          .index = static_cast<std::uint32_t>(arc.index())});
}

void PacketPorts::send(PacketFlow& flow, std::uint32_t lane, double now_s) {
  const PacketLane& at = flow.tables->lanes[lane];
  LaneState& state = flow.lanes[lane];
  const QueuedChunk chunk = state.queue.front();
  state.queue.pop_front();
  --state.credits;
  const std::int64_t bytes = flow.size_of(chunk.chunk);
  const double time_s = chunk_s(at.arc, bytes);
  Port& port = ports_[at.arc.index()];
  port.free_s = std::max(port.free_s, now_s) + time_s;
  const double left_s = port.free_s;
  const double arrival_s = std::max(left_s + latency_s(at.arc), port.last_arrival_s);
  port.last_arrival_s = arrival_s;

  ArcUsage& usage = usage_[at.arc.index()];
  usage.bytes += Bytes::count(bytes);
  usage.busy += Duration::seconds(time_s);
  usage.carried_bits += 8.0 * static_cast<double>(options_.transport.wire_bytes(bytes));
  port.bits_per_second = capacity_bps(at.arc);
  usage.peak_utilisation = 1.0;
  if (topology_->is_core(at.arc)) flow.core_bytes += bytes;
  if (chunk.resent) ++flow.retransmissions;

  if (loses(at.arc, bytes, now_s, arrival_s)) {
    ++flow.lost;
    ++lost_[at.arc.index()];
    state.credits_at.push_back(arrival_s + latency_s(at.arc));
  } else {
    agenda_->put(at.head, {.time_s = arrival_s,
                           .kind = PacketEventKind::kArrive,
                           .resent = chunk.resent,
                           .reply = chunk.reply,
                           .index = lane,
                           .flow = &flow,
                           .chunk = chunk.chunk,
                           .from = chunk.from});
  }
  if (!state.queue.empty() && has_credit(flow, lane, now_s)) join(flow, lane);
  on_sent_(flow, lane, chunk, now_s, left_s);
}

std::vector<ArcUsage> PacketPorts::usage(Duration until) const {
  std::vector<ArcUsage> usage = usage_;
  for (std::size_t a = 0; a < usage.size(); ++a) {
    const double late_s = std::max(0.0, ports_[a].free_s - until.in_seconds());
    if (late_s == 0.0) continue;
    // Rounding may leave less than nothing.
    usage[a].busy = std::max(Duration(), usage[a].busy - Duration::seconds(late_s));
    usage[a].carried_bits =
        std::max(0.0, usage[a].carried_bits - late_s * ports_[a].bits_per_second);
  }
  return usage;
}

bool PacketPorts::loses(ArcId arc, std::int64_t bytes, double from_s, double to_s) {
  if (outages_.is_down_between(arc, from_s, to_s)) return true;
  const double p = options_.loss[arc.index()];
  if (p <= 0.0) return false;
  const auto packets = static_cast<double>(options_.transport.packets(bytes));
  return loss_streams_[arc.index()].uniform() < 1.0 - std::pow(1.0 - p, packets);
}

}  // namespace gyre
