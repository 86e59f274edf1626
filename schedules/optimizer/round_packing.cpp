#include "schedules/optimizer/round_packing.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "models/error.hpp"

namespace gyre {
namespace {

constexpr double kGap = 1e-8;           // relative, between rate and bound
constexpr double kTie = 1e-10;          // of the prices, for the latency of equal trees
constexpr std::size_t kMostKnown = 64;  // trees a group that a later round starts with
constexpr int kMostIterations = 100'000;

double sum_product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

std::vector<Clique> exchanging_cliques(const Round& round) {
  std::vector<Clique> cliques;
  for (const Clique& clique : round.cliques) {
    if (clique.size() > 1) cliques.push_back(clique);
  }
  return cliques;
}

RoundPacker::RoundPacker(const PackingProblem& problem, std::vector<double> capacity_gbps)
    : problem_(problem), capacity_gbps_(std::move(capacity_gbps)) {
  const bool given = !capacity_gbps_.empty();
  const Topology& topology = problem.network->topology;
  double most_latency_s = 0.0;
  for (std::size_t a = 0; a < topology.arc_count(); ++a) {
    const Arc& arc = topology.arc(ArcId::at(a));
    if (!given) capacity_gbps_.push_back(arc.capacity.in_gigabits_per_second());
    most_latency_s = std::max(most_latency_s, arc.latency.in_seconds());
  }
  for (std::size_t a = 0; a < topology.arc_count(); ++a) {
    const double latency_s = topology.arc(ArcId::at(a)).latency.in_seconds();
    const double share = most_latency_s > 0.0 ? latency_s / most_latency_s : 0.0;
    tie_.push_back(kTie * (share + 1e-3) / capacity_gbps_[a]);
  }
}

std::vector<double> RoundPacker::tie_broken(std::vector<double> price) const {
  const double scale = sum_product(price, capacity_gbps_);
  for (std::size_t a = 0; a < price.size(); ++a) price[a] += tie_[a] * scale;
  return price;
}

PricedMap RoundPacker::priced(const std::vector<double>& price) const {
  const Network& network = *problem_.network;
  return {network.topology, problem_.routing == Routing::kShortest ? &network.routes : nullptr,
          tie_broken(price)};
}

RoundPacking RoundPacker::pack(const Round& round) {
  const std::vector<Clique> cliques = exchanging_cliques(round);
  check(!cliques.empty(), "a round without an exchange has no rate");
  RoundPacking packing;
  std::vector<Trees*> known;       // by clique
  std::vector<std::size_t> first;  // by clique: its first group
  for (std::size_t c = 0; c < cliques.size(); ++c) {
    first.push_back(packing.groups.size());
    for (PackingGroup& group : packing_groups(problem_.kind, cliques[c])) {
      packing.groups.push_back({.clique = c, .group = std::move(group), .trees = {}, .gbps = {}});
    }
    Trees& trees = known_[cliques[c]];
    trees.resize(packing.groups.size() - first.back());
    known.push_back(&trees);
  }

  PackingLp lp(capacity_gbps_, packing.groups.size());
  std::vector<std::pair<std::size_t, std::size_t>> columns;  // group, tree
  const auto add = [&](std::size_t g, PackedTree tree) {
    lp.add_column(g, loads(tree));
    columns.emplace_back(g, packing.groups[g].trees.size());
    packing.groups[g].trees.push_back(std::move(tree));
  };
  for (std::size_t c = 0; c < cliques.size(); ++c) {
    for (std::size_t g = 0; g < known[c]->size(); ++g) {
      for (const PackedTree& tree : (*known[c])[g]) add(first[c] + g, tree);
    }
  }

  std::vector<double> price(capacity_gbps_.size());
  for (std::size_t a = 0; a < price.size(); ++a) price[a] = 1.0 / capacity_gbps_[a];
  std::vector<double> share(packing.groups.size(), std::numeric_limits<double>::infinity());
  bool started = false;
  packing.bound_gbps = std::numeric_limits<double>::infinity();
  PackingLp::Solution solution;
  for (int iteration = 0;; ++iteration) {
    check(iteration < kMostIterations, "column generation does not end");
    const PricedMap map = priced(price);
    const std::vector<double> prices(map.price().begin(), map.price().end());
    double cheapest = 0.0;
    bool added = false;
    for (std::size_t c = 0; c < cliques.size(); ++c) {
      auto groups = TreePricing(problem_, map, cliques[c]).trees();
      for (std::size_t g = 0; g < groups.size(); ++g) {
        cheapest += groups[g].front().cost;
        const std::size_t group = first[c] + g;
        for (auto& [cost, tree] : groups[g]) {
          // At first one tree for whoever has none; then whatever improves.
          const bool wanted =
              started ? cost < share[group] * (1.0 - 1e-12) : packing.groups[group].trees.empty();
          if (!wanted) break;
          auto& trees = (*known[c])[g];
          if (trees.size() < kMostKnown) trees.push_back(tree);
          add(group, std::move(tree));
          added = true;
        }
      }
    }
    const double bound = sum_product(prices, capacity_gbps_) / cheapest;
    if (bound < packing.bound_gbps) {
      packing.bound_gbps = bound;
      packing.price = prices;
    }
    if (started && (packing.bound_gbps <= solution.rate * (1.0 + kGap) || !added)) break;
    solution = lp.solve();
    started = true;
    price = solution.price;
    share = solution.share;
  }
  check(packing.bound_gbps <= solution.rate * (1.0 + 1e-6),
        "column generation ended with a gap above 1e-6");

  packing.gbps = solution.rate;
  const double scale = sum_product(packing.price, capacity_gbps_);
  for (double& l : packing.price) l /= scale;
  for (PackedGroup& group : packing.groups) group.gbps.resize(group.trees.size(), 0.0);
  // Trees priced after the last solution carry nothing.
  for (std::size_t i = 0; i < solution.amount.size(); ++i) {
    packing.groups[columns[i].first].gbps[columns[i].second] = solution.amount[i];
  }
  return packing;
}

Duration least_latency(const PackingProblem& problem, const Clique& clique) {
  const Network& network = *problem.network;
  const Topology& topology = network.topology;
  std::vector<NodeId> roots;
  if (problem.kind == PackingKind::kIslands && clique.size() > 2) {
    for (const IslandId i : clique) roots.push_back(topology.node(i));
  }
  const bool adds =
      problem.kind == PackingKind::kIslands || problem.kind == PackingKind::kInNetwork;
  for (std::size_t s = 0; adds && clique.size() > 2 && s < topology.switch_count(); ++s) {
    const SwitchId root = SwitchId::at(s);
    if (can_be_root(network, clique, root)) roots.push_back(topology.node(root));
  }
  if (roots.empty()) {
    Duration most;
    for (const IslandId u : clique) {
      for (const IslandId v : clique) {
        most = std::max(most, network.routes.latency(topology.node(u), topology.node(v)));
      }
    }
    return most;
  }
  std::optional<Duration> least;
  for (const NodeId root : roots) {
    Duration up;
    Duration down;
    for (const IslandId i : clique) {
      up = std::max(up, network.routes.latency(topology.node(i), root));
      down = std::max(down, network.routes.latency(root, topology.node(i)));
    }
    if (!least || up + down < *least) least = up + down;
  }
  return least.value_or(Duration());
}

}  // namespace gyre
