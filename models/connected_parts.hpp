#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace gyre {

/// The connected parts of a graph, each in the order of its nodes, by their first nodes. Only nodes
/// that are `kept` count.
std::vector<std::vector<std::size_t>> connected_parts(
    const std::vector<bool>& kept, const std::vector<std::pair<std::size_t, std::size_t>>& links);

}  // namespace gyre
