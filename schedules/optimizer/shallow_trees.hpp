#pragma once

#include <optional>
#include <span>
#include <vector>

#include "models/error.hpp"
#include "schedules/optimizer/priced_map.hpp"
#include "schedules/optimizer/tree_tables.hpp"

namespace gyre {

/// One direction of a tree that is cheap and not deep.
struct GrownTree {
  std::vector<Hop> hops;
  double price = 0.0;
  Duration depth;
};

/// Price and latency of the cheapest paths between the nodes of a priced map, computed once.
class Legs {
 public:
  /// Between these nodes.
  Legs(const PricedMap& map, std::span<const NodeId> nodes);
  [[nodiscard]] const PricedMap& map() const { return *map_; }
  [[nodiscard]] double price(NodeId from, NodeId to) const { return price_[at(from, to)]; }
  [[nodiscard]] Duration latency(NodeId from, NodeId to) const { return latency_[at(from, to)]; }

 private:
  [[nodiscard]] std::size_t at(NodeId from, NodeId to) const {
    const std::size_t row = place_[from.index()];
    const std::size_t column = place_[to.index()];
    check(row < nodes_ && column < nodes_, "a leg from or to a node that was not named");
    return row * nodes_ + column;
  }
  const PricedMap* map_;
  std::size_t nodes_;
  std::vector<std::size_t> place_;  ///< by node of the map: which of the nodes it is
  std::vector<double> price_;
  std::vector<Duration> latency_;
};

/// What a tree grows on.
struct GrowthRules {
  std::span<const SwitchId> branches;  ///< switches where streams branch (or merge)
  bool relay = false;                  ///< terminals add and re-send
  TreeDirection direction = TreeDirection::kScatter;
};

/// Grows a tree from the root over all terminals: again and again the terminal that is cheapest to
/// reach from what is there, within the depth limit; where none is, the one that stays shallowest.
/// No guarantee: a heuristic for trees whose latency counts, which no exact table prices.
/// Cost: O(k²·(k + b)) for k terminals and b switches passed.
GrownTree grow_tree(const Legs& legs, NodeId root, std::span<const IslandId> terminals,
                    const GrowthRules& rules, Duration depth_limit);

}  // namespace gyre
