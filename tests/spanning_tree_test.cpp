#include "schedules/spanning_tree.hpp"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "models/rng.hpp"

namespace gyre {
namespace {

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

/// By the definition: each time the shortest edge out of the tree, of equal ones that of the lower
/// nodes, from a node that may have one more.
Edges by_definition(const Lengths& lengths, std::size_t most_degree) {
  const std::size_t n = lengths.size();
  std::vector<std::size_t> degrees(n, 0);
  std::vector<bool> joined(n, false);
  joined[0] = true;
  Edges tree;
  while (tree.size() + 1 < n) {
    std::optional<std::pair<std::size_t, std::size_t>> shortest;
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        if (!joined[a] || joined[b] || degrees[a] >= most_degree) continue;
        if (!shortest || lengths[a][b] < lengths[shortest->first][shortest->second]) {
          shortest = {a, b};
        }
      }
    }
    joined[shortest->second] = true;
    ++degrees[shortest->first];
    ++degrees[shortest->second];
    tree.push_back(*shortest);
  }
  return tree;
}

// Lengths of 0 to 4, so that many are equal.
TEST(SpanningTree, IsThatOfTheDefinitionEdgeByEdge) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng = Rng::stream(seed, "spanning tree");
    const std::size_t n = 3 + rng.below(20);
    Lengths lengths(n, std::vector<double>(n, 0.0));
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        lengths[a][b] = lengths[b][a] = static_cast<double>(rng.below(5));
      }
    }
    for (const std::size_t bound : {std::size_t{2}, std::size_t{3}, std::size_t{5}, n}) {
      EXPECT_EQ(spanning_tree(lengths, bound), by_definition(lengths, bound))
          << "seed " << seed << ", bound " << bound;
    }
  }
}

TEST(SpanningTree, OfNobodyAndOfOneIsEmpty) {
  EXPECT_TRUE(spanning_tree({}).empty());
  EXPECT_TRUE(spanning_tree({{0.0}}).empty());
}

}  // namespace
}  // namespace gyre
