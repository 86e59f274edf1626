#include "sim/flow_network.hpp"

#include <utility>

#include "models/error.hpp"

namespace gyre {
namespace {

namespace s4u = simgrid::s4u;

}  // namespace

Instant FlowHandle::wait() {
  check(started_, "a flow that has not started was waited for");
  if (comm_ != nullptr) {
    simgrid_compat::wait(comm_);
    ended_ = Instant::at_seconds(comm_->get_finish_time());
  }
  if (stream_ != nullptr) network_->meter_.count(*std::exchange(stream_, nullptr), bytes_);
  if (pace_ != nullptr) network_->free_paces_.push_back(std::exchange(pace_, nullptr));
  return ended_;
}

FlowNetwork::FlowNetwork(const Platform& platform)
    : platform_(&platform), free_paces_(platform.pace_links()), meter_(platform.links()) {
  s4u::Engine::on_time_advance_cb(
      [this](double elapsed_s) { meter_.advance(Duration::seconds(elapsed_s)); });
  // The first change of a flow's state is its end.
  s4u::Link::on_communication_state_change_cb(
      [this](const auto& flow, auto /*before*/) { meter_.end(simgrid_compat::activity_of(flow)); });
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
  handle.comm_ = simgrid_compat::start_on(
      platform_->zone(), *links, platform_->host(starter), platform_->sink(),
      static_cast<std::uint64_t>(bytes.in_bytes()),
      [&](const simgrid_compat::Activity* flow) { meter_.begin(stream, flow); });
  return handle;
}

}  // namespace gyre
