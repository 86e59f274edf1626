#include "schedules/optimizer/priced_map.hpp"

#include <limits>
#include <utility>

#include "models/error.hpp"

namespace gyre {

constexpr double kFar = std::numeric_limits<double>::infinity();

PricedMap::PricedMap(const Topology& topology, const Routes* routes, std::vector<double> price)
    : topology_(&topology),
      routes_(routes),
      switches_(topology.switch_count()),
      price_(std::move(price)) {
  if (routes_ != nullptr) return;
  const std::size_t n = switches_;
  cost_.assign(n * n, kFar);
  next_.assign(n * n, n);
  direct_.assign(n * n, topology.arc_count());
  for (std::size_t i = 0; i < n; ++i) cost_[at(i, i)] = 0.0;
  for (std::size_t a = 2 * topology.island_count(); a < topology.arc_count(); ++a) {
    const Arc& arc = topology.arc(ArcId::at(a));
    const std::size_t pair = at(arc.tail.index(), arc.head.index());
    if (price_[a] >= cost_[pair]) continue;
    cost_[pair] = price_[a];
    direct_[pair] = a;
    next_[pair] = arc.head.index();
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      const double first = cost_[at(i, k)];
      if (first == kFar || i == k) continue;
      for (std::size_t j = 0; j < n; ++j) {
        const double through = first + cost_[at(k, j)];
        if (through >= cost_[at(i, j)]) continue;
        cost_[at(i, j)] = through;
        next_[at(i, j)] = next_[at(i, k)];
      }
    }
  }
}

std::size_t PricedMap::switch_of(NodeId node) const {
  if (topology_->is_switch(node)) return node.index();
  return topology_->island(topology_->island_at(node)).at.index();
}

double PricedMap::cost(NodeId from, NodeId to) const {
  if (from == to) return 0.0;
  double cost = 0.0;
  if (routes_ != nullptr) {
    for (NodeId node = from; node != to;) {
      const ArcId a = routes_->next_arc(node, to);
      cost += price_[a.index()];
      node = topology_->arc(a).head;
    }
    return cost;
  }
  if (!topology_->is_switch(from))
    cost += price_[topology_->up(topology_->island_at(from)).index()];
  if (!topology_->is_switch(to)) cost += price_[topology_->down(topology_->island_at(to)).index()];
  return cost + cost_[at(switch_of(from), switch_of(to))];
}

std::vector<ArcId> PricedMap::path(NodeId from, NodeId to) const {
  if (routes_ != nullptr) return routes_->path(from, to);
  std::vector<ArcId> arcs;
  if (from == to) return arcs;
  if (!topology_->is_switch(from)) arcs.push_back(topology_->up(topology_->island_at(from)));
  const std::size_t end = switch_of(to);
  for (std::size_t node = switch_of(from); node != end;) {
    const std::size_t next = next_[at(node, end)];
    check(next < switches_ && arcs.size() <= 2 + switches_, "no path between two switches");
    arcs.push_back(ArcId::at(direct_[at(node, next)]));
    node = next;
  }
  if (!topology_->is_switch(to)) arcs.push_back(topology_->down(topology_->island_at(to)));
  return arcs;
}

}  // namespace gyre
