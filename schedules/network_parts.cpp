#include "schedules/network_parts.hpp"

#include <algorithm>
#include <utility>

namespace gyre {

std::vector<Clique> joined_parts(const Topology& topology, const Routes& routes) {
  std::vector<Clique> parts;
  for (std::size_t i = 0; i < topology.island_count(); ++i) {
    const IslandId island = IslandId::at(i);
    const auto joins = [&](const Clique& part) {
      const NodeId here = topology.node(island);
      const NodeId there = topology.node(part.front());
      return routes.leads(here, there) && routes.leads(there, here);
    };
    const auto part = std::find_if(parts.begin(), parts.end(), joins);
    if (part != parts.end()) {
      part->push_back(island);
    } else {
      parts.push_back({island});
    }
  }
  return parts;
}

Topology map_of(const Topology& topology, std::span<const IslandId> islands) {
  std::vector<Topology::Island> kept;
  for (const IslandId i : islands) kept.push_back(topology.island(i));
  std::vector<Topology::Link> links;
  // Core arcs come in pairs, both directions of a link.
  for (std::size_t a = 2 * topology.island_count(); a < topology.arc_count(); a += 2) {
    const Arc& there = topology.arc(ArcId::at(a));
    const Arc& back = topology.arc(ArcId::at(a + 1));
    links.push_back({.first = topology.switch_at(there.tail),
                     .second = topology.switch_at(there.head),
                     .capacity = there.capacity,
                     .latency = there.latency,
                     .reverse_capacity = back.capacity,
                     .reverse_latency = back.latency});
  }
  return {topology.name(), topology.switch_names(), std::move(kept), links};
}

std::vector<ArcId> arcs_of(const Topology& topology, std::span<const IslandId> islands,
                           std::span<const ArcId> arcs) {
  std::vector<ArcId> kept;
  for (const ArcId arc : arcs) {
    if (topology.is_core(arc)) {
      kept.push_back(ArcId::at(arc.index() - 2 * (topology.island_count() - islands.size())));
      continue;
    }
    for (std::size_t i = 0; i < islands.size(); ++i) {
      if (arc == topology.up(islands[i])) kept.push_back(ArcId::at(2 * i));
      if (arc == topology.down(islands[i])) kept.push_back(ArcId::at(2 * i + 1));
    }
  }
  return kept;
}

Capabilities within_reach(const Topology& topology, const Routes& routes, Capabilities able) {
  std::vector<NodeId> islands;
  for (std::size_t i = 0; i < topology.island_count(); ++i) {
    const NodeId node = topology.node(IslandId::at(i));
    const NodeId at = topology.node(topology.island(IslandId::at(i)).at);
    bool joined = topology.switch_count() == 1;
    for (std::size_t s = 0; s < topology.switch_count() && !joined; ++s) {
      const NodeId other = topology.node(SwitchId::at(s));
      joined = other != at && routes.leads(node, other) && routes.leads(other, node);
    }
    if (joined) islands.push_back(node);
  }
  for (std::size_t s = 0; s < topology.switch_count(); ++s) {
    const NodeId node = topology.node(SwitchId::at(s));
    const bool reaches = std::all_of(islands.begin(), islands.end(), [&](NodeId island) {
      return routes.leads(node, island) && routes.leads(island, node);
    });
    if (reaches) continue;
    able.multicast[s] = false;
    able.aggregation[s] = false;
  }
  return able;
}

}  // namespace gyre
