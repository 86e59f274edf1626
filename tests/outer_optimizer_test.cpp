#include "models/outer_optimizer.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "models/tasks/quadratic.hpp"
#include "tests/lockstep.hpp"

namespace gyre {
namespace {

using test::Lockstep;

QuadraticSpec nine_islands() {
  QuadraticSpec spec;
  spec.optima = {-4, -3, -2, -1, 0, 1, 2, 3, 4};
  spec.start = 5.0;
  return spec;
}

TEST(OuterOptimizer, NesterovFollowsTheClosedForm) {
  Quadratic task(nine_islands());
  Lockstep run(task, 9, 1, {.outer = OuterOptimizerSpec{.learning_rate = 0.7, .momentum = 0.9}});
  const double rho = std::pow(0.9, 10.0);
  double theta = 5.0;
  double momentum = 0.0;
  for (const double published : {0.6687116267, -1.7570615744, -2.1437952128, -1.3557560452}) {
    const double descent = (1.0 - rho) * theta;
    momentum = 0.9 * momentum + descent;
    theta -= 0.7 * (descent + 0.9 * momentum);
    run.round(10, test::kGridGlobal);
    for (const double x : run.scalars()) {
      EXPECT_NEAR(x, theta, 1e-12);
      EXPECT_NEAR(x, published, 5e-11);
    }
  }
}

TEST(OuterOptimizer, WithoutMomentumAndRateOneItIsPlainAveraging) {
  Quadratic with(nine_islands());
  Quadratic without(nine_islands());
  Lockstep outer(with, 9, 1, {.outer = OuterOptimizerSpec{.learning_rate = 1.0, .momentum = 0.0}});
  Lockstep plain(without, 9, 1);
  for (int round = 0; round < 6; ++round) {
    const test::Cliques& w = round % 2 == 0 ? test::kGridRows : test::kGridColumns;
    outer.round(10, w);
    plain.round(10, w);
    for (std::size_t i = 0; i < 9; ++i) {
      EXPECT_NEAR(outer.scalars()[i], plain.scalars()[i], 1e-12);
    }
  }
}

TEST(OuterOptimizer, IslandsKeepTheirOwnState) {
  Quadratic task(nine_islands());
  Lockstep run(task, 9, 1, {.outer = OuterOptimizerSpec{.learning_rate = 0.5, .momentum = 0.5}});
  ModelMixer& mixer = run.mixer();
  const auto step = [&](std::size_t island, double average) {
    const auto mix = mixer.begin({IslandId::at(island)}, {});
    mixer.set_results(*mix, {{average}});
    mixer.apply(*mix, 0);
    return run.scalars()[island];
  };
  // D = 1, m = 1, θ = 5 − 0.5·1.5; then D = 0.25, m = 0.75, θ = 4.25 − 0.5·0.625.
  EXPECT_DOUBLE_EQ(step(0, 4.0), 4.25);
  EXPECT_DOUBLE_EQ(step(1, 4.0), 4.25);
  EXPECT_DOUBLE_EQ(step(0, 4.0), 3.9375);
}

// Of a quorum without its first member the second one's result is the first.
TEST(ModelMixer, ResultsAreOfThoseWhoHaveSent) {
  Quadratic task(nine_islands());
  Lockstep run(task, 9, 1);
  ModelMixer& mixer = run.mixer();
  const auto mix = mixer.begin({IslandId::at(0), IslandId::at(1), IslandId::at(2)}, {});
  mixer.contribute(*mix, 1);
  mixer.contribute(*mix, 2);
  mixer.set_results(*mix, {{7.0}, {8.0}});
  mixer.apply(*mix, 1);
  mixer.apply(*mix, 2);
  EXPECT_EQ(run.scalars()[1], 7.0);
  EXPECT_EQ(run.scalars()[2], 8.0);
}

}  // namespace
}  // namespace gyre
