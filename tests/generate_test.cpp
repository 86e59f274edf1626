#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/kruskal_min_spanning_tree.hpp>
#include <gtest/gtest.h>

#include "models/rng.hpp"
#include "scenarios/generate/generators.hpp"
#include "scenarios/import/topology_yaml.hpp"
#include "scenarios/topology_file.hpp"
#include "schedules/round.hpp"

namespace gyre {
namespace {

const MapFigures kFigures{.bandwidth = Bandwidth::gigabits_per_second(10),
                          .access = Bandwidth::gigabits_per_second(1)};

/// Coarse points and a latency of 1 ms a km, so that a latency is a length in metres.
RandomGeometric square(std::size_t islands, std::size_t links, std::uint64_t seed) {
  return {.islands = islands,
          .links = links,
          .seed = seed,
          .side = Distance::kilometers(1000),
          .per_km = Duration::milliseconds(1),
          .per_link = {}};
}

using Pair = std::pair<std::string, std::string>;
std::map<Pair, double> lengths_of(const TopologySpec& spec) {
  std::map<Pair, double> lengths;
  for (const LinkSpec& link : spec.links) {
    const Pair pair{link.between[0].value, link.between[1].value};
    EXPECT_TRUE(lengths.emplace(pair, link.latency.in_milliseconds()).second) << "twice";
  }
  return lengths;
}

/// The map as scenarios load it: names, ends and connectedness are judged there.
Topology loaded(const GeneratedMap& map) {
  NetworkSpec network;
  network.topology = map.spec;
  network.access.bandwidth = Bandwidth::gigabits_per_second(10);
  return build_topology(network);
}

// Of a map with all pairs Boost's Kruskal takes the tree, and what is not in it is sorted by
// length: a map of fewer links has the tree and the first of those.
TEST(RandomGeometricMap, IsTheTreeAndTheShortestOtherPairs) {
  constexpr std::size_t kIslands = 12;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto all = lengths_of(
        random_geometric(square(kIslands, kIslands * (kIslands - 1) / 2, seed), kFigures).spec);
    ASSERT_EQ(all.size(), kIslands * (kIslands - 1) / 2);
    using Graph =
        boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                              boost::property<boost::edge_weight_t, double>>;
    const auto number = [](const std::string& name) { return std::stoul(name.substr(1)) - 1; };
    Graph graph(kIslands);
    for (const auto& [pair, length] : all) {
      add_edge(number(pair.first), number(pair.second), length, graph);
    }
    std::vector<Graph::edge_descriptor> edges;
    kruskal_minimum_spanning_tree(graph, std::back_inserter(edges));
    std::set<Pair> tree;
    for (const auto& edge : edges) {
      const std::size_t low = std::min(source(edge, graph), target(edge, graph));
      const std::size_t high = std::max(source(edge, graph), target(edge, graph));
      tree.insert({"I" + std::to_string(low + 1), "I" + std::to_string(high + 1)});
    }
    std::vector<std::pair<double, Pair>> others;
    for (const auto& [pair, length] : all) {
      if (!tree.contains(pair)) others.emplace_back(length, pair);
    }
    std::sort(others.begin(), others.end());
    for (const std::size_t extra : {0U, 1U, 7U}) {
      std::map<Pair, double> expected;
      for (const Pair& pair : tree) expected[pair] = all.at(pair);
      for (std::size_t e = 0; e < extra; ++e) expected[others[e].second] = others[e].first;
      EXPECT_EQ(
          lengths_of(random_geometric(square(kIslands, kIslands - 1 + extra, seed), kFigures).spec),
          expected)
          << "seed " << seed << ", " << extra << " more";
    }
  }
}

TEST(RandomGeometricMap, LoadsAndFollowsItsSeed) {
  const GeneratedMap map = random_geometric(square(200, 400, 1), kFigures);
  const Topology topology = loaded(map);
  EXPECT_EQ(topology.island_count(), 200U);
  EXPECT_EQ(topology.arc_count(), 2U * (200 + 400));
  EXPECT_EQ(topology.island(IslandId::at(0)).up, Bandwidth::gigabits_per_second(1));
  ASSERT_TRUE(map.length.has_value());
  double km = 0.0;
  for (const auto& [pair, length] : lengths_of(map.spec)) km += length;
  EXPECT_NEAR(map.length->in_kilometers(), km, 400 * 0.0005);
  const std::string text = topology_yaml(map.spec, {});
  EXPECT_EQ(topology_yaml(random_geometric(square(200, 400, 1), kFigures).spec, {}), text);
  EXPECT_NE(topology_yaml(random_geometric(square(200, 400, 2), kFigures).spec, {}), text);
}

// The stream of a seed is fixed, and so are the maps that papers and bug reports name by it. The
// first two uniforms of the stream place I1, the next two I2.
TEST(RandomGeometricMap, IsTheSameInEveryVersion) {
  const GeneratedMap map = random_geometric(square(2, 1, 1), kFigures);
  ASSERT_EQ(map.spec.links.size(), 1U);
  Rng rng = Rng::stream(1, "generate/random-geometric");
  std::array<double, 4> at_km{};
  for (double& km : at_km) km = 1000.0 * rng.uniform();
  const double length = std::hypot(at_km[0] - at_km[2], at_km[1] - at_km[3]);
  EXPECT_NEAR(map.spec.links[0].latency.in_milliseconds(), length, 0.0005);
  EXPECT_EQ(to_text(map.spec.links[0].latency), "893.542 ms");
}

// The minimum spanning tree of n uniform points in a unit square is about β·sqrt(n) long (Avram and
// Bertsimas 1992); by simulation β is 0.63, and for thousands of points the border adds some 2 %.
TEST(RandomGeometricMap, SpreadsItsCitiesEvenly) {
  const GeneratedMap map = random_geometric(square(2000, 1999, 3), kFigures);
  EXPECT_NEAR(map.length->in_kilometers() / (1000.0 * std::sqrt(2000.0)), 0.65, 0.03);
}

TEST(RegionsMap, JoinsStarsAsItIsTold) {
  for (const auto& [core, links, switches] :
       {std::tuple{RegionCore::kStar, 4 * 3 + 4, 4 + 4 * 3 + 1},
        {RegionCore::kRing, 4 * 3 + 4, 4 + 4 * 3},
        {RegionCore::kMesh, 4 * 3 + 6, 4 + 4 * 3}}) {
    const GeneratedMap map = regions({.regions = 4,
                                      .islands = 3,
                                      .core = core,
                                      .local = Duration::milliseconds(1),
                                      .remote = Duration::milliseconds(30),
                                      .core_bandwidth = Bandwidth::gigabits_per_second(100)},
                                     kFigures);
    const Topology topology = loaded(map);
    EXPECT_EQ(map.spec.links.size(), static_cast<std::size_t>(links));
    EXPECT_EQ(topology.switch_count(), static_cast<std::size_t>(switches));
    EXPECT_EQ(topology.island_count(), 12U);
    const std::optional<ArcId> local = topology.find_arc("H2->R2-3");
    ASSERT_TRUE(local.has_value());
    EXPECT_EQ(topology.arc(*local).capacity, Bandwidth::gigabits_per_second(10));
    const Round round = parse_round({map.comments.back(), {}}, topology);
    ASSERT_EQ(round.cliques.size(), 4U);
    for (const Clique& clique : round.cliques) EXPECT_EQ(clique.size(), 3U);
  }
}

TEST(TorusMap, JoinsNeighboursInEachDimension) {
  for (const auto& [sides, links] : {std::pair<std::vector<std::size_t>, std::size_t>{{4, 5}, 40},
                                     {{2, 3}, 3 + 6},
                                     {{5}, 5},
                                     {{2}, 1},
                                     {{3, 3, 3}, 81},
                                     {{2, 2, 2}, 12}}) {
    const GeneratedMap map =
        torus({.sides = sides, .per_link = Duration::milliseconds(5)}, kFigures);
    EXPECT_EQ(map.spec.links.size(), links);
    const Topology topology = loaded(map);
    // Every city is like every other.
    for (std::size_t s = 0; s < topology.switch_count(); ++s) {
      EXPECT_EQ(topology.out_arcs(topology.node(SwitchId::at(s))).size() - 1,
                2 * links / topology.switch_count());
    }
    std::set<std::set<std::string>> pairs;
    for (const LinkSpec& link : map.spec.links) {
      EXPECT_TRUE(pairs.insert({link.between[0].value, link.between[1].value}).second);
    }
  }
  const GeneratedMap map = torus({.sides = {4, 5}, .per_link = {}}, kFigures);
  const std::optional<ArcId> wrap = loaded(map).find_arc("T4-2->T1-2");
  EXPECT_TRUE(wrap.has_value());
}

}  // namespace
}  // namespace gyre
