#include "schedules/stream.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {
namespace {

/// A part of a tree that one stream feeds (or that feeds one stream): its islands and arcs, an arc
/// once for each copy that it carries.
struct Branch {
  std::vector<IslandId> islands;
  std::vector<ArcId> arcs;
};

/// Appends the smaller to the larger, so that a whole tree costs O(n log n); nothing depends on the
/// order of a branch's islands and arcs.
void join(Branch& into, Branch other) {
  if (into.arcs.size() < other.arcs.size()) std::swap(into, other);
  into.islands.insert(into.islands.end(), other.islands.begin(), other.islands.end());
  into.arcs.insert(into.arcs.end(), other.arcs.begin(), other.arcs.end());
}

/// The tree between a root node and leaf islands, and which way its data flows.
class Tree {
 public:
  enum class Direction : std::uint8_t { kFromRoot, kToRoot };

  Tree(const Network& network, NodeId root, std::span<const IslandId> leaves, Direction direction)
      : network_(&network), direction_(direction) {
    std::vector<bool> reached(network.topology.node_count(), false);
    for (const IslandId leaf : leaves) {
      for (NodeId at = network.topology.node(leaf); at != root && !reached[at.index()];) {
        reached[at.index()] = true;
        const ArcId arc = direction == Direction::kFromRoot ? network.routes.parent_arc(root, at)
                                                            : network.routes.next_arc(at, root);
        const Arc& ends = network.topology.arc(arc);
        const NodeId closer = direction == Direction::kFromRoot ? ends.tail : ends.head;
        children_.emplace_back(closer, arc);
        at = closer;
      }
    }
    std::sort(children_.begin(), children_.end());
  }

  /// The separate streams that serve the subtree below `node`: one per leaf, but those that meet at
  /// a capable switch are one.
  [[nodiscard]] std::vector<Branch> branches(NodeId node) const {
    const Topology& topology = network_->topology;
    auto child = std::lower_bound(
        children_.begin(), children_.end(), node,
        [](const std::pair<NodeId, ArcId>& one, NodeId at) { return one.first < at; });
    std::vector<Branch> all;
    if (child == children_.end() || child->first != node) {
      all.push_back({.islands = {topology.island_at(node)}, .arcs = {}});
      return all;
    }
    for (; child != children_.end() && child->first == node; ++child) {
      const Arc& ends = topology.arc(child->second);
      for (Branch& branch : branches(direction_ == Direction::kFromRoot ? ends.head : ends.tail)) {
        branch.arcs.push_back(child->second);
        all.push_back(std::move(branch));
      }
    }
    if (all.size() < 2 || !topology.is_switch(node) || !merges(topology.switch_at(node))) {
      return all;
    }
    for (std::size_t b = 1; b < all.size(); ++b) join(all.front(), std::move(all[b]));
    all.resize(1);
    return all;
  }

 private:
  [[nodiscard]] bool merges(SwitchId s) const {
    return direction_ == Direction::kFromRoot ? network_->capabilities.replicates(s)
                                              : network_->capabilities.adds(s);
  }

  const Network* network_;
  Direction direction_;
  std::vector<std::pair<NodeId, ArcId>> children_;  ///< sorted
};

/// The same arcs, each with its copies, by number.
std::vector<ArcUse> arc_uses(std::vector<ArcId> arcs) {
  std::sort(arcs.begin(), arcs.end());
  std::vector<ArcUse> uses;
  for (const ArcId arc : arcs) {
    if (uses.empty() || uses.back().arc != arc) uses.push_back({.arc = arc, .copies = 0});
    ++uses.back().copies;
  }
  return uses;
}

std::vector<ArcUse> arc_uses(const std::map<ArcId, int>& copies) {
  std::vector<ArcUse> uses;
  uses.reserve(copies.size());
  for (const auto& [arc, count] : copies) uses.push_back({.arc = arc, .copies = count});
  return uses;
}

std::vector<IslandId> sorted(std::vector<IslandId> islands) {
  std::sort(islands.begin(), islands.end());
  return islands;
}

Duration deepest(const Network& network, std::span<const IslandId> from, NodeId to) {
  Duration depth;
  for (const IslandId i : from) {
    depth = std::max(depth, network.routes.latency(network.topology.node(i), to));
  }
  return depth;
}

constexpr const char* kWrongStart = "its arcs do not start at its sources";
constexpr const char* kWrongEnd = "its arcs do not end at its receivers";

/// Whether arcs with their copies are a tree between a root and leaf islands that the switches can
/// carry. Seen from the root, whichever way the data flows.
class TreeCheck {
 public:
  TreeCheck(const Network& network, Tree::Direction direction, std::vector<ArcUse> arcs)
      : topology_(&network.topology),
        from_root_(direction == Tree::Direction::kFromRoot),
        capable_(from_root_ ? &network.capabilities.multicast : &network.capabilities.aggregation),
        arcs_(std::move(arcs)) {}

  [[nodiscard]] std::optional<std::string> fault(NodeId root, const std::vector<IslandId>& leaves) {
    for (const ArcUse& use : arcs_) {
      if (use.copies < 1) return fmt::format("{} carries no copy", topology_->name(use.arc));
      Sides& above = sides_[near(use.arc)];
      above.copies_out += use.copies;
      above.children.push_back(use.arc);
      Sides& below = sides_[far(use.arc)];
      below.copies_in += use.copies;
      below.parents += 1;
    }
    std::vector<IslandId> ends;
    for (const auto& [node, sides] : sides_) {
      if (topology_->is_switch(node)) {
        if (auto fault = switch_fault(node, sides, node == root)) return fault;
        continue;
      }
      const IslandId island = topology_->island_at(node);
      if (sides.copies_out > 0 && node != root) return from_root_ ? kWrongStart : kWrongEnd;
      if (sides.copies_in > 0) ends.push_back(island);
      if (std::max(sides.copies_in, sides.copies_out) > 1) {
        return fmt::format("{} sends or receives several copies", topology_->name(island));
      }
    }
    if (!sides_.contains(root)) return from_root_ ? kWrongStart : kWrongEnd;
    if (ends != leaves) return from_root_ ? kWrongEnd : kWrongStart;
    return cycle_fault(root);
  }

 private:
  struct Sides {
    int copies_in = 0;  ///< on the root's side
    int copies_out = 0;
    int parents = 0;
    std::vector<ArcId> children;
  };

  [[nodiscard]] NodeId near(ArcId a) const {
    return from_root_ ? topology_->arc(a).tail : topology_->arc(a).head;
  }
  [[nodiscard]] NodeId far(ArcId a) const {
    return from_root_ ? topology_->arc(a).head : topology_->arc(a).tail;
  }

  [[nodiscard]] std::optional<std::string> switch_fault(NodeId node, const Sides& sides,
                                                        bool is_root) const {
    const SwitchId s = topology_->switch_at(node);
    if ((sides.copies_in == 0) != is_root || sides.copies_out == 0 ||
        sides.copies_out < sides.copies_in) {
      return fmt::format("switch {} creates or loses data", topology_->name(s));
    }
    if (sides.parents > 1) return fmt::format("switch {} is on two paths", topology_->name(s));
    if (sides.copies_out > std::max(sides.copies_in, 1) && !(*capable_)[s.index()]) {
      return fmt::format("switch {} cannot {}", topology_->name(s),
                         from_root_ ? "replicate" : "add");
    }
    return std::nullopt;
  }

  /// With one parent a node, arcs that the root does not reach can only be cycles.
  [[nodiscard]] std::optional<std::string> cycle_fault(NodeId root) const {
    std::set<ArcId> reached;
    std::vector<NodeId> stack{root};
    while (!stack.empty()) {
      const Sides& sides = sides_.at(stack.back());
      stack.pop_back();
      for (const ArcId arc : sides.children) {
        if (reached.insert(arc).second) stack.push_back(far(arc));
      }
    }
    for (const ArcUse& use : arcs_) {
      if (reached.contains(use.arc)) continue;
      return fmt::format("{} {}", topology_->name(use.arc),
                         from_root_ ? "is not fed by a source" : "leads to no receiver");
    }
    return std::nullopt;
  }

  const Topology* topology_;
  bool from_root_;
  const std::vector<bool>* capable_;
  std::vector<ArcUse> arcs_;
  std::map<NodeId, Sides> sides_;
};

/// One direction of a shape, seen from the root: one hop towards the root for every node, several
/// away from it only where the node may branch (merge).
std::optional<std::string> hops_fault(const Network& network, const std::vector<Hop>& hops,
                                      NodeId root, const std::vector<IslandId>& ends,
                                      const std::vector<bool>& capable, Tree::Direction direction) {
  const Topology& topology = network.topology;
  const bool from_root = direction == Tree::Direction::kFromRoot;
  std::map<NodeId, NodeId> towards_root;
  std::map<NodeId, int> away;
  for (const Hop& hop : hops) {
    NodeId at = hop.from;
    for (const ArcId a : hop.path) {
      if (topology.arc(a).tail != at) return "a hop's path is broken";
      at = topology.arc(a).head;
    }
    if (at != hop.to || hop.path.empty()) return "a hop's path is broken";
    const NodeId near = from_root ? hop.from : hop.to;
    const NodeId far = from_root ? hop.to : hop.from;
    if (far == root || !towards_root.emplace(far, near).second) return "a node is on two ways";
    away[near] += 1;
  }
  const auto takes_part = [&](NodeId node) {
    return !topology.is_switch(node) &&
           (node == root ||
            std::find(ends.begin(), ends.end(), topology.island_at(node)) != ends.end());
  };
  for (const auto& [node, hops_away] : away) {
    if (node != root && !towards_root.contains(node)) return "a hop hangs in the air";
    if (!topology.is_switch(node) && !takes_part(node)) return "an island outside takes part";
    if (hops_away > 1 && topology.is_switch(node) && !capable[topology.switch_at(node).index()]) {
      return fmt::format("switch {} cannot {}", topology.name(topology.switch_at(node)),
                         from_root ? "replicate" : "add");
    }
  }
  for (const auto& [node, near] : towards_root) {
    if (!takes_part(node) && !away.contains(node)) return "a way ends where nobody is";
    std::size_t steps = 0;
    for (NodeId at = node; at != root; at = towards_root.at(at)) {
      if (++steps > towards_root.size() || !towards_root.contains(at))
        return "a way goes in circles";
    }
  }
  for (const IslandId i : ends) {
    const NodeId node = topology.node(i);
    if (node != root && !towards_root.contains(node)) {
      return fmt::format("{} is left out", topology.name(i));
    }
  }
  return std::nullopt;
}

std::optional<std::string> shape_fault(const Network& network, const Stream& stream,
                                       const TreeShape& shape,
                                       const std::vector<IslandId>& receivers) {
  std::map<ArcId, int> copies;
  for (const std::vector<Hop>* hops : {&shape.up, &shape.down}) {
    for (const Hop& hop : *hops) {
      for (const ArcId a : hop.path) ++copies[a];
    }
  }
  if (arc_uses(copies) != stream.arcs) return "its arcs are not those of its hops";
  auto fault = hops_fault(network, shape.up, shape.root, stream.sources,
                          network.capabilities.aggregation, Tree::Direction::kToRoot);
  if (fault) return fault;
  return hops_fault(network, shape.down, shape.root, receivers, network.capabilities.multicast,
                    Tree::Direction::kFromRoot);
}

}  // namespace

Duration tree_latency(const Network& network, NodeId from, NodeId to) {
  Duration latency;
  for (NodeId at = to; at != from;) {
    const Arc& arc = network.topology.arc(network.routes.parent_arc(from, at));
    latency += arc.latency;
    at = arc.tail;
  }
  return latency;
}

std::optional<Duration> latency_to(const Stream& stream, IslandId receiver) {
  for (const Delivery& delivery : stream.deliveries) {
    if (delivery.receiver == receiver) return delivery.latency;
  }
  return std::nullopt;
}

std::vector<Stream> multicast_streams(const Network& network, IslandId source,
                                      std::span<const IslandId> receivers) {
  const NodeId root = network.topology.node(source);
  std::vector<Stream> streams;
  for (Branch& branch : Tree(network, root, receivers, Tree::Direction::kFromRoot).branches(root)) {
    Stream stream{.sources = {source},
                  .deliveries = {},
                  .arcs = arc_uses(std::move(branch.arcs)),
                  .up = {},
                  .shape = {}};
    for (const IslandId i : sorted(std::move(branch.islands))) {
      stream.deliveries.push_back(
          {.receiver = i, .latency = tree_latency(network, root, network.topology.node(i))});
    }
    streams.push_back(std::move(stream));
  }
  return streams;
}

std::vector<Stream> reduction_streams(const Network& network, std::span<const IslandId> sources,
                                      IslandId receiver) {
  const NodeId root = network.topology.node(receiver);
  std::vector<Stream> streams;
  for (Branch& branch : Tree(network, root, sources, Tree::Direction::kToRoot).branches(root)) {
    const std::vector<IslandId> islands = sorted(std::move(branch.islands));
    streams.push_back(
        {.sources = islands,
         .deliveries = {{.receiver = receiver, .latency = deepest(network, islands, root)}},
         .arcs = arc_uses(std::move(branch.arcs)),
         .up = {},
         .shape = {}});
  }
  return streams;
}

bool can_be_root(const Network& network, std::span<const IslandId> members, SwitchId root) {
  if (!network.capabilities.adds(root) || !network.capabilities.replicates(root)) return false;
  const NodeId node = network.topology.node(root);
  return std::all_of(members.begin(), members.end(), [&](IslandId i) {
    const NodeId member = network.topology.node(i);
    return network.routes.leads(member, node) && network.routes.leads(node, member);
  });
}

Stream in_network_stream(const Network& network, std::span<const IslandId> members, SwitchId root) {
  check(can_be_root(network, members, root),
        "the root of an in-network exchange has to add, to replicate, and to reach its members");
  const NodeId node = network.topology.node(root);
  std::vector<Branch> up = Tree(network, node, members, Tree::Direction::kToRoot).branches(node);
  const std::vector<Branch> down =
      Tree(network, node, members, Tree::Direction::kFromRoot).branches(node);
  check(up.size() == 1 && down.size() == 1, "a capable root has one stream in and one out");
  std::vector<ArcId> both = std::move(up.front().arcs);
  std::vector<ArcUse> arcs_up = arc_uses(both);
  both.insert(both.end(), down.front().arcs.begin(), down.front().arcs.end());

  const std::vector<IslandId> islands = sorted({members.begin(), members.end()});
  const Duration depth = deepest(network, islands, node);
  Stream stream{.sources = islands,
                .deliveries = {},
                .arcs = arc_uses(std::move(both)),
                .up = std::move(arcs_up),
                .shape = {}};
  for (const IslandId i : islands) {
    stream.deliveries.push_back(
        {.receiver = i, .latency = depth + tree_latency(network, node, network.topology.node(i))});
  }
  return stream;
}

std::optional<std::string> stream_fault(const Network& network, const Stream& stream) {
  const Topology& topology = network.topology;
  std::vector<IslandId> receivers;
  receivers.reserve(stream.deliveries.size());
  for (const Delivery& delivery : stream.deliveries) receivers.push_back(delivery.receiver);
  if (stream.sources.empty()) return kWrongStart;
  if (receivers.empty()) return kWrongEnd;
  if (stream.shape) return shape_fault(network, stream, *stream.shape, receivers);
  if (stream.up.empty()) {
    if (stream.sources.size() == 1) {
      return TreeCheck(network, Tree::Direction::kFromRoot, stream.arcs)
          .fault(topology.node(stream.sources.front()), receivers);
    }
    if (receivers.size() == 1) {
      return TreeCheck(network, Tree::Direction::kToRoot, stream.arcs)
          .fault(topology.node(receivers.front()), stream.sources);
    }
    return "several sources and several receivers need a root";
  }
  std::map<ArcId, int> copies;
  for (const ArcUse& use : stream.arcs) copies[use.arc] += use.copies;
  std::map<NodeId, int> leads_on;
  for (const ArcUse& use : stream.up) {
    copies[use.arc] -= use.copies;
    leads_on[topology.arc(use.arc).tail] += 1;
  }
  std::erase_if(copies, [](const auto& entry) { return entry.second == 0; });
  const auto last = std::find_if(stream.up.begin(), stream.up.end(), [&](const ArcUse& use) {
    return !leads_on.contains(topology.arc(use.arc).head);
  });
  if (last == stream.up.end()) return "its way up has no end";
  const NodeId root = topology.arc(last->arc).head;
  auto fault = TreeCheck(network, Tree::Direction::kToRoot, stream.up).fault(root, stream.sources);
  if (fault) return fault;
  return TreeCheck(network, Tree::Direction::kFromRoot, arc_uses(copies)).fault(root, receivers);
}

}  // namespace gyre
