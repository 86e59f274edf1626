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

}  // namespace gyre
