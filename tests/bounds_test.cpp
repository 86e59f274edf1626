#include "models/bounds.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "schedules/exchange_plan.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

const Bytes kPayload = Bytes::count(2'000'000'000);  // 16 Gbit

/// The clique of a row of tests/data/nine_city_cliques.csv.
Clique clique_of(const CsvRow& row, const World& world) {
  return row.at("clique") == "ALL9" ? world.everybody() : world.clique(row.at("clique"));
}

// The files give nine digits.
constexpr double kDigits = 5e-9;

TEST(Bounds, MeetTheReferenceOfTheNineCities) {
  const World world(nine_city());
  const std::vector<CsvRow> rows = read_csv("nine_city_cliques.csv");
  ASSERT_EQ(rows.size(), 40U);
  for (const CsvRow& row : rows) {
    SCOPED_TRACE(row.at("clique"));
    const Clique clique = clique_of(row, world);
    EXPECT_NEAR(world.bounds.cut(clique, kPayload).bandwidth.in_seconds(),
                std::stod(row.at("LB_allreduce_cut")), kDigits);
    EXPECT_NEAR(world.bounds.direct_cut(clique, kPayload).in_seconds(),
                std::stod(row.at("LB_pairwise_cut")), kDigits);
    EXPECT_NEAR(world.bounds.all_gather_cut(clique, kPayload).in_seconds(),
                std::stod(row.at("LB_allgather_cut")), kDigits);
    EXPECT_NEAR(world.bounds.islands_add(clique, kPayload, false, false).in_seconds(),
                std::stod(row.at("LB_host_gossip")), kDigits);
  }
}

/// The latency from u up to a node, or down from it to u.
Duration depth(const World& world, const Clique& clique, NodeId root, bool up) {
  Duration deepest;
  for (const IslandId i : clique) {
    const NodeId leaf = world.topology.node(i);
    deepest =
        std::max(deepest, up ? world.routes.latency(leaf, root) : world.routes.latency(root, leaf));
  }
  return deepest;
}

TEST(Routes, MeetTheReferenceLatenciesOfTheNineCities) {
  const World world(nine_city());
  for (const CsvRow& row : read_csv("nine_city_cliques.csv")) {
    SCOPED_TRACE(row.at("clique"));
    const Clique clique = clique_of(row, world);
    Duration farthest;
    Duration host = Duration::seconds(std::numeric_limits<double>::infinity());
    Duration any_switch = host;
    for (const IslandId u : clique) {
      const NodeId node = world.topology.node(u);
      farthest = std::max(farthest, depth(world, clique, node, true));
      host = std::min(host, depth(world, clique, node, true) + depth(world, clique, node, false));
    }
    for (std::size_t s = 0; s < world.topology.switch_count(); ++s) {
      const NodeId node = world.topology.node(SwitchId::at(s));
      any_switch = std::min(any_switch,
                            depth(world, clique, node, true) + depth(world, clique, node, false));
    }
    // Two members swap their vectors: no root, one path, in every mode.
    if (clique.size() == 2) host = any_switch = farthest;
    EXPECT_NEAR(farthest.in_milliseconds(), std::stod(row.at("lat_direct_ms")), 1e-9);
    EXPECT_NEAR(host.in_milliseconds(), std::stod(row.at("lat_hostroot_ms")), 1e-9);
    EXPECT_NEAR(any_switch.in_milliseconds(), std::stod(row.at("lat_switchroot_ms")), 1e-9);
  }
}

/// The smallest value of `capacity(S) / weight(S)` over all node sets S with weight(S) > 0, by
/// trying all of them; weight(S) is a number of payloads that have to leave S.
template <class Weight>
double worst_cut_seconds(const Topology& map, Bytes payload, Weight weight) {
  double worst_s = 0.0;
  for (std::uint32_t set = 0; set < (1U << map.node_count()); ++set) {
    const auto inside = [set](NodeId v) { return ((set >> v.index()) & 1U) != 0; };
    const double payloads = weight(inside);
    if (payloads <= 0.0) continue;
    double bits_per_second = 0.0;
    for (std::size_t a = 0; a < map.arc_count(); ++a) {
      const Arc& arc = map.arc(ArcId::at(a));
      if (inside(arc.tail) && !inside(arc.head)) {
        bits_per_second += static_cast<double>(arc.capacity.in_bits_per_second());
      }
    }
    worst_s = std::max(worst_s, payloads * payload.in_bits() / bits_per_second);
  }
  return worst_s;
}

class BoundsOnRandomMaps : public testing::TestWithParam<std::uint64_t> {};

TEST_P(BoundsOnRandomMaps, EqualTheWorstOfAllCuts) {
  const std::uint64_t seed = GetParam();
  const World world(random_topology(
      seed, {.switches = 2 + seed % 5, .islands = 3 + seed % 2, .extra_links = seed % 6}));
  const Topology& map = world.topology;
  Clique clique = world.everybody();
  if (seed % 3 == 0) clique.pop_back();  // an island that takes no part
  const auto members = [&](auto inside) {
    return static_cast<double>(std::count_if(clique.begin(), clique.end(),
                                             [&](IslandId i) { return inside(map.node(i)); }));
  };
  const auto k = static_cast<double>(clique.size());

  const CutBound bound = world.bounds.cut(clique, kPayload);
  EXPECT_DOUBLE_EQ(bound.bandwidth.in_seconds(), worst_cut_seconds(map, kPayload, [&](auto inside) {
                     const double m = members(inside);
                     return m > 0.0 && m < k ? 1.0 : 0.0;
                   }));
  EXPECT_DOUBLE_EQ(world.bounds.direct_cut(clique, kPayload).in_seconds(),
                   worst_cut_seconds(map, kPayload, [&](auto inside) {
                     return members(inside) * (k - members(inside));
                   }));
  EXPECT_DOUBLE_EQ(world.bounds.all_gather_cut(clique, kPayload).in_seconds(),
                   worst_cut_seconds(map, kPayload, [&](auto inside) {
                     return members(inside) < k ? members(inside) : 0.0;
                   }));

  // The arcs named are a cut of the narrowest width.
  std::int64_t width = 0;
  for (const ArcId a : bound.arcs) width += map.arc(a).capacity.in_bits_per_second();
  EXPECT_DOUBLE_EQ(kPayload.in_bits() / static_cast<double>(width), bound.bandwidth.in_seconds());

  // With latency: the worst ordered pair's own cut and path. A member's bound is the worst of the
  // pairs that end at it.
  Duration worst;
  for (const IslandId v : clique) {
    Duration worst_for_v;
    for (const IslandId u : clique) {
      if (u == v) continue;
      const double cut_s = worst_cut_seconds(map, kPayload, [&](auto inside) {
        return inside(map.node(u)) && !inside(map.node(v)) ? 1.0 : 0.0;
      });
      worst_for_v = std::max(
          worst_for_v, Duration::seconds(cut_s) + world.routes.latency(map.node(u), map.node(v)));
    }
    EXPECT_DOUBLE_EQ(world.bounds.member(clique, v, kPayload).in_seconds(),
                     worst_for_v.in_seconds());
    worst = std::max(worst, worst_for_v);
  }
  EXPECT_DOUBLE_EQ(bound.time.in_seconds(), worst.in_seconds());
}

INSTANTIATE_TEST_SUITE_P(Seeds, BoundsOnRandomMaps,
                         testing::Range(std::uint64_t{1}, std::uint64_t{31}));

// A ══10 Gbps══> B, B ──1 Gbps──> A (F28). 16 Gbit need 1.6 s forward and 16 s back.
TEST(Bounds, KeepEachDirectionsOwnCapacity) {
  const World world(lettered_map(
      2, {{.from = 'A', .to = 'B', .gbps = 10, .reverse_latency_ms = 3.0, .reverse_gbps = 1}}));
  const Clique pair = world.everybody();
  const CutBound bound = world.bounds.cut(pair, kPayload);
  EXPECT_DOUBLE_EQ(bound.bandwidth.in_seconds(), 16.0);
  EXPECT_DOUBLE_EQ(bound.time.in_seconds(), 16.003);
  EXPECT_EQ(world.topology.name(bound.from), "B");
  EXPECT_EQ(world.topology.name(bound.to), "A");
  EXPECT_EQ(bound.arcs, (std::vector<ArcId>{world.arc("b->a")}));
  EXPECT_DOUBLE_EQ(world.bounds.member(pair, pair[0], kPayload).in_seconds(), 16.003);
  EXPECT_DOUBLE_EQ(world.bounds.member(pair, pair[1], kPayload).in_seconds(), 1.601);
}

// The narrowest cut and the longest path belong to different pairs: A─B 1 Gbps, 1 ms (16.001 s);
// B─C 10 Gbps, 50 ms (1.65 s). From A to C the narrow link and both latencies add up.
TEST(Bounds, AddThePathOfThePairToItsCut) {
  const World world(lettered_map(3, {{'A', 'B', 1.0, 1}, {'B', 'C', 50.0, 10}}));
  EXPECT_DOUBLE_EQ(world.bounds.cut(world.everybody(), kPayload).time.in_seconds(), 16.051);
  EXPECT_DOUBLE_EQ(world.bounds.cut(world.clique("B+C"), kPayload).time.in_seconds(), 1.65);
}

// Four islands send M each to the other three; access 10 Gbps up, and so down: 2(k−1)/k · 1.6 s
// where islands have to add; k/k of it for a side that the switches help.
TEST(Bounds, OfIslandsThatAddFollowTheCapabilities) {
  const World world(
      lettered_map(4, {{'A', 'B'}, {'B', 'C'}, {'C', 'D'}}, Bandwidth::gigabits_per_second(10)));
  const Clique all = world.everybody();
  EXPECT_DOUBLE_EQ(world.bounds.islands_add(all, kPayload, false, false).in_seconds(), 2.4);
  EXPECT_DOUBLE_EQ(world.bounds.islands_add(all, kPayload, true, false).in_seconds(), 2.4);
  EXPECT_DOUBLE_EQ(world.bounds.islands_add(all, kPayload, false, true).in_seconds(), 2.4);
  EXPECT_DOUBLE_EQ(world.bounds.islands_add(all, kPayload, true, true).in_seconds(), 1.6);
}

// 80 islands on one switch, more than are taken pair by pair: only the access links are narrow, so
// that the bound is exact all the same. Island 57 receives at 2 Gbps: 8 s.
TEST(Bounds, OfManyIslandsStillSeeANarrowAccessLink) {
  std::vector<Topology::Island> islands;
  for (std::size_t i = 0; i < 80; ++i) {
    const Bandwidth wide = Bandwidth::gigabits_per_second(10);
    islands.push_back({.name = "I" + std::to_string(i),
                       .at = SwitchId::at(0),
                       .up = wide,
                       .down = i == 57 ? Bandwidth::gigabits_per_second(2) : wide,
                       .latency = Duration::milliseconds(1)});
  }
  const World world(Topology("star", {"s"}, islands, {}));
  const CutBound bound = world.bounds.cut(world.everybody(), kPayload);
  EXPECT_DOUBLE_EQ(bound.bandwidth.in_seconds(), 8.0);
  EXPECT_DOUBLE_EQ(bound.time.in_seconds(), 8.002);
  EXPECT_EQ(bound.to, IslandId::at(57));
}

TEST(Bounds, GrowLinearlyBeyondTwoGibibytes) {
  const World world(lettered_map(2, {{'A', 'B', 0.0, 1}}));
  const Clique pair = world.everybody();
  for (const std::int64_t bytes : {(std::int64_t{1} << 31) - 1, std::int64_t{1} << 31,
                                   (std::int64_t{1} << 32) + 1, std::int64_t{1'000'000'000'000}}) {
    EXPECT_DOUBLE_EQ(world.bounds.cut(pair, Bytes::count(bytes)).time.in_seconds(),
                     8e-9 * static_cast<double>(bytes));
  }
}

/// No prediction may beat the wires: neither the cut bound, nor the bounds of its own kind.
void expect_no_plan_beats_the_bounds(const World& world, const Clique& clique) {
  const auto at_least = [](Duration time, Duration bound, const char* what) {
    EXPECT_GE(time.in_seconds(), bound.in_seconds() * (1.0 - 1e-12)) << what;
  };
  for (const Exchange exchange :
       {Exchange::kDirect, Exchange::kRing, Exchange::kInNetwork, Exchange::kBest}) {
    if (!available(world.network(), exchange)) continue;
    SCOPED_TRACE(name_of(exchange));
    const ExchangePlan plan = plan_exchange(world.network(), clique, kPayload, exchange);
    at_least(plan.predicted.total(), world.bounds.cut(clique, kPayload).time, "cut");
    at_least(plan.predicted.bandwidth, world.bounds.cut(clique, kPayload).bandwidth, "wires");
    if (plan.exchange == Exchange::kRing) {
      at_least(plan.predicted.bandwidth, world.bounds.islands_add(clique, kPayload, false, false),
               "ring");
    }
  }
}

TEST(Bounds, AreBelowEveryPlanOfTheNineCities) {
  for (const Mode mode : kAllModes) {
    const World world(nine_city(), mode);
    for (const CsvRow& row : read_csv("nine_city_all_cliques.csv")) {
      SCOPED_TRACE(row.at("parts"));
      expect_no_plan_beats_the_bounds(world, world.clique(row.at("parts")));
    }
  }
}

TEST(Bounds, AreBelowEveryPlanOfRandomMapsWithSomeCapableSwitches) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Topology map = random_topology(
        seed, {.switches = 3 + seed % 6, .islands = 2 + seed % 5, .extra_links = seed % 7});
    Rng stream = Rng::stream(seed, "capabilities");
    Capabilities able = random_capabilities(map, kAllModes[seed % 4], stream);
    const World world(std::move(map), std::move(able));
    expect_no_plan_beats_the_bounds(world, world.everybody());
  }
}

TEST(Bounds, OfDirectExchangeAreBelowItsPlans) {
  for (const CsvRow& row : read_csv("nine_city_all_cliques.csv")) {
    const World plain(nine_city());
    const Clique clique = plain.clique(row.at("parts"));
    const auto planned_s = [&](const World& world) {
      return plan_exchange(world.network(), clique, kPayload, Exchange::kDirect)
          .predicted.bandwidth.in_seconds();
    };
    EXPECT_GE(planned_s(plain) * (1.0 + 1e-12),
              plain.bounds.direct_cut(clique, kPayload).in_seconds());
    const World multicast(nine_city(), Mode::kMulticast);
    EXPECT_GE(planned_s(multicast) * (1.0 + 1e-12),
              plain.bounds.all_gather_cut(clique, kPayload).in_seconds());
  }
}

}  // namespace
}  // namespace gyre
