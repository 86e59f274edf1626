// What a run learns, and when it ends: the oracles through the simulation.

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/tasks/quadratic.hpp"
#include "tests/lockstep.hpp"
#include "tests/run_log.hpp"

namespace gyre {
namespace {

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
  spec.training.local_steps = 10;
  spec.task = &task;
  const auto rows = starting(run_log(spec), "trace");
  ASSERT_EQ(rows.size(), 4U);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double mean = 5.0 * std::pow(0.9, 10.0 * static_cast<double>(r));
    EXPECT_NEAR(field(rows[r], 3), mean * mean / 2.0 + 10.0 / 3.0, 1e-12);
  }
  EXPECT_NEAR(field(rows[3], 4), 0.0, 1e-24);
}

/// What lockstep rounds of these cliques learn: the loss of the average model after each.
std::vector<double> lockstep_losses(
    const QuadraticSpec& parabolas, const Topology& topology,
    const std::vector<std::vector<std::vector<std::size_t>>>& rounds, int count) {
  Quadratic same(parabolas);
  same.start({.islands = topology.island_names(), .seed = 1});
  std::vector<double> losses;
  for (int r = 0; r < count; ++r) {
    for (std::size_t i = 0; i < 9; ++i) same.train(IslandId::at(i), 4);
    std::vector<Model> next(9);
    for (const auto& clique : rounds[static_cast<std::size_t>(r) % rounds.size()]) {
      std::vector<WeightedIsland> terms;
      for (const std::size_t i : clique) {
        terms.push_back({IslandId::at(i), 1.0 / static_cast<double>(clique.size())});
      }
      for (const std::size_t i : clique) next[i] = test::weighted_sum(same, terms, 9);
    }
    for (std::size_t i = 0; i < 9; ++i) same.assign(IslandId::at(i), next[i]);
    losses.push_back(same.evaluate().loss_average);
  }
  return losses;
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
  spec.training.local_steps = 4;
  spec.task = &task;
  spec.stop.max_rounds = 5;
  const auto rows = starting(run_log(spec), "trace");
  const std::vector<double> losses =
      lockstep_losses(parabolas, topology, {test::kGridRows, test::kGridColumns}, 5);
  for (std::size_t r = 0; r < 5; ++r) EXPECT_EQ(field(rows[r + 1], 3), losses[r]);
}

// Who gets the result early is in the middle of its next steps when the last one gets it: what is
// evaluated is the model that all have got.
TEST(Simulation, DistanceDoesNotChangeWhatIsLearnt) {
  const Topology topology = nine_city();
  Repeated policy(topology, {"SEO+TYO+SIN+LAX+NYC+BAR+LON+AMS+FRA"});
  QuadraticSpec parabolas = nine_parabolas();
  parabolas.noise = 0.3;
  Quadratic task(parabolas);
  RunSpec spec = pair_spec(topology, policy);
  spec.exchange = Exchange::kInNetwork;
  spec.capabilities = capabilities(topology, Mode::kBoth);
  spec.compute.step_time = Duration::milliseconds(2);
  spec.training.local_steps = 4;
  spec.task = &task;
  spec.stop.max_rounds = 5;
  const auto rows = starting(run_log(spec), "trace");
  const std::vector<double> losses =
      lockstep_losses(parabolas, topology, {{{0, 1, 2, 3, 4, 5, 6, 7, 8}}}, 5);
  for (std::size_t r = 0; r < 5; ++r) {
    EXPECT_EQ(field(rows[r + 1], 3), losses[r]);
    EXPECT_LT(field(rows[r + 1], 4), 1e-24);  // they agree
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
  spec.training.local_steps = 1;
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

}  // namespace
}  // namespace gyre
