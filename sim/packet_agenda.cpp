#include "sim/packet_agenda.hpp"

#include <utility>

#include <fmt/format.h>

namespace gyre {
namespace {

namespace s4u = simgrid::s4u;

/// The engine's clock is no finer.
constexpr double kClock_s = 1e-9;

}  // namespace

PacketAgenda::PacketAgenda(const Topology& topology, const Platform& platform)
    : topology_(&topology), platform_(&platform), nodes_(topology.node_count()) {
  for (Node& node : nodes_) node.gate = s4u::Semaphore::create(0);
}

void PacketAgenda::start(Handler handler) {
  handler_ = std::move(handler);
  for (std::size_t v = 0; v < nodes_.size(); ++v) {
    const NodeId node = NodeId::at(v);
    const bool is_switch = topology_->is_switch(node);
    const std::string name =
        is_switch ? fmt::format("switch {}", topology_->name(topology_->switch_at(node)))
                  : fmt::format("interface {}", topology_->name(topology_->island_at(node)));
    s4u::Host* host = is_switch ? platform_->host(topology_->switch_at(node))
                                : platform_->host(topology_->island_at(node));
    s4u::Actor::create(name, host, [this, node] { live(node); })->daemonize();
  }
}

void PacketAgenda::put(NodeId node, const PacketEvent& event) {
  Node& at = nodes_[node.index()];
  if (event.flow != nullptr) ++event.flow->pending;
  at.entries.push({event, at.next_order++});
  if (event.time_s < at.armed_s) {
    at.armed_s = 0.0;
    wake(at.gate);
  }
}

void PacketAgenda::flush() {
  while (!to_wake_.empty()) {
    const std::vector<s4u::SemaphorePtr> gates = std::exchange(to_wake_, {});
    for (const s4u::SemaphorePtr& gate : gates) gate->release();
  }
}

void PacketAgenda::live(NodeId node) {
  Node& at = nodes_[node.index()];
  while (!stopped_) {
    const double now_s = s4u::Engine::get_clock();
    while (!at.entries.empty() && at.entries.top().event.time_s <= now_s + kClock_s) {
      const PacketEvent event = at.entries.top().event;
      at.entries.pop();
      ++handled_;
      handler_(node, event);
      if (stopped_) return;
      if (!to_wake_.empty()) flush();
    }
    if (at.entries.empty()) {
      at.armed_s = kEndOfTime;
      at.gate->acquire();
    } else {
      at.armed_s = at.entries.top().event.time_s;
      if (at.gate->acquire_timeout(at.armed_s - now_s)) at.armed_s = 0.0;
    }
  }
}

}  // namespace gyre
