#include "schedules/optimizer/optimizer.hpp"

#include <cmath>
#include <map>

#include <Eigen/SVD>
#include <gtest/gtest.h>

#include "schedules/mixing.hpp"
#include "schedules/optimizer/grid_search.hpp"
#include "schedules/optimizer/search.hpp"
#include "schedules/optimizer/timed_packing.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

constexpr Bytes kPayload = Bytes::count(2'000'000'000);

/// The reference's names of modes, exchanges and routings.
struct Setting {
  const char* name;
  Mode mode;
  Exchange exchange;
  Routing routing;
};
const std::vector<Setting> kSettings{
    {"D-neither", Mode::kNeither, Exchange::kDirect, Routing::kEngineered},
    {"D-neither-SPF", Mode::kNeither, Exchange::kDirect, Routing::kShortest},
    {"D-onecap", Mode::kMulticast, Exchange::kDirect, Routing::kEngineered},
    {"D-mcast-SPT", Mode::kMulticast, Exchange::kDirect, Routing::kShortest},
    {"H-neither", Mode::kNeither, Exchange::kTree, Routing::kEngineered},
    {"H-onecap", Mode::kMulticast, Exchange::kTree, Routing::kEngineered},
    {"both", Mode::kBoth, Exchange::kInNetwork, Routing::kEngineered},
};

/// `mode` → `quantity` → value.
std::map<std::string, std::map<std::string, double>> schedule_values() {
  std::map<std::string, std::map<std::string, double>> values;
  for (const CsvRow& row : read_csv("nine_city_schedules.csv")) {
    values[row.at("mode")][row.at("quantity")] = std::stod(row.at("value"));
  }
  return values;
}

/// A setting's network with its round times.
struct Planning {
  explicit Planning(const Setting& setting)
      : world(nine_city(), setting.mode),
        network(world.network()),
        partitions(9),
        times(network, partitions,
              {.exchange = setting.exchange, .routing = setting.routing, .payload = kPayload}) {}
  World world;
  Network network;
  Partitions partitions;
  RoundTimes times;
};

class NineCitySchedules : public testing::TestWithParam<Setting> {};

TEST_P(NineCitySchedules, ExhaustiveValuesAreReproduced) {
  Planning planning(GetParam());
  const auto reference = schedule_values().at(GetParam().name);
  EXPECT_NEAR(planning.times.exact_s(0), reference.at("global_s"), 6e-5);
  const SearchResult consensus = search_consensus(planning.partitions, planning.times, {});
  ASSERT_FALSE(consensus.best.empty());
  EXPECT_NEAR(consensus.best.front().value, reference.at("consensus_exhaustive_s"), 6e-5);
  EXPECT_DOUBLE_EQ(consensus.bound, consensus.best.front().value);
  const SearchResult pairs = search_pairs(planning.partitions, planning.times, {});
  EXPECT_NEAR(-pairs.best.front().value, reference.at("pairs_per_s"), 6e-5);
  EXPECT_DOUBLE_EQ(pairs.bound, pairs.best.front().value);
}

/// Annealed values of the reference are upper bounds: ours are no worse, and not below our bound.
void expect_drift(const Setting& setting, double compute_s) {
  const auto known = schedule_values().at(setting.name);
  const std::string quantity = "drift_compute_" + std::to_string(static_cast<int>(compute_s));
  Planning planning(setting);
  SearchOptions options;
  options.compute_s = compute_s;
  const SearchResult drift = search_drift(planning.partitions, planning.times, options);
  const double reference = known.at(quantity);
  ASSERT_FALSE(drift.best.empty());
  EXPECT_LE(drift.best.front().value, reference + 6e-5) << setting.name << ' ' << compute_s;
  EXPECT_GE(drift.best.front().value, drift.bound * (1.0 - 1e-9));
}

TEST(NineCityDrift, IsMatchedOrBeatenAtFiveSecondsOfCompute) {
  for (const std::size_t s : {2U, 6U}) expect_drift(kSettings[s], 5.0);
}

using SlowNineCityDrift = NineCitySchedules;

TEST_P(SlowNineCityDrift, IsMatchedOrBeatenForEveryCompute) {
  if (!schedule_values().at(GetParam().name).contains("drift_compute_0")) {
    GTEST_SKIP() << "the reference has no drift by compute for this setting";
  }
  for (const double compute_s : {0.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0}) {
    expect_drift(GetParam(), compute_s);
  }
}

TEST_P(NineCitySchedules, SmallCliquesAreMatchedOrBeaten) {
  Planning planning(GetParam());
  const auto reference = schedule_values().at(GetParam().name);
  for (const std::size_t most : {2U, 3U}) {
    SearchOptions options;
    options.max_clique = most;
    const SearchResult found = search_consensus(planning.partitions, planning.times, options);
    ASSERT_FALSE(found.best.empty());
    const double known = reference.at("consensus_cliques_" + std::to_string(most) + "_s");
    EXPECT_LE(found.best.front().value, known + 6e-4);
    EXPECT_GE(found.best.front().value, found.bound);
  }
}

constexpr auto kSettingName = [](const auto& test) {
  std::string name = test.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
};
INSTANTIATE_TEST_SUITE_P(Settings, NineCitySchedules, testing::ValuesIn(kSettings), kSettingName);
INSTANTIATE_TEST_SUITE_P(Settings, SlowNineCityDrift, testing::ValuesIn(kSettings), kSettingName);

/// W of a partition, as a matrix.
Eigen::MatrixXd matrix_of(const Partitions& partitions, std::size_t p) {
  return mixing_matrix(partitions.round(p), partitions.islands());
}

/// Design section 5, straight: S iterated as a matrix.
double drift_by_matrices(const Partitions& partitions, const std::vector<std::size_t>& rounds,
                         const std::vector<double>& seconds) {
  const auto n = static_cast<Eigen::Index>(partitions.islands());
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(n, n);
  const Eigen::MatrixXd off =
      identity - Eigen::MatrixXd::Constant(n, n, 1.0 / static_cast<double>(n));
  Eigen::MatrixXd s = Eigen::MatrixXd::Zero(n, n);
  double drift = 0.0;
  double earlier = -1.0;
  for (int period = 0; period < 2000 && std::abs(drift - earlier) > 1e-11 * drift; ++period) {
    earlier = drift;
    double area = 0.0;
    double length = 0.0;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      const double before = (off * s).trace();
      const double after = (off * (s + seconds[r] * identity)).trace();
      area += seconds[r] * (before + after) / 2.0;
      length += seconds[r];
      const Eigen::MatrixXd w = matrix_of(partitions, rounds[r]);
      s = w * (s + seconds[r] * identity) * w.transpose();
    }
    drift = area / length / static_cast<double>(n);
  }
  return drift;
}

// An independent brute force on small random maps: all partitions by LPs from scratch, all
// sequences up to three rounds by dense matrices.
TEST(BruteForce, AgreesOnSmallRandomMaps) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const std::size_t n = 4 + seed % 3;
    const Mode mode = kAllModes[seed % 4];
    const World world(random_topology(seed, {.switches = n, .islands = n}), mode);
    const Network network = world.network();
    const Exchange exchange = seed % 3 == 0 ? Exchange::kTree : Exchange::kDirect;
    const Partitions partitions(n);
    RoundTimes times(network, partitions,
                     {.exchange = exchange, .routing = Routing::kEngineered, .payload = kPayload});
    std::vector<double> tau(partitions.size(), 0.0);
    for (std::size_t p = 0; p + 1 < partitions.size(); ++p) {
      double best = kNeverMixes;
      for (const PackingKind kind : packing_kinds(network, exchange)) {
        const PackingProblem problem{
            .network = &network, .kind = kind, .routing = Routing::kEngineered};
        RoundPacker fresh(problem);
        double latency_s = 0.0;
        for (const Clique& clique : exchanging_cliques(partitions.round(p))) {
          latency_s = std::max(latency_s, least_latency(problem, clique).in_seconds());
        }
        best = std::min(best, 16.0 / fresh.pack(partitions.round(p)).gbps + latency_s);
      }
      tau[p] = best;
      EXPECT_NEAR(times.exact_s(p), best, 1e-7 * best) << seed << ' ' << p;
    }
    double consensus = kNeverMixes;
    double drift = kNeverMixes;
    const double compute_s = 1.5;
    const auto consider = [&](const std::vector<std::size_t>& rounds) {
      Eigen::MatrixXd product = Eigen::MatrixXd::Identity(Eigen::Index(n), Eigen::Index(n));
      double sum = 0.0;
      std::vector<double> seconds;
      for (const std::size_t p : rounds) {
        product = matrix_of(partitions, p) * product;
        sum += tau[p];
        seconds.push_back(tau[p] + compute_s);
      }
      const double farthest = (product.array() - 1.0 / static_cast<double>(n)).abs().maxCoeff();
      if (farthest <= 1e-3 && contraction(product) <= 1e-3) consensus = std::min(consensus, sum);
      // All entries positive: it contracts.
      if (n < 6 && product.minCoeff() > 0.0) {
        drift = std::min(drift, drift_by_matrices(partitions, rounds, seconds));
      }
    };
    const std::size_t last = partitions.size() - 1;  // singletons only
    for (std::size_t a = 0; a < last; ++a) {
      consider({a});
      for (std::size_t b = 0; b < last; ++b) {
        consider({a, b});
        if (n > 4) continue;  // 52³ and 203³ sequences take too long this way
        for (std::size_t c = 0; c < last; ++c) consider({a, b, c});
      }
    }
    const SearchResult found = search_consensus(partitions, times, {});
    EXPECT_NEAR(found.best.front().value, consensus, 1e-7 * consensus) << seed;
    if (n == 6) continue;
    SearchOptions options;
    options.max_period = n > 4 ? 2 : 3;
    options.compute_s = compute_s;
    const SearchResult drifts = search_drift(partitions, times, options);
    EXPECT_NEAR(drifts.best.front().value, drift, 1e-6 * drift) << seed;
    EXPECT_LE(drifts.bound, drift * (1.0 + 1e-9)) << seed;
  }
}

// Closed forms: the global clique every τ seconds gives τ(1−1/n)/2; two orthogonal rounds average
// exactly; rounds that do not connect never do.
TEST(MixingCost, ClosedForms) {
  const Partitions partitions(9);
  const auto block = [&](std::size_t p) {
    return std::span<const std::uint16_t>(partitions.blocks(p).data(), 9);
  };
  const MixingRound global{.block = block(0), .time_s = 3.0};
  EXPECT_NEAR(drift_s({&global, 1}), 3.0 * (1.0 - 1.0 / 9.0) / 2.0, 1e-12);
  // Oracle O12: τ = 16.1569 s.
  const MixingRound known{.block = global.block, .time_s = 16.1569};
  EXPECT_NEAR(drift_s({&known, 1}), 7.1808, 5e-5);
  EXPECT_EQ(time_to_consensus({&global, 1}, 1e-3).rounds, 1U);
  const Topology map = nine_city();
  const std::size_t rows =
      partitions.index_of(round_of("SEO+TYO+SIN|LAX+NYC+BAR|LON+AMS+FRA", map));
  const std::size_t columns =
      partitions.index_of(round_of("SEO+LAX+LON|TYO+NYC+AMS|SIN+BAR+FRA", map));
  const std::vector<MixingRound> grid{{block(rows), 2.0}, {block(columns), 5.0}};
  EXPECT_EQ(time_to_consensus(grid, 1e-12).time_s, 7.0);
  EXPECT_EQ(time_to_consensus({grid.data(), 1}, 1e-3).time_s, kNeverMixes);
  EXPECT_EQ(drift_s({grid.data(), 1}), kNeverMixes);
  EXPECT_NEAR(drift_s(grid), drift_by_matrices(partitions, {rows, columns}, {2.0, 5.0}), 1e-12);
}

TEST(Partitions, AreAllThereInOrder) {
  const std::vector<std::size_t> bell{1, 1, 2, 5, 15, 52, 203, 877, 4140, 21147, 115975};
  for (std::size_t n = 1; n <= Partitions::kMostIslands; ++n) {
    const Partitions partitions(n);
    EXPECT_EQ(partitions.size(), bell[n]);
    EXPECT_EQ(partitions.block_count(0), 1U);
    EXPECT_EQ(partitions.block_count(partitions.size() - 1), n);
    for (std::size_t p = 0; p < partitions.size(); p += 1 + partitions.size() / 500) {
      EXPECT_EQ(partitions.index_of(partitions.round(p)), p);
    }
  }
}

// Chu–Liu/Edmonds against all parent choices, and against Dreyfus–Wagner with relaying terminals.
TEST(Arborescence, IsTheCheapestOfAll) {
  Rng rng = Rng::stream(3, "test/arborescence");
  for (int trial = 0; trial < 60; ++trial) {
    constexpr std::size_t kNodes = 5;
    std::vector<double> cost(kNodes * kNodes);
    for (double& c : cost) c = static_cast<double>(rng.below(20)) + 1.0;
    double best = kNeverMixes;
    for (std::size_t code = 0; code < 625; ++code) {  // parents of nodes 1 … 4
      std::vector<std::size_t> parent(kNodes, 0);
      double sum = 0.0;
      std::size_t left = code;
      bool fits = true;
      for (std::size_t v = 1; v < kNodes; ++v) {
        parent[v] = left % 5;
        left /= 5;
        fits = fits && parent[v] != v;
        sum += cost[parent[v] * kNodes + v];
      }
      for (std::size_t v = 1; fits && v < kNodes; ++v) {
        std::size_t at = v;
        for (std::size_t step = 0; step < kNodes; ++step) at = at == 0 ? 0 : parent[at];
        fits = at == 0;
      }
      if (fits) best = std::min(best, sum);
    }
    const std::vector<std::size_t> found = cheapest_arborescence(cost, kNodes, 0);
    double sum = 0.0;
    for (std::size_t v = 1; v < kNodes; ++v) sum += cost[found[v] * kNodes + v];
    EXPECT_DOUBLE_EQ(sum, best);
  }
}

// The search's bound and exact values meet on every partition that it solves, and no bound is above
// an exact value.
TEST(RoundTimes, BoundsAreBelowExactTimes) {
  Planning planning(kSettings[0]);
  Rng rng = Rng::stream(5, "test/partitions");
  std::vector<std::pair<std::size_t, double>> lower;
  for (int i = 0; i < 150; ++i) {
    const auto p = static_cast<std::size_t>(rng.below(planning.partitions.size() - 1));
    lower.emplace_back(p, planning.times.lower_s(p));
    if (i % 2 == 0) planning.times.exact_s(p);
  }
  for (const auto& [p, bound] : lower) {
    EXPECT_LE(bound, planning.times.exact_s(p) * (1.0 + 1e-9));
  }
  EXPECT_LT(planning.times.solved(), 160U);
}

TEST(Grid, ShapesAreTheFactorisations) {
  EXPECT_EQ(grid_shapes(100, 2).front(), (std::vector<std::size_t>{10, 10}));
  EXPECT_EQ(grid_shapes(12, 2), (std::vector<std::vector<std::size_t>>{{3, 4}, {2, 6}}));
  EXPECT_EQ(grid_shapes(27, 3).back(), (std::vector<std::size_t>{3, 3, 3}));
  EXPECT_EQ(grid_shapes(13, 4), (std::vector<std::vector<std::size_t>>{{4, 4}}));
}

/// The random map of 100 islands in tests/data.
Topology random_wan_100() {
  const Bandwidth ten = Bandwidth::gigabits_per_second(10);
  std::map<std::string, std::size_t> index;
  const std::vector<CsvRow> rows = read_csv("random_wan_100.csv");
  for (const CsvRow& row : rows) {
    index.emplace(row.at("island_a"), 0);
    index.emplace(row.at("island_b"), 0);
  }
  std::vector<std::string> names;
  std::vector<Topology::Island> islands;
  for (auto& [name, at] : index) {
    at = names.size();
    names.push_back(name);
    islands.push_back(
        {.name = name, .at = SwitchId::at(at), .up = ten, .down = ten, .latency = {}});
  }
  std::vector<Topology::Link> links;
  for (const CsvRow& row : rows) {
    const Duration latency = Duration::milliseconds(std::stod(row.at("latency_ms")));
    links.push_back(Topology::Link::both_ways(SwitchId::at(index.at(row.at("island_a"))),
                                              SwitchId::at(index.at(row.at("island_b"))), ten,
                                              latency));
  }
  return {"random wan", names, std::move(islands), links};
}

/// The bandwidth term of the best two-round grid.
double grid_bandwidth_s(const PlanResult& result) {
  for (const PlannedSchedule& one : result.ranked) {
    if (one.rounds.size() != 2) continue;
    double sum_s = 0.0;
    for (const PlannedRound& round : one.rounds) {
      sum_s += (round.time - round.latency).in_seconds();
    }
    return sum_s;
  }
  return kNeverMixes;
}

PlanResult plan_grid(const Topology& topology, Mode mode) {
  const World world(topology, mode);
  const Network network = world.network();
  PlanSpec spec;
  spec.objective = PlanObjective::kConsensus;
  spec.max_period = 2;
  return plan_schedule({.network = &network,
                        .exchange = Exchange::kDirect,
                        .routing = Routing::kShortest,
                        .payload = kPayload,
                        .compute = {}},
                       spec);
}

TEST(SlowGrid, BeatsThePlainAnnealerOnAHundredIslands) {
  const Topology topology = random_wan_100();
  const PlanResult unicast = plan_grid(topology, Mode::kNeither);
  EXPECT_LT(grid_bandwidth_s(unicast), 139.2);
  EXPECT_NEAR(
      (unicast.baselines.front().rounds[0].time - unicast.baselines.front().rounds[0].latency)
          .in_seconds(),
      1428.8, 0.05);
  EXPECT_GT(unicast.bound, 0.0);
  const PlanResult multicast = plan_grid(topology, Mode::kMulticast);
  EXPECT_LT(grid_bandwidth_s(multicast), 83.2);
  EXPECT_NEAR(
      (multicast.baselines.front().rounds[0].time - multicast.baselines.front().rounds[0].latency)
          .in_seconds(),
      158.4, 0.05);
  // The rounds average exactly.
  EXPECT_LT(unicast.ranked.front().consensus.time_s, kNeverMixes);
  EXPECT_EQ(unicast.ranked.front().consensus.rounds, unicast.ranked.front().rounds.size());
  const PlanResult both = plan_grid(topology, Mode::kBoth);
  EXPECT_NEAR((both.ranked.front().period - both.ranked.front().rounds[0].latency).in_seconds(),
              1.6, 1e-6);
}

TEST(SlowGrid, FiveHundredIslandsEndWithAGap) {
  const Topology topology =
      random_topology(7, {.switches = 500, .islands = 500, .extra_links = 300});
  const PlanResult result = plan_grid(topology, Mode::kNeither);
  ASSERT_FALSE(result.ranked.empty());
  EXPECT_GT(result.bound, 0.0);
  EXPECT_GT(result.ranked.front().value, result.bound);
  EXPECT_LT(result.ranked.front().value, result.baselines.front().value);
}

}  // namespace
}  // namespace gyre
