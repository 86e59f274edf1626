#include "schedules/exchange_plan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "schedules/fluid.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

const Bytes kPayload = Bytes::count(2'000'000'000);  // 16 Gbit
constexpr std::array kAllExchanges{Exchange::kDirect, Exchange::kRing, Exchange::kInNetwork,
                                   Exchange::kBest,   Exchange::kHub,  Exchange::kMultiRoot};

/// Bytes on each arc.
std::vector<std::int64_t> arc_bytes(const Topology& map, const ExchangePlan& plan) {
  std::vector<std::int64_t> bytes(map.arc_count(), 0);
  for (const Flow& flow : plan.flows) {
    for (const ArcUse& use : flow.stream.arcs) {
      bytes[use.arc.index()] += flow.bytes.in_bytes() * use.copies;
    }
  }
  return bytes;
}

/// Bytes that the members together send and receive over their access links.
struct Access {
  std::int64_t sent = 0;
  std::int64_t received = 0;

  bool operator==(const Access&) const = default;
};

Access access_bytes(const Topology& map, const ExchangePlan& plan) {
  const std::vector<std::int64_t> bytes = arc_bytes(map, plan);
  Access access;
  for (std::size_t i = 0; i < map.island_count(); ++i) {
    access.sent += bytes[map.up(IslandId::at(i)).index()];
    access.received += bytes[map.down(IslandId::at(i)).index()];
  }
  return access;
}

/// Design section 4: what crosses the access links, k members together.
Access expected_access(const ExchangePlan& plan, Mode mode) {
  const auto k = static_cast<std::int64_t>(plan.members.size());
  const std::int64_t payload = plan.payload.in_bytes();
  const std::int64_t once = k * payload;
  const std::int64_t each_to_each = k * (k - 1) * payload;
  if (plan.exchange == Exchange::kRing || plan.exchange == Exchange::kTree ||
      plan.exchange == Exchange::kMultiRoot) {
    return {2 * (k - 1) * payload, 2 * (k - 1) * payload};
  }
  if (plan.exchange == Exchange::kInNetwork) return {once, once};
  if (plan.exchange == Exchange::kHub) {
    const bool copies = mode == Mode::kMulticast || mode == Mode::kBoth;
    const bool adds = mode == Mode::kAggregation || mode == Mode::kBoth;
    return {(k - 1) * payload + (copies ? payload : (k - 1) * payload),
            (adds ? payload : (k - 1) * payload) + (k - 1) * payload};
  }
  // With both, a direct exchange that is preferred to the network's replicates.
  const bool replicates = mode == Mode::kMulticast || mode == Mode::kBoth;
  return {replicates ? once : each_to_each, mode == Mode::kAggregation ? once : each_to_each};
}

class EveryClique : public testing::TestWithParam<Mode> {};

// A payload that no clique size from 3 to 9 divides, so that ring chunks differ.
TEST_P(EveryClique, IsPlannedSoundlyAndConservesBytes) {
  const World world(nine_city(), GetParam());
  const Bytes payload = Bytes::count(1'999'999'993);
  for (const CsvRow& row : read_csv("nine_city_all_cliques.csv")) {
    const Clique clique = world.clique(row.at("parts"));
    for (const Exchange exchange : kAllExchanges) {
      if (!available(world.network(), exchange)) continue;
      SCOPED_TRACE(row.at("parts") + " " + std::string(name_of(exchange)));
      const ExchangePlan plan = plan_exchange(world.network(), clique, payload, exchange);
      ASSERT_EQ(plan_fault(world.network(), plan), std::nullopt);
      EXPECT_NE(plan.exchange, Exchange::kBest);
      EXPECT_EQ(plan.members, clique);
      Bytes sum;
      for (const Bytes chunk : plan.chunks) sum += chunk;
      EXPECT_EQ(sum, payload);
      EXPECT_EQ(access_bytes(world.topology, plan), expected_access(plan, GetParam()));
    }
  }
}

TEST_P(EveryClique, TakesTheFastestExchangeForBest) {
  const World world(nine_city(), GetParam());
  for (const CsvRow& row : read_csv("nine_city_all_cliques.csv")) {
    const Clique clique = world.clique(row.at("parts"));
    const ExchangePlan best = plan_exchange(world.network(), clique, kPayload, Exchange::kBest);
    Duration fastest = Duration::seconds(1e9);
    for (const Exchange exchange :
         {Exchange::kInNetwork, Exchange::kDirect, Exchange::kRing, Exchange::kTree}) {
      if (!available(world.network(), exchange)) continue;
      const ExchangePlan plan = plan_exchange(world.network(), clique, kPayload, exchange);
      fastest = std::min(fastest, plan.predicted.total());
    }
    EXPECT_NEAR(best.predicted.total() / fastest, 1.0, 1e-8) << row.at("parts");
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, EveryClique, testing::ValuesIn(kAllModes),
                         [](const auto& param_info) {
                           return std::string(name_of(param_info.param));
                         });

/// Predictions for all 502 cliques against a column of 1/Gbps and one of ms.
void expect_predictions(Mode mode, Exchange exchange, const std::string& load_column,
                        const std::string& latency_column) {
  const World world(nine_city(), mode);
  const std::vector<CsvRow> rows = read_csv("nine_city_all_cliques.csv");
  ASSERT_EQ(rows.size(), 502U);
  for (const CsvRow& row : rows) {
    const Clique clique = world.clique(row.at("parts"));
    const ExchangePlan plan = plan_exchange(world.network(), clique, kPayload, exchange);
    // Two members swap vectors in every mode: the files' load is that.
    EXPECT_NEAR(plan.predicted.bandwidth.in_seconds(),
                load_column.empty() ? 1.6 : 16.0 * std::stod(row.at(load_column)), 1e-9)
        << row.at("parts");
    EXPECT_NEAR(plan.predicted.latency.in_milliseconds(), std::stod(row.at(latency_column)), 1e-9)
        << row.at("parts");
  }
}

// k islands on one switch, each 10 Gbps and 1 ms from it: all sends into the hub, then it sends to
// all, as the mode allows one by one or at once. 16 Gbit take 1.6 s.
TEST(Hub, TakesTwoPhases) {
  std::vector<Topology::Island> islands;
  for (int i = 0; i < 5; ++i) {
    islands.push_back({.name = fmt::format("I{}", i),
                       .at = SwitchId::at(0),
                       .up = Bandwidth::gigabits_per_second(10),
                       .down = Bandwidth::gigabits_per_second(10),
                       .latency = Duration::milliseconds(1)});
  }
  const Topology star("star", {"s"}, islands, {});
  for (const auto& [mode, payloads] : {std::pair{Mode::kNeither, 8.0},
                                       {Mode::kMulticast, 5.0},
                                       {Mode::kAggregation, 5.0},
                                       {Mode::kBoth, 2.0}}) {
    const World world(star, mode);
    const ExchangePlan plan =
        plan_exchange(world.network(), world.everybody(), kPayload, Exchange::kHub);
    EXPECT_NEAR(plan.predicted.bandwidth.in_seconds(), 1.6 * payloads, 1e-9);
    EXPECT_NEAR(plan.predicted.latency.in_seconds(), 0.004, 1e-12);
    EXPECT_NEAR(fluid_time(star, plan.flows, true).in_seconds(), 1.6 * payloads + 0.004, 1e-9);
  }
}

TEST(PredictionOfDirect, MeetsTheReferenceWithoutCapability) {
  expect_predictions(Mode::kNeither, Exchange::kDirect, "f_spf_pairwise", "lat_direct");
}
TEST(PredictionOfDirect, MeetsTheReferenceWithMulticast) {
  expect_predictions(Mode::kMulticast, Exchange::kDirect, "f_spt_mcast", "lat_direct");
}
// The nine-city map is the same in both directions, so that aggregation mirrors multicast.
TEST(PredictionOfDirect, MirrorsMulticastWithAggregation) {
  expect_predictions(Mode::kAggregation, Exchange::kDirect, "f_spt_mcast", "lat_direct");
}
TEST(PredictionOfDirect, IsInNetworkWithBoth) {
  expect_predictions(Mode::kBoth, Exchange::kDirect, "", "lat_switchroot");
}
TEST(PredictionOfInNetwork, IsOnePayloadAnArc) {
  expect_predictions(Mode::kBoth, Exchange::kInNetwork, "", "lat_switchroot");
}

// All cliques of a partition at once.
TEST(BusiestArc, MeetsTheReferencePartitions) {
  const std::vector<CsvRow> rows = read_csv("nine_city_partitions_sample.csv");
  ASSERT_EQ(rows.size(), 400U);
  const World plain(nine_city());
  const World multicast(nine_city(), Mode::kMulticast);
  for (const CsvRow& row : rows) {
    const auto load_s = [&row](const World& world) {
      std::vector<Flow> flows;
      for (const Clique& clique : round_of(row.at("parts"), world.topology).cliques) {
        if (clique.size() < 2) continue;
        const ExchangePlan plan =
            plan_exchange(world.network(), clique, kPayload, Exchange::kDirect);
        flows.insert(flows.end(), plan.flows.begin(), plan.flows.end());
      }
      return busiest_arc(world.topology, flows).bandwidth.in_seconds();
    };
    EXPECT_NEAR(load_s(plain), 16.0 * std::stod(row.at("f_spf_pairwise")), 1e-9);
    EXPECT_NEAR(load_s(multicast), 16.0 * std::stod(row.at("f_spt_mcast")), 1e-9);
  }
}

TEST(BusiestArc, IsTheLowestOfSeveralAndTakesNoTimeForNothing) {
  const World world(nine_city());
  EXPECT_EQ(busiest_arc(world.topology, {}).bandwidth, Duration());
  const ExchangePlan plan =
      plan_exchange(world.network(), world.clique("TYO+SIN"), kPayload, Exchange::kDirect);
  EXPECT_EQ(world.topology.name(busiest_arc(world.topology, plan.flows).binding_arc), "TYO.up");
}

TEST(BusiestArc, OfAllNineDirectIsTheFibreBetweenLondonAndAmsterdam) {
  const World world(nine_city());
  const ExchangePlan plan =
      plan_exchange(world.network(), world.everybody(), kPayload, Exchange::kDirect);
  EXPECT_NEAR(plan.predicted.bandwidth.in_seconds(), 20.8, 1e-12);
  EXPECT_EQ(world.topology.name(plan.predicted.binding_arc), "LON->AMS");
}

TEST(InNetworkPlan, TakesTheRootWithTheLeastTime) {
  const World world(nine_city(), Mode::kBoth);
  const ExchangePlan plan =
      plan_exchange(world.network(), world.everybody(), kPayload, Exchange::kInNetwork);
  ASSERT_TRUE(plan.root.has_value());
  EXPECT_EQ(world.topology.name(*plan.root), "NYC");
  EXPECT_NEAR(plan.predicted.total().in_seconds(), 1.80316, 1e-12);
}

// Only SIN is capable: SIN->FRA lies on the tree to six cities whose contributions meet nowhere
// before, and comes back in as many copies.
TEST(InNetworkPlan, PaysForIncapableSwitchesInCopies) {
  Topology map = nine_city();
  Capabilities able = capabilities(map, Mode::kNeither);
  const SwitchId root = *map.find_switch("SIN");
  able.multicast[root.index()] = able.aggregation[root.index()] = true;
  const World world(std::move(map), std::move(able));
  const Clique clique = world.clique("SIN+NYC+BAR+LON+AMS+FRA");
  const ExchangePlan plan = plan_exchange(world.network(), clique, kPayload, Exchange::kInNetwork);
  EXPECT_EQ(plan.root, root);
  EXPECT_EQ(plan_fault(world.network(), plan), std::nullopt);
  // Five cities at the far end of FRA->SIN, at the latest from NYC and BAR by way of LON.
  EXPECT_NEAR(plan.predicted.bandwidth.in_seconds(), 8.0, 1e-12);
  EXPECT_TRUE(world.topology.name(plan.predicted.binding_arc) == "SIN->FRA");
}

TEST(InNetworkPlan, NeedsACapableSwitch) {
  for (const Mode mode : {Mode::kNeither, Mode::kMulticast, Mode::kAggregation}) {
    const World world(nine_city(), mode);
    EXPECT_FALSE(available(world.network(), Exchange::kInNetwork));
    EXPECT_TRUE(available(world.network(), Exchange::kBest));
  }
  // One capability here and the other there is not enough.
  Topology map = nine_city();
  Capabilities able = capabilities(map, Mode::kNeither);
  able.multicast[0] = true;
  able.aggregation[1] = true;
  const World world(std::move(map), std::move(able));
  EXPECT_FALSE(available(world.network(), Exchange::kInNetwork));
}

TEST(ExchangePlanDeathTest, NeedsTwoMembers) {
  const World world(nine_city());
  EXPECT_DEATH(plan_exchange(world.network(), {IslandId::at(0)}, kPayload, Exchange::kDirect),
               "two members");
}

TEST(ExchangePlan, OfTwoMembersSwapsVectorsInEveryMode) {
  for (const Mode mode : kAllModes) {
    const World world(nine_city(), mode);
    const Clique clique = world.clique("SEO+BAR");
    const ExchangePlan plan = plan_exchange(world.network(), clique, kPayload, Exchange::kBest);
    EXPECT_NEAR(plan.predicted.total().in_seconds(), 1.6 + 0.14316, 1e-12) << name_of(mode);
    EXPECT_EQ(plan.flows.size(), 2U);
  }
}

// F6: nothing overflows or loses a byte at 2 GiB and beyond; one byte for nine members is sound.
TEST(ExchangePlan, HoldsForSmallAndLargePayloads) {
  const World world(nine_city(), Mode::kBoth);
  for (const std::int64_t bytes :
       {std::int64_t{1}, (std::int64_t{1} << 31) - 1, std::int64_t{1} << 31,
        (std::int64_t{1} << 32) + 1, std::int64_t{1'000'000'000'000}}) {
    for (const Exchange exchange : kAllExchanges) {
      const Bytes payload = Bytes::count(bytes);
      const ExchangePlan plan =
          plan_exchange(world.network(), world.everybody(), payload, exchange);
      EXPECT_EQ(plan_fault(world.network(), plan), std::nullopt);
      EXPECT_EQ(access_bytes(world.topology, plan), expected_access(plan, Mode::kBoth)) << bytes;
    }
  }
}

// Sizes × 7 with rates × 7 leave the bandwidth term unchanged.
TEST(ExchangePlan, ScalesWithSizeAndRate) {
  const World one(nine_city(Bandwidth::gigabits_per_second(1)));
  const World seven(nine_city(Bandwidth::gigabits_per_second(7)));
  for (const char* text : {"SEO+TYO+SIN", "LAX+BAR", "SEO+BAR+FRA"}) {
    const auto time_s = [text](const World& world, std::int64_t bytes) {
      return plan_exchange(world.network(), world.clique(text), Bytes::count(bytes),
                           Exchange::kDirect)
          .predicted.total()
          .in_seconds();
    };
    EXPECT_NEAR(time_s(one, 100'000'000), time_s(seven, 700'000'000), 1e-12);
  }
}

// With some switches capable, the trees of a direct exchange load no arc less than with all capable
// and none more than with none. (The plan may use fewer trees, where those are faster.)
TEST(PartialDeployment, LiesBetweenAllAndNone) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(seed);
    const MapSize size{.switches = 2 + seed % 7, .islands = 3 + seed % 5, .extra_links = seed % 6};
    const Topology map = random_topology(seed, size);
    const Mode mode = seed % 2 == 0 ? Mode::kMulticast : Mode::kAggregation;
    Rng stream = Rng::stream(seed, "capabilities");
    const World some(map, random_capabilities(map, mode, stream));
    const World all(map, mode);
    const World none(map);
    const auto copies_of = [mode](const World& world) {
      std::vector<int> copies(world.topology.arc_count(), 0);
      for (const IslandId i : world.everybody()) {
        Clique others = world.everybody();
        std::erase(others, i);
        const std::vector<Stream> streams = mode == Mode::kMulticast
                                                ? multicast_streams(world.network(), i, others)
                                                : reduction_streams(world.network(), others, i);
        for (const Stream& tree : streams) {
          EXPECT_EQ(stream_fault(world.network(), tree), std::nullopt);
          for (const ArcUse& use : tree.arcs) copies[use.arc.index()] += use.copies;
        }
      }
      return copies;
    };
    const std::vector<int> partial = copies_of(some);
    const std::vector<int> least = copies_of(all);
    const std::vector<int> most = copies_of(none);
    for (std::size_t a = 0; a < map.arc_count(); ++a) {
      EXPECT_GE(partial[a], least[a]) << map.name(ArcId::at(a));
      EXPECT_LE(partial[a], most[a]) << map.name(ArcId::at(a));
    }
  }
}

TEST(PartialDeployment, IsPlannedSoundlyWithBothCapabilitiesHereAndThere) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(seed);
    const MapSize size{.switches = 2 + seed % 7, .islands = 2 + seed % 6, .extra_links = seed % 6};
    Topology map = random_topology(seed, size);
    Rng stream = Rng::stream(seed, "capabilities");
    Capabilities able = random_capabilities(map, Mode::kBoth, stream);
    const World world(std::move(map), std::move(able));
    for (const Exchange exchange : kAllExchanges) {
      if (!available(world.network(), exchange)) continue;
      const ExchangePlan plan =
          plan_exchange(world.network(), world.everybody(), kPayload, exchange);
      EXPECT_EQ(plan_fault(world.network(), plan), std::nullopt) << name_of(exchange);
    }
  }
}

// Relabelled islands exchange in the same time.
TEST(ExchangePlan, DoesNotDependOnTheOrderOfTheIslands) {
  for (const Exchange exchange : {Exchange::kDirect, Exchange::kRing}) {
    const World world(nine_city());
    std::vector<std::string> switches = world.topology.switch_names();
    std::vector<Topology::Island> islands;
    for (const IslandId i : world.everybody()) islands.push_back(world.topology.island(i));
    std::reverse(islands.begin(), islands.end());
    std::vector<Topology::Link> links;
    for (std::size_t a = 18; a < world.topology.arc_count(); a += 2) {
      const Arc& arc = world.topology.arc(ArcId::at(a));
      links.push_back(Topology::Link::both_ways(world.topology.switch_at(arc.tail),
                                                world.topology.switch_at(arc.head), arc.capacity,
                                                arc.latency));
    }
    const World relabelled(Topology("reversed", switches, islands, links));
    for (const char* text : {"SEO+TYO+SIN+LAX+NYC+BAR+LON+AMS+FRA", "SEO+NYC+FRA", "TYO+BAR+AMS"}) {
      const auto time_s = [&](const World& in) {
        return plan_exchange(in.network(), in.clique(text), kPayload, exchange)
            .predicted.total()
            .in_seconds();
      };
      EXPECT_NEAR(time_s(world), time_s(relabelled), 1e-12) << text;
    }
  }
}

}  // namespace
}  // namespace gyre
