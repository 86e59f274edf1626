// What happens when islands are not ready together.

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/tasks/quadratic.hpp"
#include "models/training.hpp"
#include "sim/simulation.hpp"
#include "tests/run_log.hpp"

namespace gyre {
namespace {

// Three islands on one switch, 8 Gbps: A and B take 1 s a round, C 3 s.
class Stragglers : public testing::Test {
 protected:
  Stragglers() {
    std::vector<Topology::Island> islands;
    for (const char* name : {"A", "B", "C"}) {
      islands.push_back({name,
                         SwitchId::at(0),
                         Bandwidth::gigabits_per_second(8),
                         Bandwidth::gigabits_per_second(8),
                         {}});
    }
    topology = Topology("star", {"s"}, islands, {});
    policy.emplace(topology, std::vector<std::string>{"A+B+C"});
    spec = pair_spec(topology, *policy);
    spec.compute.islands = {{.island = {"C", {}}, .step_time = Duration::seconds(3.0)}};
    spec.stop.max_rounds = 4;
  }
  StragglerSpec quorum(double share, double deadline_s, StragglerSpec::Late late) {
    StragglerSpec rule{.rule = StragglerSpec::Rule::kQuorum, .quorum = share, .late = late};
    rule.deadline = Duration::seconds(deadline_s);
    return rule;
  }
  Topology topology;
  std::optional<Repeated> policy;
  RunSpec spec;
};

// All wait for C: 3 s and 2 GB in, 2 GB out at 8 Gbps: 2 s.
TEST_F(Stragglers, WaitMeansTheSlowest) {
  EXPECT_NEAR(field(run_log(spec).back(), 2), 4 * 5.0, 1e-9);
}

// A and B wait half a second, swap their models in 1 s, and begin anew at 2.5 s. C comes at 3 s,
// drops its steps, and fetches the result from A in 1 s. It computes on from 4 s to 7 s; meanwhile
// A and B have begun rounds at 4.0 (1 s + 0.5 s + 1 s: 2.5 s each) and 6.5 s.
TEST_F(Stragglers, DropFetchesTheResult) {
  spec.training.stragglers = quorum(0.6, 0.5, StragglerSpec::Late::kDrop);
  const auto lines = run_log(spec);
  const auto rows = starting(lines, "clique");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_NE(rows[0].find(" A+B "), std::string::npos);
  EXPECT_NEAR(field(rows[1], 3), 2.5, 1e-9);
  EXPECT_NEAR(field(rows[2], 3), 5.0, 1e-9);
  EXPECT_EQ(field(lines.back(), 3), 4);  // all rounds ended for all
}

// The deadline is longer than C's delay: nobody is left behind.
TEST_F(Stragglers, ALongDeadlineIsWaiting) {
  spec.training.stragglers = quorum(0.6, 2.5, StragglerSpec::Late::kDrop);
  EXPECT_NEAR(field(run_log(spec).back(), 2), 4 * 5.0, 1e-9);
}

TEST_F(Stragglers, MergeEntersTheNextOpenExchange) {
  spec.training.stragglers = quorum(0.6, 0.5, StragglerSpec::Late::kMerge);
  spec.stop.max_rounds = 12;
  const auto rows = starting(run_log(spec), "clique");
  ASSERT_EQ(rows.size(), 12U);
  EXPECT_NE(rows[0].find(" A+B "), std::string::npos);
  // C comes at 3 s and waits for the round that A and B end computing at 3.5 s.
  EXPECT_NE(rows[1].find(" A+B+C "), std::string::npos);
}

// The others come a second and two later. A goes on alone after half a second, and nothing is sent;
// B and C fetch what it has.
TEST_F(Stragglers, AQuorumOfOneSendsNothing) {
  spec.compute.islands.push_back({.island = {"B", {}}, .step_time = Duration::seconds(2.0)});
  QuadraticSpec parabolas;
  parabolas.optima = {-1.0, 0.0, 1.0};
  Quadratic task(parabolas);
  spec.task = &task;
  spec.stop.max_rounds = 1;
  for (const auto late : {StragglerSpec::Late::kDrop, StragglerSpec::Late::kMerge}) {
    const bool fetches = late == StragglerSpec::Late::kDrop;
    spec.training.stragglers = quorum(0.01, 0.5, late);
    const auto lines = run_log(spec);
    const auto rows = starting(lines, "clique");
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_NE(rows[0].find(" A "), std::string::npos);
    EXPECT_EQ(field(rows[0], 6), 0.0);
    EXPECT_NEAR(field(lines.back(), 2), fetches ? 4.0 : 3.0, 1e-9);
    EXPECT_EQ(field(lines.back(), 4), fetches ? 4e9 : 0.0);
    const auto models = starting(lines, "trace");
    EXPECT_EQ(field(models.back(), 4) < 1e-12, fetches);  // all have A's
  }
}

// With C's access at 1 Gbps no exchange of all three takes less than 8 s; A and B need 1 s.
TEST_F(Stragglers, TheBoundIsOfThoseWhoTakePart) {
  const Bandwidth fast = Bandwidth::gigabits_per_second(8);
  const Bandwidth slow = Bandwidth::gigabits_per_second(1);
  topology = Topology("star", {"s"},
                      {{"A", SwitchId::at(0), fast, fast, {}},
                       {"B", SwitchId::at(0), fast, fast, {}},
                       {"C", SwitchId::at(0), slow, slow, {}}},
                      {});
  spec.training.stragglers = quorum(0.6, 0.5, StragglerSpec::Late::kMerge);
  spec.stop.max_rounds = 1;
  const auto lines = run_log(spec);
  EXPECT_NEAR(field(lines.back(), 6), 3.0, 1e-9);
  EXPECT_NEAR(field(lines.back(), 7), 3.0, 1e-9);  // C computes so long
}

// B (8 Gbps) and C (1 Gbps in) come late at the same instant and fetch 1 GB from A: A's 8 Gbps are
// 7 for B and 1 for C, which takes 8 s, from 2 s on.
TEST_F(Stragglers, LatecomersFetchOverTheirOwnLinks) {
  const Bandwidth fast = Bandwidth::gigabits_per_second(8);
  const Bandwidth slow = Bandwidth::gigabits_per_second(1);
  topology = Topology("star", {"s"},
                      {{"A", SwitchId::at(0), fast, fast, {}},
                       {"B", SwitchId::at(0), fast, fast, {}},
                       {"C", SwitchId::at(0), slow, slow, {}}},
                      {});
  spec.compute.islands = {{.island = {"B", {}}, .step_time = Duration::seconds(2.0)},
                          {.island = {"C", {}}, .step_time = Duration::seconds(2.0)}};
  spec.training.stragglers = quorum(0.3, 0.5, StragglerSpec::Late::kDrop);
  spec.stop.max_rounds = 1;
  EXPECT_NEAR(field(run_log(spec).back(), 2), 10.0, 1e-9);
}

TEST_F(Stragglers, TheSameModelsInTheEnd) {
  for (const auto late : {StragglerSpec::Late::kDrop, StragglerSpec::Late::kMerge}) {
    QuadraticSpec parabolas;
    parabolas.optima = {-1.0, 0.0, 1.0};
    parabolas.start = 5.0;
    Quadratic task(parabolas);
    spec.task = &task;
    spec.training.stragglers = quorum(0.6, 0.5, late);
    spec.stop.max_rounds = 60;
    const auto rows = starting(run_log(spec), "trace");
    EXPECT_NEAR(field(rows.back(), 3), 1.0 / 3.0, 0.2);  // near the optimum 0
  }
}

// H = 4: speeds 1, 1, 1/3 share 12 steps: 5.14, 5.14, 1.71 → 5, 5, 2 steps of 5, 5 and 6 s.
TEST_F(Stragglers, DynamicStepsFollowTheSpeed) {
  EXPECT_EQ(
      dynamic_steps(4, {Duration::seconds(1.0), Duration::seconds(1.0), Duration::seconds(3.0)}, 1),
      (std::vector<std::int64_t>{5, 5, 2}));
  spec.training.local_steps = 4;
  spec.training.stragglers = StragglerSpec{.rule = StragglerSpec::Rule::kDynamicSteps};
  EXPECT_NEAR(field(run_log(spec).back(), 2), 4 * 8.0, 1e-9);
  spec.training.stragglers.reset();
  EXPECT_NEAR(field(run_log(spec).back(), 2), 4 * 14.0, 1e-9);
}

}  // namespace
}  // namespace gyre
