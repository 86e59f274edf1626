#include "schedules/optimizer/timed_packing.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "schedules/optimizer/shallow_trees.hpp"

namespace gyre {
namespace {

constexpr int kMostSteps = 80;
constexpr double kEnough = 1e-7;  // of T: a step that gains less is the last

/// When a group with these rates is done: (M + Σ y·L) / Σ y, M in Gbit.
double group_end_s(const PackedGroup& group, double gigabits) {
  double rate = 0.0;
  double delayed = gigabits;
  for (std::size_t t = 0; t < group.trees.size(); ++t) {
    rate += group.gbps[t];
    delayed += group.gbps[t] * group.trees[t].latency.in_seconds();
  }
  return delayed / rate;
}

/// Slows the group down so that it ends then: Σ y·(T − L) = M. Trees that could not deliver by then
/// carry nothing.
void end_at(PackedGroup& group, double gigabits, double end_s) {
  double moved = 0.0;
  for (std::size_t t = 0; t < group.trees.size(); ++t) {
    const double sends_s = end_s - group.trees[t].latency.in_seconds();
    if (sends_s <= 0.0) group.gbps[t] = 0.0;
    moved += group.gbps[t] * std::max(0.0, sends_s);
  }
  for (double& gbps : group.gbps) gbps *= gigabits / moved;
}

/// Without the trees that carry next to nothing.
void drop_idle(PackedGroup& group, double least_gbps) {
  PackedGroup used{.clique = group.clique, .group = group.group, .trees = {}, .gbps = {}};
  for (std::size_t t = 0; t < group.trees.size(); ++t) {
    if (group.gbps[t] < least_gbps) continue;
    used.trees.push_back(std::move(group.trees[t]));
    used.gbps.push_back(group.gbps[t]);
  }
  group = std::move(used);
}

class TimedPacker {
 public:
  TimedPacker(RoundPacker& packer, const Round& round, Bytes payload)
      : packer_(packer),
        problem_(packer.problem()),
        topology_(problem_.network->topology),
        replicate_(capable_switches(problem_.network->capabilities.multicast)),
        add_(capable_switches(problem_.network->capabilities.aggregation)),
        cliques_(exchanging_cliques(round)),
        gigabits_(payload.in_bits() / kBitsPerGigabit),
        timed_{.packing = packer.pack(round), .ends = {}, .time = {}} {
    for (PackedGroup& group : timed_.packing.groups) {
      drop_idle(group, timed_.packing.gbps * 1e-9);
    }
  }

  TimedPacking run() {
    std::vector<PackedGroup>& groups = timed_.packing.groups;
    double end_s = round_end_s(groups);
    // The packing's own prices first, latency at the price of a second.
    std::vector<double> even(groups.size(), 1.0 / static_cast<double>(groups.size()));
    add_trees(timed_.packing.price, even, end_s, true);
    for (int step = 0; step < kMostSteps && !good_enough(end_s); ++step) {
      const PackingLp::Solution solution = solve(end_s);
      std::vector<PackedGroup> next = groups;
      std::size_t column = 0;
      for (PackedGroup& group : next) {
        for (double& gbps : group.gbps) gbps = solution.amount[column++];
      }
      const double sooner_s = round_end_s(next);
      const bool gained = sooner_s < end_s * (1.0 - kEnough);
      if (sooner_s < end_s) {
        end_s = sooner_s;
        groups = std::move(next);
      }
      const bool added = add_trees(solution.price, solution.share, end_s, false);
      if (!gained && !added) break;
    }
    settle();
    return std::move(timed_);
  }

 private:
  [[nodiscard]] double round_end_s(const std::vector<PackedGroup>& groups) const {
    double end_s = 0.0;
    for (const PackedGroup& group : groups) end_s = std::max(end_s, group_end_s(group, gigabits_));
    return end_s;
  }
  /// Whether the round ends when its rate and its slowest clique's latency say.
  [[nodiscard]] bool good_enough(double end_s) const {
    Duration latency;
    for (const Clique& clique : cliques_) {
      latency = std::max(latency, least_latency(problem_, clique));
    }
    return end_s <= gigabits_ / timed_.packing.gbps + latency.in_seconds();
  }

  [[nodiscard]] PackingLp::Solution solve(double end_s) const {
    const std::vector<PackedGroup>& groups = timed_.packing.groups;
    const std::span<const double> capacity = packer_.capacity_gbps();
    PackingLp lp({capacity.begin(), capacity.end()}, groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (const PackedTree& tree : groups[g].trees) {
        const double sends_s = std::max(0.0, end_s - tree.latency.in_seconds());
        lp.add_column(g, loads(tree), sends_s / gigabits_);
      }
    }
    return lp.solve();
  }

  /// Adds trees whose price is below what their group pays for them, π·(T − L)/M; or any, to begin
  /// with. False if there were none.
  bool add_trees(const std::vector<double>& price, const std::vector<double>& share, double end_s,
                 bool any) {
    bool added = false;
    for (std::size_t g = 0; g < timed_.packing.groups.size(); ++g) {
      PackedGroup& group = timed_.packing.groups[g];
      if (share[g] < 1e-12) continue;
      const double second = share[g] / gigabits_;  // the price of a second of latency
      for (PackedTree& tree : candidates(group.group, price, second)) {
        double cost = 0.0;
        for (const ArcLoad& load : loads(tree)) cost += load.load * price[load.arc.index()];
        const double pays = second * (end_s - tree.latency.in_seconds());
        if (!any && cost >= pays * (1.0 - 1e-9)) continue;
        const bool known = std::any_of(group.trees.begin(), group.trees.end(),
                                       [&](const auto& one) { return one.shape == tree.shape; });
        if (known) continue;
        group.trees.push_back(std::move(tree));
        group.gbps.push_back(0.0);
        added = true;
      }
    }
    return added;
  }

  /// Trees that are cheap where an arc costs its price and a second of depth costs `second`.
  [[nodiscard]] std::vector<PackedTree> candidates(const PackingGroup& group,
                                                   const std::vector<double>& price,
                                                   double second) const {
    std::vector<double> mixed = price;
    for (std::size_t a = 0; a < mixed.size(); ++a) {
      mixed[a] += second * topology_.arc(ArcId::at(a)).latency.in_seconds();
    }
    const PricedMap mixed_map = packer_.priced(mixed);
    if (group.sources.size() == 1 && group.receivers.size() == 1) {
      return {path_tree(mixed_map, group.sources.front(), group.receivers.front())};
    }
    const PricedMap plain_map = packer_.priced(price);
    const std::vector<NodeId> nodes = nodes_of(group);
    const Legs mixed_legs(mixed_map, nodes);
    const Legs plain_legs(plain_map, nodes);
    const std::array<const Legs*, 2> legs{&mixed_legs, &plain_legs};
    std::vector<PackedTree> trees;
    for (const NodeId root : roots(group)) {
      const GrownTree up = grow(legs, root, group.sources, TreeDirection::kGather, second, price);
      const GrownTree down =
          grow(legs, root, group.receivers, TreeDirection::kScatter, second, price);
      trees.push_back({.shape = {.root = root, .up = up.hops, .down = down.hops},
                       .latency = up.depth + down.depth});
    }
    return trees;
  }

  [[nodiscard]] PackedTree path_tree(const PricedMap& map, IslandId from, IslandId to) const {
    Hop hop{.from = topology_.node(from), .to = topology_.node(to), .path = {}};
    hop.path = map.path(hop.from, hop.to);
    const Duration latency = path_latency(topology_, hop.path);
    return {.shape = {.root = hop.from, .up = {}, .down = {std::move(hop)}}, .latency = latency};
  }

  /// Where trees of the group may have ends: its islands, and the switches that branch or add.
  [[nodiscard]] std::vector<NodeId> nodes_of(const PackingGroup& group) const {
    std::vector<NodeId> nodes;
    for (const std::vector<SwitchId>* switches : {&replicate_, &add_}) {
      for (const SwitchId s : *switches) nodes.push_back(topology_.node(s));
    }
    for (const std::vector<IslandId>* islands : {&group.sources, &group.receivers}) {
      for (const IslandId i : *islands) nodes.push_back(topology_.node(i));
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  }

  [[nodiscard]] std::vector<NodeId> roots(const PackingGroup& group) const {
    if (group.sources.size() == 1) return {topology_.node(group.sources.front())};
    if (group.receivers.size() == 1) return {topology_.node(group.receivers.front())};
    std::vector<NodeId> nodes;
    if (problem_.kind == PackingKind::kIslands) {
      for (const IslandId i : group.sources) nodes.push_back(topology_.node(i));
    }
    for (const SwitchId s : add_) {
      if (problem_.network->capabilities.replicates(s)) nodes.push_back(topology_.node(s));
    }
    return nodes;
  }

  /// The tree of one direction that costs least in prices and depth, over several depth limits.
  [[nodiscard]] GrownTree grow(std::span<const Legs* const> legs, NodeId root,
                               const std::vector<IslandId>& terminals, TreeDirection direction,
                               double second, const std::vector<double>& price) const {
    const bool scatters = direction == TreeDirection::kScatter;
    const GrowthRules rules{
        .branches = scatters ? replicate_ : add_,
        .relay = problem_.kind == PackingKind::kIslands || problem_.kind == PackingKind::kAllGather,
        .direction = direction};
    Duration least;
    for (const IslandId i : terminals) {
      const NodeId node = topology_.node(i);
      least = std::max(least, scatters ? problem_.network->routes.latency(root, node)
                                       : problem_.network->routes.latency(node, root));
    }
    GrownTree best;
    double best_cost = std::numeric_limits<double>::infinity();
    for (const Legs* one : legs) {
      for (const double factor : {1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 1e9}) {
        GrownTree tree = grow_tree(*one, root, terminals, rules, least * factor);
        double cost = second * tree.depth.in_seconds();
        for (const Hop& hop : tree.hops) {
          for (const ArcId a : hop.path) cost += price[a.index()];
        }
        if (cost >= best_cost) continue;
        best = std::move(tree);
        best_cost = cost;
      }
    }
    return best;
  }

  void settle() {
    timed_.ends.resize(cliques_.size());
    for (std::size_t c = 0; c < cliques_.size(); ++c) {
      double ends_s =
          gigabits_ / timed_.packing.gbps + least_latency(problem_, cliques_[c]).in_seconds();
      for (PackedGroup& group : timed_.packing.groups) {
        if (group.clique != c) continue;
        drop_idle(group, timed_.packing.gbps * 1e-9);
        ends_s = std::max(ends_s, group_end_s(group, gigabits_));
      }
      for (PackedGroup& group : timed_.packing.groups) {
        if (group.clique == c) end_at(group, gigabits_, ends_s);
      }
      timed_.ends[c] = Duration::seconds(ends_s);
      timed_.time = std::max(timed_.time, timed_.ends[c]);
    }
  }

  RoundPacker& packer_;
  const PackingProblem& problem_;
  const Topology& topology_;
  std::vector<SwitchId> replicate_;
  std::vector<SwitchId> add_;
  std::vector<Clique> cliques_;
  double gigabits_;
  TimedPacking timed_;
};

}  // namespace

TimedPacking finish_first(RoundPacker& packer, const Round& round, Bytes payload) {
  return TimedPacker(packer, round, payload).run();
}

}  // namespace gyre
