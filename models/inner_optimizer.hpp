#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/fields.hpp"

namespace gyre {

/// The keys of `optimizer`: how an island moves along its gradients.
struct InnerOptimizerSpec {
  enum class Kind : std::uint8_t { kSgd, kMomentum, kAdamW };

  Kind kind = Kind::kSgd;
  double momentum = 0.9;       ///< μ
  double beta1 = 0.9;          ///< β₁
  double beta2 = 0.999;        ///< β₂
  double epsilon = 1e-8;       ///< ε
  double weight_decay = 0.01;  ///< λ

  void describe(Fields& fields);
};

/// One island's steps along its own gradients g, with learning rate η:
///
///     sgd        x ← x − η g
///     momentum   v ← μ v + g,  x ← x − η v                           (heavy ball: Polyak 1964)
///     adamw      m ← β₁ m + (1 − β₁) g,  v ← β₂ v + (1 − β₂) g²
///                x ← (1 − η λ) x − η m̂ / (√v̂ + ε),  m̂ = m / (1 − β₁ᵗ),  v̂ = v / (1 − β₂ᵗ)
///
/// in float32, with v and m from 0 and t from 1; the corrections 1 − βᵗ are in double. The moments
/// belong to the island: an exchange neither sends, averages nor resets them.
/// Source: Loshchilov and Hutter, Decoupled Weight Decay Regularization (arXiv 1711.05101). There
/// the decay is multiplied by a schedule alone; here by the learning rate too, as is common today.
/// All parameters decay, biases as well. A parameter that starts at 0 and has no gradients stays 0.
/// Cost: no, one or two floats a parameter for sgd, momentum and adamw.
class InnerOptimizer {
 public:
  InnerOptimizer(const InnerOptimizerSpec& spec, double learning_rate, std::size_t parameters);

  /// One step. Requires as many parameters and gradients as the optimiser was made for.
  void step(std::span<float> parameters, std::span<const float> gradients);

 private:
  InnerOptimizerSpec spec_;
  double learning_rate_;
  std::size_t parameters_;
  double beta1_power_ = 1.0;   ///< β₁ᵗ
  double beta2_power_ = 1.0;   ///< β₂ᵗ
  std::vector<float> first_;   ///< v of momentum, m of adamw
  std::vector<float> second_;  ///< v of adamw
};

}  // namespace gyre
