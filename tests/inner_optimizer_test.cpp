#include "models/inner_optimizer.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "models/rng.hpp"

namespace gyre {
namespace {

using Kind = InnerOptimizerSpec::Kind;

TEST(InnerOptimizer, SgdMovesAgainstTheGradient) {
  InnerOptimizer optimizer({.kind = Kind::kSgd}, 0.25, 3);
  std::vector<float> x{1.0F, -2.0F, 0.5F};
  optimizer.step(x, std::vector<float>{4.0F, -4.0F, 0.0F});
  EXPECT_EQ(x, (std::vector<float>{0.0F, -1.0F, 0.5F}));
}

// All numbers are exact in binary: v = 2, 1 + 4 = 5, 2.5 − 2 = 0.5; x = 1 − v/4 each time.
TEST(InnerOptimizer, MomentumAddsUpGradients) {
  InnerOptimizer optimizer({.kind = Kind::kMomentum, .momentum = 0.5}, 0.25, 1);
  std::vector<float> x{1.0F};
  for (const auto& [gradient, expected] :
       std::vector<std::pair<float, float>>{{2.0F, 0.5F}, {4.0F, -0.75F}, {-2.0F, -0.875F}}) {
    optimizer.step(x, std::vector<float>{gradient});
    EXPECT_EQ(x.front(), expected);
  }
}

// On a/2 x² with k = 1 + μ − ηa, x_{t+1} = k x_t − μ x_{t−1}. Where k² < 4μ the roots of
// r² − kr + μ are √μ e^{±iφ}, cos φ = k / (2√μ), so that x_t = μ^{t/2} (x_0 cos φt + c sin φt);
// x_1 = (1 − ηa) x_0 gives c.
TEST(InnerOptimizer, MomentumOnAQuadraticIsADampedOscillation) {
  constexpr double kRate = 0.1;
  constexpr double kMomentum = 0.9;
  for (const double curvature : {0.5, 1.0, 4.0}) {
    const double root = std::sqrt(kMomentum);
    const double angle = std::acos((1.0 + kMomentum - kRate * curvature) / (2.0 * root));
    const double sine = ((1.0 - kRate * curvature) / root - std::cos(angle)) / std::sin(angle);
    InnerOptimizer optimizer({.kind = Kind::kMomentum, .momentum = kMomentum}, kRate, 1);
    std::vector<float> x{1.0F};
    for (int t = 1; t <= 60; ++t) {
      optimizer.step(x, std::vector<float>{static_cast<float>(curvature) * x.front()});
      const double expected =
          std::pow(root, t) * (std::cos(angle * t) + sine * std::sin(angle * t));
      // Each step rounds to 2⁻²⁴ of numbers of at most 2; the recurrence damps what was before.
      ASSERT_NEAR(x.front(), expected, 1e-5) << "a = " << curvature << ", step " << t;
    }
  }
}

// m̂ = g and v̂ = g² after one step: the gradient's size cancels but for ε.
TEST(InnerOptimizer, TheFirstStepOfAdamWIsTheSignAndTheDecay) {
  InnerOptimizer optimizer({.kind = Kind::kAdamW, .epsilon = 1e-8, .weight_decay = 0.1}, 0.01, 4);
  std::vector<float> x{1.0F, 1.0F, -2.0F, 3.0F};
  optimizer.step(x, std::vector<float>{5.0F, -0.001F, 1000.0F, 0.0F});
  const std::array<double, 4> expected{0.999 - 0.01, 0.999 + 0.01, -1.998 - 0.01, 2.997};
  for (std::size_t p = 0; p < 4; ++p) EXPECT_NEAR(x[p], expected[p], 5e-7) << p;
}

TEST(InnerOptimizer, EpsilonBoundsTheStepOfSmallGradients) {
  InnerOptimizer optimizer({.kind = Kind::kAdamW, .epsilon = 1.0, .weight_decay = 0.0}, 0.5, 1);
  std::vector<float> x{0.0F};
  optimizer.step(x, std::vector<float>{0.25F});
  EXPECT_NEAR(x.front(), -0.5 * 0.25 / 1.25, 1e-7);
}

/// The formulas of the header once more, in double.
class PlainAdamW {
 public:
  PlainAdamW(const InnerOptimizerSpec& spec, double rate) : spec_(spec), rate_(rate) {}

  double step(double x, double g) {
    ++t_;
    m_ = spec_.beta1 * m_ + (1.0 - spec_.beta1) * g;
    v_ = spec_.beta2 * v_ + (1.0 - spec_.beta2) * g * g;
    const double mean = m_ / (1.0 - std::pow(spec_.beta1, t_));
    const double square = v_ / (1.0 - std::pow(spec_.beta2, t_));
    return (1.0 - rate_ * spec_.weight_decay) * x -
           rate_ * mean / (std::sqrt(square) + spec_.epsilon);
  }

 private:
  InnerOptimizerSpec spec_;
  double rate_;
  int t_ = 0;
  double m_ = 0.0;
  double v_ = 0.0;
};

TEST(InnerOptimizer, AdamWFollowsItsFormulas) {
  constexpr std::size_t kParameters = 37;  // no multiple of a vector's width
  constexpr double kRate = 0.02;
  for (const InnerOptimizerSpec& spec :
       {InnerOptimizerSpec{.kind = Kind::kAdamW},
        InnerOptimizerSpec{
            .kind = Kind::kAdamW, .beta1 = 0.5, .beta2 = 0.9, .epsilon = 0.01, .weight_decay = 0.5},
        InnerOptimizerSpec{.kind = Kind::kAdamW, .beta1 = 0.0, .beta2 = 0.0}}) {
    InnerOptimizer optimizer(spec, kRate, kParameters);
    std::vector<PlainAdamW> plain(kParameters, PlainAdamW(spec, kRate));
    Rng stream = Rng::stream(1, "gradients");
    std::vector<float> x(kParameters);
    for (float& value : x) value = static_cast<float>(stream.normal());
    std::vector<double> expected(x.begin(), x.end());
    for (int t = 0; t < 200; ++t) {
      std::vector<float> gradients(kParameters);
      for (std::size_t p = 0; p < kParameters; ++p) {
        gradients[p] = static_cast<float>(expected[p] + stream.normal());
        expected[p] = plain[p].step(expected[p], static_cast<double>(gradients[p]));
      }
      optimizer.step(x, gradients);
      // 200 steps, each with a few roundings of 2⁻²⁴ of numbers below 4.
      for (std::size_t p = 0; p < kParameters; ++p) ASSERT_NEAR(x[p], expected[p], 2e-5) << t;
    }
  }
}

TEST(InnerOptimizer, WhatIsZeroAndHasNoGradientStaysZero) {
  for (const Kind kind : {Kind::kSgd, Kind::kMomentum, Kind::kAdamW}) {
    InnerOptimizer optimizer({.kind = kind}, 0.1, 2);
    std::vector<float> x{0.0F, 1.0F};
    for (int t = 0; t < 5; ++t) optimizer.step(x, std::vector<float>{0.0F, 1.0F});
    EXPECT_EQ(x[0], 0.0F);
    EXPECT_LT(x[1], 1.0F);
  }
}

TEST(InnerOptimizer, EachOneKeepsItsOwnMoments) {
  for (const Kind kind : {Kind::kMomentum, Kind::kAdamW}) {
    InnerOptimizer first({.kind = kind}, 0.1, 1);
    std::vector<float> x{1.0F};
    first.step(x, std::vector<float>{1.0F});
    InnerOptimizer second = first;
    std::vector<float> y = x;
    first.step(x, std::vector<float>{-1.0F});
    second.step(y, std::vector<float>{-1.0F});
    EXPECT_EQ(x, y);  // a copy goes on from the same moments
    std::vector<float> z{1.0F};
    InnerOptimizer fresh({.kind = kind}, 0.1, 1);
    fresh.step(z, std::vector<float>{1.0F});
    fresh.step(z, std::vector<float>{-1.0F});
    EXPECT_EQ(x, z);
  }
}

}  // namespace
}  // namespace gyre
