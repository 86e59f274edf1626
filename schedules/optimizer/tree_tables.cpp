#include "schedules/optimizer/tree_tables.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/error.hpp"

namespace gyre {

constexpr double kFar = std::numeric_limits<double>::infinity();

TreeTables::TreeTables(const PricedMap& map, std::span<const IslandId> terminals,
                       std::span<const SwitchId> branches, bool relay, TreeDirection direction)
    : map_(&map), terminal_count_(terminals.size()), relay_(relay), direction_(direction) {
  check(terminals.size() <= kMostTerminals, "too many terminals for exact trees");
  const Topology& topology = map.topology();
  for (const IslandId i : terminals) nodes_.push_back(topology.node(i));
  for (const SwitchId s : branches) nodes_.push_back(topology.node(s));
  const std::size_t n = nodes_.size();
  distance_.resize(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      distance_[i * n + j] = direction == TreeDirection::kScatter ? map.cost(nodes_[i], nodes_[j])
                                                                  : map.cost(nodes_[j], nodes_[i]);
    }
  }
  const TerminalSet sets = TerminalSet{1} << terminal_count_;
  cost_.assign(sets * n, kFar);
  choice_.resize(sets * n);
  branched_.resize(n);
  split_.resize(n);
  for (std::size_t v = 0; v < n; ++v) cost_[v] = 0.0;
  for (TerminalSet set = 1; set < sets; ++set) fill(set);
}

void TreeTables::fill(TerminalSet terminals) {
  const std::size_t n = nodes_.size();
  std::fill(branched_.begin(), branched_.end(), kFar);
  const TerminalSet lowest = terminals & (~terminals + 1);
  const TerminalSet others = terminals ^ lowest;
  // Each split once: the part with the lowest terminal, and a non-empty rest.
  for (TerminalSet rest = others; rest != 0; rest = (rest - 1) & others) {
    const double* a = &cost_[(terminals ^ rest) * n];
    const double* b = &cost_[rest * n];
    for (std::size_t v = 0; v < n; ++v) {
      if (a[v] + b[v] >= branched_[v]) continue;
      branched_[v] = a[v] + b[v];
      split_[v] = rest;
    }
  }
  std::vector<std::pair<std::size_t, double>> onward;  // A(X, w)
  for (std::size_t w = 0; w < n; ++w) {
    if (w >= terminal_count_) {
      if (branched_[w] < kFar) onward.emplace_back(w, branched_[w]);
      continue;
    }
    const TerminalSet itself = TerminalSet{1} << w;
    if ((terminals & itself) == 0) continue;
    if (terminals == itself) {
      onward.emplace_back(w, 0.0);
    } else if (relay_) {
      onward.emplace_back(w, cost_[(terminals ^ itself) * n + w]);
    }
  }
  for (std::size_t v = 0; v < n; ++v) {
    if (v < terminal_count_ && (terminals >> v & 1U) != 0) continue;
    double best = branched_[v];
    Choice choice{.split = split_[v], .move = -1};
    for (const auto& [w, from_there] : onward) {
      if (w == v) continue;
      const double through = distance(v, w) + from_there;
      if (through >= best) continue;
      best = through;
      choice = {.split = 0, .move = static_cast<std::int32_t>(w)};
    }
    cost_[terminals * n + v] = best;
    choice_[terminals * n + v] = choice;
  }
}

void TreeTables::collect(TerminalSet terminals, std::size_t at, std::vector<Hop>& hops) const {
  if (terminals == 0) return;
  const Choice& choice = choice_[terminals * nodes_.size() + at];
  if (choice.move < 0) {
    collect(terminals ^ choice.split, at, hops);
    collect(choice.split, at, hops);
    return;
  }
  const auto to = static_cast<std::size_t>(choice.move);
  const bool scatter = direction_ == TreeDirection::kScatter;
  const NodeId near = nodes_[at];
  const NodeId far = nodes_[to];
  hops.push_back({.from = scatter ? near : far,
                  .to = scatter ? far : near,
                  .path = scatter ? map_->path(near, far) : map_->path(far, near)});
  if (to < terminal_count_) {
    collect(terminals ^ (TerminalSet{1} << to), to, hops);
    return;
  }
  // What goes to a switch branches there.
  const std::size_t n = nodes_.size();
  const TerminalSet lowest = terminals & (~terminals + 1);
  const TerminalSet others = terminals ^ lowest;
  double best = kFar;
  TerminalSet split = 0;
  for (TerminalSet rest = others; rest != 0; rest = (rest - 1) & others) {
    const double sum = cost_[(terminals ^ rest) * n + to] + cost_[rest * n + to];
    if (sum >= best) continue;
    best = sum;
    split = rest;
  }
  collect(terminals ^ split, to, hops);
  collect(split, to, hops);
}

std::vector<Hop> TreeTables::tree(TerminalSet terminals, std::size_t root) const {
  check(cost(terminals, root) < kFar, "no such tree");
  std::vector<Hop> hops;
  collect(terminals, root, hops);
  if (direction_ == TreeDirection::kGather) std::reverse(hops.begin(), hops.end());
  return hops;
}

namespace {

/// One contraction of Chu–Liu/Edmonds on a dense matrix; recursive over the cycles.
std::vector<std::size_t> arborescence(const std::vector<double>& cost, std::size_t n,
                                      std::size_t root) {
  std::vector<std::size_t> parent(n, root);
  for (std::size_t v = 0; v < n; ++v) {
    if (v == root) continue;
    for (std::size_t u = 0; u < n; ++u) {
      if (u != v && cost[u * n + v] < cost[parent[v] * n + v]) parent[v] = u;
    }
  }
  // A cycle among the cheapest parents?
  std::vector<std::size_t> seen(n, n);
  std::vector<std::size_t> cycle;
  for (std::size_t start = 0; start < n && cycle.empty(); ++start) {
    std::size_t v = start;
    while (v != root && seen[v] == n) {
      seen[v] = start;
      v = parent[v];
    }
    if (v == root || seen[v] != start) continue;
    for (std::size_t w = v; cycle.empty() || w != v; w = parent[w]) cycle.push_back(w);
  }
  if (cycle.empty()) return parent;

  // Contract it into the last node of a smaller graph: entering at v saves v's own parent arc.
  std::vector<std::size_t> image(n, n);
  for (const std::size_t v : cycle) image[v] = n - cycle.size();
  std::size_t count = 0;
  std::vector<std::size_t> original;
  for (std::size_t v = 0; v < n; ++v) {
    if (image[v] != n) continue;
    image[v] = count++;
    original.push_back(v);
  }
  const std::size_t m = count + 1;
  std::vector<double> smaller(m * m, kFar);
  std::vector<std::size_t> enters(m, n);  // by outside node: where it would enter the cycle
  std::vector<std::size_t> leaves(m, n);  // by outside node: from where the cycle would reach it
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = 0; v < n; ++v) {
      const std::size_t a = image[u];
      const std::size_t b = image[v];
      if (a == b) continue;
      const double c = cost[u * n + v] - (b == count ? cost[parent[v] * n + v] : 0.0);
      if (c >= smaller[a * m + b]) continue;
      smaller[a * m + b] = c;
      if (b == count) enters[a] = v;
      if (a == count) leaves[b] = u;
    }
  }
  const std::vector<std::size_t> inner = arborescence(smaller, m, image[root]);
  for (std::size_t b = 0; b < count; ++b) {
    if (original[b] == root) continue;
    parent[original[b]] = inner[b] == count ? leaves[b] : original[inner[b]];
  }
  const std::size_t from = inner[count];
  parent[enters[from]] = original[from];
  return parent;
}

}  // namespace

std::vector<std::size_t> cheapest_arborescence(std::span<const double> cost, std::size_t nodes,
                                               std::size_t root) {
  return arborescence({cost.begin(), cost.end()}, nodes, root);
}

}  // namespace gyre
