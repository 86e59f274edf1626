// What a run does in time: small maps drawn in comments, with the times derived there.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "sim/child_process.hpp"
#include "sim/exchange_probe.hpp"
#include "sim/simulation.hpp"
#include "tests/run_log.hpp"

namespace gyre {
namespace {

constexpr double kRelative = 1e-6;

TEST(Simulation, ARoundIsComputeThenExchange) {
  const Topology topology = pair();
  Repeated policy(topology, {"A+B"});
  const auto lines = run_log(pair_spec(topology, policy));
  EXPECT_NEAR(field(lines.back(), 2), 3 * 1.81, 1e-9);
  const auto cliques = starting(lines, "clique");
  ASSERT_EQ(cliques.size(), 3U);
  EXPECT_NEAR(field(cliques[2], 3), 2 * 1.81, 1e-9);  // start
  EXPECT_NEAR(field(cliques[2], 6), 0.81, 1e-9);      // communication
}

// A computes 1 s, B 3 s a round: A waits 2 s, half of that is the mean.
TEST(Simulation, TheFasterIslandWaits) {
  const Topology topology = pair();
  Repeated policy(topology, {"A+B"});
  RunSpec spec = pair_spec(topology, policy);
  spec.compute.islands = {{.island = {"B", {}}, .step_time = Duration::seconds(3.0)}};
  const auto lines = run_log(spec);
  EXPECT_NEAR(field(lines.back(), 2), 3 * 3.81, 1e-9);
  const auto cliques = starting(lines, "clique");
  EXPECT_NEAR(field(cliques[0], 4), 3.0, 1e-9);
  EXPECT_NEAR(field(cliques[0], 5), 1.0, 1e-9);
}

// Four islands on one switch. {A,B} is quick (compute 1 s), {C,D} slow (5 s): without a barrier
// each pair keeps its own time, with one all wait for the slow pair.
TEST(Simulation, CliquesKeepTheirOwnTimeUnlessThereIsABarrier) {
  const Bandwidth rate = Bandwidth::gigabits_per_second(8);
  std::vector<Topology::Island> islands;
  for (const char* name : {"A", "B", "C", "D"}) {
    islands.push_back({name, SwitchId::at(0), rate, rate, {}});
  }
  const Topology topology("star", {"s"}, islands, {});
  Repeated policy(topology, {"A+B|C+D"});
  RunSpec spec = pair_spec(topology, policy);
  for (const char* name : {"C", "D"}) {
    spec.compute.islands.push_back({.island = {name, {}}, .step_time = Duration::seconds(5.0)});
  }
  const auto free = starting(run_log(spec), "clique");
  ASSERT_EQ(free.size(), 6U);
  EXPECT_NE(free[1].find(" A+B "),
            std::string::npos);  // A and B end round 1 before C and D round 0
  EXPECT_NEAR(field(free[1], 3), 2.0, 1e-9);
  spec.barrier = true;
  const auto held = starting(run_log(spec), "clique");
  EXPECT_NE(held[1].find(" C+D "), std::string::npos);
  EXPECT_NEAR(field(held[2], 3), 6.0, 1e-9);
}

// Two pairs over one 8 Gbps core link, 1 GB each way. The first starts at 1 s, alone at 8 Gbps; the
// second at 1.5 s, when half of the first's is through: both at 4 Gbps until 2.5 s, when the first
// ends; the second has 0.5 GB left at 8 Gbps: until 3 s.
TEST(Simulation, ExchangesUnderWayShareArcsMaxMin) {
  const Bandwidth rate = Bandwidth::gigabits_per_second(8);
  std::vector<Topology::Island> islands;
  for (std::size_t i = 0; i < 4; ++i) {
    islands.push_back(
        {std::string(1, static_cast<char>('A' + i)), SwitchId::at(i % 2), rate, rate, {}});
  }
  const Topology topology("two pairs", {"l", "r"}, islands,
                          {{SwitchId::at(0), SwitchId::at(1), rate, {}, rate, {}}});
  Repeated policy(topology, {"A+B|C+D"});
  RunSpec spec = pair_spec(topology, policy);
  spec.stop.max_rounds = 1;
  for (const char* name : {"C", "D"}) {
    spec.compute.islands.push_back({.island = {name, {}}, .step_time = Duration::seconds(1.5)});
  }
  const auto cliques = starting(run_log(spec), "clique");
  EXPECT_NEAR(field(cliques[0], 6), 1.5, 1e-9);  // A+B: 1 s to 2.5 s
  EXPECT_NEAR(field(cliques[1], 6), 1.5, 1e-9);  // C+D: 1.5 s to 3 s
}

// F28: 10 Gbps one way, 1 Gbps the other: each direction has its own numbers, the slow one paces.
TEST(Simulation, DirectionsDiffer) {
  const Bandwidth access = Bandwidth::gigabits_per_second(10);
  const Topology topology(
      "lopsided", {"a", "b"},
      {{"A", SwitchId::at(0), access, access, {}}, {"B", SwitchId::at(1), access, access, {}}},
      {{SwitchId::at(0), SwitchId::at(1), access, Duration::milliseconds(1),
        Bandwidth::gigabits_per_second(1), Duration::milliseconds(7)}});
  const ProbeResult result =
      probe(topology, capabilities(topology, Mode::kNeither), Bytes::count(1'000'000'000),
            Exchange::kDirect, {parse_round({"A+B", {}}, topology)});
  EXPECT_NEAR(result.rounds[0].time.in_seconds(), 8.007, 1e-9);
  EXPECT_NEAR(result.rounds[0].cliques[0].bound.in_seconds(), 8.007, 1e-9);
  EXPECT_NEAR(result.arcs[4].busy.in_seconds(), 2 * 0.4, 1.0);  // a->b
  EXPECT_NEAR(result.arcs[5].busy.in_seconds(), 8.0, 1e-6);     // b->a
}

// A switch that cannot replicate between two that can: three receivers behind it cost its feeding
// arc three copies.   A─s══m──(B,C,D)   with s capable, m not: arc s→m carries 3 × 1 GB.
TEST(Simulation, CopiesCostTheArcBeforeAnIncapableSwitch) {
  const Bandwidth rate = Bandwidth::gigabits_per_second(8);
  std::vector<Topology::Island> islands{{"A", SwitchId::at(0), rate, rate, {}},
                                        {"E", SwitchId::at(0), rate, rate, {}}};
  for (const char* name : {"B", "C", "D"})
    islands.push_back({name, SwitchId::at(1), rate, rate, {}});
  const Topology topology("copies", {"s", "m"}, islands,
                          {{SwitchId::at(0), SwitchId::at(1), rate, {}, rate, {}}});
  const Capabilities some{.multicast = {true, false}, .aggregation = {false, false}};
  const ProbeResult result = probe(topology, some, Bytes::count(1'000'000'000), Exchange::kDirect,
                                   {parse_round({"A+E+B+C+D", {}}, topology)});
  const ArcId to_m = ArcId::at(2 * 5);
  ASSERT_EQ(topology.name(to_m), "s->m");
  EXPECT_EQ(result.arcs[to_m.index()].bytes.in_bytes(), 6'000'000'000);  // 3 copies of A's and E's
  EXPECT_EQ(result.arcs[topology.up(IslandId::at(0)).index()].bytes.in_bytes(), 1'000'000'000);
  // B, C, D send one unicast to each of four others: each up carries 4 GB, m→s 6 GB: 6 s.
  EXPECT_NEAR(result.rounds[0].bandwidth.in_seconds(), 6.0, 1e-6);
}

// F1, F4, F6: latency + size/bandwidth for every pair of cities, both ways at once, at sizes around
// the borders of 31 and 32 bits and beyond.
TEST(Simulation, AnIdlePairTakesLatencyPlusSizeOverBandwidth) {
  const Topology topology = nine_city();
  const Routes routes(topology);
  std::vector<Round> rounds;
  std::vector<double> latency_s;
  for (std::size_t i = 0; i < 9; ++i) {
    for (std::size_t j = i + 1; j < 9; ++j) {
      rounds.push_back(make_round({{IslandId::at(i), IslandId::at(j)}}, 9));
      latency_s.push_back(
          routes.latency(topology.node(IslandId::at(i)), topology.node(IslandId::at(j)))
              .in_seconds());
    }
  }
  for (const std::int64_t size :
       {std::int64_t{1}, std::int64_t{1} << 20, (std::int64_t{1} << 31) - 1, std::int64_t{1} << 31,
        (std::int64_t{1} << 32) + 1, std::int64_t{1'000'000'000'000}}) {
    const ProbeResult result = probe(topology, capabilities(topology, Mode::kNeither),
                                     Bytes::count(size), Exchange::kDirect, rounds);
    Bytes total;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      const double expected = latency_s[r] + static_cast<double>(size) * 8.0 / 10e9;
      EXPECT_NEAR(result.rounds[r].time.in_seconds(), expected, kRelative * expected) << size;
    }
    for (std::size_t i = 0; i < 9; ++i)
      total += result.arcs[topology.up(IslandId::at(i)).index()].bytes;
    EXPECT_EQ(total.in_bytes(), 72 * size);
  }
}

// F5: what does not bind does not change the time, and the run says what binds.
TEST(Simulation, SaysWhatBinds) {
  const Bytes gigabyte = Bytes::count(1'000'000'000);
  const auto bound_by = [&gigabyte](const Topology& topology) {
    const ProbeResult result = probe(topology, capabilities(topology, Mode::kNeither), gigabyte,
                                     Exchange::kDirect, {parse_round({"A+B", {}}, topology)});
    return result.rounds[0].cliques[0].bound_by;
  };
  EXPECT_EQ(bound_by(pair(Bandwidth::gigabits_per_second(100))), "access A.up");
  EXPECT_EQ(bound_by(pair(Bandwidth::gigabits_per_second(5))), "link a->b");
  EXPECT_EQ(bound_by(pair(Bandwidth::gigabits_per_second(100), Duration::seconds(2))), "latency");
  const Topology topology = pair();
  Repeated policy(topology, {"A+B"});
  EXPECT_NE(starting(run_log(pair_spec(topology, policy)), "clique")[0].find(" compute"),
            std::string::npos);
}

// F9: one island, a clique of one, the first and the last island.
TEST(Simulation, OneIslandTrainsAlone) {
  const Bandwidth rate = Bandwidth::gigabits_per_second(10);
  const Topology topology("one", {"s"}, {{"A", SwitchId::at(0), rate, rate, {}}}, {});
  Repeated policy(topology, {"A"});
  const auto lines = run_log(pair_spec(topology, policy));
  EXPECT_NEAR(field(lines.back(), 2), 3.0, 1e-12);
  EXPECT_EQ(field(lines.back(), 3), 3.0);
}

// A payload smaller than the ring's chunks: some flows have nothing to carry.
TEST(Simulation, RingOfThreeWithTwoBytes) {
  const Topology topology = nine_city();
  const ProbeResult result =
      probe(topology, capabilities(topology, Mode::kNeither), Bytes::count(2), Exchange::kRing,
            {parse_round({"LON+AMS+FRA", {}}, topology)});
  EXPECT_NEAR(result.rounds[0].time.in_seconds(), 0.01068, 1e-6);
}

// Sizes × k with rates × k leaves every time as it is; so does another order of the islands.
TEST(Simulation, ScalesAndDoesNotCareForOrder) {
  const auto times = [](std::int64_t k, bool reversed, Exchange exchange) {
    std::vector<std::string> names{"SEO", "TYO", "SIN", "LAX", "NYC", "BAR", "LON", "AMS", "FRA"};
    if (reversed) std::reverse(names.begin(), names.end());
    const Topology topology = nine_city_in_order(names, Bandwidth::gigabits_per_second(10 * k),
                                                 Bandwidth::gigabits_per_second(10 * k));
    std::vector<double> seconds;
    for (const Mode mode : {Mode::kNeither, Mode::kMulticast, Mode::kAggregation, Mode::kBoth}) {
      const ProbeResult result =
          probe(topology, capabilities(topology, mode), Bytes::count(2'000'000'000 * k), exchange,
                {parse_round({"SEO+TYO+SIN+LAX|NYC+BAR+LON|AMS+FRA", {}}, topology),
                 parse_round({"SEO+TYO+SIN+LAX+NYC+BAR+LON+AMS+FRA", {}}, topology)});
      for (const RoundCost& cost : result.rounds) seconds.push_back(cost.time.in_seconds());
    }
    return seconds;
  };
  for (const Exchange exchange :
       {Exchange::kDirect, Exchange::kRing, Exchange::kTree, Exchange::kBest}) {
    SCOPED_TRACE(name_of(exchange));
    const std::vector<double> plain = times(1, false, exchange);
    const std::vector<double> scaled = times(7, false, exchange);
    const std::vector<double> relabelled = times(1, true, exchange);
    // Of many packings with one rate the order of the islands may choose another, with trees of
    // other depths: 1 % of the time at most.
    const bool packs = exchange == Exchange::kTree || exchange == Exchange::kBest;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      EXPECT_NEAR(scaled[i], plain[i], kRelative * plain[i]) << i;
      EXPECT_NEAR(relabelled[i], plain[i], (packs ? 0.01 : kRelative) * plain[i]) << i;
    }
  }
}

// Bytes are conserved: what the flows carried by rate is what they were to carry; and a long run's
// mean round is at least its bound.
TEST(Simulation, ConservesBytesAndKeepsTheBound) {
  const Topology topology = nine_city();
  for (const Mode mode : {Mode::kNeither, Mode::kMulticast, Mode::kAggregation, Mode::kBoth}) {
    Repeated policy(topology, {"SEO+TYO+SIN|LAX+NYC+BAR|LON+AMS+FRA",
                               "SEO+NYC+FRA|TYO+BAR+AMS|SIN+LAX+LON", "SEO+BAR|TYO+SIN+LAX+NYC"});
    RunSpec spec = pair_spec(topology, policy);
    spec.capabilities = capabilities(topology, mode);
    spec.stop.max_rounds = 12;
    const auto lines = run_log(spec);
    const double bytes = field(lines.back(), 4);
    EXPECT_GT(bytes, 0.0);
    EXPECT_NEAR(field(lines.back(), 5) / 8.0, bytes, 1e-6 * bytes);
    EXPECT_GE(field(lines.back(), 6), field(lines.back(), 7));
  }
}

// Forty times the rounds, the same memory: neither our bookkeeping nor the engine's may pile up,
// even where a pair is far ahead of the others.
TEST(Simulation, MemoryDoesNotGrowWithTheRounds) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer keeps freed memory in quarantine";
#endif
  const Topology topology = nine_city();
  const auto peak_kilobytes = [&topology](std::int64_t rounds,
                                          const std::vector<std::string>& rounds_of_period) {
    return std::stol(in_child([&] {
      Repeated policy(topology, rounds_of_period);
      RunSpec spec = pair_spec(topology, policy);
      spec.capabilities = capabilities(topology, Mode::kMulticast);
      spec.stop.max_rounds = rounds;
      RunObserver silent;
      simulate(spec, silent, kNever);
      rusage usage{};
      ::getrusage(RUSAGE_SELF, &usage);
      return std::to_string(usage.ru_maxrss);
    }));
  };
  for (const std::vector<std::string>& period :
       {std::vector<std::string>{"SEO+TYO|SIN+LAX+NYC|BAR+LON+AMS+FRA"},
        std::vector<std::string>{"SEO+TYO+SIN|LAX+NYC+BAR|LON+AMS+FRA",
                                 "SEO+NYC+FRA|TYO+BAR+AMS|SIN+LAX+LON"}}) {
    const long few = peak_kilobytes(500, period);
    const long many = peak_kilobytes(20'000, period);
    EXPECT_LT(many - few, 1'000) << few << " KB, then " << many;
  }
}

// F21: an actor that nobody wakes ends the run at once, with the hook called.
TEST(Platform, ReportsADeadlock) {
  const std::string answer = in_child([] {
    const Topology topology = pair();
    Platform platform(topology);
    auto gate = simgrid::s4u::Semaphore::create(0);
    simgrid::s4u::Actor::create("A", platform.host(IslandId::at(0)), [gate] { gate->acquire(); });
    bool told = false;
    const bool good = platform.run([&told] { told = true; });
    return fmt::format("{} {}", good, told);
  });
  EXPECT_EQ(answer, "false true");
}

// Every option that we rely on is set, and none is left at a default of the engine that ruins a
// WAN.
TEST(Platform, SetsEveryModelOption) {
  std::vector<std::string> set;
  for (const ModelOption& option : model_options()) set.push_back(option.name + "=" + option.value);
  for (const char* needed :
       {"network/model=CM02", "network/TCP-gamma=0", "network/weight-S=0",
        "network/latency-factor=1", "network/bandwidth-factor=1", "network/crosstraffic=0"}) {
    EXPECT_NE(std::find(set.begin(), set.end(), needed), set.end()) << needed;
  }
}

TEST(ChildProcess, ReportsACrash) {
  EXPECT_THROW(in_child([]() -> std::string { std::abort(); }), std::runtime_error);
  EXPECT_EQ(in_child([] { return std::string("one\ntwo"); }), "one\ntwo");
}

}  // namespace
}  // namespace gyre
