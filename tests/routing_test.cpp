#include "models/routing.hpp"

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <gtest/gtest.h>

#include "tests/support.hpp"

namespace gyre {
namespace {

std::string path_text(const World& world, const std::string& from, const std::string& to) {
  const Topology& map = world.topology;
  std::string text;
  for (const ArcId a :
       world.routes.path(map.node(*map.find_island(from)), map.node(*map.find_island(to)))) {
    text += (text.empty() ? "" : " ") + map.name(a);
  }
  return text;
}

double latency_ms(const World& world, const std::string& from, const std::string& to) {
  const Topology& map = world.topology;
  return world.routes.latency(map.node(*map.find_island(from)), map.node(*map.find_island(to)))
      .in_milliseconds();
}

TEST(RoutesOfTheNineCities, TakeTheLeastLatency) {
  const World world(nine_city());
  EXPECT_EQ(path_text(world, "SEO", "BAR"), "SEO.up SEO->TYO TYO->LAX LAX->NYC NYC->BAR BAR.down");
  EXPECT_NEAR(latency_ms(world, "SEO", "BAR"), 4.50 + 57.62 + 25.72 + 55.32, 1e-9);
  // The longest: east from Singapore is 183.62 ms, west 156.90.
  EXPECT_EQ(path_text(world, "SIN", "BAR"),
            "SIN.up SIN->FRA FRA->AMS AMS->LON LON->NYC NYC->BAR BAR.down");
  EXPECT_NEAR(latency_ms(world, "SIN", "BAR"), 156.90, 1e-9);
  EXPECT_EQ(path_text(world, "LON", "FRA"), "LON.up LON->AMS AMS->FRA FRA.down");
  EXPECT_EQ(path_text(world, "SIN", "LAX"), "SIN.up SIN->TYO TYO->LAX LAX.down");
}

TEST(RoutesOfTheNineCities, NeverUseTheTwoLongWays) {
  const World world(nine_city());
  std::set<std::string> used;
  for (const IslandId u : world.everybody()) {
    for (const IslandId v : world.everybody()) {
      for (const ArcId a : world.routes.path(world.topology.node(u), world.topology.node(v))) {
        used.insert(world.topology.name(a));
      }
    }
  }
  for (const char* name : {"LON->FRA", "FRA->LON", "SIN->LAX", "LAX->SIN"}) {
    EXPECT_EQ(used.count(name), 0U) << name;
  }
  // All other core arcs and all access arcs carry something.
  EXPECT_EQ(used.size(), world.topology.arc_count() - 4);
}

// A─B 2 ms, A─C─B 1 + 1 ms: the same latency, and one arc is fewer than two.
TEST(RoutesTieRule, PrefersFewerArcs) {
  const World world(lettered_map(3, {{'A', 'C'}, {'C', 'B'}, {'A', 'B', 2.0}}));
  EXPECT_EQ(path_text(world, "A", "B"), "A.up a->b B.down");
  EXPECT_EQ(path_text(world, "B", "A"), "B.up b->a A.down");
}

// A square A─B─D, A─C─D with equal latencies: both paths have two core arcs. The next arc towards D
// is the lower-numbered of a->b and a->c, whichever was declared first.
TEST(RoutesTieRule, PrefersTheLowerArcThen) {
  const World b_first(lettered_map(4, {{'A', 'B'}, {'A', 'C'}, {'B', 'D'}, {'C', 'D'}}));
  EXPECT_EQ(path_text(b_first, "A", "D"), "A.up a->b b->d D.down");
  const World c_first(lettered_map(4, {{'A', 'C'}, {'A', 'B'}, {'B', 'D'}, {'C', 'D'}}));
  EXPECT_EQ(path_text(c_first, "A", "D"), "A.up a->c c->d D.down");
}

TEST(RoutesTieRule, DoesNotLetRoundingOfSumsDecide) {
  // 0.1 + 0.2 ms and 0.3 ms differ in doubles and not in picoseconds: the direct link wins the tie
  // in either direction.
  const World world(lettered_map(3, {{'A', 'C', 0.1}, {'C', 'B', 0.2}, {'A', 'B', 0.3}}));
  EXPECT_EQ(path_text(world, "A", "B"), "A.up a->b B.down");
  EXPECT_EQ(path_text(world, "B", "A"), "B.up b->a A.down");
}

TEST(RoutesTieRule, OutTreePrefersTheLowerArcIntoANode) {
  const World world(lettered_map(4, {{'A', 'B'}, {'A', 'C'}, {'C', 'D'}, {'B', 'D'}}));
  const Topology& map = world.topology;
  const NodeId a = map.node(*map.find_switch("a"));
  const NodeId d = map.node(*map.find_switch("d"));
  EXPECT_EQ(map.name(world.routes.parent_arc(a, d)), "c->d");
}

TEST(Routes, TakeEachDirectionsOwnLatency) {
  // A→B is fast and B→A slow, so that the way back goes round by C.
  const World world(lettered_map(
      3, {{.from = 'A', .to = 'B', .reverse_latency_ms = 9.0}, {'A', 'C', 2.0}, {'C', 'B', 2.0}}));
  EXPECT_EQ(path_text(world, "A", "B"), "A.up a->b B.down");
  EXPECT_EQ(path_text(world, "B", "A"), "B.up b->c c->a A.down");
  EXPECT_NEAR(latency_ms(world, "A", "B"), 1.0, 1e-12);
  EXPECT_NEAR(latency_ms(world, "B", "A"), 4.0, 1e-12);
}

TEST(Routes, FromANodeToItselfAreEmpty) {
  const World world(nine_city());
  EXPECT_EQ(path_text(world, "SEO", "SEO"), "");
  EXPECT_EQ(latency_ms(world, "SEO", "SEO"), 0.0);
}

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                                    boost::property<boost::edge_weight_t, std::int64_t>>;

std::int64_t picoseconds(Duration latency) { return std::llround(latency.in_seconds() * 1e12); }

/// Latencies from `source` by Boost.Graph; out-arcs of other islands are left out.
std::vector<std::int64_t> boost_latencies(const Topology& map, NodeId source) {
  Graph graph(map.node_count());
  for (std::size_t a = 0; a < map.arc_count(); ++a) {
    const Arc& arc = map.arc(ArcId::at(a));
    if (!map.is_switch(arc.tail) && arc.tail != source) continue;
    add_edge(arc.tail.index(), arc.head.index(), picoseconds(arc.latency), graph);
  }
  std::vector<std::int64_t> distance(map.node_count());
  dijkstra_shortest_paths(graph, source.index(), boost::distance_map(distance.data()));
  return distance;
}

TEST(Routes, AgreeWithBoostOnRandomMaps) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const World world(random_topology(
        seed, {.switches = 1 + seed % 12, .islands = 2 + seed % 7, .extra_links = seed % 15}));
    const Topology& map = world.topology;
    for (const IslandId u : world.everybody()) {
      const std::vector<std::int64_t> expected = boost_latencies(map, map.node(u));
      for (const IslandId v : world.everybody()) {
        const Duration latency = world.routes.latency(map.node(u), map.node(v));
        ASSERT_EQ(picoseconds(latency), expected[map.node(v).index()]) << seed;
        if (u == v) continue;
        // The path is a chain from u to v over switches, and its latency is the one given.
        NodeId at = map.node(u);
        Duration sum;
        const std::vector<ArcId> path = world.routes.path(map.node(u), map.node(v));
        for (const ArcId a : path) {
          ASSERT_EQ(map.arc(a).tail, at) << seed;
          at = map.arc(a).head;
          sum += map.arc(a).latency;
          ASSERT_EQ(map.is_switch(at), a != path.back()) << seed;
        }
        ASSERT_EQ(at, map.node(v)) << seed;
        ASSERT_EQ(picoseconds(sum), picoseconds(latency)) << seed;
      }
    }
  }
}

TEST(Routes, OutTreesAreAsShortAsPaths) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const World world(random_topology(seed, {.switches = 7, .islands = 5, .extra_links = 8}));
    const Topology& map = world.topology;
    for (const IslandId u : world.everybody()) {
      for (const IslandId v : world.everybody()) {
        Duration sum;
        for (NodeId at = map.node(v); at != map.node(u);) {
          const Arc& arc = map.arc(world.routes.parent_arc(map.node(u), at));
          sum += arc.latency;
          at = arc.tail;
        }
        ASSERT_EQ(picoseconds(sum), picoseconds(world.routes.latency(map.node(u), map.node(v))));
      }
    }
  }
}

}  // namespace
}  // namespace gyre
