#include "models/topology.hpp"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support.hpp"

namespace gyre {
namespace {

Bandwidth gbps(std::int64_t value) { return Bandwidth::gigabits_per_second(value); }

Topology::Island island_at(const std::string& name, std::size_t at) {
  return {.name = name, .at = SwitchId::at(at), .up = gbps(10), .down = gbps(20), .latency = {}};
}

Topology::Link link_between(std::size_t first, std::size_t second) {
  return {.first = SwitchId::at(first),
          .second = SwitchId::at(second),
          .capacity = gbps(3),
          .latency = Duration::milliseconds(4),
          .reverse_capacity = gbps(5),
          .reverse_latency = Duration::milliseconds(6)};
}

// X on switch left, Y on switch right, one link between the switches: access arcs by island, up
// before down, then the link's two directions, each with its own figures (F28).
TEST(Topology, NumbersAccessArcsBeforeCoreArcs) {
  const Topology map("two", {"left", "right"}, {island_at("X", 0), island_at("Y", 1)},
                     {link_between(0, 1)});
  ASSERT_EQ(map.arc_count(), 6U);
  std::vector<std::string> names;
  for (std::size_t a = 0; a < map.arc_count(); ++a) names.push_back(map.name(ArcId::at(a)));
  EXPECT_EQ(names, (std::vector<std::string>{"X.up", "X.down", "Y.up", "Y.down", "left->right",
                                             "right->left"}));
  EXPECT_EQ(map.up(IslandId::at(1)), ArcId::at(2));
  EXPECT_EQ(map.down(IslandId::at(1)), ArcId::at(3));
  EXPECT_FALSE(map.is_core(ArcId::at(3)));
  EXPECT_TRUE(map.is_core(ArcId::at(4)));
  EXPECT_EQ(map.arc(ArcId::at(0)).capacity, gbps(10));
  EXPECT_EQ(map.arc(ArcId::at(1)).capacity, gbps(20));
  EXPECT_EQ(map.arc(ArcId::at(4)).capacity, gbps(3));
  EXPECT_EQ(map.arc(ArcId::at(4)).latency, Duration::milliseconds(4));
  EXPECT_EQ(map.arc(ArcId::at(5)).capacity, gbps(5));
  EXPECT_EQ(map.arc(ArcId::at(5)).latency, Duration::milliseconds(6));
}

TEST(Topology, PutsSwitchesBeforeIslandsAmongTheNodes) {
  const Topology map("two", {"left", "right"}, {island_at("X", 1), island_at("Y", 1)},
                     {link_between(0, 1)});
  EXPECT_EQ(map.node_count(), 4U);
  EXPECT_EQ(map.node(SwitchId::at(1)), NodeId::at(1));
  EXPECT_EQ(map.node(IslandId::at(0)), NodeId::at(2));
  EXPECT_TRUE(map.is_switch(NodeId::at(1)));
  EXPECT_FALSE(map.is_switch(NodeId::at(2)));
  EXPECT_EQ(map.island_at(NodeId::at(3)), IslandId::at(1));
  EXPECT_EQ(map.switch_at(NodeId::at(0)), SwitchId::at(0));
  // Switch right: into it come X.up, Y.up and left->right.
  EXPECT_EQ(
      std::vector<ArcId>(map.in_arcs(NodeId::at(1)).begin(), map.in_arcs(NodeId::at(1)).end()),
      (std::vector<ArcId>{ArcId::at(0), ArcId::at(2), ArcId::at(4)}));
}

TEST(Topology, FindsByName) {
  const Topology map = nine_city();
  EXPECT_EQ(map.island_names(), (std::vector<std::string>{"SEO", "TYO", "SIN", "LAX", "NYC", "BAR",
                                                          "LON", "AMS", "FRA"}));
  ASSERT_TRUE(map.find_island("FRA").has_value());
  EXPECT_EQ(map.name(*map.find_island("FRA")), "FRA");
  EXPECT_EQ(map.name(*map.find_switch("LON")), "LON");
  EXPECT_FALSE(map.find_island("fra").has_value());
  EXPECT_FALSE(map.find_switch("").has_value());
  EXPECT_EQ(map.arc_count(), 2U * 9U + 2U * 11U);
}

TEST(Topology, NamesEveryArcOfTheNineCitiesOnce) {
  const Topology map = nine_city();
  std::set<std::string> names;
  for (std::size_t a = 0; a < map.arc_count(); ++a) names.insert(map.name(ArcId::at(a)));
  EXPECT_EQ(names.size(), map.arc_count());
  EXPECT_EQ(names.count("AMS->FRA"), 1U);
  EXPECT_EQ(names.count("FRA->AMS"), 1U);
  EXPECT_EQ(names.count("FRA.up"), 1U);
}

TEST(Topology, MayBeOneIsland) {
  const Topology map("one", {"s"}, {island_at("X", 0)}, {});
  EXPECT_EQ(map.island_count(), 1U);
  EXPECT_EQ(map.arc_count(), 2U);
}

TEST(Topology, MayBeOneSwitchWithManyIslands) {
  const Topology map("star", {"s"}, {island_at("X", 0), island_at("Y", 0), island_at("Z", 0)}, {});
  EXPECT_EQ(map.arc_count(), 6U);
  EXPECT_EQ(map.out_arcs(NodeId::at(0)).size(), 3U);
}

TEST(UnreachablePair, IsTheFirstIslandAndOneThatItCannotReach) {
  const std::vector<Topology::Island> islands{island_at("X", 0), island_at("Y", 1),
                                              island_at("Z", 2)};
  EXPECT_EQ(unreachable_pair(3, islands, {link_between(1, 0)}),
            (std::pair<std::size_t, std::size_t>{0, 2}));
  EXPECT_EQ(unreachable_pair(3, islands, {link_between(1, 2)}),
            (std::pair<std::size_t, std::size_t>{0, 1}));
  EXPECT_FALSE(unreachable_pair(3, islands, {link_between(1, 0), link_between(2, 1)}).has_value());
}

TEST(UnreachablePair, IgnoresSwitchesWithoutIslands) {
  EXPECT_FALSE(unreachable_pair(3, {island_at("X", 1)}, {}).has_value());
  EXPECT_FALSE(unreachable_pair(2, {}, {}).has_value());
}

TEST(TopologyDeathTest, ChecksWhatTheReaderHasToRefuse) {
  EXPECT_DEATH(Topology("split", {"a", "b"}, {island_at("X", 0), island_at("Y", 1)}, {}),
               "not connected");
  EXPECT_DEATH(Topology("flat", {"a"},
                        {{.name = "X", .at = {}, .up = {}, .down = gbps(1), .latency = {}}}, {}),
               "capacity");
  EXPECT_DEATH(Topology("early", {"a"},
                        {{.name = "X",
                          .at = {},
                          .up = gbps(1),
                          .down = gbps(1),
                          .latency = Duration::seconds(-1)}},
                        {}),
               "negative");
}

}  // namespace
}  // namespace gyre
