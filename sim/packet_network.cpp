#include "sim/packet_network.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {
namespace {

ArcId arc_named(const Topology& topology, const Text& name) {
  const std::optional<ArcId> found = topology.find_arc(name.value);
  check(found.has_value(), "an arc that is not on the map");
  return found.value_or(ArcId());
}

SwitchId switch_named(const Topology& topology, const Text& name) {
  const std::optional<SwitchId> found = topology.find_switch(name.value);
  check(found.has_value(), "a switch that is not on the map");
  return found.value_or(SwitchId());
}

}  // namespace

PacketOptions packet_options(const Topology& topology, const PacketSettings& settings,
                             const SwitchLimits* limits, std::uint64_t seed, bool propagation) {
  const TransportSpec& transport = settings.transport;
  PacketOptions options;
  options.wire = {.transport = transport,
                  .loss = std::vector<double>(topology.arc_count(), transport.loss),
                  .faults = {},
                  .seed = seed,
                  .adder_latency = {},
                  .propagation = propagation};
  if (limits != nullptr && !settings.unlimited_switches) {
    options.limits = limits;
    options.wire.adder_latency = limits->latency;
  }
  options.lossy = settings.lossy();
  options.recovery = transport.recovery.value_or(RecoverySpec());
  for (const ArcLoss& one : transport.losses) {
    options.wire.loss[arc_named(topology, one.arc).index()] = one.loss;
  }
  for (const FaultSpec& fault : settings.faults) {
    if (fault.at_switch) {
      options.switch_faults.push_back(
          {.at = switch_named(topology, *fault.at_switch), .fault = options.wire.faults.size()});
    }
    for (Fault& one : faults_of({fault}, topology)) options.wire.faults.push_back(std::move(one));
  }
  return options;
}

void PacketSettings::lose_nothing() {
  transport.loss = 0.0;
  transport.losses.clear();
  transport.recovery.reset();
  faults.clear();
}

Duration round_trip(const Topology& topology, const PacketTables& tables,
                    const TransportSpec& transport, const SwitchLimits* limits, Bytes flow,
                    bool propagation) {
  const std::int64_t chunk = std::min(transport.chunk, flow).in_bytes();
  Duration slowest;
  for (const PacketLane& lane : tables.lanes) {
    slowest = std::max(slowest,
                       Bytes::count(transport.wire_bytes(chunk)) / topology.arc(lane.arc).capacity);
  }
  const auto hops = static_cast<double>(tables.hops);
  Duration trip = slowest * hops;
  if (limits != nullptr) {
    const auto sums = static_cast<double>(tables.sums_on_the_way);
    trip += limits->latency * sums;
    if (limits->rate) trip += Bytes::count(chunk) / *limits->rate * sums;
  }
  return propagation ? trip + tables.round_trip + transport.hop_latency * hops : trip;
}

PacketNetwork::PacketNetwork(const Topology& topology, const Platform& platform,
                             PacketOptions options)
    : topology_(&topology),
      options_(std::move(options)),
      agenda_(topology, platform),
      ports_(topology, options_.wire, agenda_),
      rows_(topology, options_.limits, agenda_, ports_),
      fair_rates_(topology),
      offers_(topology.arc_count()),
      launch_streams_(topology.island_count()),
      next_report_s_(topology.switch_count(), 0.0),
      reported_all_(topology.switch_count(), true) {
  ports_.on_sent([this](PacketFlow& flow, std::uint32_t lane, const QueuedChunk& chunk,
                        double now_s,
                        double left_s) { on_sent(flow, lane, chunk, now_s, left_s); });
  rows_.on_result([this](PacketFlow& flow, std::int64_t chunk, double now_s) {
    receive(flow, flow.tables->root_receives, chunk, now_s);
  });
  rows_.on_change([this](SwitchId at, double now_s) {
    reported_all_[at.index()] = false;
    if (!on_switch_ || now_s < next_report_s_[at.index()]) return;
    next_report_s_[at.index()] = now_s + interval_s_;
    reported_all_[at.index()] = true;
    on_switch_({Instant::at_seconds(now_s), at, rows_.usage(at)});
  });
}

void PacketNetwork::start(std::function<void()> look_up) {
  look_up_ = std::move(look_up);
  agenda_.start([this](NodeId node, const PacketEvent& event) { handle(node, event); });
  for (std::uint32_t f = 0; f < options_.switch_faults.size(); ++f) expect_down(f, -1.0);
}

void PacketNetwork::expect_down(std::uint32_t fault, double after_s) {
  const SwitchFault& of_switch = options_.switch_faults[fault];
  const std::optional<double> next_s = ports_.outages().next(of_switch.fault, after_s);
  if (!next_s) return;
  agenda_.put(topology_->node(of_switch.at),
              {.time_s = *next_s, .kind = PacketEventKind::kDown, .index = fault});
}

void PacketNetwork::watch_switches(OnSwitch callback, Duration interval) {
  on_switch_ = std::move(callback);
  interval_s_ = interval.in_seconds();
}

void PacketNetwork::report_switches() {
  if (!on_switch_) return;
  for (std::size_t s = 0; s < reported_all_.size(); ++s) {
    if (reported_all_[s]) continue;
    reported_all_[s] = true;
    on_switch_({simulated_now(), SwitchId::at(s), rows_.usage(SwitchId::at(s))});
  }
}

std::shared_ptr<PacketFlow> PacketNetwork::open(const PacketPlan& plan, Bytes bytes, bool early) {
  auto flow = std::make_shared<PacketFlow>();
  flow->early = early;
  flow->tables = plan.tables;
  flow->memory_shares = plan.memory_shares;
  flow->bytes = bytes.in_bytes();
  flow->chunk_bytes =
      std::max<std::int64_t>(1, std::min(options_.wire.transport.chunk, bytes).in_bytes());
  flow->chunks = (flow->bytes + flow->chunk_bytes - 1) / flow->chunk_bytes;
  if (plan.rate) flow->cap_bps = static_cast<double>(plan.rate->in_bits_per_second());
  const PacketTables& tables = *plan.tables;
  flow->lanes.resize(tables.lanes.size());
  flow->rows.resize(tables.rows.size());
  flow->sources.resize(tables.sources.size());
  flow->receivers.resize(tables.receivers.size());
  flow->source_of_lane.assign(tables.lanes.size(), kNoIndex);
  flow->parts_left = tables.sources.size() + tables.receivers.size();
  for (std::size_t s = 0; s < tables.sources.size(); ++s) {
    const std::vector<std::uint32_t>& out = tables.first_lanes(s);
    for (const std::uint32_t lane : out) {
      flow->source_of_lane[lane] = static_cast<std::uint32_t>(s);
    }
    flow->sources[s].sends_left = flow->chunks * static_cast<std::int64_t>(out.size());
  }
  flow->round_trip_s = round_trip(*topology_, tables, options_.wire.transport, options_.limits,
                                  bytes, options_.wire.propagation)
                           .in_seconds() +
                       2.0 * ports_.extra_way_s(tables);
  if (options_.lossy) {
    const std::optional<Duration>& given = options_.recovery.timeout;
    flow->fixed_timeout = given.has_value();
    flow->timeout_s = given ? given->in_seconds() : 2.0 * flow->round_trip_s;
  }
  ports_.open(*flow);
  std::erase_if(flows_, [](const auto& old) { return old->ended && old->pending == 0; });
  flows_.push_back(flow);
  if (flow->bytes == 0) {
    end(*flow, simulated_now().in_seconds());
  } else {
    waiting_.push_back(flow.get());
    admit_waiting();
  }
  return flow;
}

/// Gives a flow its slots at all of its switches at once, or none: so that no two flows can wait
/// for each other's.
bool PacketNetwork::admit(PacketFlow& flow) {
  if (!rows_.open(flow)) return false;
  flow.admitted = true;
  set_window(flow);
  flow.acknowledges = flow.window > 0 || flow.timeout_s > 0.0;
  for (std::size_t s = 0; s < flow.sources.size(); ++s) {
    if (flow.sources[s].launching) put_launch(flow, s);
  }
  return true;
}

void PacketNetwork::set_window(PacketFlow& flow) const {
  flow.window = 0;
  const SwitchLimits* limits = options_.limits;
  const bool clocked = flow.tables->sums && limits != nullptr &&
                       limits->discipline == AggregationDiscipline::kAckClocked;
  if (clocked) {
    const double line_Bps = std::min(flow.tables->line.in_bytes_per_second(), flow.cap_bps / 8.0);
    flow.window = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(
               std::ceil(line_Bps * flow.round_trip_s / static_cast<double>(flow.chunk_bytes))));
  }
  // Where sums are kept until they are acknowledged, nobody sends what could find no place: a later
  // chunk in the place of one that is lost on the way would wait for it, and it for the place.
  if (clocked || (flow.tables->sums && flow.timeout_s > 0.0)) {
    for (const RowState& row : flow.rows) {
      if (row.limit == 0) continue;
      flow.window = flow.window == 0 ? row.limit : std::min(flow.window, row.limit);
    }
  }
}

void PacketNetwork::admit_waiting() {
  while (!waiting_.empty()) {
    auto first = std::find_if(waiting_.begin(), waiting_.end(),
                              [](const PacketFlow* flow) { return !flow->early; });
    if (first == waiting_.end()) first = waiting_.begin();
    if (!(*first)->ended && !admit(**first)) return;
    waiting_.erase(first);
  }
}

/// Nobody has a result of it yet, so that its window may grow with its slots.
void PacketNetwork::all_ready(PacketFlow& flow) {
  flow.early = false;
  if (!flow.admitted) {
    admit_waiting();
    return;
  }
  rows_.give_kept(flow);
  set_window(flow);
  for (std::size_t s = 0; s < flow.sources.size(); ++s) {
    try_send(flow, s, simulated_now().in_seconds());
  }
}

Rng& PacketNetwork::launch_stream(IslandId island) {
  std::optional<Rng>& stream = launch_streams_[island.index()];
  if (!stream) {
    stream = Rng::stream(options_.wire.seed, fmt::format("launch/{}", topology_->name(island)));
  }
  return *stream;
}

NodeId PacketNetwork::node_of(const PacketFlow& flow, std::size_t s) const {
  return topology_->node(flow.tables->sources[s].island);
}

void PacketNetwork::launch(PacketFlow& flow, IslandId island) {
  if (flow.ended) return;
  for (std::size_t s = 0; s < flow.sources.size(); ++s) {
    if (flow.tables->sources[s].island != island || flow.sources[s].launching) continue;
    flow.sources[s].launching = true;
    if (flow.admitted) put_launch(flow, s);
  }
  if (flow.early && std::all_of(flow.sources.begin(), flow.sources.end(),
                                [](const SourceState& source) { return source.launching; })) {
    all_ready(flow);
  }
  agenda_.flush();
}

void PacketNetwork::put_launch(PacketFlow& flow, std::size_t s) {
  const PacketSource& source = flow.tables->sources[s];
  const SwitchLimits* limits = options_.limits;
  double delay_s = 0.0;
  if (flow.tables->sums_on_the_way > 0 && limits != nullptr &&
      limits->launch == LaunchRule::kAligned) {
    // On time or late by the whole of the jitter, which is the worst that it allows.
    if (options_.wire.propagation) delay_s = source.launch_offset.in_seconds();
    if (launch_stream(source.island).below(2) == 1) delay_s += limits->jitter.in_seconds();
  }
  agenda_.put(topology_->node(source.island), {.time_s = simulated_now().in_seconds() + delay_s,
                                               .kind = PacketEventKind::kLaunch,
                                               .index = static_cast<std::uint32_t>(s),
                                               .flow = &flow});
}

Instant PacketNetwork::wait(PacketFlow& flow, IslandId island,
                            const simgrid::s4u::SemaphorePtr& gate) {
  while (true) {
    const std::optional<Instant> ended = flow.ended_for(island);
    if (ended) return *ended;
    flow.waiters.push_back({island, gate});
    gate->acquire();
  }
}

void PacketNetwork::handle(NodeId node, const PacketEvent& event) {
  constexpr std::int64_t kEventsBetween = 1 << 15;
  if (agenda_.handled() % kEventsBetween == 0) look_up_();
  if (event.kind == PacketEventKind::kDown) {
    switch_down(node, event.time_s);
    expect_down(event.index, event.time_s);
    return;
  }
  if (event.kind == PacketEventKind::kPortFree) {
    ports_.free(ArcId::at(event.index), event.time_s);
    return;
  }
  if (event.kind == PacketEventKind::kAdderFree) {
    rows_.serve_adder(topology_->switch_at(node), event.time_s);
    return;
  }
  PacketFlow& flow = *event.flow;
  --flow.pending;
  if (!flow.ended) {
    const double now_s = event.time_s;
    switch (event.kind) {
      case PacketEventKind::kArrive:
        arrive(flow, event);
        break;
      case PacketEventKind::kAdded:
        rows_.add(flow, event, now_s);
        break;
      case PacketEventKind::kCredit:
        flow.lanes[event.index].wake_pending = false;
        ports_.wake(flow, event.index, now_s);
        break;
      case PacketEventKind::kLaunch:
        begin_source(flow, event.index, now_s);
        break;
      case PacketEventKind::kEmit:
        flow.sources[event.index].wake_s = kEndOfTime;
        try_send(flow, event.index, now_s);
        break;
      case PacketEventKind::kFairEnd:
        if (flow.paced && fair_end_s(flow) <= now_s + kSame_s) leave_shares(flow, now_s);
        break;
      case PacketEventKind::kAck:
        acknowledged(flow, event.index, event.chunk, now_s);
        break;
      case PacketEventKind::kAsk:
        if (flow.sources[event.index].was_sent(event.chunk, flow.window)) {
          send_again(flow, event.index, event.chunk, now_s);
        }
        break;
      case PacketEventKind::kTimeout:
        time_out(flow, event.index, now_s);
        break;
      case PacketEventKind::kFlush:
        rows_.flush(flow, event.index, event.chunk, now_s);
        break;
      case PacketEventKind::kRelease:
        rows_.release(flow, event.index, event.chunk, now_s);
        break;
      case PacketEventKind::kPortFree:
      case PacketEventKind::kAdderFree:
      case PacketEventKind::kDown:
        break;
    }
  }
}

void PacketNetwork::arrive(PacketFlow& flow, const PacketEvent& event) {
  const std::uint32_t lane = event.index;
  const std::uint32_t receiver = flow.tables->ends[lane];
  if (receiver != kNoIndex) receive(flow, receiver, event.chunk, event.time_s);
  if (flow.ended) return;
  if (flow.tables->lanes[lane].row != kNoIndex) {
    rows_.arrive(flow, event, event.time_s);
  } else {
    ports_.give_credit(flow, lane, event.time_s);
  }
}

void PacketNetwork::receive(PacketFlow& flow, std::uint32_t receiver, std::int64_t chunk,
                            double now_s) {
  ReceiverState& state = flow.receivers[receiver];
  if (!state.got.insert(chunk)) return;
  if (flow.acknowledges) acknowledge(flow, receiver, chunk, now_s);
  if (state.got.base() < flow.chunks || state.done) return;
  state.done = true;
  state.end_s = now_s;
  part_ended(flow, now_s);
}

void PacketNetwork::switch_down(NodeId node, double now_s) {
  for (const std::shared_ptr<PacketFlow>& flow : flows_) {
    if (flow->ended) continue;
    for (std::uint32_t l = 0; l < flow->lanes.size(); ++l) {
      if (flow->tables->lanes[l].tail != node) continue;
      RingBuffer<QueuedChunk>& queue = flow->lanes[l].queue;
      while (!queue.empty()) {
        const QueuedChunk chunk = queue.front();
        queue.pop_front();
        rows_.sent(*flow, chunk, now_s);
      }
    }
    rows_.lose(*flow, topology_->switch_at(node), now_s);
  }
}

void PacketNetwork::part_ended(PacketFlow& flow, double now_s) {
  if (--flow.parts_left == 0) end(flow, now_s);
  for (const PacketFlow::Waiter& waiter : std::exchange(flow.waiters, {}))
    agenda_.wake(waiter.gate);
}

void PacketNetwork::end(PacketFlow& flow, double now_s) {
  if (flow.ended) return;
  flow.ended = true;
  for (SourceState& source : flow.sources) {
    if (!source.done) source.sent_s = now_s;
    source.done = true;
  }
  for (ReceiverState& receiver : flow.receivers) {
    if (!receiver.done) receiver.end_s = now_s;
    receiver.done = true;
  }
  rows_.close(flow, now_s);
  for (LaneState& lane : flow.lanes) {
    while (!lane.queue.empty()) {
      rows_.drop(lane.queue.front());
      lane.queue.pop_front();
    }
  }
  if (flow.paced) leave_shares(flow, now_s);
  std::erase(waiting_, &flow);
  admit_waiting();
}

void PacketNetwork::set_arc(ArcId arc, Bandwidth capacity, Duration latency) {
  offers_.change(arc.index(), ports_.capacity_bps(arc));
  fair_rates_.set_capacity(arc, capacity);
  ports_.change(arc, capacity, latency, flows_);
  share_out(simulated_now().in_seconds());
  agenda_.flush();
}

std::vector<Bandwidth> PacketNetwork::take_mean_capacities() {
  return offers_.take_means([this](std::size_t a) { return ports_.capacity_bps(ArcId::at(a)); });
}

void PacketNetwork::abort(PacketFlow& flow) {
  end(flow, simulated_now().in_seconds());
  for (const PacketFlow::Waiter& waiter : std::exchange(flow.waiters, {}))
    agenda_.wake(waiter.gate);
}

}  // namespace gyre
