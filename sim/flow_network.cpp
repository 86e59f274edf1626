#include "sim/flow_network.hpp"

#include <algorithm>
#include <cmath>
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
    : platform_(&platform),
      free_paces_(platform.pace_links()),
      meter_(platform.links()),
      offers_(platform.links().size()) {
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
      [&](const simgrid_compat::Activity* flow) {
        give(&Changed::bytes_per_second);
        meter_.begin(stream, flow);
      });
  return handle;
}

double FlowNetwork::offered_bits(std::size_t arc) const {
  const Offer& offer = offers_[arc];
  const double bps = 8.0 * platform_->links()[arc]->get_bandwidth();
  return offer.bits + bps * (simulated_now() - offer.since).in_seconds();
}

void FlowNetwork::set_capacity(ArcId arc, Bandwidth capacity) {
  check(capacity > Bandwidth(), "an arc needs a capacity");
  const std::size_t a = arc.index();
  offers_[a] = {.since = simulated_now(), .bits = offered_bits(a)};
  meter_.change(arc);
  s4u::Link* link = platform_->links()[a];
  const auto changed =
      changed_.try_emplace(arc, Changed{.own_bytes_per_second = link->get_bandwidth()}).first;
  changed->second.bytes_per_second = capacity.in_bytes_per_second();
  link->set_bandwidth(capacity.in_bytes_per_second());
}

std::vector<Bandwidth> FlowNetwork::take_mean_capacities() {
  const Instant now = simulated_now();
  const double elapsed_s = (now - offers_from_).in_seconds();
  std::vector<Bandwidth> means;
  means.reserve(offers_.size());
  for (std::size_t a = 0; a < offers_.size(); ++a) {
    const double bps = elapsed_s > 0.0 ? offered_bits(a) / elapsed_s
                                       : 8.0 * platform_->links()[a]->get_bandwidth();
    means.push_back(Bandwidth::bits_per_second(std::max<std::int64_t>(1, std::llround(bps))));
    offers_[a] = {.since = now, .bits = 0.0};
  }
  offers_from_ = now;
  return means;
}

}  // namespace gyre
