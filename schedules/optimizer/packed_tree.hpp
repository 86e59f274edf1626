#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/units.hpp"
#include "schedules/optimizer/packing_lp.hpp"
#include "schedules/optimizer/priced_map.hpp"
#include "schedules/optimizer/tree_tables.hpp"
#include "schedules/round.hpp"
#include "schedules/stream.hpp"

namespace gyre {

/// What a clique's members send each other, as trees to be packed.
enum class PackingKind : std::uint8_t {
  kPairs,      ///< direct: a path from every member to every other
  kScatter,    ///< direct with multicast: a tree out of every member, branching in the switches
  kGather,     ///< direct with aggregation: a tree into every member, merging in the switches
  kAllGather,  ///< a tree out of every member; members re-send, switches branch where they can
  kIslands,    ///< `tree`: into one member and out again; members add and re-send, switches help
  kInNetwork,  ///< in-network: into one switch and out again
};

/// One way to move a group's data at a common rate: a path, a tree, or a tree into a root and
/// another out of it; and the latency of its critical path, the deepest way up + the deepest down.
struct PackedTree {
  TreeShape shape;
  Duration latency;
};

/// What has to move at the common rate: the members whose sum (or vector) goes to the receivers.
struct PackingGroup {
  std::vector<IslandId> sources;
  std::vector<IslandId> receivers;
};

/// A kind of packing on a network.
struct PackingProblem {
  const Network* network = nullptr;
  PackingKind kind = PackingKind::kPairs;
  Routing routing = Routing::kEngineered;
};

/// The groups of one clique: k(k−1) pairs, k sources, k receivers, or the clique itself. Two
/// members that add simply swap: two pairs.
std::vector<PackingGroup> packing_groups(PackingKind kind, const Clique& clique);

/// How often the tree crosses each arc.
std::vector<ArcLoad> loads(const PackedTree& tree);

/// Cheapest trees of a kind under given prices, for all cliques out of some islands.
class TreePricing {
 public:
  /// Requires |islands| ≤ `TreeTables::kMostTerminals`, unless the kind needs no tables (pairs, and
  /// islands that add where no switch helps).
  TreePricing(const PackingProblem& problem, const PricedMap& map, const Clique& islands);

  /// Σ over the groups of the clique (a set of the islands, k ≥ 2) of their cheapest tree's price.
  /// Requires tables.
  [[nodiscard]] double cost(TerminalSet clique) const;

  struct Priced {
    double cost = 0.0;
    PackedTree tree;
  };
  /// For each group of the clique of all islands (`packing_groups`): its cheapest trees, the
  /// cheapest first; where the root is free, the best of each root.
  [[nodiscard]] std::vector<std::vector<Priced>> trees() const;

 private:
  [[nodiscard]] std::vector<std::vector<Priced>> rooted_trees() const;
  [[nodiscard]] std::vector<Priced> arborescences() const;
  [[nodiscard]] std::vector<Priced> by_root() const;
  [[nodiscard]] double pair_cost(std::size_t u, std::size_t v) const {
    return map_->cost(map_->topology().node(islands_[u]), map_->topology().node(islands_[v]));
  }

  PackingProblem problem_;
  const PricedMap* map_;
  Clique islands_;
  /// Where the switches that may be the root are in the two tables.
  std::vector<std::size_t> gather_root_;
  std::vector<std::size_t> scatter_root_;
  std::optional<TreeTables> gather_;
  std::optional<TreeTables> scatter_;
};

/// The stream that runs along the tree for the group's islands.
Stream to_stream(const Topology& topology, const PackedTree& tree, const PackingGroup& group);

}  // namespace gyre
