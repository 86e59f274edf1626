#include "schedules/ring_order.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support.hpp"

namespace gyre {
namespace {

const Bytes kPayload = Bytes::count(2'000'000'000);  // 16 Gbit

/// Bandwidth and latency of an order, straight from the definition.
Prediction by_definition(const World& world, const std::vector<IslandId>& order) {
  const Topology& map = world.topology;
  const std::size_t k = order.size();
  std::vector<double> hop_s(k);
  std::vector<double> load(map.arc_count(), 0.0);
  for (std::size_t i = 0; i < k; ++i) {
    const NodeId from = map.node(order[i]);
    const NodeId to = map.node(order[(i + 1) % k]);
    hop_s[i] = world.routes.latency(from, to).in_seconds();
    for (const ArcId a : world.routes.path(from, to)) load[a.index()] += 1.0;
  }
  double slowest_s = 0.0;
  for (std::size_t a = 0; a < load.size(); ++a) {
    const auto rate = static_cast<double>(map.arc(ArcId::at(a)).capacity.in_bits_per_second());
    slowest_s = std::max(slowest_s, load[a] * kPayload.in_bits() / static_cast<double>(k) / rate);
  }
  double chain_s = 0.0;
  for (std::size_t start = 0; start < k; ++start) {
    double sum_s = 0.0;
    for (std::size_t step = 0; step < 2 * (k - 1); ++step) sum_s += hop_s[(start + step) % k];
    chain_s = std::max(chain_s, sum_s);
  }
  return {.bandwidth = Duration::seconds(static_cast<double>(2 * (k - 1)) * slowest_s),
          .latency = Duration::seconds(chain_s),
          .binding_arc = {}};
}

std::string text_of(const World& world, const std::vector<IslandId>& order) {
  return to_text(order, world.topology);
}

class RingOrderOnRandomMaps : public testing::TestWithParam<std::uint64_t> {};

// Exhaustively: all (k − 1)! directed orders.
TEST_P(RingOrderOnRandomMaps, IsTheBestOfAllOrders) {
  const std::uint64_t seed = GetParam();
  const std::size_t k = 2 + seed % 6;
  const World world(
      random_topology(seed, {.switches = 2 + seed % 7, .islands = k, .extra_links = seed % 9}));
  const Ring ring = ring_order(world.network(), world.everybody(), kPayload);

  double best_s = std::numeric_limits<double>::infinity();
  std::vector<IslandId> order = world.everybody();
  do {
    const Prediction expected = by_definition(world, order);
    const Prediction given = ring_time(world.network(), order, kPayload);
    ASSERT_NEAR(given.bandwidth.in_seconds(), expected.bandwidth.in_seconds(), 1e-12);
    ASSERT_NEAR(given.latency.in_seconds(), expected.latency.in_seconds(), 1e-12);
    best_s = std::min(best_s, expected.total().in_seconds());
  } while (std::next_permutation(order.begin() + 1, order.end()));
  EXPECT_NEAR(ring.predicted.total().in_seconds(), best_s, 1e-12);
  EXPECT_NEAR(by_definition(world, ring.order).total().in_seconds(), best_s, 1e-12);
  EXPECT_EQ(ring.order.front(), IslandId::at(0));
  std::vector<IslandId> members = ring.order;
  std::sort(members.begin(), members.end());
  EXPECT_EQ(members, world.everybody());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RingOrderOnRandomMaps,
                         testing::Range(std::uint64_t{1}, std::uint64_t{37}));

//   A──1 ms──B       The lap A-B-C-D has the least sum of latencies, 4 ms, but one of its links has
//   │ ╲1.5╱  │ slow  1 Gbps: 6 steps of 4 Gbit take 24 s. A lap over both diagonals has 5 ms and
//   D──1 ms──C       takes 2.4 s (F27).
TEST(RingOrder, IsChosenByWhatPacesItNotByTheSum) {
  const World world(lettered_map(4, {{'A', 'B', 1.0},
                                     {'B', 'C', 1.0, 1},
                                     {'C', 'D', 1.0},
                                     {'D', 'A', 1.0},
                                     {'A', 'C', 1.5},
                                     {'B', 'D', 1.5}}));
  const Ring ring = ring_order(world.network(), world.everybody(), kPayload);
  EXPECT_EQ(text_of(world, ring.order), "A+B+D+C");
  EXPECT_DOUBLE_EQ(ring.predicted.bandwidth.in_seconds(), 2.4);
  // Six consecutive hops of 1, 1.5, 1, 1.5 ms, …
  EXPECT_DOUBLE_EQ(ring.predicted.latency.in_milliseconds(), 7.5);
  const Prediction least_sum = ring_time(world.network(), world.everybody(), kPayload);
  EXPECT_DOUBLE_EQ(least_sum.bandwidth.in_seconds(), 24.0);
  EXPECT_EQ(least_sum.binding_arc, world.arc("b->c"));
}

// A chain A─C─B─D: the lap A-B-C-D crosses the middle link twice each way, the lap A-C-B-D once.
TEST(RingOrder, CountsHopsThatShareAnArc) {
  const World world(lettered_map(4, {{'A', 'C'}, {'C', 'B'}, {'B', 'D'}}));
  const Ring ring = ring_order(world.network(), world.everybody(), kPayload);
  EXPECT_DOUBLE_EQ(ring.predicted.bandwidth.in_seconds(), 2.4);
  const Prediction rank_order = ring_time(world.network(), world.everybody(), kPayload);
  // c->b carries A→B and C→D: two of 4 Gbit a step.
  EXPECT_DOUBLE_EQ(rank_order.bandwidth.in_seconds(), 4.8);
  EXPECT_EQ(rank_order.binding_arc, world.arc("c->b"));
}

// A triangle whose links are fast one way round, A→C→B→A, and slow the other (F28).
TEST(RingOrder, GoesRoundTheFastWay) {
  const auto one_way = [](char from, char to) {
    return Fibre{.from = from, .to = to, .gbps = 10, .reverse_gbps = 1};
  };
  const World world(lettered_map(3, {one_way('A', 'C'), one_way('C', 'B'), one_way('B', 'A')}));
  const Ring ring = ring_order(world.network(), world.everybody(), kPayload);
  EXPECT_EQ(text_of(world, ring.order), "A+C+B");
  EXPECT_NEAR(ring.predicted.bandwidth.in_seconds(), 4.0 / 3.0 * 1.6, 1e-12);
  const Prediction slow = ring_time(world.network(), world.everybody(), kPayload);
  EXPECT_NEAR(slow.bandwidth.in_seconds(), 4.0 / 3.0 * 16.0, 1e-12);
}

// The same with latencies: 2 ms one way round, 3 ms the other; each link is still the shorter path.
TEST(RingOrder, GoesRoundTheShortWay) {
  const auto one_way = [](char from, char to) {
    return Fibre{.from = from, .to = to, .latency_ms = 2.0, .reverse_latency_ms = 3.0};
  };
  const World world(lettered_map(3, {one_way('A', 'C'), one_way('C', 'B'), one_way('B', 'A')}));
  const Ring ring = ring_order(world.network(), world.everybody(), kPayload);
  EXPECT_EQ(text_of(world, ring.order), "A+C+B");
  EXPECT_DOUBLE_EQ(ring.predicted.latency.in_milliseconds(), 8.0);
}

TEST(RingOrder, OfTwoIsThereAndBack) {
  const World world(lettered_map(2, {{'A', 'B', 5.0}}));
  const Ring ring = ring_order(world.network(), world.everybody(), kPayload);
  EXPECT_EQ(text_of(world, ring.order), "A+B");
  EXPECT_DOUBLE_EQ(ring.predicted.bandwidth.in_seconds(), 1.6);
  EXPECT_DOUBLE_EQ(ring.predicted.latency.in_milliseconds(), 10.0);
}

TEST(RingOrder, MeetsTheReferenceOfTheNineCities) {
  const World world(nine_city());
  for (const CsvRow& row : read_csv("nine_city_cliques.csv")) {
    SCOPED_TRACE(row.at("clique"));
    const Clique clique =
        row.at("clique") == "ALL9" ? world.everybody() : world.clique(row.at("clique"));
    const Ring ring = ring_order(world.network(), clique, kPayload);
    EXPECT_NEAR(ring.predicted.bandwidth.in_seconds(), std::stod(row.at("T_ring_uni")), 5e-9);
    EXPECT_NEAR(ring.predicted.latency.in_milliseconds(), std::stod(row.at("ring_lat_ms")), 1e-9);
  }
}

// 2·8/9 · 1.6 s and the 16 hops of the order in the reference.
TEST(RingOrder, OfAllNineCities) {
  const World world(nine_city());
  const Ring ring = ring_order(world.network(), world.everybody(), kPayload);
  EXPECT_NEAR(ring.predicted.bandwidth.in_seconds(), 16.0 / 9.0 * 1.6, 1e-12);
  EXPECT_NEAR(ring.predicted.latency.in_seconds(), 0.69546, 1e-12);
}

/// Twelve islands on a physical ring of 10 Gbps, 1 ms a link, in the order of `at`.
World ring_of_twelve(const std::vector<std::size_t>& at) {
  std::vector<Fibre> fibres;
  for (std::size_t i = 0; i < at.size(); ++i) {
    fibres.push_back({.from = static_cast<char>('A' + at[i]),
                      .to = static_cast<char>('A' + at[(i + 1) % at.size()])});
  }
  return World(lettered_map(at.size(), fibres));
}

// Beyond nine members the order is a heuristic's. On a physical ring with shuffled ranks the best
// order is known: 22 steps of 16/12 Gbit over 10 Gbps and 22 hops of 1 ms.
TEST(RingOrder, OfTwelveFindsThePhysicalRing) {
  std::vector<std::size_t> at{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  Rng stream = Rng::stream(3, "ring");
  for (int trial = 0; trial < 5; ++trial) {
    stream.shuffle(at);
    const World world = ring_of_twelve(at);
    const Ring ring = ring_order(world.network(), world.everybody(), kPayload);
    EXPECT_NEAR(ring.predicted.bandwidth.in_seconds(), 22.0 / 12.0 * 1.6, 1e-12);
    EXPECT_NEAR(ring.predicted.latency.in_milliseconds(), 22.0, 1e-9);
    EXPECT_EQ(ring.order.front(), IslandId::at(0));
  }
}

TEST(RingOrder, OfTwelveIsNoWorseThanRankOrderOrRandomOnes) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const World world(random_topology(seed, {.switches = 10, .islands = 12, .extra_links = 12}));
    const Ring ring = ring_order(world.network(), world.everybody(), kPayload);
    std::vector<IslandId> order = world.everybody();
    Rng stream = Rng::stream(seed, "orders");
    for (int trial = 0; trial < 50; ++trial) {
      const Prediction other = ring_time(world.network(), order, kPayload);
      EXPECT_LE(ring.predicted.total().in_seconds(), other.total().in_seconds() + 1e-12) << seed;
      stream.shuffle(order);
    }
    const Prediction again = by_definition(world, ring.order);
    EXPECT_NEAR(ring.predicted.total().in_seconds(), again.total().in_seconds(), 1e-12);
  }
}

TEST(RingOrder, IsTheSameWhateverTheSizeWhenRatesGrowWithIt) {
  const World slow(nine_city(Bandwidth::gigabits_per_second(1)));
  const World fast(nine_city(Bandwidth::gigabits_per_second(10)));
  // Access is what paces it: ten times the bytes over ten times the rate.
  const Clique clique = slow.clique("SEO+LAX+BAR+AMS");
  const Ring one = ring_order(slow.network(), clique, Bytes::count(200'000'000));
  const Ring ten = ring_order(fast.network(), clique, Bytes::count(2'000'000'000));
  EXPECT_EQ(one.order, ten.order);
  EXPECT_NEAR(one.predicted.total().in_seconds(), ten.predicted.total().in_seconds(), 1e-12);
}

/// Nearest neighbours from a member on, straight from the definition; equal ones by rank.
std::vector<IslandId> nearest_from(const World& world, IslandId start) {
  const Topology& map = world.topology;
  std::vector<IslandId> order{start};
  while (order.size() < map.island_count()) {
    std::optional<IslandId> nearest;
    for (std::size_t i = 0; i < map.island_count(); ++i) {
      const IslandId other = IslandId::at(i);
      if (std::find(order.begin(), order.end(), other) != order.end()) continue;
      const auto latency = [&](IslandId to) {
        return tree_latency(world.network(), map.node(order.back()), map.node(to));
      };
      if (!nearest || latency(other) < latency(*nearest)) nearest = other;
    }
    order.push_back(*nearest);
  }
  return order;
}

// Too many to improve: the best of the orders that go to the nearest one from each member on.
TEST(RingOrder, OfVeryManyIsTheBestOfNearestNeighbours) {
  const World world(random_topology(3, {.switches = 60, .islands = 130, .extra_links = 80}));
  const Ring ring = ring_order(world.network(), world.everybody(), kPayload);
  Duration best = Duration::seconds(std::numeric_limits<double>::infinity());
  for (const IslandId start : world.everybody()) {
    best = std::min(best, ring_time(world.network(), nearest_from(world, start), kPayload).total());
  }
  EXPECT_EQ(ring.predicted.total(), best);
  EXPECT_EQ(ring_time(world.network(), ring.order, kPayload).bandwidth, ring.predicted.bandwidth);
  EXPECT_EQ(ring.order.front(), IslandId::at(0));
}

}  // namespace
}  // namespace gyre
