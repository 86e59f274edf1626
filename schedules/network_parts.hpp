#pragma once

#include <span>
#include <vector>

#include "models/routing.hpp"
#include "models/topology.hpp"
#include "schedules/round.hpp"

namespace gyre {

/// The islands by who can reach whom, where the routes leave arcs out: those of a part all reach
/// each other. Parts by their first islands, islands by rank.
std::vector<Clique> joined_parts(const Topology& topology, const Routes& routes);

/// The map with these islands only: the same switches and links. Requires at least one island, by
/// rank; the n-th one is island n.
Topology map_of(const Topology& topology, std::span<const IslandId> islands);
/// The arcs of that map that are among `arcs` of the whole one.
std::vector<ArcId> arcs_of(const Topology& topology, std::span<const IslandId> islands,
                           std::span<const ArcId> arcs);

}  // namespace gyre
