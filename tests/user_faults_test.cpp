// Kinds of faults that users of simulators report, from the user's side: the program runs, and its
// exit status, its words and its files are read. Losses (F12), things that die in mid-transfer
// (F13), rounds that can never close (F21), and rules for stragglers (F29).

#include <chrono>

#include "tests/cli.hpp"

namespace gyre {
namespace {

using Row = std::map<std::string, std::string>;

class UserFaults : public Cli {
 protected:
  /// Two islands 10 ms apart by a link of 1 Gbit/s, 40 ms by way of R; 1 GB, so that an exchange
  /// takes 8 s and what it is on the way; it begins after 1 s of compute.
  [[nodiscard]] std::string pair(const std::string& network) const {
    return file("pair.yaml", fmt::format(R"(gyre: 1
name: pair
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
evaluate: {{every_rounds: 1}}
schedules: [{{policy: all-reduce, exchange: direct}}]
stop: {{max_rounds: 2}}
)",
                                         network))
        .string();
  }
  /// One run into the folder `out`, which must not take long.
  [[nodiscard]] Outcome run(const std::string& scenario, const std::string& more = "",
                            const std::string& schedule = "all-reduce/direct") const {
    const auto begun = std::chrono::steady_clock::now();
    const Outcome outcome =
        shell(fmt::format("timeout -s KILL 60 '{}' run '{}' --schedule {} --mode neither -o out "
                          "--overwrite --quiet --format csv {}",
                          kGyre, scenario, schedule, more));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    EXPECT_LT(took.count(), 30.0) << more;
    return outcome;
  }
  [[nodiscard]] static std::vector<Row> table(const std::string& text) {
    const auto lines = parse_csv(text);
    std::vector<Row> rows;
    for (std::size_t r = 1; r < lines.size(); ++r) {
      Row& row = rows.emplace_back();
      for (std::size_t c = 0; c < lines[0].size(); ++c) row[lines[0][c]] = lines[r].at(c);
    }
    return rows;
  }
  [[nodiscard]] std::vector<Row> rows(const std::string& name) const {
    return table(read(folder_ / "out" / name));
  }
  [[nodiscard]] std::string events() const { return read(folder_ / "out/events.csv"); }
};

constexpr const char* kLossy = R"(gyre: 1
name: lossy
network:
  topology:
    switches: [{name: S}, {name: T}]
    islands: [{name: a, at: S}, {name: b, at: S}, {name: c, at: T}]
    links: [{between: [S, T], latency: 10 ms, bandwidth: 1 Gbps}]
  access: {bandwidth: 1 Gbps}
  modes: [neither, both]
  aggregator: {memory: 100 MB, discipline: ack-clocked}
  transport: {chunk: 200 KB, packet: 200 KB}
job: {payload: 20 MB, compute: {step_time: 100 ms}}
task: {kind: quadratic, optima: [0, 1, 2]}
schedules: [{policy: all-reduce, exchange: direct}]
stop: {max_rounds: 2}
)";

// With the time-outs that nobody has stated, which have to follow the round trips and not what is
// lost: an exchange of 0.3 s takes some tens of times as long where a fifth is lost, not for ever.
TEST_F(UserFaults, F12ALossRateEndsLaterTheMoreIsLost) {
  ASSERT_TRUE(fs::exists(file("lossy.yaml", kLossy)));
  std::map<std::string, double> before_s;
  for (const double loss : {0.0, 1e-3, 1e-2, 5e-2, 0.2}) {
    const std::string lost =
        loss > 0.0 ? fmt::format("--set network.transport.loss={:g}", loss) : "";
    std::map<std::string, double> mean_s;
    for (const int seed : {1, 2, 3}) {
      const Outcome outcome = gyre(
          fmt::format("compare lossy.yaml --fidelity packet -o out --overwrite --quiet --format "
                      "csv --seed {} {}",
                      seed, lost));
      ASSERT_EQ(outcome.status, 0) << loss << ' ' << seed << '\n' << outcome.errors;
      for (const Row& row : table(outcome.output)) {
        EXPECT_EQ(row.at("status"), "complete");
        EXPECT_EQ(row.at("rounds"), "2");
        mean_s[row.at("mode")] += std::stod(row.at("simulated_s")) / 3.0;
      }
    }
    ASSERT_EQ(mean_s.size(), 2U);  // with sums in the switches and without
    for (const auto& [mode, s] : mean_s) {
      EXPECT_GT(s, before_s[mode]) << loss << ' ' << mode;
      EXPECT_LT(s, 60.0) << loss << ' ' << mode;
    }
    before_s = mean_s;
  }
}

// Nearly everything is lost: who gives up says so, or does without, by the stated rule.
TEST_F(UserFaults, F12NearlyNothingArrives) {
  ASSERT_TRUE(fs::exists(file("lossy.yaml", kLossy)));
  const std::string command =
      "compare lossy.yaml --fidelity packet --overwrite --quiet --format csv --set "
      "network.transport.loss=0.9 -o ";
  const Outcome failed =
      gyre(command + "failed --set 'network.transport.recovery={give_up: 5 s, then: fail}'");
  EXPECT_EQ(failed.status, 1);
  for (const char* mode : {"neither", "both"}) {
    EXPECT_NE(failed.errors.find(fmt::format("{}, seed 1: round 0, a+b+c: ", mode)),
              std::string::npos)
        << failed.errors;
  }
  EXPECT_NE(failed.errors.find("gave up at"), std::string::npos) << failed.errors;
  const Outcome dropped =
      gyre(command + "dropped --set 'network.transport.recovery={give_up: 5 s, then: drop}'");
  EXPECT_EQ(dropped.status, 0) << dropped.errors;
  for (const char* mode : {"neither", "both"}) {
    for (const Row& row : table(read(
             folder_ / fmt::format("dropped/runs/all-reduce+direct.{}.seed1/rounds.csv", mode)))) {
      EXPECT_EQ(row.at("outcome"), "dropped") << mode;
    }
  }
}

/// What fails from 3 s to 7 s, and how long the first exchange, begun at 1 s, then takes by each
/// rule.
struct DeathCase {
  const char* fault;
  const char* subject;
  double wait_s;
  double reroute_s;
  double drop_s;
  const char* rerouted;  ///< of events.csv
};

// Each rule, at both fidelities, for a fibre, an island's access, a switch, and what nobody needs.
TEST_F(UserFaults, F13WhatDiesInMidTransferFollowsTheRuleAndIsRecorded) {
  const std::string anew = "3,planned anew,p+q,0,it starts again,";
  const std::string cut = "3,waits,p+q,0,some of its members cannot reach each other,";
  for (const DeathCase& death : {DeathCase{"arc: P->Q", "P->Q", 12.01, 10.04, 2.0, anew.c_str()},
                                 DeathCase{"link: [P, Q]", "P-Q", 12.01, 10.04, 2.0, anew.c_str()},
                                 DeathCase{"arc: q.down", "q.down", 12.01, 12.01, 2.0, cut.c_str()},
                                 DeathCase{"switch: Q", "Q", 12.01, 12.01, 2.0, cut.c_str()},
                                 DeathCase{"switch: R", "R", 8.01, 8.01, 8.01, ""}}) {
    const std::string scenario =
        pair(fmt::format("  faults: [{{{}, from: 3 s, to: 7 s}}]", death.fault));
    for (const bool packets : {false, true}) {
      const std::string fidelity =
          packets ? "--fidelity packet --set network.transport.recovery.give_up=1h " : "";
      const auto communication_s = [&](const std::string& rule) {
        const Outcome outcome = run(scenario, fidelity + "--set network.in_flight=" + rule);
        EXPECT_EQ(outcome.status, 0) << outcome.errors;
        EXPECT_NE(events().find(fmt::format("\n3,fails,{},", death.subject)), std::string::npos);
        return std::stod(rows("rounds.csv").at(0).at("communication_s"));
      };
      SCOPED_TRACE(fmt::format("{} {}", death.fault, fidelity));
      const double tolerance_s = packets ? 0.06 : 1e-6;
      EXPECT_NEAR(communication_s("wait"), death.wait_s, tolerance_s);
      EXPECT_NE(events().find(fmt::format("\n7,is back,{},", death.subject)), std::string::npos);
      EXPECT_EQ(rows("rounds.csv").at(0).at("outcome"), "averaged");
      EXPECT_EQ(rows("rounds.csv").at(0).at("retransmissions") != "0",
                packets && death.wait_s > 9.0);
      EXPECT_NEAR(communication_s("reroute"), death.reroute_s, tolerance_s);
      EXPECT_EQ(rows("rounds.csv").at(0).at("outcome"), "averaged");
      EXPECT_NE(events().find(death.rerouted), std::string::npos) << events();
      EXPECT_NEAR(communication_s("drop"), death.drop_s, tolerance_s);
      const bool drops = death.drop_s < 8.0;
      EXPECT_EQ(rows("rounds.csv").at(0).at("outcome"), drops ? "dropped" : "averaged");
      EXPECT_EQ(
          events().find("3,dropped,p+q,0,its members keep their models,") != std::string::npos,
          drops);
    }
  }
}

// An island that leaves in mid-transfer: the other one goes on, at both fidelities.
TEST_F(UserFaults, F13AnIslandThatLeavesInMidTransferIsRecorded) {
  const std::string scenario = pair("");
  for (const char* fidelity : {"flow", "packet"}) {
    for (const char* rule : {"shrink", "skip", "stall, deadline: 1 s"}) {
      const Outcome outcome = run(
          scenario, fmt::format("--fidelity {} --set 'churn={{events: [{{island: q, from: 3 s, to: "
                                "7 s}}], without_member: {}}}'",
                                fidelity, rule));
      EXPECT_EQ(outcome.status, 0) << outcome.errors;
      EXPECT_EQ(rows("rounds.csv").at(0).at("outcome"), "dropped") << rule;
      EXPECT_NE(events().find("\n3,leaves,q,0,,"), std::string::npos) << events();
      EXPECT_NE(events().find("\n3,dropped,p+q,0,a member has left"), std::string::npos)
          << events();
    }
  }
}

TEST_F(UserFaults, F13WithoutARuleNothingRuns) {
  for (const char* fidelity : {"flow", "packet"}) {
    for (const char* fault : {"arc: P->Q", "link: [P, Q]", "switch: Q", "arc: q.down"}) {
      const Outcome outcome = run(pair(fmt::format("  faults: [{{{}, from: 3 s}}]", fault)),
                                  fmt::format("--fidelity {}", fidelity));
      EXPECT_EQ(outcome.status, 2) << fault;
      EXPECT_NE(outcome.errors.find("network.in_flight"), std::string::npos) << outcome.errors;
      EXPECT_FALSE(fs::exists(folder_ / "out"));
    }
    const Outcome outcome = run(
        pair(""), fmt::format("--fidelity {} --set 'churn={{events: [{{island: q, from: 3 s}}]}}'",
                              fidelity));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.errors.find("without_member"), std::string::npos) << outcome.errors;
    EXPECT_FALSE(fs::exists(folder_ / "out"));
  }
}

// What can never end says who waits for whom, in seconds, whatever else goes on at random for ever.
TEST_F(UserFaults, F21ARoundThatCanNeverCloseFailsAndSaysWhoWaits) {
  const std::string dead = "  faults: [{arc: P->Q, from: 3 s}{}]\n  in_flight: ";
  const auto with = [&dead](const std::string& others, const std::string& rule) {
    std::string text = dead;
    return text.replace(text.find("{}"), 2, others) + rule;
  };
  const std::string random = ", {arc: R->P, availability: 0.5, mean_outage: 1 s}";
  const std::string background =
      "\n  background: [{arc: R->P, rate: 100 Mbps, mean_on: 1 s, mean_off: 1 s}]";
  const auto never = [this](const std::string& network, const std::string& more,
                            const std::string& schedule, const std::string& who) {
    const Outcome outcome = run(pair(network), more, schedule);
    EXPECT_EQ(outcome.status, 1) << network << outcome.output;
    EXPECT_NE(outcome.errors.find(who), std::string::npos) << network << '\n' << outcome.errors;
    const auto manifest = nlohmann::json::parse(read(folder_ / "out/manifest.json"));
    EXPECT_EQ(manifest.at("status"), "failed");
    EXPECT_NE(manifest.dump().find("waits for"), std::string::npos);
    EXPECT_GT(rows("trace.csv").size(), 0U);
    EXPECT_NE(events().find(",fails,"), std::string::npos);
  };
  const std::string direct = "all-reduce/direct";
  const std::string waits =
      "round 0 of p+q can never end: q waits for what p sends, which needs "
      "P->Q, and that has failed for good";
  for (const std::string& others : {std::string(), random}) {
    never(with(others, "wait"), "", direct, waits);
    never(with(others, "wait"), "--set 'schedules=[{policy: mst}]'", "mst",
          "round 0 can never end: q waits for p, whose model stands still on P->Q");
    never(with(others + ", {switch: R, from: 3 s}", "reroute"), "", direct,
          "q waits for p, and what has failed for good leaves no way there");
    never(with(others, "wait"), "--fidelity packet", direct,
          "round 0, p+q: p waits for an answer to its chunk");
  }
  never(with("", "wait") + background, "", direct, waits);
  // Which fault comes first, and whether it is there from the start, makes no difference.
  never("  faults: [{arc: P->Q, from: 0 s}, {arc: Q->P, from: 3 s}]\n  in_flight: wait", "", direct,
        "waits for what");
}

// A switch that does not come to add any more, at both fidelities, and a result that is out of
// reach for a latecomer.
TEST_F(UserFaults, F21WhatIsHeldOrFetchedForEverFails) {
  const std::string star = R"(gyre: 1
name: star
network:
  topology:
    switches: [{name: s}]
    islands: [{name: A, at: s}, {name: B, at: s}, {name: C, at: s}]
    links: []
  access: {bandwidth: 8 Gbps}
  modes: [both]
  faults: [{switch: s, loses: aggregation, from: 1.5 s}]
  in_flight: wait
job: {payload: 1 GB, compute: {step_time: 1 s, islands: [{island: C, step_time: 1 s}]}}
task: {kind: quadratic, optima: [0, 1, 2]}
schedules: [{policy: all-reduce, exchange: direct}]
stop: {max_rounds: 4}
)";
  ASSERT_TRUE(fs::exists(file("star.yaml", star)));
  for (const char* more : {"--fidelity flow", "--fidelity packet"}) {
    const Outcome outcome = gyre(fmt::format("compare star.yaml -o out --overwrite {}", more));
    EXPECT_EQ(outcome.status, 1) << more;
    EXPECT_NE(outcome.errors.find("round 0 of A+B+C can never end: A waits for what A+B+C sends"),
              std::string::npos)
        << outcome.errors;
  }
  const Outcome late = gyre(
      "compare star.yaml -o out --overwrite --set 'network.modes=[neither]' --set "
      "'network.faults=[{arc: C.down, from: 2.5 s}]' --set 'job.compute.islands=[{island: C, "
      "step_time: 3 s}]' --set 'job.stragglers={rule: quorum, quorum: 0.6, deadline: 500 ms, "
      "late: drop}'");
  EXPECT_EQ(late.status, 1);
  EXPECT_NE(late.errors.find("C is late and fetches the result from A over C.down"),
            std::string::npos)
      << late.errors;
}

// The clock, a member that leaves, or a rule that does without still ends it; and what nobody needs
// may be away for good.
TEST_F(UserFaults, F21WhatStillEndsIsNotRefused) {
  const std::string dead = "  faults: [{arc: P->Q, from: 3 s}]\n  in_flight: ";
  EXPECT_EQ(run(pair(dead + "wait"), "--set 'stop.max_time=100 s'").status, 0);
  EXPECT_EQ(rows("trace.csv").back().at("time_s"), "100");
  EXPECT_EQ(run(pair(dead + "drop")).status, 0);
  EXPECT_EQ(run(pair(dead + "reroute")).status, 0);
  EXPECT_EQ(run(pair(dead + "wait"),
                "--set 'churn={events: [{island: q, from: 9 s}], without_member: shrink}'")
                .status,
            0);
  EXPECT_EQ(rows("rounds.csv").at(0).at("communication_s"), "8");
  EXPECT_EQ(run(pair("  faults: [{switch: R, from: 3 s}]\n  in_flight: wait")).status, 0);
}

constexpr const char* kStragglers = R"(gyre: 1
name: stragglers
network:
  topology:
    switches: [{name: s}]
    islands: [{name: A, at: s}, {name: B, at: s}, {name: C, at: s}]
    links: []
  access: {bandwidth: 8 Gbps}
  modes: [neither]
job: {payload: 1 GB, compute: {step_time: 1 s, islands: [{island: C, step_time: 3 s}]}}
task: {kind: quadratic, optima: [0, 1, 2]}
schedules:
  - {policy: all-reduce, exchange: direct, name: unstated}
  - {policy: all-reduce, exchange: direct, name: wait, stragglers: {rule: wait}}
  - policy: all-reduce
    name: drop-500
    exchange: direct
    stragglers: {rule: quorum, quorum: 0.6, deadline: 500 ms, late: drop}
  - policy: all-reduce
    name: drop-1500
    exchange: direct
    stragglers: {rule: quorum, quorum: 0.6, deadline: 1500 ms, late: drop}
  - policy: all-reduce
    name: merge-500
    exchange: direct
    stragglers: {rule: quorum, quorum: 0.6, deadline: 500 ms, late: merge}
  - policy: all-reduce
    name: dynamic
    exchange: direct
    stragglers: {rule: dynamic-steps}
stop: {max_rounds: 4}
)";

// A and B swap 1 GB in 1 s once the deadline is over; with C it would be 2 s, 3 s after the start.
TEST_F(UserFaults, F29RulesForStragglersAreComparedInOneCommand) {
  ASSERT_TRUE(fs::exists(file("stragglers.yaml", kStragglers)));
  const Outcome outcome = gyre("compare stragglers.yaml -o out --quiet --format csv");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  std::map<std::string, double> total_s;
  for (const Row& row : table(outcome.output)) {
    total_s[row.at("schedule")] = std::stod(row.at("simulated_s"));
  }
  ASSERT_EQ(total_s.size(), 6U);
  EXPECT_DOUBLE_EQ(total_s.at("wait"), 4 * 5.0);
  EXPECT_DOUBLE_EQ(total_s.at("unstated"), total_s.at("wait"));
  EXPECT_LT(total_s.at("drop-500"), total_s.at("drop-1500"));
  EXPECT_LT(total_s.at("drop-1500"), total_s.at("wait"));
  EXPECT_LT(total_s.at("merge-500"), total_s.at("drop-500"));
  const auto second_round = [this](const std::string& run) {
    return rows("runs/" + run + ".neither.seed1/rounds.csv").at(1).at("start_s");
  };
  EXPECT_EQ(second_round("drop-500"), "2.5");
  EXPECT_EQ(second_round("merge-500"), "2.5");
  EXPECT_EQ(second_round("drop-1500"), "3.5");
  EXPECT_EQ(second_round("wait"), "5");
  // The numbers stand in what is written, and there are no others.
  const auto manifest = nlohmann::json::parse(read(folder_ / "out/manifest.json"));
  std::vector<std::string> deadlines;
  for (const auto& [key, value] : manifest.at("resolved").items()) {
    if (key.find("deadline") != std::string::npos || key.find("timeout") != std::string::npos) {
      deadlines.push_back(value);
    }
  }
  EXPECT_EQ(deadlines, (std::vector<std::string>{"500 ms", "1.5 s", "500 ms"}));
}

// Without a rule everybody waits for the slowest, be it twelve days; also where
// packets have time-outs and who sends early waits for it.
TEST_F(UserFaults, F29WithoutARuleTheSlowestIsWaitedFor) {
  ASSERT_TRUE(fs::exists(file("stragglers.yaml", kStragglers)));
  const Outcome flows =
      run("stragglers.yaml", "--set 'job.compute.islands=[{island: C, step_time: 1000000 s}]'",
          "unstated");
  ASSERT_EQ(flows.status, 0) << flows.errors;
  EXPECT_EQ(rows("trace.csv").back().at("time_s"), "4000008");
  for (const char* launch : {"together", "eager"}) {
    const Outcome packets = gyre(fmt::format(
        "run stragglers.yaml --schedule all-reduce/direct --mode both --fidelity packet -o out "
        "--overwrite --set 'network.modes=[both]' --set 'schedules=[{{policy: all-reduce, "
        "exchange: direct}}]' --set stop.max_rounds=1 --set 'network.aggregator={{memory: 10 GB, "
        "launch: {}}}' --set 'network.transport={{chunk: 50 MB, loss: 1e-12, recovery: {{give_up: "
        "1 s, then: fail}}}}' --set 'job.compute.islands=[{{island: C, step_time: 1000 s}}]'",
        launch));
    ASSERT_EQ(packets.status, 0) << launch << packets.errors;
    EXPECT_NEAR(std::stod(rows("trace.csv").back().at("time_s")), 1001.0, 0.3) << launch;
    const auto manifest = nlohmann::json::parse(read(folder_ / "out/manifest.json"));
    EXPECT_EQ(manifest.at("resolved").at("network.transport.recovery.give_up"), "1 s");
  }
}

}  // namespace
}  // namespace gyre
