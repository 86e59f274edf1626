#include "models/tasks/noisy_quadratic.hpp"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/tasks/quadratic.hpp"
#include "tests/lockstep.hpp"

namespace gyre {
namespace {

using test::Lockstep;

const std::vector<double> kNineOptima{-4, -3, -2, -1, 0, 1, 2, 3, 4};

/// One direction of curvature 1, without noise: a `quadratic`.
NoisyQuadraticSpec one_direction(std::vector<double> optima) {
  NoisyQuadraticSpec spec;
  spec.dimensions = 1;
  spec.noise = 0.0;
  spec.start = 0.0;
  spec.optima = std::move(optima);
  return spec;
}

/// Steps that land on the optimum, but for noise: x_i ← b_i + s z.
NoisyQuadraticSpec one_leap(std::vector<double> optima, double noise) {
  NoisyQuadraticSpec spec = one_direction(std::move(optima));
  spec.learning_rate = 1.0;
  spec.noise = noise;
  return spec;
}

std::vector<double> first_means(const NoisyQuadratic& task, std::size_t islands) {
  std::vector<double> means(islands);
  for (std::size_t i = 0; i < islands; ++i) means[i] = task.means(i).front();
  return means;
}

test::Cliques everyone(std::size_t n) {
  test::Cliques cliques(1);
  for (std::size_t i = 0; i < n; ++i) cliques.front().push_back(i);
  return cliques;
}

TEST(NoisyQuadratic, ARingContractsTheVarianceOfItsSlowestWave) {  // oracle O2
  std::vector<double> wave(9);
  for (std::size_t i = 0; i < 9; ++i) wave[i] = std::cos(2.0 * M_PI * double(i) / 9.0);
  NoisyQuadratic task(one_leap(wave, 0.0));
  Lockstep run(task, 9, 1);
  run.train(1);
  const double before = task.evaluate().consensus_distance;
  EXPECT_NEAR(before, 0.5, 1e-12);
  const double contraction = std::pow((1.0 + 2.0 * std::cos(2.0 * M_PI / 9.0)) / 3.0, 2.0);
  for (int round = 1; round <= 10; ++round) {
    run.mix(test::ring_matrix(9));
    const double left = task.evaluate().consensus_distance / before;
    EXPECT_NEAR(left, std::pow(contraction, round), 1e-12);
    for (const auto& [published_round, published] :
         {std::pair{1, 0.7123860142}, {5, 0.1834750114}, {10, 0.0336630798}}) {
      if (round == published_round) {
        EXPECT_NEAR(left, published, 5e-11);
      }
    }
  }
}

// Oracle O2. The expectation over random groups is that of any groups over independent models.
TEST(NoisyQuadratic, GroupsContractTheVarianceOfIndependentModels) {
  for (const auto& [cliques, contraction] :
       {std::pair{test::kGridRows, 0.25}, std::pair{test::Cliques{{2, 5}}, 0.875}}) {
    NoisyQuadratic task(one_leap({}, 1.0));
    Lockstep run(task, 9, 1);
    run.train(1);
    EXPECT_NEAR(task.evaluate().consensus_distance, 8.0 / 9.0, 1e-12);
    run.mix(cliques);
    EXPECT_NEAR(task.evaluate().consensus_distance, contraction * 8.0 / 9.0, 1e-12);
  }
}

// Oracle O3. A curvature of 1e-20 only serves to give the noise its size, η σ √h = 1.
TEST(NoisyQuadratic, UnitNoiseLeavesTheFloorOfDisagreement) {
  NoisyQuadraticSpec spec = one_leap({}, 1e10);
  spec.curvature.largest = 1e-20;
  NoisyQuadratic ring(spec);
  Lockstep on_ring(ring, 9, 1);
  for (int round = 0; round < 200; ++round) on_ring.round(1, test::ring_matrix(9));
  EXPECT_NEAR(ring.evaluate().consensus_distance, 32.0 / 51.0, 1e-12);
  NoisyQuadratic triangles(spec);
  Lockstep on_triangles(triangles, 9, 1);
  for (int round = 0; round < 20; ++round) {
    on_triangles.round(1, round % 2 == 0 ? test::kGridRows : test::kGridColumns);
  }
  EXPECT_NEAR(triangles.evaluate().consensus_distance, 2.0 / 9.0, 1e-12);
}

TEST(NoisyQuadratic, LocalDescentWithExactMeans) {  // oracle O4
  NoisyQuadraticSpec spec = one_direction(kNineOptima);
  spec.start = 5.0;
  NoisyQuadratic task(spec);
  Lockstep run(task, 9, 1);
  const double rho = std::pow(0.9, 10.0);
  double expected = 5.0;
  for (const double published : {1.7433922005, 0.6078832730, 0.2119557914}) {
    expected *= rho;
    run.train(10);
    EXPECT_NEAR(task.evaluate().consensus_distance, (1.0 - rho) * (1.0 - rho) * 20.0 / 3.0, 1e-12);
    EXPECT_NEAR(task.evaluate().consensus_distance, 2.8281318293, 5e-11);
    run.mix(test::kGridGlobal);
    for (const double x : first_means(task, 9)) {
      EXPECT_NEAR(x, expected, 1e-12);
      EXPECT_NEAR(x, published, 5e-11);
    }
  }
}

TEST(NoisyQuadratic, UnequalCurvaturesDrift) {  // oracle O5
  NoisyQuadraticSpec spec = one_direction(kNineOptima);
  spec.curvature.factors = {1, 1, 1, 2, 2, 2, 4, 4, 4};
  for (const auto& [local_steps, published] :
       {std::pair{1, 1.285714285714}, {10, 0.405017991145}, {50, 0.005162668839}}) {
    NoisyQuadratic task(spec);
    Lockstep run(task, 9, 1);
    for (int round = 0; round < 400; ++round) run.round(local_steps, test::kGridGlobal);
    for (const double x : first_means(task, 9)) EXPECT_NEAR(x, published, 1e-12);
  }
}

TEST(NoisyQuadratic, GossipOnARingSettles) {  // oracle O6
  NoisyQuadratic task(one_direction(kNineOptima));
  Lockstep run(task, 9, 1);
  for (int round = 0; round < 1000; ++round) run.round(1, test::ring_matrix(9));
  EXPECT_NEAR(test::variance_of(first_means(task, 9)), 0.5341513792, 5e-11);
  EXPECT_NEAR(task.evaluate().consensus_distance, 0.5341513792, 5e-11);
}

TEST(NoisyQuadratic, NoiseSpeedsUpLinearly) {  // oracle O7
  for (const auto& [n, published] :
       {std::pair{1U, .0526315789}, {3U, .0175438596}, {9U, .0058479532}}) {
    for (const std::int64_t local_steps : {1, 2, 10, 50}) {
      NoisyQuadraticSpec spec = one_direction({});
      spec.noise = 1.0;
      NoisyQuadratic task(spec);
      Lockstep run(task, n, 1);
      for (int round = 0; round < 400; ++round) run.round(local_steps, everyone(n));
      const double variance = task.covariances(0, n - 1).front();
      EXPECT_NEAR(variance, 0.1 / (n * 1.9), 1e-12);
      EXPECT_NEAR(variance, published, 5e-11);
      EXPECT_NEAR(task.evaluate().loss_average, 0.5 * variance, 1e-12);
    }
  }
}

// Oracle O7 in every direction: the variance is η s²/(a(2 − ηa)) = ησ²/(B(2 − ηh)) at curvature h.
TEST(NoisyQuadratic, TheNoiseIsOfTheCurvaturesSizeAndFallsWithTheBatch) {
  NoisyQuadraticSpec spec;
  spec.dimensions = 5;
  spec.curvature = {.largest = 3.0, .exponent = 0.5, .factors = {1.0}};
  spec.noise = 2.0;
  spec.batch = 8;
  NoisyQuadratic task(spec);
  EXPECT_EQ(task.samples_per_step(), 8);
  Lockstep run(task, 1, 1);
  run.train(100'000);
  for (std::size_t k = 0; k < 5; ++k) {
    const double h = 3.0 / std::sqrt(double(k + 1));
    EXPECT_NEAR(task.covariances(0, 0)[k], 0.1 * 4.0 / 8.0 / (2.0 - 0.1 * h), 1e-12);
    EXPECT_NEAR(task.means(0)[k], 0.0, 1e-12);
  }
}

TEST(NoisyQuadratic, NesterovFollowsTheClosedForm) {  // oracle O8
  NoisyQuadraticSpec spec = one_direction(kNineOptima);
  spec.start = 5.0;
  NoisyQuadratic task(spec);
  Lockstep run(task, 9, 1, {.outer = OuterOptimizerSpec{.learning_rate = 0.7, .momentum = 0.9}});
  for (const double published : {0.6687116267, -1.7570615744, -2.1437952128, -1.3557560452}) {
    run.round(10, test::kGridGlobal);
    for (const double x : first_means(task, 9)) EXPECT_NEAR(x, published, 5e-11);
  }
}

TEST(NoisyQuadratic, DelayedAveragingContracts) {  // oracle O9
  struct Case {
    std::int64_t late;
    double local_weight;
    double published;
  };
  for (const auto& [late, local_weight, published] :
       {Case{0, 0.0, .3486784401}, {2, 0.0, .4304672100}, {2, 0.5, .3895728251}}) {
    NoisyQuadraticSpec spec = one_direction({});
    spec.start = 1.0;
    NoisyQuadratic task(spec);
    Lockstep run(task, 9, 1, {.local_weight = local_weight});
    double expected = 1.0;
    for (int round = 0; round < 5; ++round) {
      run.train(10 - late);
      const auto mixes = run.begin(test::kGridGlobal);
      run.train(late);
      run.finish(mixes, test::kGridGlobal);
      expected *= published;
      for (const double x : first_means(task, 9)) EXPECT_NEAR(x, expected, 1e-9 * expected);
    }
  }
}

NoisyQuadraticSpec nine_directions() {
  NoisyQuadraticSpec spec;
  spec.dimensions = 9;
  spec.curvature = {.largest = 2.0, .exponent = 1.2, .factors = {0.5, 1.0, 2.0, 3.0}};
  spec.optima = {-1.0, 0.5, 2.0, 0.0};
  spec.start = 3.0;
  return spec;
}

constexpr std::size_t kIslands = 4;

TEST(NoisyQuadratic, AFragmentIsEveryCountthDirection) {
  NoisyQuadratic task(nine_directions());
  Lockstep run(task, kIslands, 1);
  run.train(7);
  const NoisyQuadratic before = task;
  run.mix(everyone(kIslands), {.index = 1, .count = 4});
  for (std::size_t i = 0; i < kIslands; ++i) {
    for (std::size_t k = 0; k < 9; ++k) {
      const bool touched = k % 4 == 1;
      EXPECT_EQ(task.means(i)[k] != before.means(i)[k], touched);
      EXPECT_EQ(task.covariances(i, 0)[k] != before.covariances(i, 0)[k], touched);
      EXPECT_EQ(task.means(i)[k] == task.means(0)[k], touched || i == 0);
    }
  }
  NoisyQuadratic whole = before;
  whole.reserve(5);
  task.reserve(9);
  const std::vector<Term> terms{{1, 0.25}, {2, 0.5}, {1, 1.0}};
  NoisyQuadratic in_parts = whole;
  for (std::size_t part = 0; part < 4; ++part) in_parts.combine(2, terms, {part, 4});
  whole.combine(2, terms, {});
  for (std::size_t k = 0; k < 9; ++k) {
    EXPECT_EQ(in_parts.means(2)[k], whole.means(2)[k]);
    EXPECT_NEAR(whole.means(2)[k], 1.25 * before.means(1)[k] + 0.5 * before.means(2)[k], 1e-12);
    EXPECT_NEAR(whole.covariances(2, 2)[k],
                1.5625 * before.covariances(1, 1)[k] + 0.25 * before.covariances(2, 2)[k], 1e-12);
    EXPECT_NEAR(whole.covariances(1, 2)[k], 1.25 * before.covariances(1, 1)[k], 1e-12);
    for (std::size_t u = 0; u < 5; ++u) {
      EXPECT_EQ(in_parts.covariances(2, u)[k], whole.covariances(u, 2)[k]);
    }
    EXPECT_EQ(whole.means(4)[k], 0.0);
    EXPECT_EQ(whole.covariances(4, 1)[k], 0.0);
  }
}

// ηh from 1e-12 to 1.999, and 1 exactly.
TEST(NoisyQuadratic, StepsAddUp) {
  for (const double largest : {19.99, 15.0, 10.0, 9.999999, 1.0, 1e-6, 1e-11}) {
    NoisyQuadraticSpec spec = nine_directions();
    spec.curvature.largest = largest;
    spec.curvature.factors = {1.0};
    NoisyQuadratic at_once(spec);
    NoisyQuadratic in_two(spec);
    NoisyQuadratic one_by_one(spec);
    for (NoisyQuadratic* task : {&at_once, &in_two, &one_by_one}) {
      Lockstep(*task, kIslands, 1).round(3, test::Cliques{{0, 1}, {2, 3}});
    }
    const IslandId island = IslandId::at(1);
    at_once.train(island, 0);
    at_once.train(island, 57);
    in_two.train(island, 20);
    in_two.train(island, 37);
    for (int step = 0; step < 57; ++step) one_by_one.train(island, 1);
    for (const NoisyQuadratic* task : {&in_two, &one_by_one}) {
      for (std::size_t k = 0; k < 9; ++k) {
        EXPECT_NEAR(task->means(1)[k], at_once.means(1)[k], 1e-12);
        for (std::size_t u = 0; u < kIslands; ++u) {
          const double expected = at_once.covariances(1, u)[k];
          EXPECT_NEAR(task->covariances(1, u)[k], expected, 1e-12 * (1.0 + expected));
        }
      }
    }
  }
}

/// Rounds of everything: two kinds of cliques, an outer optimiser, merges that come late.
template <class TaskType>
class BusyRun {
 public:
  explicit BusyRun(TaskType& task)
      : run_(task, kIslands, 1,
             {.outer = OuterOptimizerSpec{.learning_rate = 0.6, .momentum = 0.5},
              .local_weight = 0.3}) {}
  void round(int number) {
    const test::Cliques cliques =
        number % 2 == 0 ? test::Cliques{{0, 1}, {2, 3}} : test::Cliques{{0, 2}, {1, 3}};
    run_.train(4);
    const auto mixes = run_.begin(cliques);
    run_.train(2);
    run_.finish(mixes, cliques);
  }

 private:
  Lockstep run_;
};

TEST(NoisyQuadratic, WithoutNoiseItIsAQuadraticADirection) {
  NoisyQuadraticSpec spec = nine_directions();
  spec.noise = 0.0;
  NoisyQuadratic task(spec);
  BusyRun busy(task);
  std::vector<Quadratic> quadratics;
  for (std::size_t k = 0; k < 9; ++k) {
    QuadraticSpec one;
    one.curvatures.clear();
    for (const double factor : spec.curvature.factors) {
      one.curvatures.push_back(factor * 2.0 * std::pow(double(k + 1), -1.2));
    }
    one.optima = spec.optima;
    one.start = spec.start;
    quadratics.emplace_back(one);
  }
  std::vector<std::unique_ptr<BusyRun<Quadratic>>> runs;
  runs.reserve(quadratics.size());
  for (Quadratic& one : quadratics) runs.push_back(std::make_unique<BusyRun<Quadratic>>(one));
  for (int round = 0; round < 20; ++round) {
    busy.round(round);
    Evaluation sum;
    for (std::size_t k = 0; k < 9; ++k) {
      runs[k]->round(round);
      const Evaluation one = quadratics[k].evaluate();
      sum.loss_average += one.loss_average;
      sum.loss_mean += one.loss_mean;
      sum.consensus_distance += one.consensus_distance;
    }
    const Evaluation all = task.evaluate();
    EXPECT_NEAR(all.loss_average, sum.loss_average, 1e-12);
    EXPECT_NEAR(all.loss_mean, sum.loss_mean, 1e-12);
    EXPECT_NEAR(all.consensus_distance, sum.consensus_distance, 1e-12);
  }
}

TEST(NoisyQuadratic, WithoutNoiseOneDirectionIsAQuadratic) {
  NoisyQuadraticSpec spec = nine_directions();
  spec.dimensions = 1;
  spec.noise = 0.0;
  NoisyQuadratic task(spec);
  QuadraticSpec same;
  same.curvatures = {1.0, 2.0, 4.0, 6.0};
  same.optima = spec.optima;
  same.start = spec.start;
  Quadratic quadratic(same);
  BusyRun closed(task);
  BusyRun stepped(quadratic);
  for (int round = 0; round < 50; ++round) {
    closed.round(round);
    stepped.round(round);
    const Evaluation a = task.evaluate();
    const Evaluation b = quadratic.evaluate();
    EXPECT_NEAR(a.loss_average, b.loss_average, 1e-12);
    EXPECT_NEAR(a.loss_mean, b.loss_mean, 1e-12);
    EXPECT_NEAR(a.loss_worst, b.loss_worst, 1e-12);
    EXPECT_NEAR(a.consensus_distance, b.consensus_distance, 1e-12);
  }
}

}  // namespace
}  // namespace gyre
