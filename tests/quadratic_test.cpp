#include "models/tasks/quadratic.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/error.hpp"
#include "tests/lockstep.hpp"

namespace gyre {
namespace {

using test::Lockstep;

QuadraticSpec nine_islands() {
  QuadraticSpec spec;
  spec.optima = {-4, -3, -2, -1, 0, 1, 2, 3, 4};
  return spec;
}

std::string error_of(const QuadraticSpec& spec, std::size_t islands) {
  Quadratic task(spec);
  try {
    task.start({.islands = test::numbered_islands(islands), .seed = 1});
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Quadratic, LocalDescentWithExactMeans) {  // oracle O4
  QuadraticSpec spec = nine_islands();
  spec.start = 5.0;
  Quadratic task(spec);
  Lockstep run(task, 9, 1);
  const double rho = std::pow(0.9, 10.0);
  double expected = 5.0;
  for (const double published : {1.7433922005, 0.6078832730, 0.2119557914}) {
    expected *= rho;
    run.train(10);
    EXPECT_NEAR(test::variance_of(run.scalars()), (1.0 - rho) * (1.0 - rho) * 20.0 / 3.0, 1e-12);
    EXPECT_NEAR(task.evaluate().consensus_distance, 2.8281318293, 5e-11);
    run.mix(test::clique_matrix(9, test::kGridGlobal));
    for (const double x : run.scalars()) {
      EXPECT_NEAR(x, expected, 1e-12);
      EXPECT_NEAR(x, published, 5e-11);
    }
  }
}

TEST(Quadratic, UnequalCurvaturesDrift) {  // oracle O5
  QuadraticSpec spec = nine_islands();
  spec.curvatures = {1, 1, 1, 2, 2, 2, 4, 4, 4};
  struct Case {
    std::int64_t local_steps;
    double published;
  };
  for (const auto& [local_steps, published] :
       {Case{1, 1.285714285714}, Case{10, 0.405017991145}, Case{50, 0.005162668839}}) {
    Quadratic task(spec);
    Lockstep run(task, 9, 1);
    for (int round = 0; round < 400; ++round) {
      run.round(local_steps, test::clique_matrix(9, test::kGridGlobal));
    }
    double numerator = 0.0;
    double denominator = 0.0;
    for (std::size_t i = 0; i < 9; ++i) {
      const double gain = 1.0 - std::pow(1.0 - 0.1 * spec.curvatures[i], double(local_steps));
      numerator += gain * spec.optima[i];
      denominator += gain;
    }
    for (const double x : run.scalars()) {
      EXPECT_NEAR(x, numerator / denominator, 1e-12);
      EXPECT_NEAR(x, published, 1e-12);
    }
  }
}

TEST(Quadratic, GossipOnARingSettles) {  // oracle O6
  Quadratic task(nine_islands());
  Lockstep run(task, 9, 1);
  const test::MixingMatrix ring = test::ring_matrix(9);
  for (int round = 0; round < 1000; ++round) run.round(1, ring);
  const std::vector<double> x = run.scalars();
  EXPECT_NEAR(test::variance_of(x), 0.5341513792, 5e-11);
  // The fixed point solves x = W(x − η(x − b)).
  for (std::size_t i = 0; i < 9; ++i) {
    double next = 0.0;
    for (std::size_t j = 0; j < 9; ++j) next += ring[i][j] * (0.9 * x[j] + 0.1 * (double(j) - 4.0));
    EXPECT_NEAR(x[i], next, 1e-12);
  }
}

// Oracle O7. The mean is a first-order autoregression with coefficient 0.9: N values are worth
// N(1 − 0.81)/(1 + 0.81) independent ones for a variance, whose relative error is then √(2/that).
TEST(Quadratic, NoiseSpeedsUpLinearly) {
  constexpr int kSamples = 400'000;
  const double relative_error = std::sqrt(2.0 / (kSamples * 0.19 / 1.81));
  struct Case {
    std::size_t islands;
    std::int64_t local_steps;
    double published;
  };
  for (const auto& [n, local_steps, published] :
       {Case{1, 1, .0526315789}, Case{3, 1, .0175438596}, Case{9, 1, .0058479532},
        Case{9, 10, .0058479532}}) {
    EXPECT_NEAR(0.1 / (double(n) * 1.9), published, 5e-11);
    QuadraticSpec spec;
    spec.optima.assign(n, 0.0);
    spec.noise = 1.0;
    Quadratic task(spec);
    Lockstep run(task, n, 11);
    std::vector<std::size_t> everyone(n);
    for (std::size_t i = 0; i < n; ++i) everyone[i] = i;
    const test::MixingMatrix global = test::clique_matrix(n, {everyone});
    double squares = 0.0;
    const int rounds = kSamples / int(local_steps);
    run.train(200);
    for (int round = 0; round < rounds; ++round) {
      run.round(local_steps, global);
      squares += run.scalars().front() * run.scalars().front();
    }
    // With H = 10 there are ten times fewer values, each worth nearly ten times as much.
    EXPECT_NEAR(squares / rounds, published, 4.0 * relative_error * published);
  }
}

TEST(Quadratic, NoiseHasAStreamOfItsOwnForEachIsland) {
  QuadraticSpec spec;
  spec.noise = 1.0;
  spec.optima = {0.0, 0.0};
  Quadratic a(spec);
  Quadratic b(spec);
  a.start({.islands = {"FRA", "LON"}, .seed = 3});
  b.start({.islands = {"LON", "FRA"}, .seed = 3});
  a.train(IslandId::at(0), 50);
  b.train(IslandId::at(0), 20);
  b.train(IslandId::at(1), 20);
  b.train(IslandId::at(1), 30);
  EXPECT_EQ(a.model(IslandId::at(0)), b.model(IslandId::at(1)));
  EXPECT_NE(a.model(IslandId::at(0)), b.model(IslandId::at(0)));
}

TEST(Quadratic, EvaluationOfTwoIslands) {
  QuadraticSpec spec;
  spec.curvatures = {2.0, 4.0};
  spec.optima = {-1.0, 1.0};
  Quadratic task(spec);
  task.start({.islands = {"A", "B"}, .seed = 1});
  task.assign(IslandId::at(0), {1.0});
  task.assign(IslandId::at(1), {-2.0});
  const Evaluation e = task.evaluate();
  // F(x) = ((x + 1)² + 2(x − 1)²)/2: F(−0.5) = 2.375, F(1) = 2, F(−2) = 9.5.
  EXPECT_DOUBLE_EQ(e.loss_average, 2.375);
  EXPECT_DOUBLE_EQ(e.loss_mean, 5.75);
  EXPECT_DOUBLE_EQ(e.loss_worst, 9.5);
  EXPECT_DOUBLE_EQ(e.consensus_distance, 2.25);
  EXPECT_FALSE(e.accuracy_average.has_value());
  EXPECT_FALSE(task.has_accuracy());
}

TEST(Quadratic, WeightedCombination) {
  Quadratic task(nine_islands());
  task.start({.islands = test::numbered_islands(9), .seed = 1});
  task.assign(IslandId::at(2), {3.0});
  task.assign(IslandId::at(5), {-1.0});
  const std::vector<WeightedIsland> terms{{IslandId::at(2), 0.25}, {IslandId::at(5), 0.75}};
  EXPECT_EQ(test::weighted_sum(task, terms, 9), Model{0.0});
}

TEST(Quadratic, StartMayBeCalledAgain) {
  QuadraticSpec spec = nine_islands();
  spec.noise = 0.5;
  Quadratic task(spec);
  std::vector<Model> models;
  for (int run = 0; run < 2; ++run) {
    task.start({.islands = test::numbered_islands(9), .seed = 4});
    task.train(IslandId::at(7), 30);
    models.push_back(task.model(IslandId::at(7)));
  }
  EXPECT_EQ(models[0], models[1]);
}

TEST(Quadratic, ListsHaveToFitTheIslands) {
  QuadraticSpec spec = nine_islands();
  spec.optima_where = {.file = "q.yaml", .line = 9, .column = 3, .key_path = "task.optima"};
  spec.curvatures_where = {.file = "q.yaml", .line = 8, .column = 3, .key_path = "task.curvatures"};
  EXPECT_EQ(error_of(spec, 9), "no error");
  EXPECT_EQ(error_of(spec, 3),
            "q.yaml:9:3: task.optima: has 9 values for 3 islands; allowed is one value an island");
  spec.curvatures = {1.0, 2.0};
  EXPECT_EQ(error_of(spec, 9),
            "q.yaml:8:3: task.curvatures: has 2 values for 9 islands; allowed is one value for all "
            "or one value an island");
}

TEST(Quadratic, DivergingDescentIsRefused) {
  QuadraticSpec spec = nine_islands();
  spec.curvatures = {4.0};
  spec.learning_rate = 0.5;
  spec.learning_rate_where = {
      .file = "q.yaml", .line = 5, .column = 3, .key_path = "task.learning_rate"};
  EXPECT_EQ(error_of(spec, 9),
            "q.yaml:5:3: task.learning_rate: is 0.5, with which descent on the curvature 4 "
            "diverges; allowed is a number below 0.5");
  spec.learning_rate = 0.499;
  EXPECT_EQ(error_of(spec, 9), "no error");
}

}  // namespace
}  // namespace gyre
