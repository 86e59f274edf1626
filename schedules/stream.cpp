#include "schedules/stream.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {
namespace {

/// A part of a tree that one stream feeds (or that feeds one stream): its islands and arcs.
struct Branch {
  std::vector<IslandId> islands;
  std::map<ArcId, int> copies;
};

void join(Branch& into, const Branch& other) {
  into.islands.insert(into.islands.end(), other.islands.begin(), other.islands.end());
  for (const auto& [arc, copies] : other.copies) into.copies[arc] += copies;
}

/// The tree between a root node and leaf islands, and which way its data flows.
class Tree {
 public:
  enum class Direction { kFromRoot, kToRoot };

  Tree(const Network& network, NodeId root, std::span<const IslandId> leaves, Direction direction)
      : network_(&network), direction_(direction) {
    for (const IslandId leaf : leaves) {
      for (NodeId at = network.topology.node(leaf); at != root;) {
        const ArcId arc = direction == Direction::kFromRoot ? network.routes.parent_arc(root, at)
                                                            : network.routes.next_arc(at, root);
        const Arc& ends = network.topology.arc(arc);
        const NodeId closer = direction == Direction::kFromRoot ? ends.tail : ends.head;
        if (!children_[closer].insert(arc).second) break;
        at = closer;
      }
    }
  }

  /// The separate streams that serve the subtree below `node`: one per leaf, but those that meet at
  /// a capable switch are one.
  [[nodiscard]] std::vector<Branch> branches(NodeId node) const {
    const Topology& topology = network_->topology;
    const auto children = children_.find(node);
    if (children == children_.end()) return {Branch{{topology.island_at(node)}, {}}};
    std::vector<Branch> all;
    for (const ArcId arc : children->second) {
      const Arc& ends = topology.arc(arc);
      for (Branch& branch : branches(direction_ == Direction::kFromRoot ? ends.head : ends.tail)) {
        branch.copies[arc] += 1;
        all.push_back(std::move(branch));
      }
    }
    if (all.size() < 2 || !topology.is_switch(node) || !merges(topology.switch_at(node))) {
      return all;
    }
    Branch one;
    for (const Branch& branch : all) join(one, branch);
    return {one};
  }

 private:
  [[nodiscard]] bool merges(SwitchId s) const {
    return direction_ == Direction::kFromRoot ? network_->capabilities.replicates(s)
                                              : network_->capabilities.adds(s);
  }

  const Network* network_;
  Direction direction_;
  std::map<NodeId, std::set<ArcId>> children_;
};

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

/// Latency along the out-tree of `from`, which may differ from unicast where latencies tie.
Duration tree_latency(const Network& network, NodeId from, NodeId to) {
  Duration latency;
  for (NodeId at = to; at != from;) {
    const Arc& arc = network.topology.arc(network.routes.parent_arc(from, at));
    latency += arc.latency;
    at = arc.tail;
  }
  return latency;
}

}  // namespace

std::vector<Stream> multicast_streams(const Network& network, IslandId source,
                                      std::span<const IslandId> receivers) {
  const NodeId root = network.topology.node(source);
  std::vector<Stream> streams;
  for (Branch& branch : Tree(network, root, receivers, Tree::Direction::kFromRoot).branches(root)) {
    Stream stream{.sources = {source}, .deliveries = {}, .arcs = arc_uses(branch.copies)};
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
         .arcs = arc_uses(branch.copies)});
  }
  return streams;
}

Stream in_network_stream(const Network& network, std::span<const IslandId> members, SwitchId root) {
  check(network.capabilities.adds(root) && network.capabilities.replicates(root),
        "the root of an in-network exchange has to add and replicate");
  const NodeId node = network.topology.node(root);
  const std::vector<Branch> up =
      Tree(network, node, members, Tree::Direction::kToRoot).branches(node);
  const std::vector<Branch> down =
      Tree(network, node, members, Tree::Direction::kFromRoot).branches(node);
  check(up.size() == 1 && down.size() == 1, "a capable root has one stream in and one out");
  std::map<ArcId, int> copies = up.front().copies;
  for (const auto& [arc, count] : down.front().copies) copies[arc] += count;

  const std::vector<IslandId> islands = sorted({members.begin(), members.end()});
  const Duration depth = deepest(network, islands, node);
  Stream stream{.sources = islands, .deliveries = {}, .arcs = arc_uses(copies)};
  for (const IslandId i : islands) {
    stream.deliveries.push_back(
        {.receiver = i, .latency = depth + tree_latency(network, node, network.topology.node(i))});
  }
  return stream;
}

std::optional<std::string> stream_fault(const Network& network, const Stream& stream) {
  const Topology& topology = network.topology;
  std::map<NodeId, std::pair<int, int>> traffic;  // by node: copies in, copies out
  for (const ArcUse& use : stream.arcs) {
    if (use.copies < 1) return fmt::format("{} carries no copy", topology.name(use.arc));
    traffic[topology.arc(use.arc).head].first += use.copies;
    traffic[topology.arc(use.arc).tail].second += use.copies;
  }
  std::vector<IslandId> sends;
  std::vector<IslandId> receives;
  for (const auto& [node, copies] : traffic) {
    const auto& [in, out] = copies;
    if (!topology.is_switch(node)) {
      if (out > 0) sends.push_back(topology.island_at(node));
      if (in > 0) receives.push_back(topology.island_at(node));
      continue;
    }
    const SwitchId s = topology.switch_at(node);
    if (in == 0 || out == 0)
      return fmt::format("switch {} creates or loses data", topology.name(s));
    if (out > in && !network.capabilities.replicates(s)) {
      return fmt::format("switch {} cannot replicate", topology.name(s));
    }
    if (out < in && !network.capabilities.adds(s)) {
      return fmt::format("switch {} cannot add", topology.name(s));
    }
  }
  std::vector<IslandId> receivers;
  for (const Delivery& delivery : stream.deliveries) receivers.push_back(delivery.receiver);
  if (sends != stream.sources) return "its arcs do not start at its sources";
  if (receives != receivers) return "its arcs do not end at its receivers";
  return std::nullopt;
}

}  // namespace gyre
