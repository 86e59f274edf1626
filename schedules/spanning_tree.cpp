#include "schedules/spanning_tree.hpp"

#include <optional>

#include "models/error.hpp"
#include "models/routing.hpp"

namespace gyre {

Lengths mean_latencies(const Topology& topology) {
  const Routes routes(topology);
  const std::size_t n = topology.island_count();
  Lengths lengths(n, std::vector<double>(n, 0.0));
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const NodeId first = topology.node(IslandId::at(a));
      const NodeId second = topology.node(IslandId::at(b));
      const Duration both = routes.latency(first, second) + routes.latency(second, first);
      lengths[a][b] = lengths[b][a] = 0.5 * both.in_seconds();
    }
  }
  return lengths;
}

std::vector<std::pair<std::size_t, std::size_t>> spanning_tree(const Lengths& lengths,
                                                               std::size_t most_degree) {
  const std::size_t n = lengths.size();
  std::vector<std::size_t> degrees(n, 0);
  std::vector<bool> joined(n, false);
  std::vector<std::pair<std::size_t, std::size_t>> tree;
  if (n > 0) joined[0] = true;
  while (tree.size() + 1 < n) {
    std::optional<std::pair<std::size_t, std::size_t>> shortest;
    for (std::size_t a = 0; a < n; ++a) {
      if (!joined[a] || degrees[a] >= most_degree) continue;
      for (std::size_t b = 0; b < n; ++b) {
        if (joined[b]) continue;
        if (!shortest || lengths[a][b] < lengths[shortest->first][shortest->second]) {
          shortest = {a, b};
        }
      }
    }
    check(shortest.has_value(), "a tree whose nodes have all the edges that they may have");
    const auto [from, to] = *shortest;
    joined[to] = true;
    ++degrees[from];
    ++degrees[to];
    tree.push_back(*shortest);
  }
  return tree;
}

}  // namespace gyre
