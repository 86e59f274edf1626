// What fails in a run, and what becomes of the exchanges: closed forms, rules, and every policy.

#include "sim/faults.hpp"

#include <cmath>

#include "tests/cli.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

class Faults : public Cli {
 protected:
  /// Two islands 10 ms apart by a link of 1 Gbit/s, 40 ms by way of R; 1 GB, so that an exchange
  /// takes 8 s and what it is on the way; it begins after 1 s of compute.
  [[nodiscard]] std::string scenario(const std::string& network,
                                     const std::string& more = "") const {
    return file("faults.yaml", fmt::format(R"(gyre: 1
name: faults
network:
  topology:
    switches: [{{name: P}}, {{name: Q}}, {{name: R}}]
    islands: [{{name: p, at: P}}, {{name: q, at: Q}}]
    links:
      - {{between: [P, Q], latency: 10 ms, bandwidth: 1 Gbps}}
      - {{between: [P, R], latency: 20 ms, bandwidth: 1 Gbps}}
      - {{between: [R, Q], latency: 20 ms, bandwidth: 1 Gbps}}
  access: {{bandwidth: 10 Gbps}}
  modes: [neither]
{}
job: {{payload: 1 GB, compute: {{step_time: 1 s}}}}
task: {{kind: quadratic, optima: [0, 2]}}
schedules: [{{policy: all-reduce, exchange: direct}}]
stop: {{max_rounds: 2}}
{})",
                                           network, more))
        .string();
  }
  /// Three islands on one switch, 1 GB at 1 Gbit/s; they begin to exchange after 1 s.
  [[nodiscard]] std::string of_three(const std::string& network, int rounds) const {
    return file("star.yaml", fmt::format(R"(gyre: 1
name: star
{}{}job: {{payload: 1 GB, compute: {{step_time: 1 s}}}}
task: {{kind: quadratic, optima: [0, 1, 2]}}
schedules: [{{policy: all-reduce, exchange: direct}}]
stop: {{max_rounds: {}}}
)",
                                         kThreeOnASwitch, network, rounds))
        .string();
  }
  /// Column of rounds.csv, of the first run.
  [[nodiscard]] std::vector<std::string> rounds(const std::string& column,
                                                const std::string& run = "") const {
    return cells("rounds.csv", column, run);
  }
  [[nodiscard]] std::vector<std::string> cells(const std::string& file, const std::string& column,
                                               const std::string& run = "") const {
    std::vector<std::string> cells;
    fs::path folder = folder_ / "out/runs" / run;
    if (run.empty()) folder = fs::directory_iterator(folder_ / "out/runs")->path();
    const auto table = parse_csv(read(folder / file));
    const auto at = static_cast<std::size_t>(std::find(table[0].begin(), table[0].end(), column) -
                                             table[0].begin());
    for (std::size_t r = 1; r < table.size(); ++r) cells.push_back(table[r].at(at));
    return cells;
  }
  void run(const std::string& file, const std::string& more = "") const {
    const Outcome outcome = gyre("compare " + file + " -o out --overwrite --quiet " + more);
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
  }
  [[nodiscard]] std::string events() const {
    return read(fs::directory_iterator(folder_ / "out/runs")->path() / "events.csv");
  }
};

// An arc down from t1 to t2 during a transfer: 8 s of sending, 4 s of standing still, 10 ms.
TEST_F(Faults, WaitingGoesOnWhereItWas) {
  run(scenario("  faults: [{arc: P->Q, from: 3 s, to: 7 s}]\n  in_flight: wait"));
  EXPECT_EQ(rounds("communication_s"), (std::vector<std::string>{"12.01", "8.01"}));
  // Both steps lead a tenth of the way to 1: the average model's losses are (x² + (x − 2)²)/4 at 0
  // and 0.19; evaluations are at the start and at the end.
  EXPECT_EQ(events(),
            "time_s,what,subject,round,effect,accuracy_before,accuracy_after,loss_before,loss_after"
            "\n3,fails,P->Q,,flows that stand still: 1,,,1,0.82805\n"
            "7,is back,P->Q,,,,,1,0.82805\n");
  // Both directions, as a fibre is cut; and none of it where nothing is under way.
  run(
      scenario("  faults: [{link: [Q, P], from: 3 s, to: 7 s}, {arc: P->R, from: 2 s}]\n"
               "  in_flight: wait"));
  EXPECT_EQ(rounds("communication_s"), (std::vector<std::string>{"12.01", "8.01"}));
}

// 2 s are lost, then 8 s and 40 ms by way of R; the second round goes the old way again.
TEST_F(Faults, ReroutingStartsAgainOnWhatIsLeft) {
  run(scenario("  faults: [{link: [P, Q], from: 3 s, to: 7 s}]\n  in_flight: reroute"));
  EXPECT_EQ(rounds("communication_s"), (std::vector<std::string>{"10.04", "8.01"}));
  // The first plan, the one around the outage, and the first one again.
  std::vector<std::string> core;
  const std::vector<std::string> arcs = cells("routes.csv", "arc");
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    if (arcs[i].find("->") == std::string::npos) continue;
    core.push_back(cells("routes.csv", "plan")[i] + " " + cells("routes.csv", "round")[i] + " " +
                   arcs[i] + " " + cells("routes.csv", "bytes")[i]);
  }
  EXPECT_EQ(core, (std::vector<std::string>{"0 0 P->Q 1000000000", "0 0 Q->P 1000000000",
                                            "1 0 P->R 1000000000", "1 0 R->P 1000000000",
                                            "1 0 R->Q 1000000000", "1 0 Q->R 1000000000",
                                            "2 1 P->Q 1000000000", "2 1 Q->P 1000000000"}));
  // The report shows the plan with which a round ended.
  ASSERT_EQ(gyre("report out").status, 0);
  const auto shown = report_data(read(folder_ / "out/report.html"));
  EXPECT_EQ(shown.at("runs").at(0).at("rounds").at(0).at("ways"),
            nlohmann::json::parse("[[1, 2]]"));
  EXPECT_EQ(shown.at("runs").at(0).at("rounds").at(1).at("ways"), nlohmann::json::parse("[[0]]"));
  EXPECT_EQ(shown.at("runs").at(0).at("events").size(), 3U);
  // What was sent in vain counts: a quarter of both payloads, then both over two links.
  EXPECT_EQ(rounds("wan_bytes"), (std::vector<std::string>{"4500000000", "2000000000"}));
  EXPECT_NE(events().find("3,planned anew,p+q,0,it starts again,,,1,0.82805\n"), std::string::npos)
      << events();
}

// From the start on the exchange is planned around what is away.
TEST_F(Faults, ReroutingPlansAroundWhatIsAway) {
  run(scenario("  faults: [{arc: P->Q, from: 0 s}]\n  in_flight: reroute"));
  EXPECT_EQ(rounds("communication_s"), (std::vector<std::string>{"8.04", "8.04"}));
}

TEST_F(Faults, WhereNoWayIsLeftReroutingWaits) {
  run(scenario("  faults: [{switch: Q, from: 3 s, to: 7 s}]\n  in_flight: reroute"));
  EXPECT_EQ(rounds("communication_s"), (std::vector<std::string>{"12.01", "8.01"}));
  EXPECT_NE(
      events().find("3,waits,p+q,0,some of its members cannot reach each other,,,1,0.82805\n"),
      std::string::npos)
      << events();
}

// The members keep their models: half way to their own optima (a step of 0.1 from 0).
TEST_F(Faults, DroppingGoesOnWithout) {
  run(scenario("  faults: [{arc: P->Q, from: 3 s, to: 3.5 s}]\n  in_flight: drop"));
  EXPECT_EQ(rounds("communication_s"), (std::vector<std::string>{"2", "8.01"}));
  EXPECT_EQ(rounds("outcome"), (std::vector<std::string>{"dropped", "averaged"}));
  EXPECT_EQ(rounds("wan_bytes"), (std::vector<std::string>{"500000000", "2000000000"}));
}

// Packets: what is lost comes again, so that an outage costs as long as it lasts, to a few chunks.
TEST_F(Faults, PacketsComeAgain) {
  const std::string transport = "  transport: {chunk: 1 MB, packet: 1 MB";
  run(scenario(transport + "}"), "--fidelity packet");
  const double alone = std::stod(rounds("communication_s")[0]);
  EXPECT_GT(alone, 8.01);
  const std::string faults = "  faults: [{link: [P, Q], from: 3 s, to: 7 s}]\n" + transport +
                             ", recovery: {give_up: 1 h}}\n  in_flight: ";
  run(scenario(faults + "wait"), "--fidelity packet");
  EXPECT_NEAR(std::stod(rounds("communication_s")[0]), alone + 4.0, 0.05);
  // As flows, to a chunk's time on each arc of the way.
  run(scenario(faults + "reroute"), "--fidelity packet");
  EXPECT_NEAR(std::stod(rounds("communication_s")[0]), 10.04, 0.03);
  EXPECT_GT(std::stod(rounds("communication_s")[0]), 10.04);
  EXPECT_NEAR(std::stod(rounds("communication_s")[1]), alone, 1e-6);
  EXPECT_NE(events().find("3,planned anew,p+q,0,it starts again,,,1,0.82805\n"), std::string::npos)
      << events();
  run(scenario(faults + "drop"),
      "--fidelity packet --set 'network.faults=[{link: [P, Q], from: 3 s, to: 3.5 s}]'");
  EXPECT_EQ(rounds("communication_s")[0], "2");
  EXPECT_EQ(rounds("outcome"), (std::vector<std::string>{"dropped", "averaged"}));
}

// The adder goes while packets are summed, by each rule of launching.
TEST_F(Faults, PacketsFallBackToTheHosts) {
  for (const std::string launch : {"together", "aligned", "eager"}) {
    const std::string star = of_three(
        fmt::format("  modes: [both]\n  faults: [{{switch: S, loses: aggregation, from: 3 s, to: "
                    "43 s}}]\n  transport: {{chunk: 1 MB, packet: 1 MB}}\n  aggregator: {{memory: "
                    "64 MB, launch: {}}}\n  in_flight: reroute\n",
                    launch),
        4);
    const auto times = [this] {
      std::vector<double> all;
      for (const std::string& cell : rounds("communication_s")) {
        all.push_back(std::round(std::stod(cell) * 10.0) / 10.0);
      }
      return all;
    };
    run(star, "--fidelity packet");
    EXPECT_EQ(times(), (std::vector<double>{18, 16, 16, 8})) << launch;
    run(star, "--fidelity packet --set network.in_flight=wait");
    EXPECT_EQ(times(), (std::vector<double>{50, 8, 8, 8})) << launch;
  }
}

// Also in a round by itself, which begins at time 0: 8 s, and the 4 s in between.
TEST_F(Faults, ARoundByItselfKnowsLinksAndChance) {
  const auto time_s = [this](const std::string& faults) {
    const Outcome outcome =
        gyre("exchange " +
             scenario("  faults: [" + faults +
                      "]\n  transport: {chunk: 1 MB, packet: 1 MB, recovery: {give_up: 1 h}}\n"
                      "  in_flight: wait") +
             " --exchange direct --fidelity packet --format csv");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    return outcome.status == 0 ? std::stod(parse_csv(outcome.output)[1][4]) : 0.0;
  };
  EXPECT_NEAR(time_s("{link: [P, Q], from: 3 s, to: 7 s}"), 12.01, 0.05);
  EXPECT_GT(time_s("{every_link: true, availability: 0.5, mean_outage: 2 s}"), 8.1);
}

// Summed in the switch it takes 8 s; it loses that after 2 s,
// and what is left to it is to replicate: everybody takes two models, 16 s.
TEST_F(Faults, WithoutItsAdderASwitchFallsBackToTheHosts) {
  const std::string star = of_three(
      "  modes: [both]\n  faults: [{switch: S, loses: aggregation, from: 3 s, to: 43 s}]\n"
      "  in_flight: reroute\n",
      4);
  run(star);
  EXPECT_EQ(rounds("communication_s"), (std::vector<std::string>{"18", "16", "16", "8"}));
  EXPECT_EQ(rounds("exchange"),
            (std::vector<std::string>{"direct", "direct", "direct", "in-network"}));
  EXPECT_NE(events().find("3,fails,aggregation of S,"), std::string::npos) << events();
  EXPECT_NE(events().find("it starts again, as direct"), std::string::npos) << events();
  // Waiting for the reload of 40 s, which takes the sum so far with it.
  run(star, "--set network.in_flight=wait");
  EXPECT_EQ(rounds("communication_s"), (std::vector<std::string>{"50", "8", "8", "8"}));
}

// Tables are installed once.
TEST_F(Faults, TheFirstExchangeOfACliqueWaitsForItsTables) {
  const std::string star = of_three("  modes: [neither, both]\n  setup_time: 500 ms\n", 3);
  run(star);
  EXPECT_EQ(rounds("communication_s", "all-reduce+direct.both.seed1"),
            (std::vector<std::string>{"8.5", "8", "8"}));
  EXPECT_EQ(rounds("communication_s", "all-reduce+direct.neither.seed1"),
            (std::vector<std::string>{"16", "16", "16"}));
}

// The adder goes 500 ms before the tables are there; what then is planned by multicast needs tables
// as well: 1.5 s and 2 s for them, and 16 s.
TEST_F(Faults, WhatIsPlannedAnewNeedsTablesToo) {
  run(
      of_three("  modes: [both]\n  setup_time: 2 s\n  in_flight: reroute\n"
               "  faults: [{switch: S, loses: aggregation, from: 2.5 s}]\n",
               2));
  EXPECT_EQ(rounds("communication_s"), (std::vector<std::string>{"19.5", "16"}));
}

// A member that has its result computes on; those that have to start again get what it sends.
TEST_F(Faults, WhoHasLeftSendsAgain) {
  const std::string row = file("row.yaml", R"(gyre: 1
name: row
network:
  topology:
    switches: [{name: S}, {name: T}]
    islands: [{name: a, at: S}, {name: b, at: S}, {name: c, at: S, up: 1 Gbps, down: 100 Mbps}]
    links:
      - {between: [S, T], latency: 0 s, bandwidth: 1 Gbps}
  access: {bandwidth: 1 Gbps}
  modes: [neither]
  faults: [{arc: c.down, from: 100 s, to: 101 s}]
  in_flight: reroute
job: {payload: 1 GB, compute: {step_time: 1 s}}
task: {kind: quadratic, optima: [0, 1, 2]}
schedules: [{policy: all-reduce, exchange: direct}]
stop: {max_rounds: 1}
)")
                              .string();
  // Only c is left when its link fails, and there is no other way to it: 160 s of 2 GB at 100
  // Mbit/s, and 1 s of waiting.
  run(row);
  EXPECT_EQ(rounds("communication_s"), (std::vector<std::string>{"161"}));
}

// Long-run availability within its sampling error: of n cycles the mean up and down times are
// exponential, so the share of ups has a standard error of A (1 - A) sqrt(2 / n).
TEST(FaultTimes, AvailabilityIsTheStatedOne) {
  FaultSpec spec;
  spec.arc = Text{.value = "east.up", .where = {}};
  spec.availability = 0.99;
  spec.mean_outage = Duration::seconds(30.0);
  const Bandwidth rate = Bandwidth::gigabits_per_second(1);
  const Topology map("one", {"S"}, {{"east", SwitchId::at(0), rate, rate, {}}}, {});
  const std::vector<Fault> faults = faults_of({spec}, map);
  ASSERT_EQ(faults.size(), 1U);
  FaultTimes times(faults.front(), 5);
  constexpr int kCycles = 20'000;
  double up = 0.0;
  double down = 0.0;
  Instant last;
  for (int event = 0; event < 2 * kCycles; ++event) {
    const Instant now = times.next().value();
    EXPECT_GT(now, last);
    (times.failed() ? up : down) += (now - last).in_seconds();
    last = now;
  }
  const double share = up / (up + down);
  EXPECT_NEAR(share, 0.99, 4.0 * 0.99 * 0.01 * std::sqrt(2.0 / kCycles));
  EXPECT_NEAR(down / kCycles, 30.0, 4.0 * 30.0 / std::sqrt(kCycles));
  // The same seed gives the same times, another one others.
  FaultTimes again(faults.front(), 5);
  FaultTimes other(faults.front(), 6);
  FaultTimes same(faults.front(), 5);
  const Instant first = again.next().value();
  EXPECT_EQ(first, same.next().value());
  EXPECT_NE(first, other.next().value());
}

TEST_F(Faults, NeedARule) {
  const auto refused = [this](const std::string& network, const std::string& why,
                              const std::string& more = "") {
    const Outcome outcome = gyre("compare " + scenario(network) + " -o none " + more);
    EXPECT_EQ(outcome.status, 2) << network;
    EXPECT_NE(outcome.errors.find(why), std::string::npos) << outcome.errors;
  };
  refused("  faults: [{arc: P->Q, from: 3 s}]",
          "faults.yaml:13:12: network.faults[0]: needs "
          "`network.in_flight`");
  refused("  in_flight: wait", "has no effect without `network.faults`");
  refused("  faults: [{arc: P->Q, from: 3 s}]\n  in_flight: hope", "must be wait, reroute or drop");
  refused("  faults: [{arc: P->X, from: 3 s}]\n  in_flight: wait", "is no arc of the map");
  refused("  faults: [{link: [P, X], from: 3 s}]\n  in_flight: wait", "is no switch of the map");
  refused("  faults: [{arc: P->Q}]\n  in_flight: wait", "says not when it fails");
  refused("  faults: [{arc: P->Q, availability: 0.9}]\n  in_flight: wait", "need each other");
  refused("  faults: [{arc: P->Q, loses: both, from: 1 s}]\n  in_flight: wait", "is a switch's");
  refused("  faults: [{arc: P->Q, from: 3 s}]", "needs `network.in_flight`", "--fidelity packet");
  refused("  faults: [{arc: P->Q, from: 3 s}]\n  in_flight: drop", "must be wait",
          "--set 'schedules=[{policy: mst}]'");
}

/// Every policy, rule and kind of fault.
struct MatrixCase {
  const char* name;
  const char* fault;
};
class SlowFaultMatrix : public Faults, public testing::WithParamInterface<MatrixCase> {};

INSTANTIATE_TEST_SUITE_P(
    Kinds, SlowFaultMatrix,
    testing::Values(MatrixCase{"Arc", "{arc: NYC->LON, from: 2 s, to: 9 s}"},
                    MatrixCase{"Link", "{link: [NYC, LON], from: 2 s, to: 9 s}"},
                    MatrixCase{"Switch", "{switch: FRA, from: 2 s, to: 9 s}"},
                    MatrixCase{"Multicast", "{switch: LON, loses: multicast, from: 2 s, to: 9 s}"},
                    MatrixCase{"Adder", "{switch: LON, loses: aggregation, from: 2 s, to: 9 s}"},
                    MatrixCase{"Random",
                               "{every_link: true, availability: 0.9, mean_outage: 2 s}"}),
    [](const auto& one) { return std::string(one.param.name); });

// All of scenarios/baselines.yaml, which has every policy and exchange, for some rounds: each run
// ends, and no exchange beats its bound.
TEST_P(SlowFaultMatrix, EveryPolicyEnds) {
  const std::string base = shipped("baselines.yaml");
  const std::string faults = fmt::format("--set 'network.faults=[{}]' ", GetParam().fault);
  const auto check = [&](const std::string& rule, const std::string& more) {
    const Outcome outcome = gyre(fmt::format(
        "compare {} -o {} --quiet --format csv {}--set network.in_flight={} --set "
        "stop.max_rounds=4 --set stop.loss=1e-9 --set evaluate.every_rounds=4 --set "
        "'network.modes=[both]' --set 'task={{kind: quadratic, optima: [-4, -3, -2, -1, 0, 1, 2, "
        "3, 4]}}' {}",
        base, rule, faults, rule, more));
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    const auto table = parse_csv(outcome.output);
    for (std::size_t r = 1; r < table.size(); ++r) {
      EXPECT_EQ(table[r][5], "complete") << table[r][0];
      if (!table[r][12].empty()) {
        EXPECT_GE(std::stod(table[r][12]), 1.0 - 1e-9) << table[r][0];
      }
    }
    return table.size();
  };
  const bool loses = std::string(GetParam().fault).find("loses") != std::string::npos;
  if (!loses) {
    EXPECT_GT(check("wait", ""), 20U);
  }
  const std::string cliques =
      "--set 'schedules=[{policy: all-reduce, exchange: direct}, {policy: all-reduce, exchange: "
      "ring}, {policy: all-reduce, exchange: tree}, {policy: all-reduce, exchange: hub}, {policy: "
      "all-reduce, exchange: multi-root}, {policy: rotating-cliques, exchange: direct, objective: "
      "consensus}, {policy: gossip-pairs}, {policy: random-cliques, size: 4}, {policy: "
      "hierarchical, regions: SEO+TYO+SIN|LAX+NYC+BAR|LON+AMS+FRA}, {policy: adaptive-cliques, "
      "exchange: direct}, {policy: none}]'";
  EXPECT_EQ(check("wait", cliques + " --overwrite"), 12U);
  EXPECT_EQ(check("reroute", cliques), 12U);
  EXPECT_EQ(check("drop", cliques), 12U);
  // Packets of a smaller model, so that there are fewer.
  const std::string packets =
      cliques + " --fidelity packet --set job.payload=200MB --set network.transport.chunk=1MB" +
      (loses ? "" : " --set network.transport.recovery.give_up=1h") + " --overwrite";
  EXPECT_EQ(check("wait", packets), 12U);
  EXPECT_EQ(check("reroute", packets), 12U);
  EXPECT_EQ(check("drop", packets), 12U);
}

}  // namespace
}  // namespace gyre
