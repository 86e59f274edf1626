// Simulated times against values that were computed independently (tests/data) or derived by hand.

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/routing.hpp"
#include "schedules/exchange_plan.hpp"
#include "schedules/fluid.hpp"
#include "schedules/round.hpp"
#include "sim/exchange_probe.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

constexpr double kRelative = 1e-6;
const Bytes kPayload = Bytes::count(2'000'000'000);  // 16 Gbit

#define EXPECT_CLOSE(actual, expected) EXPECT_NEAR(actual, expected, kRelative* std::abs(expected))

std::vector<Round> rounds_of(const Topology& topology, const std::vector<std::string>& texts) {
  std::vector<Round> rounds;
  for (const std::string& text : texts) rounds.push_back(parse_round({text, {}}, topology));
  return rounds;
}

ProbeResult probe_nine(Mode mode, Exchange exchange, const std::vector<std::string>& rounds) {
  const Topology topology = nine_city();
  return probe(topology, capabilities(topology, mode), kPayload, exchange,
               rounds_of(topology, rounds));
}

const std::string kAll = "SEO+TYO+SIN+LAX+NYC+BAR+LON+AMS+FRA";
const std::string kTriangles = "SEO+TYO+SIN|LAX+NYC+BAR|LON+AMS+FRA";

struct Known {
  Mode mode;
  Exchange exchange;
  std::string round;
  double bandwidth_s;
  double latency_s;
};

void PrintTo(const Known& known, std::ostream* out) {
  *out << name_of(known.exchange) << " in mode " << name_of(known.mode) << ": " << known.round;
}

class KnownExchange : public testing::TestWithParam<Known> {};

// 16 Gbit over 10 Gbps takes 1.6 s. All nine, direct, without capability, shortest paths: 13 of the
// 72 unicasts share LON->AMS, 13 × 1.6 = 20.8 s; SIN->BAR is the longest path, 156.9 ms. With one
// capability each access link carries 8 vectors one way, 12.8 s. Both: one vector an arc; the root
// NYC is 101.58 ms from SIN, twice. Ring: 16 steps of 1.6/9 s, 695.46 ms over 16 hops.
TEST_P(KnownExchange, TakesTheKnownTime) {
  const Known& known = GetParam();
  const RoundCost cost = probe_nine(known.mode, known.exchange, {known.round}).rounds.front();
  EXPECT_CLOSE(cost.bandwidth.in_seconds(), known.bandwidth_s);
  EXPECT_CLOSE(cost.time.in_seconds(), known.bandwidth_s + known.latency_s);
}

INSTANTIATE_TEST_SUITE_P(
    NineCity, KnownExchange,
    testing::Values(Known{Mode::kNeither, Exchange::kDirect, kAll, 20.8, 0.1569},
                    Known{Mode::kMulticast, Exchange::kDirect, kAll, 12.8, 0.1569},
                    Known{Mode::kAggregation, Exchange::kDirect, kAll, 12.8, 0.1569},
                    Known{Mode::kBoth, Exchange::kDirect, kAll, 1.6, 0.20316},
                    Known{Mode::kBoth, Exchange::kInNetwork, kAll, 1.6, 0.20316},
                    Known{Mode::kNeither, Exchange::kRing, kAll, 16 * 1.6 / 9, 0.69546},
                    Known{Mode::kNeither, Exchange::kDirect, kTriangles, 3.2, 0.08104},
                    Known{Mode::kMulticast, Exchange::kDirect, kTriangles, 3.2, 0.08104},
                    Known{Mode::kAggregation, Exchange::kDirect, kTriangles, 3.2, 0.08104},
                    Known{Mode::kBoth, Exchange::kDirect, kTriangles, 1.6, 0.11064},
                    Known{Mode::kNeither, Exchange::kRing, "LON+AMS+FRA", 4 * 1.6 / 3, 0.01068}));

// Two rounds of 3×3 average exactly; on shortest paths the first takes 3.2 s and the longest path
// in it, the second 4.8 s and 138.66 ms.
TEST(NineCityReference, TwoRoundsOf3x3Take8Point2197Seconds) {
  const ProbeResult result = probe_nine(Mode::kNeither, Exchange::kDirect,
                                        {kTriangles, "SEO+NYC+FRA|TYO+BAR+AMS|SIN+LAX+LON"});
  EXPECT_NEAR(result.rounds[0].time.in_seconds() + result.rounds[1].time.in_seconds(), 8.2197,
              5e-5);
  EXPECT_CLOSE(result.rounds[0].time.in_seconds(), 3.28104);
}

/// The rows of a reference file as one probe: all rounds in one simulation, one after the other.
struct Reference {
  std::vector<CsvRow> rows;
  std::vector<std::string> rounds;
};

Reference reference(const std::string& file, const std::string& column) {
  Reference reference{.rows = read_csv(file), .rounds = {}};
  for (const CsvRow& row : reference.rows) {
    const std::string text = row.at(column);
    reference.rounds.push_back(text == "ALL9" ? kAll : text);
  }
  return reference;
}

void expect_column(const Reference& reference, Mode mode, Exchange exchange,
                   const std::string& column, double factor, const std::string& latency_column) {
  const ProbeResult result = probe_nine(mode, exchange, reference.rounds);
  for (std::size_t r = 0; r < reference.rounds.size(); ++r) {
    const CsvRow& row = reference.rows[r];
    SCOPED_TRACE(reference.rounds[r] + " " + column);
    const RoundCost& cost = result.rounds[r];
    EXPECT_CLOSE(cost.bandwidth.in_seconds(), factor * std::stod(row.at(column)));
    if (latency_column.empty()) continue;
    EXPECT_CLOSE(cost.time.in_seconds(),
                 factor * std::stod(row.at(column)) + std::stod(row.at(latency_column)) * 1e-3);
  }
}

// T_* are seconds. All rings of these cliques share no arc.
TEST(NineCityReference, CliquesDirectOnShortestPaths) {
  expect_column(reference("nine_city_cliques.csv", "clique"), Mode::kNeither, Exchange::kDirect,
                "T_pairwise_spf", 1.0, "lat_direct_ms");
}
TEST(NineCityReference, CliquesMulticastOnShortestPathTrees) {
  expect_column(reference("nine_city_cliques.csv", "clique"), Mode::kMulticast, Exchange::kDirect,
                "T_mcast_spt", 1.0, "lat_direct_ms");
}
TEST(NineCityReference, CliquesRing) {
  expect_column(reference("nine_city_cliques.csv", "clique"), Mode::kNeither, Exchange::kRing,
                "T_ring_uni", 1.0, "ring_lat_ms");
}
TEST(NineCityReference, CliquesInNetwork) {
  expect_column(reference("nine_city_cliques.csv", "clique"), Mode::kBoth, Exchange::kInNetwork,
                "T_tree_both", 1.0, "lat_switchroot_ms");
}

// f_* is the largest load over capacity (1/Gbps): T = 16 Gbit · f. Aggregation mirrors multicast.
TEST(NineCityReference, All502CliquesDirect) {
  expect_column(reference("nine_city_all_cliques.csv", "parts"), Mode::kNeither, Exchange::kDirect,
                "f_spf_pairwise", 16.0, "");
}
TEST(NineCityReference, All502CliquesMulticast) {
  expect_column(reference("nine_city_all_cliques.csv", "parts"), Mode::kMulticast,
                Exchange::kDirect, "f_spt_mcast", 16.0, "");
}
TEST(NineCityReference, All502CliquesAggregation) {
  expect_column(reference("nine_city_all_cliques.csv", "parts"), Mode::kAggregation,
                Exchange::kDirect, "f_spt_mcast", 16.0, "");
}
TEST(NineCityReference, PartitionsDirect) {
  expect_column(reference("nine_city_partitions_sample.csv", "parts"), Mode::kNeither,
                Exchange::kDirect, "f_spf_pairwise", 16.0, "");
}
TEST(NineCityReference, PartitionsMulticast) {
  expect_column(reference("nine_city_partitions_sample.csv", "parts"), Mode::kMulticast,
                Exchange::kDirect, "f_spt_mcast", 16.0, "");
}

// No exchange of any clique in any mode is faster than its cut bound.
TEST(NineCityReference, NoCliqueBeatsItsBound) {
  const Reference cliques = reference("nine_city_all_cliques.csv", "parts");
  for (const Mode mode : {Mode::kNeither, Mode::kMulticast, Mode::kAggregation, Mode::kBoth}) {
    for (const Exchange exchange : {Exchange::kBest, Exchange::kRing}) {
      const ProbeResult result = probe_nine(mode, exchange, cliques.rounds);
      for (std::size_t r = 0; r < cliques.rounds.size(); ++r) {
        for (const CliqueRow& row : result.rounds[r].cliques) {
          EXPECT_GE(row.communication.in_seconds(), row.bound.in_seconds() * (1.0 - 1e-9))
              << cliques.rounds[r] << ' ' << name_of(mode) << ' ' << name_of(exchange);
        }
      }
    }
  }
}

// Simulated and predicted times agree for a clique alone, whatever the exchange.
TEST(NineCityReference, PredictionsHold) {
  const Topology topology = nine_city();
  const Routes routes(topology);
  const Reference cliques = reference("nine_city_all_cliques.csv", "parts");
  const std::vector<Round> rounds = rounds_of(topology, cliques.rounds);
  for (const Mode mode : {Mode::kNeither, Mode::kMulticast, Mode::kAggregation, Mode::kBoth}) {
    const Capabilities able = capabilities(topology, mode);
    const ProbeResult result = probe(topology, able, kPayload, Exchange::kDirect, rounds);
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      const ExchangePlan plan =
          plan_exchange({topology, routes, able}, result.rounds[r].cliques.front().members,
                        kPayload, Exchange::kDirect);
      EXPECT_CLOSE(result.rounds[r].bandwidth.in_seconds(), plan.predicted.bandwidth.in_seconds());
      EXPECT_LE(result.rounds[r].time, plan.predicted.total() * (1.0 + kRelative));
    }
  }
}

// The engine against our own progressive filling, on random maps with unequal capacities, latencies
// and partial hardware: two implementations of the same model agree.
TEST(FluidReference, EngineAndProgressiveFillingAgree) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Topology topology = random_topology(seed, {.switches = 4, .islands = 4});
    const Routes routes(topology);
    Rng stream = Rng::stream(seed, "test/capabilities");
    const Round round = round_of("I0+I1+I2+I3", topology);
    for (const Mode mode : kAllModes) {
      const Capabilities able = random_capabilities(topology, mode, stream);
      for (const Exchange exchange : {Exchange::kDirect, Exchange::kRing}) {
        const ExchangePlan plan =
            plan_exchange({topology, routes, able}, round.cliques.front(), kPayload, exchange);
        const RoundCost cost = probe(topology, able, kPayload, exchange, {round}).rounds.front();
        SCOPED_TRACE(fmt::format("seed {} {} {}", seed, name_of(mode), name_of(exchange)));
        EXPECT_CLOSE(cost.time.in_seconds(), fluid_time(topology, plan.flows, true).in_seconds());
        EXPECT_CLOSE(cost.bandwidth.in_seconds(),
                     fluid_time(topology, plan.flows, false).in_seconds());
      }
    }
  }
}

// Another capability never costs time, and `best` is the fastest of what there is.
TEST(FluidReference, CapabilityNeverCostsTime) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Topology topology = random_topology(seed, {.switches = 4, .islands = 4});
    const Routes routes(topology);
    const Clique clique = round_of("I0+I1+I2+I3", topology).cliques.front();
    std::map<std::pair<Mode, Exchange>, double> seconds;
    for (const Mode mode : kAllModes) {
      for (const Exchange exchange :
           {Exchange::kDirect, Exchange::kRing, Exchange::kTree, Exchange::kBest}) {
        const Capabilities able = capabilities(topology, mode);
        const ExchangePlan plan =
            plan_exchange({topology, routes, able}, clique, kPayload, exchange);
        seconds[{mode, exchange}] = fluid_time(topology, plan.flows, true).in_seconds();
      }
    }
    for (const Exchange exchange : {Exchange::kDirect, Exchange::kBest}) {
      SCOPED_TRACE(fmt::format("seed {} {}", seed, name_of(exchange)));
      for (const Mode one : {Mode::kMulticast, Mode::kAggregation}) {
        EXPECT_LE(seconds.at({one, exchange}), seconds.at({Mode::kNeither, exchange}) * (1 + 1e-9));
        EXPECT_LE(seconds.at({Mode::kBoth, exchange}), seconds.at({one, exchange}) * (1 + 1e-9));
      }
    }
    for (const Mode mode : kAllModes) {
      const double fastest =
          std::min({seconds.at({mode, Exchange::kDirect}), seconds.at({mode, Exchange::kRing}),
                    seconds.at({mode, Exchange::kTree})});
      EXPECT_NEAR(seconds.at({mode, Exchange::kBest}), fastest, 1e-8 * fastest);
    }
  }
}

}  // namespace
}  // namespace gyre
