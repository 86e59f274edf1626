#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/error.hpp"
#include "models/rng.hpp"
#include "models/tasks/noisy_quadratic.hpp"
#include "tests/lockstep.hpp"

namespace gyre {
namespace {

using test::Lockstep;

constexpr std::size_t kIslands = 4;
constexpr std::size_t kDirections = 3;
constexpr int kRounds = 12;

/// How the islands exchange, H steps a round, the result `late` steps late.
struct Exchanges {
  std::string name;
  int local_steps = 3;
  int late = 0;
  double local_weight = 0.0;
  bool outer = false;
  double outer_rate = 0.7;
  double outer_momentum = 0.9;
  std::size_t fragments = 1;
};

NoisyQuadraticSpec three_directions() {
  NoisyQuadraticSpec spec;
  spec.dimensions = kDirections;
  spec.curvature = {.largest = 4.0, .exponent = 1.5, .factors = {0.5, 1.0, 1.0, 2.0}};
  spec.noise = 1.5;
  spec.batch = 2;
  spec.learning_rate = 0.15;
  spec.start = 1.0;
  spec.optima = {-0.5, 0.0, 0.25, 0.75};
  return spec;
}

test::Cliques cliques_of(int round) {
  return round % 2 == 0 ? test::Cliques{{0, 1}, {2, 3}} : test::Cliques{{0, 2}, {1, 3}};
}

using Point = std::array<double, kDirections>;
using Points = std::array<Point, kIslands>;

double loss_of(const NoisyQuadraticSpec& spec, const Point& x) {
  double loss = 0.0;
  for (std::size_t i = 0; i < kIslands; ++i) {
    for (std::size_t k = 0; k < kDirections; ++k) {
      const double h = spec.curvature.factors[i] * 4.0 * std::pow(double(k + 1), -1.5);
      loss += 0.5 * h * (x[k] - spec.optima[i]) * (x[k] - spec.optima[i]) / double(kIslands);
    }
  }
  return loss;
}

/// What one run of the same SGD shows after a round.
struct Seen {
  double loss_average = 0.0;
  double loss_mean = 0.0;
  std::array<double, kIslands> losses{};
  double consensus_distance = 0.0;

  [[nodiscard]] std::vector<double> all() const {
    std::vector<double> numbers{loss_average, loss_mean, consensus_distance};
    numbers.insert(numbers.end(), losses.begin(), losses.end());
    return numbers;
  }
};

Seen look(const NoisyQuadraticSpec& spec, const Points& x) {
  Seen seen;
  Point average{};
  for (const Point& point : x) {
    for (std::size_t k = 0; k < kDirections; ++k) average[k] += point[k] / double(kIslands);
  }
  seen.loss_average = loss_of(spec, average);
  for (std::size_t i = 0; i < kIslands; ++i) {
    seen.losses[i] = loss_of(spec, x[i]);
    seen.loss_mean += seen.losses[i] / double(kIslands);
    for (std::size_t k = 0; k < kDirections; ++k) {
      seen.consensus_distance += std::pow(x[i][k] - average[k], 2.0) / double(kIslands);
    }
  }
  return seen;
}

/// One draw of the SGD that the task has the distribution of, written without slots.
std::vector<Seen> sampled_run(const NoisyQuadraticSpec& spec, const Exchanges& how, Rng& rng) {
  Points x;
  for (Point& point : x) point.fill(spec.start);
  Points anchor = x;
  Points momentum{};
  const auto steps = [&](int count) {
    for (int step = 0; step < count; ++step) {
      for (std::size_t i = 0; i < kIslands; ++i) {
        for (std::size_t k = 0; k < kDirections; ++k) {
          const double h = spec.curvature.factors[i] * 4.0 * std::pow(double(k + 1), -1.5);
          double gradient = 0.0;
          for (int sample = 0; sample < spec.batch; ++sample) {
            gradient += h * (x[i][k] - spec.optima[i]) + spec.noise * std::sqrt(h) * rng.normal();
          }
          x[i][k] -= spec.learning_rate * gradient / double(spec.batch);
        }
      }
    }
  };
  std::vector<Seen> seen;
  for (int round = 0; round < kRounds; ++round) {
    steps(how.local_steps - how.late);
    const Points sent = x;
    steps(how.late);
    for (const auto& clique : cliques_of(round)) {
      for (std::size_t k = std::size_t(round) % how.fragments; k < kDirections;
           k += how.fragments) {
        double average = 0.0;
        for (const std::size_t j : clique) average += sent[j][k] / double(clique.size());
        for (const std::size_t i : clique) {
          double result = average;
          if (how.outer) {
            const double descent = anchor[i][k] - average;
            momentum[i][k] = how.outer_momentum * momentum[i][k] + descent;
            anchor[i][k] -= how.outer_rate * (descent + how.outer_momentum * momentum[i][k]);
            result = anchor[i][k];
          }
          x[i][k] = how.local_weight * x[i][k] + (1.0 - how.local_weight) * result;
        }
      }
    }
    seen.push_back(look(spec, x));
  }
  return seen;
}

MixingRule rule_of(const Exchanges& how) {
  MixingRule rule{.local_weight = how.local_weight};
  if (how.outer) {
    rule.outer =
        OuterOptimizerSpec{.learning_rate = how.outer_rate, .momentum = how.outer_momentum};
  }
  return rule;
}

class NoisyQuadraticSampled : public testing::TestWithParam<Exchanges> {};

// Each case has draws of its own, so that one unlucky stream does not show in all. One there is:
// seed 5 of "draws" is off by 4.7 errors at 10,000 draws. At 400,000 the farthest of the 192
// comparisons is at 2.95, where an error of that size would be at 25.
TEST_P(NoisyQuadraticSampled, ExpectationsAreTheMeansOfManyRuns) {
  constexpr int kDraws = 10'000;
  const Exchanges& how = GetParam();
  const NoisyQuadraticSpec spec = three_directions();
  std::vector<std::vector<double>> sums(kRounds, std::vector<double>(3 + kIslands, 0.0));
  std::vector<std::vector<double>> squares = sums;
  Rng rng = Rng::stream(1, how.name);
  for (int draw = 0; draw < kDraws; ++draw) {
    const std::vector<Seen> run = sampled_run(spec, how, rng);
    for (std::size_t round = 0; round < run.size(); ++round) {
      const std::vector<double> numbers = run[round].all();
      for (std::size_t q = 0; q < numbers.size(); ++q) {
        sums[round][q] += numbers[q];
        squares[round][q] += numbers[q] * numbers[q];
      }
    }
  }
  NoisyQuadratic task(spec);
  Lockstep run(task, kIslands, 1, rule_of(how));
  double farthest = 0.0;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const test::Cliques cliques = cliques_of(int(round));
    run.train(how.local_steps - how.late);
    const auto mixes = run.begin(cliques, {round % how.fragments, how.fragments});
    run.train(how.late);
    run.finish(mixes, cliques);
    std::vector<double> means;
    std::vector<double> errors;
    for (std::size_t q = 0; q < 3 + kIslands; ++q) {
      const double mean = sums[round][q] / kDraws;
      means.push_back(mean);
      errors.push_back(std::sqrt((squares[round][q] / kDraws - mean * mean) / kDraws));
    }
    const auto worst =
        std::size_t(std::max_element(means.begin() + 3, means.end()) - means.begin());
    const Evaluation expected = task.evaluate();
    const auto compare = [&](double value, std::size_t q) {
      EXPECT_NEAR(value, means[q], 4.0 * errors[q]) << "round " << round << ", quantity " << q;
      EXPECT_LT(errors[q], 0.03 * means[q]);
      farthest = std::max(farthest, std::abs(value - means[q]) / errors[q]);
    };
    compare(expected.loss_average, 0);
    compare(expected.loss_mean, 1);
    compare(expected.consensus_distance, 2);
    compare(expected.loss_worst, worst);
  }
  RecordProperty("standard_errors", fmt::format("{:.2f}", farthest));
}

INSTANTIATE_TEST_SUITE_P(Exchanges, NoisyQuadraticSampled,
                         testing::Values(Exchanges{.name = "Plain"},
                                         Exchanges{.name = "Outer", .outer = true},
                                         Exchanges{.name = "Late", .late = 1, .local_weight = 0.5},
                                         Exchanges{.name = "Everything",
                                                   .late = 2,
                                                   .local_weight = 0.3,
                                                   .outer = true,
                                                   .outer_rate = 0.5,
                                                   .outer_momentum = 0.6,
                                                   .fragments = 2}),
                         [](const auto& instance) { return instance.param.name; });

/// The smallest eigenvalue of the covariance of the slots in a direction, over the largest.
double least_over_largest(const NoisyQuadratic& task, std::size_t slots, std::size_t k) {
  const auto size = Eigen::Index(slots);
  Eigen::MatrixXd covariance(size, size);
  for (std::size_t u = 0; u < slots; ++u) {
    for (std::size_t v = 0; v < slots; ++v) {
      covariance(Eigen::Index(u), Eigen::Index(v)) = task.covariances(u, v)[k];
    }
  }
  EXPECT_EQ(covariance, covariance.transpose());
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(covariance, Eigen::EigenvaluesOnly)
          .eigenvalues();
  return values.minCoeff() / values.maxCoeff();
}

TEST(NoisyQuadraticRuns, StaysACovarianceForTenThousandRounds) {
  NoisyQuadraticSpec spec;
  spec.dimensions = 3;
  spec.curvature.exponent = 3.0;
  NoisyQuadratic task(spec);
  Lockstep run(task, 9, 1, {.outer = OuterOptimizerSpec{.learning_rate = 0.7, .momentum = 0.9}});
  // θ, m and the islands; 9 models that were sent and 3 averages.
  constexpr std::size_t kSlots = 27 + 12;
  std::vector<Evaluation> settled;
  for (int round = 1; round <= 10'000; ++round) {
    run.round(10, round % 2 == 0 ? test::kGridRows : test::kGridColumns);
    if (round % 2500 != 0) continue;
    settled.push_back(task.evaluate());
    EXPECT_GT(settled.back().consensus_distance, 0.0);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_GT(least_over_largest(task, kSlots, k), -1e-14);
  }
  for (const Evaluation& one : settled) {
    EXPECT_NEAR(one.loss_average, settled.back().loss_average, 1e-12);
    EXPECT_NEAR(one.loss_worst, settled.back().loss_worst, 1e-12);
    EXPECT_NEAR(one.consensus_distance, settled.back().consensus_distance, 1e-12);
  }
}

TEST(NoisyQuadraticRuns, ModelsInAgreementAreAtNoDistance) {
  NoisyQuadratic task;
  Lockstep run(task, 9, 1);
  for (int round = 0; round < 100; ++round) {
    run.round(10, test::kGridGlobal);
    EXPECT_EQ(task.evaluate().consensus_distance, 0.0);
    EXPECT_NEAR(task.evaluate().loss_worst, task.evaluate().loss_average, 1e-12);
  }
}

TEST(NoisyQuadraticRuns, HoldsAHundredSlots) {
  NoisyQuadratic task;
  task.start({.islands = test::numbered_islands(30), .seed = 1});
  task.reserve(100);
  for (std::size_t u = 0; u < 100; ++u) {
    if (u < 30) task.train(IslandId::at(u), 5);
    if (u >= 30) task.combine(u, std::vector<Term>{{u - 30, 0.5}, {u - 1, 0.5}, {u - 17, 0.1}}, {});
  }
  EXPECT_GT(least_over_largest(task, 100, 0), -1e-14);
  EXPECT_GT(least_over_largest(task, 100, 99), -1e-14);
}

TEST(NoisyQuadraticRuns, StartMayBeCalledAgainAndNoSeedMatters) {
  NoisyQuadratic task;
  std::vector<double> losses;
  for (const std::uint64_t seed : {1U, 2U}) {
    task.start({.islands = test::numbered_islands(3), .seed = seed});
    EXPECT_NEAR(task.evaluate().loss_average, 0.5 * 5.187377517639621, 1e-12);  // Σ 1/k to 100
    task.train(IslandId::at(1), 10);
    task.reserve(7);
    losses.push_back(task.evaluate().loss_mean);
  }
  EXPECT_EQ(losses[0], losses[1]);
}

std::string error_of(const NoisyQuadraticSpec& spec) {
  NoisyQuadratic task(spec);
  try {
    task.start({.islands = test::numbered_islands(kIslands), .seed = 1});
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(NoisyQuadraticRuns, WhatDoesNotFitIsRefused) {
  NoisyQuadraticSpec spec = three_directions();
  EXPECT_EQ(error_of(spec), "no error");
  spec.optima = {1.0};
  spec.optima_where = {.file = "q.yaml", .line = 9, .column = 3, .key_path = "task.optima"};
  EXPECT_EQ(error_of(spec),
            "q.yaml:9:3: task.optima: has 1 values for 4 islands; allowed is one value an island");
  spec = three_directions();
  spec.curvature.factors = {1.0, 2.0};
  spec.curvature.factors_where = {
      .file = "q.yaml", .line = 8, .column = 5, .key_path = "task.curvature.factors"};
  EXPECT_EQ(error_of(spec),
            "q.yaml:8:5: task.curvature.factors: has 2 values for 4 islands; allowed is one value "
            "for all or one value an island");
  spec = three_directions();
  spec.learning_rate = 0.25;
  spec.learning_rate_where = {
      .file = "q.yaml", .line = 5, .column = 3, .key_path = "task.learning_rate"};
  EXPECT_EQ(error_of(spec),
            "q.yaml:5:3: task.learning_rate: is 0.25, with which descent on the curvature 8 "
            "diverges; allowed is a number below 0.25");
}

TEST(NoisyQuadraticRuns, ThereAreNoValues) {
  NoisyQuadratic task;
  task.start({.islands = {"A"}, .seed = 1});
  EXPECT_FALSE(task.has_values());
  EXPECT_FALSE(task.has_accuracy());
  EXPECT_EQ(task.parameters(), 100U);
  EXPECT_DEATH(static_cast<void>(task.values(0, {})), "distributions, not values");
  EXPECT_DEATH(task.assign(0, {}, {}), "distributions, not values");
}

}  // namespace
}  // namespace gyre
