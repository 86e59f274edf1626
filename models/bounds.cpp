#include "models/bounds.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

#include "models/error.hpp"

namespace gyre {
namespace {

constexpr std::size_t kExactPairs = 64;
constexpr std::size_t kExactSplits = 12;

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Graph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<
        boost::edge_capacity_t, std::int64_t,
        boost::property<boost::edge_residual_capacity_t, std::int64_t,
                        boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;

void add_arc(Graph& graph, std::size_t tail, std::size_t head, std::int64_t capacity) {
  const auto forward = add_edge(tail, head, graph).first;
  const auto backward = add_edge(head, tail, graph).first;
  put(boost::edge_capacity, graph, forward, capacity);
  put(boost::edge_capacity, graph, backward, 0);
  put(boost::edge_reverse, graph, forward, backward);
  put(boost::edge_reverse, graph, backward, forward);
}

/// The nodes that the residual graph still reaches from `source`: the source side of a min cut.
std::vector<bool> residual_side(const Graph& graph, std::size_t source) {
  std::vector<bool> seen(num_vertices(graph), false);
  std::queue<std::size_t> queue;
  seen[source] = true;
  queue.push(source);
  while (!queue.empty()) {
    const std::size_t at = queue.front();
    queue.pop();
    for (const auto edge : boost::make_iterator_range(out_edges(at, graph))) {
      const std::size_t to = target(edge, graph);
      if (seen[to] || get(boost::edge_residual_capacity, graph, edge) <= 0) continue;
      seen[to] = true;
      queue.push(to);
    }
  }
  return seen;
}

Duration transfer_time(double bits, std::int64_t bits_per_second) {
  return Duration::seconds(bits / static_cast<double>(bits_per_second));
}

}  // namespace

Bounds::Bounds(const Topology& topology, const Routes& routes)
    : topology_(&topology), routes_(&routes) {}

Bounds::MinCut Bounds::min_cut(std::span<const IslandId> from, std::span<const IslandId> to) const {
  const std::size_t source = topology_->node_count();
  const std::size_t sink = source + 1;
  Graph graph(sink + 1);
  std::int64_t everything = 0;
  for (std::size_t a = 0; a < topology_->arc_count(); ++a) {
    const Arc& arc = topology_->arc(ArcId::at(a));
    add_arc(graph, arc.tail.index(), arc.head.index(), arc.capacity.in_bits_per_second());
    everything += arc.capacity.in_bits_per_second();
  }
  for (const IslandId i : from) add_arc(graph, source, topology_->node(i).index(), everything);
  for (const IslandId i : to) add_arc(graph, topology_->node(i).index(), sink, everything);

  MinCut cut{.bits_per_second = boost::push_relabel_max_flow(graph, source, sink), .arcs = {}};
  const std::vector<bool> side = residual_side(graph, source);
  for (std::size_t a = 0; a < topology_->arc_count(); ++a) {
    const Arc& arc = topology_->arc(ArcId::at(a));
    if (side[arc.tail.index()] && !side[arc.head.index()]) cut.arcs.push_back(ArcId::at(a));
  }
  return cut;
}

const Bounds::MinCut& Bounds::pair_cut(IslandId from, IslandId to) const {
  const auto known = cuts_.find({from, to});
  if (known != cuts_.end()) return known->second;
  std::optional<MinCut> cut = access_cut(from, to);
  if (!cut) cut = min_cut({&from, 1}, {&to, 1});
  return cuts_.emplace(std::pair{from, to}, *std::move(cut)).first->second;
}

std::optional<Bounds::MinCut> Bounds::access_cut(IslandId from, IslandId to) const {
  const Bandwidth up = topology_->island(from).up;
  const Bandwidth down = topology_->island(to).down;
  const Bandwidth access = std::min(up, down);
  for (const ArcId arc : routes_->path(topology_->node(from), topology_->node(to))) {
    if (topology_->arc(arc).capacity < access) return std::nullopt;
  }
  return MinCut{.bits_per_second = access.in_bits_per_second(),
                .arcs = {up <= down ? topology_->up(from) : topology_->down(to)}};
}

CutBound Bounds::cut(std::span<const IslandId> clique, Bytes payload) const {
  check(clique.size() >= 2, "a cut bound needs two members");
  CutBound bound;
  for (const IslandId u : clique) {
    for (const IslandId v : clique) {
      if (u == v) continue;
      const bool exact = clique.size() <= kExactPairs || u == clique.front() || v == clique.front();
      std::int64_t narrowest = 0;
      if (exact) {
        narrowest = pair_cut(u, v).bits_per_second;
      } else {
        narrowest =
            std::min(topology_->island(u).up, topology_->island(v).down).in_bits_per_second();
      }
      const Duration bandwidth = transfer_time(payload.in_bits(), narrowest);
      const Duration time = bandwidth + routes_->latency(topology_->node(u), topology_->node(v));
      if (time > bound.time) {
        bound.time = time;
        bound.from = u;
        bound.to = v;
      }
      if (bandwidth > bound.bandwidth) {
        bound.bandwidth = bandwidth;
        if (exact) bound.arcs = pair_cut(u, v).arcs;
      }
    }
  }
  return bound;
}

Duration Bounds::member(std::span<const IslandId> clique, IslandId member, Bytes payload) const {
  Duration bound;
  for (const IslandId u : clique) {
    if (u == member) continue;
    std::int64_t narrowest = 0;
    if (clique.size() <= kExactPairs) {
      narrowest = pair_cut(u, member).bits_per_second;
    } else {
      narrowest =
          std::min(topology_->island(u).up, topology_->island(member).down).in_bits_per_second();
    }
    bound = std::max(bound, transfer_time(payload.in_bits(), narrowest) +
                                routes_->latency(topology_->node(u), topology_->node(member)));
  }
  return bound;
}

Duration Bounds::islands_add(std::span<const IslandId> clique, Bytes payload, bool multicast,
                             bool aggregation) const {
  std::int64_t up = 0;
  std::int64_t down = 0;
  for (const IslandId i : clique) {
    up += topology_->island(i).up.in_bits_per_second();
    down += topology_->island(i).down.in_bits_per_second();
  }
  const auto k = static_cast<double>(clique.size());
  const auto amount = [&](bool helped) {
    return (helped ? k : 2.0 * (k - 1.0)) * payload.in_bits();
  };
  return std::max(transfer_time(amount(multicast), up), transfer_time(amount(aggregation), down));
}

template <class Load>
Duration Bounds::worst_split(std::span<const IslandId> clique, Bytes payload, Load load) const {
  const std::size_t k = clique.size();
  Duration worst;
  const auto consider = [&](const std::vector<IslandId>& inside,
                            const std::vector<IslandId>& outside) {
    worst = std::max(worst, transfer_time(load(inside.size(), outside.size()) * payload.in_bits(),
                                          min_cut(inside, outside).bits_per_second));
  };
  const auto split = [&](auto contains) {
    std::vector<IslandId> inside;
    std::vector<IslandId> outside;
    for (std::size_t i = 0; i < k; ++i) (contains(i) ? inside : outside).push_back(clique[i]);
    consider(inside, outside);
  };
  if (k <= kExactSplits) {
    for (std::uint64_t set = 1; set + 1 < (std::uint64_t{1} << k); ++set) {
      split([set](std::size_t i) { return ((set >> i) & 1U) != 0; });
    }
  } else {
    for (std::size_t alone = 0; alone < k; ++alone) {
      split([alone](std::size_t i) { return i == alone; });
      split([alone](std::size_t i) { return i != alone; });
    }
  }
  return worst;
}

Duration Bounds::direct_cut(std::span<const IslandId> clique, Bytes payload) const {
  return worst_split(clique, payload, [](std::size_t inside, std::size_t outside) {
    return static_cast<double>(inside) * static_cast<double>(outside);
  });
}

Duration Bounds::all_gather_cut(std::span<const IslandId> clique, Bytes payload) const {
  return worst_split(clique, payload, [](std::size_t inside, std::size_t /*outside*/) {
    return static_cast<double>(inside);
  });
}

}  // namespace gyre
