#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/ids.hpp"
#include "models/topology.hpp"
#include "models/units.hpp"

namespace gyre {

/// How unicast and trees may run (`network.routing` of a scenario).
enum class Routing : std::uint8_t {
  kShortest,    ///< the least-latency path of each pair, one shortest-path tree a source
  kEngineered,  ///< over any paths, split as it is best for the round as a whole
};
inline constexpr std::array<std::string_view, 2> kRoutingNames{"shortest", "engineered"};
constexpr std::string_view name_of(Routing routing) {
  return kRoutingNames[static_cast<std::size_t>(routing)];
}

/// Least-latency routing (`routing: shortest`), as IS-IS does it with latency metrics.
///
/// Unicast follows the in-tree of its destination (each node has one next arc towards each
/// destination); multicast follows the out-tree of its source. Both are shortest-path trees by
/// Dijkstra on latencies in whole picoseconds. Tie rule: fewest arcs, then the lowest arc index.
/// Islands never forward: they have one access link.
/// Cost: one Dijkstra per root when first asked for, O(E log V); memory O(V) per root.
class Routes {
 public:
  /// Over all arcs but those `without`.
  explicit Routes(const Topology& topology, const std::vector<ArcId>& without = {});

  /// The next arc of `at` towards `destination`. Requires at ≠ destination, reachable.
  [[nodiscard]] ArcId next_arc(NodeId at, NodeId destination) const;
  /// The arc by which the out-tree of `source` reaches `node`. Requires node ≠ source, reachable.
  [[nodiscard]] ArcId parent_arc(NodeId source, NodeId node) const;
  /// The arcs of the unicast path, in order; empty when from = to.
  [[nodiscard]] std::vector<ArcId> path(NodeId from, NodeId to) const;
  /// Whether there is a path. True where no arc was left out.
  [[nodiscard]] bool leads(NodeId from, NodeId to) const;
  /// Sum of the path's one-way latencies.
  [[nodiscard]] Duration latency(NodeId from, NodeId to) const;

 private:
  enum class Direction : std::uint8_t { kIn, kOut };
  struct Tree {
    std::vector<std::optional<ArcId>> arc;  ///< by node: towards (in) or from (out) the root
    std::vector<Duration> latency;
  };
  [[nodiscard]] const Tree& tree(Direction direction, NodeId root) const;

  const Topology* topology_;
  std::vector<bool> without_;                    ///< by arc
  mutable std::vector<std::optional<Tree>> in_;  ///< filled when first asked for
  mutable std::vector<std::optional<Tree>> out_;
};

}  // namespace gyre
