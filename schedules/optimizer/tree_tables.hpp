#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/ids.hpp"
#include "schedules/optimizer/priced_map.hpp"
#include "schedules/stream.hpp"

namespace gyre {

enum class TreeDirection : std::uint8_t {
  kScatter,  ///< from the root to the terminals
  kGather,   ///< from the terminals to the root
};

/// A set of terminals, one bit each.
using TerminalSet = std::uint32_t;

/// Cheapest trees between a root and every subset of some terminals, by Dreyfus–Wagner.
///
/// With cost d(v, w) of the cheapest path and D(X, v) of the cheapest tree that joins v to the
/// terminals X,
///
///     D(X, v) = min( min_{∅ ≠ Y ⊂ X} D(Y, v) + D(X∖Y, v),  min_w d(v, w) + A(X, w) ),
///
/// where A(X, w), the cost from w on, is 0 for X = {w}, D(X∖{w}, w) for a terminal w ∈ X that
/// relays, and the first term at v = w for a switch w where streams branch. A root island may
/// always send several copies. Exact for prices ≥ 0. Cost: (3^k + 2^k·(k+b))·(k+b) for k terminals
/// and b branching switches, so k is at most `kMostTerminals`. Source: Dreyfus and Wagner 1971,
/// over the metric closure, with terminals as inner nodes.
class TreeTables {
 public:
  static constexpr std::size_t kMostTerminals = 12;

  /// `branches`: the switches where a stream of this direction may branch (or merge). `relay`:
  /// whether terminals add and re-send.
  TreeTables(const PricedMap& map, std::span<const IslandId> terminals,
             std::span<const SwitchId> branches, bool relay, TreeDirection direction);

  /// D of the terminals and a root: the `r`-th terminal (not in the set), or, counted on from the
  /// number of terminals, a branching switch.
  [[nodiscard]] double cost(TerminalSet terminals, std::size_t root) const {
    return cost_[terminals * nodes_.size() + root];
  }
  /// The hops of that tree, in the direction of the data: from the root outwards, or the reverse.
  [[nodiscard]] std::vector<Hop> tree(TerminalSet terminals, std::size_t root) const;
  [[nodiscard]] NodeId node(std::size_t root) const { return nodes_[root]; }

 private:
  struct Choice {
    TerminalSet split = 0;   ///< branch here into this and the rest
    std::int32_t move = -1;  ///< or go to this node first
  };
  void fill(TerminalSet terminals);
  [[nodiscard]] double distance(std::size_t from, std::size_t to) const {
    return distance_[from * nodes_.size() + to];
  }
  void collect(TerminalSet terminals, std::size_t at, std::vector<Hop>& hops) const;

  const PricedMap* map_;
  std::size_t terminal_count_;
  bool relay_;
  TreeDirection direction_;
  std::vector<NodeId> nodes_;
  std::vector<double> distance_;  ///< in the direction away from the root
  std::vector<double> cost_;      ///< by set and node
  std::vector<Choice> choice_;
  std::vector<double> branched_;  ///< of the set being filled, by node: the first term
  std::vector<TerminalSet> split_;
};

/// The cheapest spanning arborescence out of `root` (Chu–Liu/Edmonds): the parent of each node,
/// the root's own its index. `cost` by (parent, child), n × n. Cost O(n³).
std::vector<std::size_t> cheapest_arborescence(std::span<const double> cost, std::size_t nodes,
                                               std::size_t root);

}  // namespace gyre
