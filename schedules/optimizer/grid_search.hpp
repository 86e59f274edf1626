#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schedules/optimizer/optimizer.hpp"

namespace gyre {

/// Schedules for hundreds of islands. Islands sit in the cells of a p × q (× r …) grid; in round d
/// those that differ only in coordinate d form the cliques, so that one pass over the dimensions
/// averages exactly where every cell is taken (Moshpit's hyper-grid). What is searched is the shape
/// and who sits where: annealing with swaps on the time of all rounds over shortest paths,
///
///     Σ_rounds M · max_a load(a)/c(a) + latency,
///
/// with loads kept incrementally, O(k · path) a swap. Where n has no suitable factors, the last row
/// of the grid is short and more passes are needed. With both capabilities the global clique on one
/// tree needs no search.
///
/// The bound of consensus: an island keeps at least Π 1/s_t of its own weight in cliques of s_t, so
/// Π s_t ≥ n/(1 + n·ε) and, since s − 1 ≥ log₂ s, it exchanges log₂(n/(1 + n·ε)) vectors or more
/// over its own access link; one where vectors are added and replicated on the way.
PlanResult search_grid(const PlanRequest& request, const PlanSpec& spec, const PlanWatch& watch);

/// Why a map of this size cannot be planned so, or nothing.
std::optional<std::string> grid_fault(const PlanRequest& request, const PlanSpec& spec);

/// The shapes tried for n islands: factorisations of n into 2 to `most` factors of at least 2, or,
/// where there are none, the nearly square p × q ≥ n. Sorted.
std::vector<std::vector<std::size_t>> grid_shapes(std::size_t islands, std::size_t most);

}  // namespace gyre
