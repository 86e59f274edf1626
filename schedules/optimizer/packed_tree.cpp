#include "schedules/optimizer/packed_tree.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "models/error.hpp"

namespace gyre {
namespace {

bool adds_up(PackingKind kind) {
  return kind == PackingKind::kIslands || kind == PackingKind::kInNetwork;
}

bool scatters_only(PackingKind kind) {
  return kind == PackingKind::kScatter || kind == PackingKind::kAllGather;
}

/// By node: how long data takes between it and the root, along the hops.
std::map<NodeId, Duration> depths(const Topology& topology, const std::vector<Hop>& hops,
                                  NodeId root, TreeDirection direction) {
  std::map<NodeId, Duration> depth{{root, Duration()}};
  std::vector<bool> placed(hops.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t h = 0; h < hops.size(); ++h) {
      const NodeId near = direction == TreeDirection::kScatter ? hops[h].from : hops[h].to;
      const NodeId far = direction == TreeDirection::kScatter ? hops[h].to : hops[h].from;
      const auto known = depth.find(near);
      if (placed[h] || known == depth.end()) continue;
      placed[h] = true;
      changed = true;
      depth[far] = known->second + path_latency(topology, hops[h].path);
    }
  }
  return depth;
}

Duration deepest(const std::map<NodeId, Duration>& depth) {
  Duration most;
  for (const auto& [node, time] : depth) most = std::max(most, time);
  return most;
}

PackedTree make_tree(const Topology& topology, NodeId root, std::vector<Hop> up,
                     std::vector<Hop> down) {
  PackedTree tree{.shape = {.root = root, .up = std::move(up), .down = std::move(down)},
                  .latency = {}};
  tree.latency = deepest(depths(topology, tree.shape.up, root, TreeDirection::kGather)) +
                 deepest(depths(topology, tree.shape.down, root, TreeDirection::kScatter));
  return tree;
}

}  // namespace

std::vector<PackingGroup> packing_groups(PackingKind kind, const Clique& clique) {
  std::vector<PackingGroup> groups;
  if (adds_up(kind) && clique.size() > 2) {
    groups.push_back({.sources = clique, .receivers = clique});
    return groups;
  }
  for (const IslandId u : clique) {
    Clique others;
    for (const IslandId v : clique) {
      if (v != u) others.push_back(v);
    }
    if (scatters_only(kind)) {
      groups.push_back({.sources = {u}, .receivers = others});
    } else if (kind == PackingKind::kGather) {
      groups.push_back({.sources = others, .receivers = {u}});
    } else {
      for (const IslandId v : others) groups.push_back({.sources = {u}, .receivers = {v}});
    }
  }
  return groups;
}

std::vector<ArcLoad> loads(const PackedTree& tree) {
  std::map<ArcId, double> load;
  for (const std::vector<Hop>* hops : {&tree.shape.up, &tree.shape.down}) {
    for (const Hop& hop : *hops) {
      for (const ArcId a : hop.path) load[a] += 1.0;
    }
  }
  std::vector<ArcLoad> list;
  list.reserve(load.size());
  for (const auto& [arc, times] : load) list.push_back({.arc = arc, .load = times});
  return list;
}

TreePricing::TreePricing(const PackingProblem& problem, const PricedMap& map, const Clique& islands)
    : problem_(problem), map_(&map), islands_(islands) {
  const PackingKind kind = problem.kind;
  if (kind == PackingKind::kPairs) return;
  const Capabilities& can = problem.network->capabilities;
  const std::vector<SwitchId> add = capable_switches(can.aggregation);
  const std::vector<SwitchId> replicate = capable_switches(can.multicast);
  const bool relay = kind == PackingKind::kIslands || kind == PackingKind::kAllGather;
  if (kind == PackingKind::kIslands && add.empty() && replicate.empty() &&
      islands.size() > TreeTables::kMostTerminals) {
    return;
  }
  if (!scatters_only(kind)) {
    gather_.emplace(map, islands_, add, relay, TreeDirection::kGather);
  }
  if (kind != PackingKind::kGather) {
    scatter_.emplace(map, islands_, replicate, relay, TreeDirection::kScatter);
  }
  if (!adds_up(kind)) return;
  for (std::size_t s = 0; s < add.size(); ++s) {
    const auto same = std::find(replicate.begin(), replicate.end(), add[s]);
    if (same == replicate.end()) continue;
    gather_root_.push_back(islands_.size() + s);
    scatter_root_.push_back(islands_.size() + static_cast<std::size_t>(same - replicate.begin()));
  }
}

double TreePricing::cost(TerminalSet clique) const {
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < islands_.size(); ++i) {
    if ((clique >> i & 1U) != 0) members.push_back(i);
  }
  double sum = 0.0;
  if (problem_.kind == PackingKind::kPairs || (adds_up(problem_.kind) && members.size() == 2)) {
    for (const std::size_t u : members) {
      for (const std::size_t v : members) {
        if (u != v) sum += pair_cost(u, v);
      }
    }
    return sum;
  }
  const auto without = [clique](std::size_t i) { return clique ^ (TerminalSet{1} << i); };
  if (!adds_up(problem_.kind)) {
    const TreeTables& tables = scatters_only(problem_.kind) ? *scatter_ : *gather_;
    for (const std::size_t i : members) sum += tables.cost(without(i), i);
    return sum;
  }
  double best = std::numeric_limits<double>::infinity();
  if (problem_.kind == PackingKind::kIslands) {
    for (const std::size_t i : members) {
      best = std::min(best, gather_->cost(without(i), i) + scatter_->cost(without(i), i));
    }
  }
  for (std::size_t r = 0; r < gather_root_.size(); ++r) {
    best = std::min(
        best, gather_->cost(clique, gather_root_[r]) + scatter_->cost(clique, scatter_root_[r]));
  }
  return best;
}

std::vector<TreePricing::Priced> TreePricing::arborescences() const {
  const Topology& topology = map_->topology();
  const std::size_t k = islands_.size();
  std::vector<double> out(k * k);
  std::vector<double> in(k * k);
  for (std::size_t u = 0; u < k; ++u) {
    for (std::size_t v = 0; v < k; ++v) {
      out[u * k + v] = pair_cost(u, v);
      in[v * k + u] = out[u * k + v];
    }
  }
  std::vector<Priced> found;
  for (std::size_t root = 0; root < k; ++root) {
    const std::vector<std::size_t> down = cheapest_arborescence(out, k, root);
    const std::vector<std::size_t> up = cheapest_arborescence(in, k, root);
    double cost = 0.0;
    std::vector<Hop> hops_up;
    std::vector<Hop> hops_down;
    for (std::size_t v = 0; v < k; ++v) {
      if (v == root) continue;
      cost += out[down[v] * k + v] + in[up[v] * k + v];
      const NodeId node = topology.node(islands_[v]);
      const NodeId from = topology.node(islands_[down[v]]);
      const NodeId to = topology.node(islands_[up[v]]);
      hops_up.push_back({.from = node, .to = to, .path = map_->path(node, to)});
      hops_down.push_back({.from = from, .to = node, .path = map_->path(from, node)});
    }
    found.push_back({.cost = cost,
                     .tree = make_tree(topology, topology.node(islands_[root]), std::move(hops_up),
                                       std::move(hops_down))});
  }
  return found;
}

std::vector<TreePricing::Priced> TreePricing::by_root() const {
  const Topology& topology = map_->topology();
  const auto all = static_cast<TerminalSet>((TerminalSet{1} << islands_.size()) - 1);
  std::vector<Priced> found;
  const auto consider = [&](TerminalSet members, std::size_t gather_root,
                            std::size_t scatter_root) {
    const double cost = gather_->cost(members, gather_root) + scatter_->cost(members, scatter_root);
    found.push_back({.cost = cost,
                     .tree = make_tree(topology, gather_->node(gather_root),
                                       gather_->tree(members, gather_root),
                                       scatter_->tree(members, scatter_root))});
  };
  if (problem_.kind == PackingKind::kIslands) {
    for (std::size_t i = 0; i < islands_.size(); ++i) {
      consider(all ^ (TerminalSet{1} << i), i, i);
    }
  }
  for (std::size_t r = 0; r < gather_root_.size(); ++r)
    consider(all, gather_root_[r], scatter_root_[r]);
  return found;
}

std::vector<std::vector<TreePricing::Priced>> TreePricing::rooted_trees() const {
  const Topology& topology = map_->topology();
  const bool scatters = scatters_only(problem_.kind);
  const std::optional<TreeTables>& made = scatters ? scatter_ : gather_;
  if (!made) broken_invariant("trees without tables");
  const TreeTables& tables = *made;
  const auto all = static_cast<TerminalSet>((TerminalSet{1} << islands_.size()) - 1);
  std::vector<std::vector<Priced>> groups;
  for (std::size_t i = 0; i < islands_.size(); ++i) {
    const TerminalSet others = all ^ (TerminalSet{1} << i);
    std::vector<Hop> hops = tables.tree(others, i);
    const NodeId root = topology.node(islands_[i]);
    groups.push_back({{.cost = tables.cost(others, i),
                       .tree = scatters ? make_tree(topology, root, {}, std::move(hops))
                                        : make_tree(topology, root, std::move(hops), {})}});
  }
  return groups;
}

std::vector<std::vector<TreePricing::Priced>> TreePricing::trees() const {
  const Topology& topology = map_->topology();
  if (problem_.kind == PackingKind::kPairs || (adds_up(problem_.kind) && islands_.size() == 2)) {
    std::vector<std::vector<Priced>> groups;
    for (const IslandId u : islands_) {
      for (const IslandId v : islands_) {
        if (u == v) continue;
        const NodeId from = topology.node(u);
        const NodeId to = topology.node(v);
        Hop hop{.from = from, .to = to, .path = map_->path(from, to)};
        groups.push_back({{.cost = map_->cost(from, to),
                           .tree = make_tree(topology, from, {}, {std::move(hop)})}});
      }
    }
    return groups;
  }
  if (!adds_up(problem_.kind)) return rooted_trees();
  const Capabilities& can = problem_.network->capabilities;
  const bool unaided = problem_.kind == PackingKind::kIslands &&
                       capable_switches(can.multicast).empty() &&
                       capable_switches(can.aggregation).empty();
  std::vector<Priced> found = unaided ? arborescences() : by_root();
  std::stable_sort(found.begin(), found.end(),
                   [](const Priced& a, const Priced& b) { return a.cost < b.cost; });
  return {std::move(found)};
}

Stream to_stream(const Topology& topology, const PackedTree& tree, const PackingGroup& group) {
  const TreeShape& shape = tree.shape;
  const Duration up = deepest(depths(topology, shape.up, shape.root, TreeDirection::kGather));
  const std::map<NodeId, Duration> down =
      depths(topology, shape.down, shape.root, TreeDirection::kScatter);
  Stream stream{
      .sources = group.sources, .deliveries = {}, .arcs = {}, .up = {}, .shape = tree.shape};
  for (const IslandId i : group.receivers) {
    stream.deliveries.push_back({.receiver = i, .latency = up + down.at(topology.node(i))});
  }
  for (const ArcLoad& load : loads(tree)) {
    stream.arcs.push_back({.arc = load.arc, .copies = static_cast<int>(load.load)});
  }
  return stream;
}

}  // namespace gyre
