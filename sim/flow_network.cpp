#include "sim/flow_network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/error.hpp"
#include "schedules/stream_latency.hpp"

namespace gyre {
namespace {

namespace s4u = simgrid::s4u;

}  // namespace

Instant FlowHandle::wait() {
  check(started_, "a flow that has not started was waited for");
  if (comm_ != nullptr) {
    ended_ = simgrid_compat::wait(s4u::CommPtr(comm_.get()))
                 ? Instant::at_seconds(comm_->get_finish_time())
                 : simulated_now();
  }
  count();
  return ended_;
}

std::optional<Duration> FlowHandle::latency_to(IslandId receiver) const {
  for (const Delivery& delivery : deliveries_) {
    if (delivery.receiver == receiver) return delivery.latency;
  }
  return deliveries_.empty() ? gyre::latency_to(*stream_, receiver) : std::nullopt;
}

void FlowHandle::count() {
  if (started_ && !std::exchange(counted_, true)) network_->meter_.count(*stream_, bytes_);
  if (pace_ != nullptr) network_->free_paces_.push_back(std::exchange(pace_, nullptr));
}

FlowNetwork::FlowNetwork(const Platform& platform)
    : platform_(&platform),
      free_paces_(platform.pace_links()),
      meter_(platform.links()),
      offers_(platform.links().size()) {
  s4u::Engine::on_time_advance_cb(
      [this](double elapsed_s) { meter_.advance(Duration::seconds(elapsed_s)); });
  // The first change of a flow's state is its end.
  s4u::Link::on_communication_state_change_cb([this](const auto& flow, auto /*before*/) {
    const simgrid_compat::Activity* ended = simgrid_compat::activity_of(flow);
    meter_.end(ended);
    if (expects_outages_) under_way_.erase(ended);
  });
}

FlowRoute FlowNetwork::route(const Stream& stream, std::optional<Bandwidth> rate) const {
  std::vector<s4u::LinkInRoute> links;
  for (const ArcUse& use : stream.arcs) {
    // A link that stands in a route twice is charged twice.
    for (int copy = 0; copy < use.copies; ++copy)
      links.emplace_back(platform_->links()[use.arc.index()]);
  }
  return {.links = platform_->zone().links(links), .rate = rate};
}

FlowHandle FlowNetwork::start(IslandId starter, const Stream& stream, const FlowRoute& route,
                              Bytes bytes) {
  FlowHandle handle;
  handle.started_ = true;
  handle.network_ = this;
  handle.stream_ = &stream;
  handle.bytes_ = bytes;
  if (!latencies_.empty()) handle.deliveries_ = deliveries_at(*topology_, stream, latencies_);
  if (bytes == Bytes()) {
    handle.ended_ = simulated_now();
    return handle;
  }
  ++started_;
  started_arcs_ += static_cast<std::int64_t>(stream.arcs.size());
  const simgrid_compat::LinkList* links = &route.links;
  simgrid_compat::LinkList paced;
  if (route.rate) {
    check(!free_paces_.empty(), "more paced flows at once than the run was made for");
    handle.pace_ = free_paces_.back();
    free_paces_.pop_back();
    handle.pace_->set_bandwidth(route.rate->in_bytes_per_second());
    paced = route.links;
    for (const auto& link : platform_->zone().links({s4u::LinkInRoute(handle.pace_)}))
      paced.push_back(link);
    links = &paced;
  }
  // The engine bounds a flow for good by what its links carry when it starts: for that moment let
  // it be what they carry on the map.
  const auto give = [&](double Changed::*bytes_per_second) {
    if (changed_.empty()) return;
    for (const ArcUse& use : stream.arcs) {
      const auto changed = changed_.find(use.arc);
      if (changed == changed_.end()) continue;
      platform_->links()[use.arc.index()]->set_bandwidth(changed->second.*bytes_per_second);
    }
  };
  handle.comm_ = simgrid_compat::start_on(
      platform_->zone(), *links, platform_->host(starter), platform_->sink(),
      static_cast<std::uint64_t>(bytes.in_bytes()), [&] { give(&Changed::own_bytes_per_second); },
      [&](const s4u::CommPtr& comm) {
        const simgrid_compat::Activity* flow = comm->get_impl();
        give(&Changed::bytes_per_second);
        meter_.begin(stream, flow);
        if (expects_outages_) under_way_[flow] = &stream;
      });
  return handle;
}

std::size_t FlowNetwork::set_down(const std::set<ArcId>& down) {
  const std::set<ArcId> before = std::exchange(down_, down);
  std::size_t halted = 0;
  for (const auto& [activity, stream] : under_way_) {
    const auto on = [stream = stream](const std::set<ArcId>& arcs) {
      return std::any_of(stream->arcs.begin(), stream->arcs.end(),
                         [&arcs](const ArcUse& use) { return arcs.contains(use.arc); });
    };
    if (on(down) && !on(before)) ++halted;
  }
  for (const ArcId arc : before) {
    if (!down.contains(arc)) apply(arc);
  }
  for (const ArcId arc : down) {
    if (!before.contains(arc)) apply(arc);
  }
  return halted;
}

bool FlowNetwork::under_way(const FlowHandle& flow) const {
  return flow.comm_ != nullptr && under_way_.contains(flow.comm_->get_impl());
}

Bytes FlowNetwork::sent(const FlowHandle& flow) const {
  if (!under_way(flow)) return flow.bytes_;
  // A byte has left when all of it has.
  const auto left = static_cast<std::int64_t>(std::ceil(flow.comm_->get_remaining() - 1e-6));
  return Bytes::count(std::max<std::int64_t>(0, flow.bytes_.in_bytes() - left));
}

Bytes FlowNetwork::settle(FlowHandle& flow) {
  flow.bytes_ = sent(flow);
  if (flow.started_ && !std::exchange(flow.counted_, true)) {
    meter_.count(*flow.stream_, flow.bytes_);
  }
  return flow.bytes_;
}

void FlowNetwork::close(FlowHandle& flow) {
  if (under_way(flow)) {
    flow.comm_->cancel();
    meter_.remove_ended();
  }
  flow.count();
}

double FlowNetwork::capacity_bps(std::size_t arc) const {
  return 8.0 * platform_->links()[arc]->get_bandwidth();
}

void FlowNetwork::set_capacity(ArcId arc, Bandwidth capacity) {
  check(capacity > Bandwidth(), "an arc needs a capacity");
  changed_of(arc).wanted_bytes_per_second = capacity.in_bytes_per_second();
  apply(arc);
}

void FlowNetwork::set_latency(const Topology& topology, ArcId arc, Duration latency) {
  if (latencies_.empty()) {
    if (latency == topology.arc(arc).latency) return;
    topology_ = &topology;
    for (std::size_t a = 0; a < topology.arc_count(); ++a) {
      latencies_.push_back(topology.arc(ArcId::at(a)).latency);
    }
  }
  latencies_[arc.index()] = latency;
}

FlowNetwork::Changed& FlowNetwork::changed_of(ArcId arc) {
  const double own = platform_->links()[arc.index()]->get_bandwidth();
  return changed_
      .try_emplace(arc, Changed{.own_bytes_per_second = own,
                                .wanted_bytes_per_second = own,
                                .bytes_per_second = own})
      .first->second;
}

void FlowNetwork::apply(ArcId arc) {
  constexpr double kNextToNothing = 1e-9;
  const std::size_t a = arc.index();
  offers_.change(a, capacity_bps(a), down_.contains(arc));
  meter_.change(arc);
  Changed& changed = changed_of(arc);
  changed.bytes_per_second = down_.contains(arc) ? kNextToNothing : changed.wanted_bytes_per_second;
  platform_->links()[a]->set_bandwidth(changed.bytes_per_second);
}

std::vector<Bandwidth> FlowNetwork::take_mean_capacities() {
  return offers_.take_means([this](std::size_t arc) {
    const auto changed = changed_.find(ArcId::at(arc));
    return changed != changed_.end() ? 8.0 * changed->second.wanted_bytes_per_second
                                     : capacity_bps(arc);
  });
}

}  // namespace gyre
