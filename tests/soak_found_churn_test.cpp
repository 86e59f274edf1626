// What the soak test found of islands that leave and return, in smallest scenarios.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/soak_play.hpp"

namespace gyre {
namespace {

/// Four islands on one switch, of which two send each other their models in 4 s.
RandomScenario of_four(const std::string& job, const std::string& schedule,
                       const std::string& churn) {
  return {.text = fmt::format(R"(gyre: 1
name: four
network:
  topology:
    switches: [{{name: S}}]
    islands: [{{name: a, at: S}}, {{name: b, at: S}}, {{name: c, at: S}}, {{name: d, at: S}}]
    links: []
  access: {{bandwidth: 1 Gbps}}
  modes: [neither]
job: {{payload: 500 MB, {}}}
task: {{kind: noisy-quadratic, dimensions: 2}}
schedules: [{}]
churn: {}
stop: {{max_rounds: 4}}
)",
                              job, schedule, churn),
          .fidelity = Fidelity::kFlow,
          .mean = {}};
}

constexpr const char* kJob = "compute: {step_time: 1 s}";
constexpr const char* kAll = "{policy: all-reduce, exchange: direct}";

void expect_sound(const RandomScenario& made) {
  const std::string said = played_alone(made);
  EXPECT_EQ(said.find("wrong"), std::string::npos) << said;
  EXPECT_NE(said.find("ended complete"), std::string::npos) << said;
}

// It was taken to compute until it was back.
TEST(SoakFoundChurn, WhoLeavesAtTheBeginningComputesNothing) {
  expect_sound(of_four(kJob, kAll,
                       "{events: [{island: c, from: 0 s, to: 5 s}], "
                       "without_member: shrink}"));
}

// It was a member of its clique as well as absent.
TEST(SoakFoundChurn, WhoIsAbsentFromASkippedRoundIsNoMember) {
  expect_sound(of_four(kJob, kAll,
                       "{events: [{island: c, from: 500 ms, to: 5 s}], "
                       "without_member: skip}"));
}

// Nobody held the result when it ended, which was taken for the beginning of time. And each of
// those who left at once found the exchange planned anew and averaged it, the first one again.
TEST(SoakFoundChurn, AllMayLeaveAnExchangeAtOnce) {
  for (const char* rule : {"shrink", "skip", "stall, deadline: 1 s"}) {
    expect_sound(of_four(kJob, kAll,
                         fmt::format("{{events: [{{every_island: true, from: 3 s, to: 5 s}}], "
                                     "without_member: {}}}",
                                     rule)));
  }
}

// With the others, who are in round 0 until 9 s, c began in round 1 again, after it had ended five.
TEST(SoakFoundChurn, WhoWasAheadDoesNotGoBack) {
  expect_sound(of_four(kJob, "{policy: static-cliques, cliques: a+b+d, exchange: direct}",
                       "{events: [{island: c, from: 3.5 s, to: 3.6 s}], without_member: shrink}"));
}

// The first fragment of round 0 was exchanged twice.
TEST(SoakFoundChurn, AFragmentIsExchangedOnce) {
  expect_sound(of_four("compute: {step_time: 1 s}, local_steps: 2, fragments: 2",
                       "{policy: static-cliques, cliques: a+b|c+d, exchange: direct}",
                       "{events: [{every_island: true, from: 3.5 s, to: 4 s}], "
                       "without_member: skip}"));
}

// It has a's model at 4.06 s and is the first in round 1, while the others are in the middle of
// their first step.
TEST(SoakFoundChurn, WhoComesBackMayBeTheFirstInARound) {
  expect_sound(of_four("compute: {step_time: 10 s, islands: [{island: c, step_time: 100 ms}]}",
                       kAll,
                       "{events: [{island: c, from: 50 ms, to: 60 ms}], without_member: shrink}"));
}

// While the first one's leaving was followed the second one left, and its plan was begun twice.
TEST(SoakFoundChurn, AnExchangeStartsAgainWithThoseWhoAreLeft) {
  expect_sound(of_four(kJob, kAll,
                       "{events: [{island: c, from: 3 s}, {island: d, from: 3 s}], "
                       "without_member: shrink}"));
}

// It left less than a nanosecond before it was to be away, was back at once, and left again: b
// downloaded from a, who then left as well, in vain.
TEST(SoakFoundChurn, WhoLeavesStaysAway) {
  RandomScenario made = of_four(
      "compute: {step_time: 1.000000001 s}", kAll,
      "{events: [{every_island: true, from: 2.0000000015 s, to: 5 s}, {island: a, from: 1.5 s, to: "
      "2.000000001 s}], without_member: shrink}");
  expect_sound(made);
}

// An exchange by the switches was to be planned where none of them could add any more.
TEST(SoakFoundChurn, AnExchangeDoesWithoutSwitchesThatLoseWhatTheyCould) {
  for (const char* routing : {"shortest", "engineered"}) {
    RandomScenario made = of_four(kJob, "{policy: all-reduce, exchange: in-network}",
                                  "{events: [{island: c, from: 500 ms, slowdown: 2}]}");
    const std::size_t at = made.text.find("  modes: [neither]\n");
    made.text.replace(at, 19,
                      fmt::format("  modes: [both]\n  routing: {}\n  in_flight: reroute\n"
                                  "  faults: [{{switch: S, loses: both, from: 2.5 s}}]\n",
                                  routing));
    expect_sound(made);
  }
}

// Whoever was last to launch its part let others run, of which one left: that let the exchange
// begin without it, and then it began once more.
TEST(SoakFoundChurn, AnExchangeBeginsOnceWhereSomebodyLeavesAmidLaunches) {
  RandomScenario made{.text = R"(gyre: 1
name: launches
network:
  topology:
    switches: [{name: S}]
    islands: [{name: a, at: S}, {name: b, at: S}, {name: c, at: S}]
    links: []
  access: {bandwidth: 1 Gbps}
  modes: [aggregation]
  transport: {chunk: 5 MB, packet: 5 MB}
  aggregator: {discipline: ack-clocked, launch: eager}
job: {payload: 500 MB, compute: {step_time: 1 s}}
task: {kind: noisy-quadratic, dimensions: 2}
schedules: [{policy: all-reduce, exchange: direct}]
churn: {events: [{island: c, from: 1 s, to: 9 s}], without_member: shrink}
stop: {max_rounds: 4}
)",
                      .fidelity = Fidelity::kPacket,
                      .mean = {}};
  expect_sound(made);
}

}  // namespace
}  // namespace gyre
