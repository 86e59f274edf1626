// Islands that leave, return, or are slow: closed forms of each rule, and what is refused.

#include "sim/churn.hpp"

#include <cmath>

#include "tests/churn_runs.hpp"

namespace gyre {
namespace {

TEST_F(ChurnRuns, TheOthersExchangeAmongThemselves) {
  // It leaves while it computes.
  run(scenario("{events: [{island: c, from: 500 ms}], without_member: shrink}", 2));
  EXPECT_EQ(cells("rounds.csv", "communication_s"), (Cells{"8", "8"}));
  EXPECT_EQ(cells("rounds.csv", "members"), (Cells{"a+b", "a+b"}));
  EXPECT_EQ(cells("rounds.csv", "absent"), (Cells{"c", "c"}));
  EXPECT_EQ(cells("rounds.csv", "ratio_to_bound"), (Cells{"1", "1"}));
  EXPECT_EQ(cells("trace.csv", "time_s"), (Cells{"0", "9", "18"}));
  EXPECT_EQ(cells("events.csv", "what"), (Cells{"leaves"}));
  // A step of gradient descent moves a tenth of the way to the optima, which are then 0 and 1: the
  // island that is away is no part of the average, 0.05, nor of the distance from it.
  EXPECT_NEAR(std::stod(cells("trace.csv", "consensus_distance")[1]), 0.0, 1e-30);
}

// Where time ends in the middle of a round as well: of 0 and 0.1, c at 0 not counted.
TEST_F(ChurnRuns, WhoIsAwayIsNotEvaluated) {
  run(scenario("{events: [{island: c, from: 500 ms}], without_member: shrink}", 2),
      "--set 'stop.max_time=4 s'");
  EXPECT_EQ(cells("trace.csv", "time_s"), (Cells{"0", "4"}));
  EXPECT_NEAR(std::stod(cells("trace.csv", "consensus_distance")[1]), 0.0025, 1e-12);
}

TEST_F(ChurnRuns, WhatIsUnderWayStartsAgain) {
  // 2 s of the exchange of three are lost.
  run(scenario("{events: [{island: c, from: 3 s}], without_member: shrink}", 2));
  EXPECT_EQ(cells("rounds.csv", "communication_s"), (Cells{"10", "8"}));
  EXPECT_EQ(cells("rounds.csv", "absent"), (Cells{"c", "c"}));
  EXPECT_EQ(cells("events.csv", "what"), (Cells{"leaves", "planned anew"}));
  run(scenario("{events: [{island: c, from: 3 s}], without_member: skip}", 2));
  EXPECT_EQ(cells("rounds.csv", "communication_s"), (Cells{"2", "0"}));
  EXPECT_EQ(cells("rounds.csv", "outcome"), (Cells{"dropped", "dropped"}));
}

// The others hold the result at 17 s, c half a second later, when it has left: nobody is there to
// whom they would send it again, beside their next exchange.
TEST_F(ChurnRuns, WhatOnlyWhoLeftLacksIsNotSentAgain) {
  run(scenario("{events: [{island: c, from: 17.2 s}], without_member: shrink}", 2),
      "--set 'network.changes=[{at: 500 ms, arcs: [c.down], latency: 500 ms}]'");
  EXPECT_EQ(cells("rounds.csv", "communication_s"), (Cells{"16", "8"}));
  EXPECT_EQ(cells("rounds.csv", "outcome"), (Cells{"averaged", "averaged"}));
  EXPECT_EQ(cells("events.csv", "what"), (Cells{"changes", "leaves"}));
}

// The others were ready last; c, which waited for them for half a second, is no member at the end.
TEST_F(ChurnRuns, WaitsAreThoseOfTheMembers) {
  run(scenario("{events: [{island: c, from: 3 s}], without_member: shrink}", 1),
      "--set 'job.compute={step_time: 1 s, islands: [{island: c, step_time: 500 ms}]}'");
  EXPECT_EQ(cells("rounds.csv", "members"), (Cells{"a+b"}));
  EXPECT_EQ(cells("rounds.csv", "wait_s"), (Cells{"0"}));
}

// In the middle of its exchange of two the rest is one island.
TEST_F(ChurnRuns, WhoIsLeftAloneGoesOn) {
  run(
      scenario("{events: [{island: c, from: 500 ms}, {island: b, from: 3 s}], without_member: "
               "shrink}",
               3));
  EXPECT_EQ(cells("rounds.csv", "communication_s"), (Cells{"2", "0", "0"}));
  EXPECT_EQ(cells("trace.csv", "time_s"), (Cells{"0", "3", "4", "5"}));
}

TEST_F(ChurnRuns, NobodyExchangesInASkippedRound) {
  run(scenario("{events: [{island: c, from: 500 ms, to: 100 s}], without_member: skip}", 3));
  EXPECT_EQ(cells("rounds.csv", "outcome"), (Cells{"dropped", "dropped", "dropped"}));
  EXPECT_EQ(cells("trace.csv", "time_s"), (Cells{"0", "1", "2", "3"}));
}

// It is back at 5 s, has a's model after 8 s (nothing else is on the wire), and makes its step.
TEST_F(ChurnRuns, StallingWaitsForIt) {
  const std::string events =
      "{events: [{island: c, from: 500 ms, to: 5 s}], without_member: stall,";
  run(scenario(events + " deadline: 100 s}", 1));
  EXPECT_EQ(cells("rounds.csv", "communication_s"), (Cells{"16"}));
  EXPECT_EQ(cells("trace.csv", "time_s"), (Cells{"0", "30"}));
  EXPECT_EQ(cells("events.csv", "effect")[1], "it has downloaded 1 GB from a");
  // What it downloads takes the latency that a's link then has, as the exchange does.
  run(scenario(events + " deadline: 100 s}", 1),
      "--set 'network.changes=[{at: 4 s, arcs: [a.up], latency: 500 ms}]'");
  EXPECT_EQ(cells("trace.csv", "time_s"), (Cells{"0", "31"}));
  // The others are ready at 1 s and go on at 3 s; then as if they shrank.
  run(scenario(events + " deadline: 2 s}", 1));
  EXPECT_EQ(cells("rounds.csv", "wait_s"), (Cells{"2"}));
  EXPECT_EQ(cells("rounds.csv", "members"), (Cells{"a+b"}));
}

// The download shares a's uplink from 5 s on: b has a's model at 13 s, c at 17 s, of which the
// others' second exchange takes half from 14 s on: at 20 s.
TEST_F(ChurnRuns, ANewcomerDownloadsOverTheSameLinks) {
  run(scenario("{events: [{island: c, from: 500 ms, to: 5 s}], without_member: shrink}", 4));
  EXPECT_EQ(cells("rounds.csv", "members"), (Cells{"a+b", "a+b", "a+b+c", "a+b+c"}));
  EXPECT_EQ(cells("events.csv", "time_s"), (Cells{"0.5", "20"}));
  EXPECT_EQ(cells("events.csv", "round"), (Cells{"0", "2"}));
  EXPECT_EQ(cells("trace.csv", "time_s")[1], "13");
}

TEST_F(ChurnRuns, ARunWithoutIslandsFails) {
  const Outcome outcome =
      gyre("compare " +
           scenario("{events: [{every_island: true, from: 500 ms}], without_member: shrink}", 2) +
           " -o out --quiet");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.errors.find("all islands have left for good"), std::string::npos)
      << outcome.errors;
}

// All are away from 500 ms to 5 s: who is back first has nobody to download from.
TEST_F(ChurnRuns, AllMayBeAwayForAWhile) {
  run(scenario("{events: [{every_island: true, from: 500 ms, to: 5 s}], without_member: shrink}",
               2));
  EXPECT_EQ(cells("trace.csv", "round"), (Cells{"0", "1", "2"}));
  EXPECT_NE(cells("events.csv", "effect")[3].find("goes on with its own"), std::string::npos);
}

// Thrice as long until 1.5 s: half of the step is done by then.
TEST_F(ChurnRuns, ASlowIslandTakesItsTime) {
  run(scenario("{events: [{island: c, from: 0 s, to: 1.5 s, slowdown: 3}]}", 2));
  EXPECT_EQ(cells("rounds.csv", "compute_s"), (Cells{"2", "1"}));
  EXPECT_EQ(cells("trace.csv", "time_s"), (Cells{"0", "18", "35"}));
}

// Slow twice over from 1 s to 2 s, for good by 2 from 4 s on: 1 s of work to 1 s, 1/6 to 2 s, 2/3
// to 4 s at a third, 13/6 at half.
TEST(Churn, SlownessMultiplies) {
  const auto event = [](double slowdown, double from, std::optional<double> to) {
    IslandEvent one{.island = IslandId::at(0), .slowdown = slowdown, .when = {}};
    one.when.name = fmt::format("slowness {}", slowdown);
    one.when.from = Instant::at_seconds(from);
    if (to) one.when.to = Instant::at_seconds(*to);
    return one;
  };
  const std::vector<IslandEvent> events{event(3.0, 1.0, 4.0), event(2.0, 1.0, 2.0),
                                        event(2.0, 4.0, std::nullopt)};
  Churn churn(events, 1, 1);
  EXPECT_NEAR(
      (churn.done(IslandId::at(0), Instant(), Duration::seconds(4.0)) - Instant()).in_seconds(),
      4.0 + 2.0 * 13.0 / 6.0, 1e-12);
  // Cut and begun again in between, as if nothing had been asked.
  EXPECT_NEAR(
      (churn.done(IslandId::at(0), Instant::at_seconds(3.0), Duration::seconds(0.25)) - Instant())
          .in_seconds(),
      3.75, 1e-12);
}

// Every kind of policy, of cliques at both fidelities, with islands that come and go by chance:
// each run ends, none beats its bound, and again it is the same byte by byte.
TEST_F(ChurnRuns, EveryPolicyEndsUnderEachRule) {
  const std::string base =
      "compare " + shipped("nine-city.yaml") +
      " --quiet --format csv --set 'stop={max_rounds: 12}' --set "
      "'task={kind: quadratic, optima: [-4, -3, -2, -1, 0, 1, 2, 3, 4]}'  "
      "--set evaluate.every_rounds=1 --set 'network.modes=[both]' "
      "--set 'schedules=[{policy: all-reduce, exchange: best}, {policy: all-reduce, exchange: "
      "ring}, "
      "{policy: gossip-pairs}, {policy: random-cliques, size: 3}, {policy: rotating-cliques, "
      "exchange: direct, objective: consensus}, {policy: none}, {policy: colocated}]' "
      "--set 'churn={events: [{every_island: true, availability: 0.8, mean_outage: 5 s}, "
      "{island: SEO, availability: 0.5, mean_outage: 2 s, slowdown: 4}], without_member: ";
  const auto check = [&](const std::string& name, const std::string& rest) {
    const Outcome outcome = gyre(base + rest + " -o " + name);
    EXPECT_EQ(outcome.status, 0) << name << outcome.errors;
    const auto table = parse_csv(outcome.output);
    EXPECT_EQ(table.size(), 8U) << name;
    for (std::size_t r = 1; r < table.size(); ++r) {
      EXPECT_EQ(table[r][5], "complete") << name << table[r][0];
      if (!table[r][12].empty()) {
        EXPECT_GE(std::stod(table[r][12]), 1.0 - 1e-9) << name << table[r][0];
      }
    }
  };
  const std::string overlays =
      " --set 'schedules=[{policy: ring-overlay}, {policy: mst}, {policy: delta-mbst}, {policy: "
      "star}, "
      "{policy: exponential}, {policy: base-k}, {policy: matcha, budget: 0.5}]'";
  check("overlays-shrink", "shrink}'" + overlays);
  check("overlays-skip", "skip}'" + overlays);
  check("overlays-stall", "stall, deadline: 3 s}'" + overlays);
  check("shrink", "shrink}'");
  check("skip", "skip}'");
  check("stall", "stall, deadline: 3 s}'");
  check("again", "shrink}'");
  const std::string packets =
      " --fidelity packet --set job.payload=100MB --set network.transport.chunk=1MB";
  check("packets", "shrink}'" + packets);
  check("packets-skip", "skip}'" + packets);
  check("packets-stall", "stall, deadline: 3 s}'" + packets);
  for (const auto& run : fs::directory_iterator(folder_ / "shrink/runs")) {
    for (const char* name : {"trace.csv", "rounds.csv", "events.csv", "links.csv"}) {
      if (!fs::exists(run.path() / name)) continue;
      EXPECT_EQ(read(run.path() / name),
                read(folder_ / "again/runs" / run.path().filename() / name));
    }
  }
}

TEST_F(ChurnRuns, NeedARule) {
  const auto refused = [this](const std::string& churn, const std::string& why,
                              const std::string& more = "") {
    const Outcome outcome = gyre("check " + scenario(churn, 1) + " " + more);
    EXPECT_EQ(outcome.status, 2) << churn;
    EXPECT_NE(outcome.errors.find(why), std::string::npos) << outcome.errors;
  };
  const std::string leaves = "{events: [{island: c, from: 1 s}]";
  refused(leaves + "}", "churn.yaml:14:8: churn: needs `without_member`");
  refused(leaves + ", without_member: hope}", "must be shrink, skip or stall");
  refused(leaves + ", without_member: stall}", "needs `deadline`");
  refused(leaves + ", without_member: skip, deadline: 1 s}", "has no effect without `stall`");
  refused("{events: [{island: d, from: 1 s}], without_member: skip}", "'d' is no island");
  refused("{events: [{island: c}], without_member: skip}", "says not when it leaves");
  refused("{events: [{from: 1 s}], without_member: skip}", "names who leaves");
  refused("{events: [{island: c, from: 2 s, to: 1 s}], without_member: skip}", "is not after");
  refused("{events: [{island: c, from: 2 s, slowdown: 2}], without_member: skip}",
          "has no effect where no island leaves");
  refused("{events: [{island: c, from: 2 s, slowdown: 1}]}", "slowdown");
  refused(leaves + ", without_member: skip}", "tables", "--set 'network.setup_time=1 s'");
  refused(leaves + ", without_member: skip}", "quorum",
          "--set 'job.stragglers={rule: quorum, quorum: 0.5, deadline: 1 s}'");
  refused("{events: [{island: c, from: 2 s, slowdown: 2}]}", "has no effect where no island leaves",
          "--set 'schedules=[{policy: all-reduce, without_member: skip}]'");
}

}  // namespace
}  // namespace gyre
