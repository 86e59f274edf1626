#include "schedules/spanning_tree.hpp"

#include <optional>
#include <tuple>

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

namespace {

/// Prim's algorithm with a bound on the degrees.
class Growth {
 public:
  Growth(const Lengths& lengths, std::size_t most_degree)
      : lengths_(lengths),
        most_degree_(most_degree),
        degrees_(lengths.size(), 0),
        joined_(lengths.size(), false),
        nearest_(lengths.size()) {
    if (!lengths.empty()) join(0);
  }

  std::vector<std::pair<std::size_t, std::size_t>> tree() {
    std::vector<std::pair<std::size_t, std::size_t>> tree;
    while (tree.size() + 1 < lengths_.size()) {
      std::optional<std::size_t> next;
      for (std::size_t b = 0; b < lengths_.size(); ++b) {
        if (joined_[b] || !nearest_[b]) continue;
        if (!next || key(b) < key(*next)) next = b;
      }
      check(next.has_value(), "a tree whose nodes have all the edges that they may have");
      const std::size_t from = *nearest_[*next];
      tree.emplace_back(from, *next);
      ++degrees_[*next];
      join(*next);
      if (++degrees_[from] >= most_degree_) leave(from);
    }
    return tree;
  }

 private:
  /// Orders edges that lead out of the tree: by length, then by their ends.
  [[nodiscard]] std::tuple<double, std::size_t, std::size_t> key(std::size_t b) const {
    return {lengths_[*nearest_[b]][b], *nearest_[b], b};
  }

  void offer(std::size_t a, std::size_t b) {
    std::optional<std::size_t>& nearest = nearest_[b];
    if (!nearest || std::pair{lengths_[a][b], a} < std::pair{lengths_[*nearest][b], *nearest}) {
      nearest = a;
    }
  }

  void join(std::size_t a) {
    joined_[a] = true;
    if (degrees_[a] >= most_degree_) return;
    for (std::size_t b = 0; b < lengths_.size(); ++b) {
      if (!joined_[b]) offer(a, b);
    }
  }

  /// The node has all its edges: who was nearest to it looks for another.
  void leave(std::size_t full) {
    for (std::size_t b = 0; b < lengths_.size(); ++b) {
      if (joined_[b] || nearest_[b] != full) continue;
      nearest_[b].reset();
      for (std::size_t a = 0; a < lengths_.size(); ++a) {
        if (joined_[a] && degrees_[a] < most_degree_) offer(a, b);
      }
    }
  }

  const Lengths& lengths_;
  std::size_t most_degree_;
  std::vector<std::size_t> degrees_;
  std::vector<bool> joined_;
  std::vector<std::optional<std::size_t>> nearest_;  ///< of those in the tree that may take edges
};

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> spanning_tree(const Lengths& lengths,
                                                               std::size_t most_degree) {
  return Growth(lengths, most_degree).tree();
}

}  // namespace gyre
