#include "models/inner_optimizer.hpp"

#include <array>
#include <cmath>

#include "models/error.hpp"
#include "models/wide.hpp"

namespace gyre {
namespace {

constexpr Range kDecayRate{.at_least = 0.0, .below = 1.0};

GYRE_WIDE void descend(float* x, const float* g, std::size_t count, float rate) {
  for (std::size_t p = 0; p < count; ++p) x[p] -= rate * g[p];
}

struct MomentumStep {
  float rate;
  float momentum;
};

GYRE_WIDE void descend(float* __restrict x, const float* __restrict g, float* __restrict v,
                       std::size_t count, const MomentumStep& step) {
  const auto [rate, momentum] = step;
  for (std::size_t p = 0; p < count; ++p) {
    v[p] = momentum * v[p] + g[p];
    x[p] -= rate * v[p];
  }
}

struct AdamStep {
  float kept;        ///< 1 − ηλ
  float rate;        ///< η / (1 − β₁ᵗ)
  float correction;  ///< 1 / √(1 − β₂ᵗ)
  float epsilon;
  float beta1;
  float rest1;  ///< 1 − β₁
  float beta2;
  float rest2;
};

GYRE_WIDE void descend(float* __restrict x, const float* __restrict g, float* __restrict m,
                       float* __restrict v, std::size_t count, const AdamStep& step) {
  const AdamStep s = step;
  for (std::size_t p = 0; p < count; ++p) {
    m[p] = s.beta1 * m[p] + s.rest1 * g[p];
    v[p] = s.beta2 * v[p] + s.rest2 * (g[p] * g[p]);
    const float scale = std::sqrt(v[p]) * s.correction + s.epsilon;
    x[p] = s.kept * x[p] - s.rate * m[p] / scale;
  }
}

}  // namespace

void InnerOptimizerSpec::describe(Fields& fields) {
  const auto momentum_keys = [this](Fields& inner) {
    inner.optional({"momentum", "Share of the last step's direction that is kept."}, momentum,
                   kDecayRate);
  };
  const auto adamw_keys = [this](Fields& inner) {
    inner.optional({"beta1", "Share of the mean gradient that a step keeps."}, beta1, kDecayRate);
    inner.optional({"beta2", "Share of the mean squared gradient that a step keeps."}, beta2,
                   kDecayRate);
    inner.optional({"epsilon", "Added to the root of the mean squared gradient."}, epsilon,
                   kPositive);
    inner.optional({"weight_decay",
                    "Times the learning rate: the share of every parameter that a step takes off."},
                   weight_decay, kNotNegative);
  };
  const std::array<Fields::Alternative, 3> kinds{{
      {"sgd", "Plain gradient descent.", [](Fields&) {}},
      {"momentum", "Gradient descent with momentum (heavy ball).", momentum_keys},
      {"adamw", "Adam with decoupled weight decay; a `learning_rate` of about 0.001 suits it.",
       adamw_keys},
  }};
  kind = static_cast<Kind>(
      fields.variant({"kind", "Rule of the local steps."}, kinds, static_cast<std::size_t>(kind)));
}

InnerOptimizer::InnerOptimizer(const InnerOptimizerSpec& spec, double learning_rate,
                               std::size_t parameters)
    : spec_(spec), learning_rate_(learning_rate), parameters_(parameters) {
  if (spec.kind != InnerOptimizerSpec::Kind::kSgd) first_.assign(parameters, 0.0F);
  if (spec.kind == InnerOptimizerSpec::Kind::kAdamW) second_.assign(parameters, 0.0F);
}

void InnerOptimizer::step(std::span<float> parameters, std::span<const float> gradients) {
  check(parameters.size() == parameters_ && gradients.size() == parameters_,
        "an optimiser was given another number of parameters");
  const auto rate = static_cast<float>(learning_rate_);
  switch (spec_.kind) {
    case InnerOptimizerSpec::Kind::kSgd:
      descend(parameters.data(), gradients.data(), parameters_, rate);
      return;
    case InnerOptimizerSpec::Kind::kMomentum:
      descend(parameters.data(), gradients.data(), first_.data(), parameters_,
              MomentumStep{.rate = rate, .momentum = static_cast<float>(spec_.momentum)});
      return;
    case InnerOptimizerSpec::Kind::kAdamW:
      break;
  }
  beta1_power_ *= spec_.beta1;
  beta2_power_ *= spec_.beta2;
  const AdamStep step{
      .kept = static_cast<float>(1.0 - learning_rate_ * spec_.weight_decay),
      .rate = static_cast<float>(learning_rate_ / (1.0 - beta1_power_)),
      .correction = static_cast<float>(1.0 / std::sqrt(1.0 - beta2_power_)),
      .epsilon = static_cast<float>(spec_.epsilon),
      .beta1 = static_cast<float>(spec_.beta1),
      .rest1 = static_cast<float>(1.0 - spec_.beta1),
      .beta2 = static_cast<float>(spec_.beta2),
      .rest2 = static_cast<float>(1.0 - spec_.beta2),
  };
  descend(parameters.data(), gradients.data(), first_.data(), second_.data(), parameters_, step);
}

}  // namespace gyre
