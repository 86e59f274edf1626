// How islands train between and around exchanges: overlap, fragments, layers, stragglers. Times are
// derived in the comments, on two islands: A ──10 Gbps, 10 ms── B, 1 GB takes 0.81 s.

#include "models/training.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/tasks/quadratic.hpp"
#include "sim/simulation.hpp"
#include "tests/run_log.hpp"

namespace gyre {
namespace {

OverlapSpec delayed(std::int64_t steps, double local_weight = 0.0) {
  return {.kind = OverlapSpec::Kind::kDelayed, .steps = steps, .local_weight = local_weight};
}

// Two islands with the optimum 0: they stay equal, and one curve tells all.
QuadraticSpec twins(double learning_rate = 0.1) {
  QuadraticSpec spec;
  spec.optima = {0.0, 0.0};
  spec.start = 5.0;
  spec.learning_rate = learning_rate;
  return spec;
}

/// The value of the average model after each round.
std::vector<double> values(const RunSpec& spec) {
  std::vector<double> result;
  for (const std::string& row : starting(run_log(spec), "trace")) {
    result.push_back(std::sqrt(2.0 * field(row, 3)));
  }
  return result;
}

// Oracle O9. A round's end is ten steps after the last one's; the merging lies two steps behind
// the sending: x ← α q² x + (1 − α) x there.
TEST(Overlap, ContractsAsTheClosedFormSays) {
  const Topology topology = pair();
  Repeated policy(topology, {"A+B"});
  struct Case {
    std::int64_t late;
    double local_weight;
    double contraction;
  };
  for (const Case& c :
       {Case{0, 0.0, 0.3486784401}, Case{2, 0.0, 0.4304672100}, Case{2, 0.5, 0.3895728251}}) {
    Quadratic task(twins());
    RunSpec spec = pair_spec(topology, policy);
    spec.task = &task;
    spec.training.local_steps = 10;
    if (c.late > 0) spec.training.overlap = delayed(c.late, c.local_weight);
    spec.stop.max_rounds = 6;
    const std::vector<double> x = values(spec);
    ASSERT_EQ(x.size(), 7U);
    EXPECT_NEAR(x[1], 5.0 * std::pow(0.9, 10.0), 1e-12);
    const double q = 0.9;
    const double exact = c.local_weight * std::pow(q, 10.0) +
                         (1.0 - c.local_weight) * std::pow(q, 10.0 - static_cast<double>(c.late));
    for (std::size_t r = 2; r + 1 < x.size(); ++r) {
      EXPECT_NEAR(x[r] / x[r - 1], exact, 1e-12);
      EXPECT_NEAR(x[r] / x[r - 1], c.contraction, 6e-11);  // ten digits
    }
  }
}

// Oracle O10: with H = 1, an outer step of rate 1 without momentum and exchanges that merge τ steps
// late, x_{t+1} = x_t − c x_{t−τ}. The limits are 2 sin(π / (2(2τ + 1))).
TEST(Overlap, StaleGradientsAreStableUpToTheKnownRate) {
  const Topology topology = pair();
  Repeated policy(topology, {"A+B"});
  const std::vector<double> limits{2.0, 1.0, 0.618034, 0.445042, 0.347296};
  for (std::size_t late = 0; late < limits.size(); ++late) {
    const double limit =
        2.0 * std::sin(std::acos(-1.0) / (2.0 * (2.0 * static_cast<double>(late) + 1.0)));
    EXPECT_NEAR(limit, limits[late], 5e-7);
    for (const double c : {0.97 * limit, late == 0 ? 0.99 * limit : 1.03 * limit}) {
      Quadratic task(twins(c));
      RunSpec spec = pair_spec(topology, policy);
      spec.task = &task;
      spec.training.outer_optimizer = {.learning_rate = 1.0, .momentum = 0.0};
      if (late > 0) spec.training.overlap = delayed(static_cast<std::int64_t>(late));
      spec.stop.max_rounds = 300;
      const std::vector<double> x = values(spec);
      // The first τ steps are local, since nothing has come back; from then on θ follows the rule.
      std::vector<double> theta{5.0};
      std::vector<double> sent;
      double own = 5.0;
      for (std::size_t t = 0; t + 1 < x.size(); ++t) {
        ASSERT_NEAR(x[t], std::abs(own), 1e-9 * std::max(1.0, std::abs(own))) << late << " " << t;
        sent.push_back(theta.back() - (1.0 - c) * own);
        own *= 1.0 - c;
        if (t < late) continue;
        theta.push_back(theta.back() - sent[t - late]);
        own = theta.back();
        const std::size_t k = theta.size() - 1;
        if (k > 2 * late + 1) {
          ASSERT_NEAR(theta[k], theta[k - 1] - c * theta[k - 1 - late],
                      1e-9 * std::max(1.0, std::abs(theta[k])));
        }
      }
      const double end = x[295] + x[296] + x[297];
      EXPECT_EQ(end < 5.0, c < limit) << late << " " << c;
    }
  }
}

// Oracle O8: DiLoCo's outer Nesterov step, in a run.
TEST(OuterOptimizer, FollowsTheClosedFormInARun) {
  const Topology topology = pair();
  Repeated policy(topology, {"A+B"});
  Quadratic task(twins());
  RunSpec spec = pair_spec(topology, policy);
  spec.task = &task;
  spec.training.local_steps = 10;
  spec.training.outer_optimizer = OuterOptimizerSpec{.learning_rate = 0.7, .momentum = 0.9};
  spec.stop.max_rounds = 4;
  const std::vector<double> x = values(spec);
  const std::vector<double> known{0.6687116267, 1.7570615744, 2.1437952128, 1.3557560452};
  ASSERT_EQ(x.size(), 5U);
  for (std::size_t r = 0; r < 4; ++r) EXPECT_NEAR(x[r + 1], known[r], 5.1e-11);
}

// H = 2 of 1 s each, merged one step late. 1 GB in 0.81 s is hidden: three rounds of 2 s, and the
// last exchange at the end. 2 GB in 1.61 s cost 0.61 s in the second round and every one after.
TEST(Overlap, HidesWhatFitsBetweenTheSteps) {
  const Topology topology = pair();
  Repeated policy(topology, {"A+B"});
  RunSpec spec = pair_spec(topology, policy);
  spec.training.local_steps = 2;
  spec.training.overlap = delayed(1);
  auto lines = run_log(spec);
  EXPECT_NEAR(field(lines.back(), 2), 6.81, 1e-9);
  EXPECT_NEAR(field(lines.back(), 7), 6.81 / 3.0, 1e-9);  // and the bound says so
  EXPECT_EQ(starting(lines, "clique").size(), 3U);
  spec.payload = Bytes::count(2'000'000'000);
  lines = run_log(spec);
  EXPECT_NEAR(field(lines.back(), 2), 2.0 + 2 * 2.61 + 1.61, 1e-9);
  EXPECT_NEAR(field(lines.back(), 7), (2.0 + 2 * 2.61 + 1.61) / 3.0, 1e-9);
}

// Four fragments of 0.25 GB, one a step, merged three steps late: three are under way at a time.
// At 1 s a step each takes 0.2 s + 10 ms alone and none waits; with 20 GB each takes 4.01 s alone,
// and what is sent in a second needs four: the link is never idle, 16 s a round.
TEST(Overlap, SeveralFragmentsAreUnderWayAtATime) {
  const Topology topology = pair();
  Repeated policy(topology, {"A+B"});
  RunSpec spec = pair_spec(topology, policy);
  spec.training.local_steps = 4;
  spec.training.fragments = 4;
  spec.training.overlap = delayed(3);
  auto lines = run_log(spec);
  EXPECT_NEAR(field(lines.back(), 2), 12.21, 1e-9);
  EXPECT_EQ(starting(lines, "clique").size(), 12U);
  EXPECT_EQ(field(lines.back(), 4), 3 * 2 * 3 * 1e9);  // both ways over three arcs
  spec.payload = Bytes::count(20'000'000'000);
  lines = run_log(spec);
  EXPECT_NEAR(field(lines.back(), 2), 1.0 + 3 * 16.0, 0.1);
  EXPECT_GE(field(lines.back(), 6) + 1e-9, field(lines.back(), 7));
}

// Nothing is merged before the end, and what is under way at a time is what the run sends: three.
TEST(Overlap, ALongDelayCostsNoMoreThanTheRun) {
  const Topology topology = pair();
  Repeated policy(topology, {"A+B"});
  RunSpec spec = pair_spec(topology, policy);
  spec.training.overlap = delayed(1'000'000'000'000);
  const auto lines = run_log(spec);
  EXPECT_EQ(starting(lines, "clique").size(), 3U);
  EXPECT_NEAR(field(lines.back(), 2), 3.81, 1e-9);
}

// A and B wait at the barrier while a ring over 700 ms still hands parts on: what ends the one wait
// must not end the other.
TEST(Overlap, GoesOnBehindABarrier) {
  const Bandwidth access = Bandwidth::gigabits_per_second(8);
  const Bandwidth core = Bandwidth::gigabits_per_second(10);
  const Duration latency = Duration::milliseconds(700);
  const Topology topology("three", {"s", "t"},
                          {{"A", SwitchId::at(0), access, access, {}},
                           {"B", SwitchId::at(0), access, access, {}},
                           {"C", SwitchId::at(1), access, access, {}}},
                          {{SwitchId::at(0), SwitchId::at(1), core, latency, core, latency}});
  Repeated policy(topology, {"A+B+C"});
  RunSpec spec = pair_spec(topology, policy);
  spec.exchange = Exchange::kRing;
  spec.barrier = true;
  spec.compute.islands = {{.island = {"C", {}}, .step_time = Duration::seconds(1.5)}};
  spec.training.overlap = delayed(3);
  spec.stop.max_rounds = 12;
  const auto lines = run_log(spec);
  EXPECT_EQ(starting(lines, "clique").size(), 12U);
  EXPECT_EQ(field(lines.back(), 3), 12);
}

// C reaches the target at 2 s, the instant at which A and B send behind their next steps: what was
// to send never begins.
TEST(Overlap, EndsWhereAnExchangeWasAboutToBegin) {
  const Bandwidth access = Bandwidth::gigabits_per_second(8);
  const Topology topology("star", {"s"},
                          {{"A", SwitchId::at(0), access, access, {}},
                           {"B", SwitchId::at(0), access, access, {}},
                           {"C", SwitchId::at(0), access, access, {}}},
                          {});
  Repeated policy(topology, {"A+B"});
  QuadraticSpec parabolas;
  parabolas.optima = {0.0, 0.0, 0.0};
  parabolas.start = 5.0;
  Quadratic task(parabolas);
  RunSpec spec = pair_spec(topology, policy);
  spec.task = &task;
  spec.payload = Bytes::count(1000);
  spec.compute.trace = StepTrace{.file = {}, .islands = {"C"}, .steps_s = {{2.5}, {0.5}}};
  spec.training.overlap = delayed(1);
  spec.stop.max_rounds = 10;
  spec.stop.loss = 9.5;
  const auto lines = run_log(spec);
  EXPECT_EQ(field(lines.back(), 1), 0) << lines.back();
  EXPECT_EQ(field(lines.back(), 2), 3.0);
}

// H = 2 and speeds 1 and 1/3: three steps on A, one on B, which sends again before it has merged.
// So B's θ moves between sending and merging, as in O10, though τ = 1 is less than H.
TEST(Overlap, KnowsTheSlowIslandsFewSteps) {
  const Topology topology = pair();
  Repeated policy(topology, {"A+B"});
  for (const bool layered : {false, true}) {
    Quadratic task(twins());
    RunSpec spec = pair_spec(topology, policy);
    spec.task = &task;
    spec.payload = Bytes::count(2);
    spec.compute.islands = {{.island = {"B", {}}, .step_time = Duration::seconds(3.0)}};
    spec.training.local_steps = 2;
    spec.training.stragglers = StragglerSpec{.rule = StragglerSpec::Rule::kDynamicSteps};
    spec.training.overlap = delayed(1);
    spec.training.outer_optimizer = {.learning_rate = 1.0, .momentum = 0.0};
    if (layered) spec.training.layers = LayersSpec{.count = 2};
    spec.stop.max_rounds = 20;
    const std::vector<double> x = values(spec);
    ASSERT_EQ(x.size(), 21U);
    const double q = 0.9;
    double a = 5.0;
    double b = 5.0;
    double theta_a = 5.0;
    double theta_b = 5.0;
    double moved_a = 0.0;  // what the last exchange says
    double moved_b = 0.0;
    for (std::size_t r = 1; r <= 20; ++r) {
      a *= q;
      if (r > 1) a = theta_a += moved_a;
      a *= q * q;
      b *= q;
      const double average = (a + b) / 2.0;
      const double next_b = average - theta_b;
      moved_a = average - theta_a;
      if (r > 1) b = theta_b += moved_b;
      moved_b = next_b;
      // Where a layered step counts from its beginning, B's next may be in what is evaluated.
      if (r < 20 && !layered) {
        EXPECT_NEAR(x[r], (a + b) / 2.0, 1e-9) << r;
      }
    }
    EXPECT_NEAR(x[20], (theta_a + moved_a + theta_b + moved_b) / 2.0, 1e-9) << layered;
  }
}

// Each fragment meets once a round: with blocking exchanges and equal steps the models are those of
// a plain run on every parameter, which here is one: the first fragment holds it.
TEST(Fragments, EachIsExchangedOnceARound) {
  const TrainingSpec training{.local_steps = 10, .fragments = 4};
  const SyncTiming timing(training, Bytes::count(1'000'003), {10});
  std::int64_t steps = 0;
  Bytes bytes;
  for (std::size_t f = 0; f < 4; ++f) {
    steps += timing.steps(0, f);
    bytes += timing.bytes(f);
    EXPECT_EQ(timing.pieces(f).size(), 1U);
  }
  EXPECT_EQ(steps, 10);
  EXPECT_EQ(bytes, Bytes::count(1'000'003));
  EXPECT_EQ(timing.steps(0, 0), 2);
  EXPECT_EQ(timing.steps(0, 1), 3);
}

// A step of 3 s, of which the backward pass takes 2 s: four layers are ready at 1.5, 2, 2.5, 3 s.
// 1 GB: a layer takes 0.2 s + 10 ms, and only the last one's is not hidden. 5 GB: 1.01 s each,
// one after the other from 1.5 s on: 5.54 s.
TEST(Layers, AreSentBehindTheBackwardPass) {
  const Topology topology = pair();
  Repeated policy(topology, {"A+B"});
  RunSpec spec = pair_spec(topology, policy);
  spec.compute.step_time = Duration::seconds(3.0);
  spec.training.layers = LayersSpec{.count = 4};
  auto lines = run_log(spec);
  EXPECT_NEAR(field(lines.back(), 2), 3 * 3.21, 1e-9);
  EXPECT_NEAR(field(starting(lines, "clique").front(), 4), 3.0, 1e-9);  // the whole step
  spec.payload = Bytes::count(5'000'000'000);
  lines = run_log(spec);
  EXPECT_NEAR(field(lines.back(), 2), 3 * 5.54, 1e-9);
  EXPECT_GE(field(lines.back(), 6) + 1e-9, field(lines.back(), 7));
  EXPECT_NEAR(field(lines.back(), 7), 1.5 + 4.01, 1e-9);  // all bytes behind the first layer
}

TEST(Layers, FragmentsHoldEveryFourthLayer) {
  TrainingSpec training{.local_steps = 100, .fragments = 4};
  training.layers = LayersSpec{.count = 12, .backward = 0.5};
  const SyncTiming timing(training, Bytes::count(1200), {100});
  const std::vector<Piece>& second = timing.pieces(1);  // layers 9, 5, 1
  ASSERT_EQ(second.size(), 3U);
  EXPECT_DOUBLE_EQ(second[0].ready, 0.5 + 0.5 * 3.0 / 12.0);
  EXPECT_DOUBLE_EQ(second[1].ready, 0.5 + 0.5 * 7.0 / 12.0);
  EXPECT_DOUBLE_EQ(second[2].ready, 0.5 + 0.5 * 11.0 / 12.0);
  EXPECT_EQ(second[2].bytes, Bytes::count(100));
}

}  // namespace
}  // namespace gyre
