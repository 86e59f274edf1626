#pragma once

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "models/topology.hpp"

namespace gyre {

/// Lengths between nodes, symmetric: [a][b].
using Lengths = std::vector<std::vector<double>>;

/// Seconds from island to island and back, halved: the mean of both ways' least latencies.
Lengths mean_latencies(const Topology& topology);

/// A spanning tree grown from node 0, each time by the shortest edge that leads out of it from a
/// node with fewer than `most_degree` edges (Prim; δ-PRIM of Marfoq et al. 2020, arXiv 2010.12229).
/// Without a bound it is a minimum spanning tree. Ties: the lower nodes. Requires a bound of at
/// least 2, with three nodes or more. Cost: O(n²), and O(n) for each node whose nearest one in the
/// tree has got all its edges.
std::vector<std::pair<std::size_t, std::size_t>> spanning_tree(
    const Lengths& lengths, std::size_t most_degree = std::numeric_limits<std::size_t>::max());

}  // namespace gyre
