// What a run does in time: small maps drawn in comments, with the times derived there.

#include "sim/simulation.hpp"

#include <cmath>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/rng.hpp"
#include "models/tasks/quadratic.hpp"
#include "sim/child_process.hpp"
#include "sim/exchange_probe.hpp"
#include "tests/lockstep.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

const std::atomic<bool> kNever{false};
constexpr double kRelative = 1e-6;

/// Rounds that come again and again.
class Repeated final : public Policy {
 public:
  Repeated(const Topology& topology, const std::vector<std::string>& rounds) {
    for (const std::string& text : rounds) rounds_.push_back(parse_round({text, {}}, topology));
  }
  void describe(Fields& /*fields*/) override {}
  void start(const PolicyContext& /*context*/) override {}
  Round round(std::int64_t number) override {
    return rounds_[static_cast<std::size_t>(number) % rounds_.size()];
  }

 private:
  std::vector<Round> rounds_;
};

/// Keeps what a run reported, as text: exact, and easy to carry out of its process.
class Log final : public RunObserver {
 public:
  explicit Log(const Topology& topology) : topology_(&topology) {}
  void on_trace(const TraceRow& row) override {
    text << fmt::format("trace {} {} {:a} {:a}\n", row.time.in_seconds(), row.round,
                        row.evaluation.loss_average, row.evaluation.consensus_distance);
  }
  void on_clique(const CliqueRow& row) override {
    text << fmt::format("clique {} {} {} {} {} {} {}\n", row.round, to_text(row.members, *topology_),
                        row.start.in_seconds(), row.compute.in_seconds(), row.wait.in_seconds(),
                        row.communication.in_seconds(), row.bound_by);
  }
  std::ostringstream text;

 private:
  const Topology* topology_;
};

/// Runs in a process of its own; returns the log and a last line `end status time rounds`.
std::vector<std::string> run_log(const RunSpec& spec) {
  const std::string text = in_child([&spec] {
    Log log(*spec.topology);
    const RunResult result = simulate(spec, log, kNever);
    Bytes bytes;
    double bits = 0.0;
    for (const ArcUsage& usage : result.arcs) {
      bytes += usage.bytes;
      bits += usage.carried_bits;
    }
    log.text << fmt::format("end {} {} {} {} {} {} {} {}", static_cast<int>(result.status),
                            result.simulated.in_seconds(), result.rounds, bytes.in_bytes(), bits,
                            result.mean_round.in_seconds(), result.bound_round.in_seconds(),
                            result.failure);
    return log.text.str();
  });
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

double field(const std::string& line, std::size_t index) {
  std::istringstream stream(line);
  std::string word;
  for (std::size_t i = 0; i <= index; ++i) stream >> word;
  return std::strtod(word.c_str(), nullptr);
}

std::vector<std::string> starting(const std::vector<std::string>& lines, const std::string& what) {
  std::vector<std::string> found;
  for (const std::string& line : lines) {
    if (line.compare(0, what.size() + 1, what + " ") == 0) found.push_back(line);
  }
  return found;
}

// A ──10 Gbps, 10 ms── B: two islands, access 10 Gbps. 1 GB takes 0.8 s and 10 ms.
Topology pair(Bandwidth core = Bandwidth::gigabits_per_second(10),
              Duration latency = Duration::milliseconds(10)) {
  const Bandwidth access = Bandwidth::gigabits_per_second(10);
  return {"pair",
          {"a", "b"},
          {{"A", SwitchId::at(0), access, access, {}}, {"B", SwitchId::at(1), access, access, {}}},
          {{SwitchId::at(0), SwitchId::at(1), core, latency, core, latency}}};
}

RunSpec pair_spec(const Topology& topology, Policy& policy) {
  RunSpec spec;
  spec.topology = &topology;
  spec.capabilities = capabilities(topology, Mode::kNeither);
  spec.policy = &policy;
  spec.exchange = Exchange::kDirect;
  spec.payload = Bytes::count(1'000'000'000);
  spec.compute.step_time = Duration::seconds(1.0);
  spec.stop.max_rounds = 3;
  return spec;
}

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

// Four islands on one switch. {A,B} is quick (compute 1 s), {C,D} slow (5 s): without a barrier each
// pair keeps its own time, with one all wait for the slow pair.
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
  EXPECT_NE(free[1].find(" A+B "), std::string::npos);  // A and B end round 1 before C and D round 0
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
    islands.push_back({std::string(1, static_cast<char>('A' + i)), SwitchId::at(i % 2), rate, rate, {}});
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
  for (const char* name : {"B", "C", "D"}) islands.push_back({name, SwitchId::at(1), rate, rate, {}});
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
  for (const std::int64_t size : {std::int64_t{1}, std::int64_t{1} << 20, (std::int64_t{1} << 31) - 1,
                                  std::int64_t{1} << 31, (std::int64_t{1} << 32) + 1,
                                  std::int64_t{1'000'000'000'000}}) {
    const ProbeResult result = probe(topology, capabilities(topology, Mode::kNeither),
                                     Bytes::count(size), Exchange::kDirect, rounds);
    Bytes total;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
      const double expected = latency_s[r] + static_cast<double>(size) * 8.0 / 10e9;
      EXPECT_NEAR(result.rounds[r].time.in_seconds(), expected, kRelative * expected) << size;
    }
    for (std::size_t i = 0; i < 9; ++i) total += result.arcs[topology.up(IslandId::at(i)).index()].bytes;
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
  const ProbeResult result = probe(topology, capabilities(topology, Mode::kNeither),
                                   Bytes::count(2), Exchange::kRing,
                                   {parse_round({"LON+AMS+FRA", {}}, topology)});
  EXPECT_NEAR(result.rounds[0].time.in_seconds(), 0.01068, 1e-6);
}

// Sizes × k with rates × k leaves every time as it is; so does another order of the islands.
TEST(Simulation, ScalesAndDoesNotCareForOrder) {
  const auto times = [](std::int64_t k, bool reversed) {
    std::vector<std::string> names{"SEO", "TYO", "SIN", "LAX", "NYC", "BAR", "LON", "AMS", "FRA"};
    if (reversed) std::reverse(names.begin(), names.end());
    const Topology topology = nine_city_in_order(names, Bandwidth::gigabits_per_second(10 * k),
                                                 Bandwidth::gigabits_per_second(10 * k));
    std::vector<double> seconds;
    for (const Mode mode : {Mode::kNeither, Mode::kMulticast, Mode::kAggregation, Mode::kBoth}) {
      const ProbeResult result =
          probe(topology, capabilities(topology, mode), Bytes::count(2'000'000'000 * k),
                Exchange::kBest,
                {parse_round({"SEO+TYO+SIN+LAX|NYC+BAR+LON|AMS+FRA", {}}, topology),
                 parse_round({"SEO+TYO+SIN+LAX+NYC+BAR+LON+AMS+FRA", {}}, topology)});
      for (const RoundCost& cost : result.rounds) seconds.push_back(cost.time.in_seconds());
    }
    return seconds;
  };
  const std::vector<double> plain = times(1, false);
  const std::vector<double> scaled = times(7, false);
  const std::vector<double> relabelled = times(1, true);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_NEAR(scaled[i], plain[i], kRelative * plain[i]) << i;
    EXPECT_NEAR(relabelled[i], plain[i], kRelative * plain[i]) << i;
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

QuadraticSpec nine_parabolas() {
  QuadraticSpec spec;
  spec.optima = {-4, -3, -2, -1, 0, 1, 2, 3, 4};
  spec.start = 5.0;
  return spec;
}

// Oracle O4 through the simulation: mean after r rounds of 10 steps 5·(0.9^10)^r, loss of the
// average (1/9) Σ ½(x − b)² = x²/2 + 10/3.
TEST(Simulation, LearnsTheClosedFormOfLocalSgd) {
  const Topology topology = nine_city();
  Repeated policy(topology, {"SEO+TYO+SIN+LAX+NYC+BAR+LON+AMS+FRA"});
  Quadratic task(nine_parabolas());
  RunSpec spec = pair_spec(topology, policy);
  spec.local_steps = 10;
  spec.task = &task;
  const auto rows = starting(run_log(spec), "trace");
  ASSERT_EQ(rows.size(), 4U);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double mean = 5.0 * std::pow(0.9, 10.0 * static_cast<double>(r));
    EXPECT_NEAR(field(rows[r], 3), mean * mean / 2.0 + 10.0 / 3.0, 1e-12);
  }
  EXPECT_NEAR(field(rows[3], 4), 0.0, 1e-24);
}

// The simulation learns exactly what lockstep rounds learn: only the time differs.
TEST(Simulation, LearnsWhatLockstepLearns) {
  const Topology topology = nine_city();
  Repeated policy(topology,
                  {"SEO+TYO+SIN|LAX+NYC+BAR|LON+AMS+FRA", "SEO+LAX+LON|TYO+NYC+AMS|SIN+BAR+FRA"});
  QuadraticSpec parabolas = nine_parabolas();
  parabolas.noise = 0.3;
  Quadratic task(parabolas);
  RunSpec spec = pair_spec(topology, policy);
  spec.barrier = true;
  spec.local_steps = 4;
  spec.task = &task;
  spec.stop.max_rounds = 5;
  const auto rows = starting(run_log(spec), "trace");

  Quadratic same(parabolas);
  same.start({.islands = topology.island_names(), .seed = 1});
  for (int r = 0; r < 5; ++r) {
    for (std::size_t i = 0; i < 9; ++i) same.train(IslandId::at(i), 4);
    const auto& cliques = r % 2 == 0 ? test::kGridRows : test::kGridColumns;
    std::vector<Model> next(9);
    for (const auto& clique : cliques) {
      std::vector<WeightedIsland> terms;
      for (const std::size_t i : clique) terms.push_back({IslandId::at(i), 1.0 / 3.0});
      for (const std::size_t i : clique) next[i] = same.combine(terms);
    }
    for (std::size_t i = 0; i < 9; ++i) same.assign(IslandId::at(i), next[i]);
    EXPECT_EQ(field(rows[static_cast<std::size_t>(r) + 1], 3), same.evaluate().loss_average);
  }
}

// Oracle O11: a barrier waits for the slowest; exponential times of mean 1 s: H_9 s on average.
TEST(Simulation, TheBarrierPaysForStragglers) {
  const Topology topology = nine_city();
  Repeated policy(topology, {"SEO+TYO+SIN+LAX+NYC+BAR+LON+AMS+FRA"});
  RunSpec spec = pair_spec(topology, policy);
  spec.propagation = false;
  spec.payload = Bytes::count(1);
  spec.exchange = Exchange::kDirect;
  spec.compute.jitter.kind = StepJitter::Kind::kExponential;
  spec.stop.max_rounds = 4000;
  const double mean = field(run_log(spec).back(), 2) / 4000.0;
  // The largest of nine has variance Σ 1/k² = 1.54: four standard errors of the mean are 0.078.
  EXPECT_NEAR(mean, 2.8289682540, 0.078);
}

TEST(Simulation, StopsAtTheTargetAndAtTheTimeLimit) {
  const Topology topology = pair();
  Repeated policy(topology, {"A+B"});
  QuadraticSpec parabolas;
  parabolas.optima = {-1, 1};
  parabolas.start = 5.0;
  Quadratic task(parabolas);
  RunSpec spec = pair_spec(topology, policy);
  spec.task = &task;
  spec.local_steps = 1;
  spec.stop.max_rounds = 1000;
  spec.stop.loss = 0.5 + 5.0 * 5.0 * std::pow(0.9, 10) / 2.0 + 1e-9;  // x = 5·0.9^r at r = 5
  const auto reached = run_log(spec);
  EXPECT_EQ(field(reached.back(), 3), 5.0);
  EXPECT_NEAR(field(reached.back(), 2), 5 * 1.81, 1e-9);
  spec.stop.loss.reset();
  spec.stop.max_time = Duration::seconds(4.0);
  const auto limited = run_log(spec);
  EXPECT_NEAR(field(limited.back(), 2), 4.0, 1e-12);
  EXPECT_EQ(field(limited.back(), 3), 2.0);
  EXPECT_NEAR(field(starting(limited, "trace").back(), 1), 4.0, 1e-12);
}

// F14, F15: the same run twice, in two processes, reports the same to the last bit.
TEST(Simulation, IsDeterministic) {
  const Topology topology = nine_city();
  const auto run = [&topology] {
    Repeated policy(topology, {"SEO+TYO+SIN|LAX+NYC+BAR|LON+AMS+FRA", "SEO+BAR|TYO+SIN+LAX+NYC"});
    QuadraticSpec parabolas = nine_parabolas();
    parabolas.noise = 1.0;
    Quadratic task(parabolas);
    RunSpec spec = pair_spec(topology, policy);
    spec.task = &task;
    spec.compute.jitter.kind = StepJitter::Kind::kLognormal;
    spec.stop.max_rounds = 20;
    return run_log(spec);
  };
  EXPECT_EQ(run(), run());
}

// F21: an actor that nobody wakes ends the run at once, with the hook called.
TEST(FlowNetwork, ReportsADeadlock) {
  const std::string answer = in_child([] {
    const Topology topology = pair();
    FlowNetwork network(topology);
    auto gate = simgrid::s4u::Semaphore::create(0);
    simgrid::s4u::Actor::create("A", network.host(IslandId::at(0)), [gate] { gate->acquire(); });
    bool told = false;
    const bool good = network.run([&told] { told = true; });
    return fmt::format("{} {}", good, told);
  });
  EXPECT_EQ(answer, "false true");
}

// Every option that we rely on is set, and none is left at a default of the engine that ruins a WAN.
TEST(FlowNetwork, SetsEveryModelOption) {
  std::vector<std::string> set;
  for (const ModelOption& option : model_options()) set.push_back(option.name + "=" + option.value);
  for (const char* needed :
       {"network/model=CM02", "network/TCP-gamma=0", "network/weight-S=0", "network/latency-factor=1",
        "network/bandwidth-factor=1", "network/crosstraffic=0"}) {
    EXPECT_NE(std::find(set.begin(), set.end(), needed), set.end()) << needed;
  }
}

TEST(ChildProcess, ReportsACrash) {
  EXPECT_THROW(in_child([]() -> std::string { std::abort(); }), std::runtime_error);
  EXPECT_EQ(in_child([] { return std::string("one\ntwo"); }), "one\ntwo");
}

}  // namespace
}  // namespace gyre
