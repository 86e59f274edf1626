#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/fields.hpp"
#include "models/task.hpp"

namespace gyre {

/// The keys of a `noisy-quadratic` task.
struct NoisyQuadraticSpec {
  struct Curvature {
    double largest = 1.0;              ///< h_1
    double exponent = 1.0;             ///< p
    std::vector<double> factors{1.0};  ///< c: one for all islands or one an island
    Where factors_where{};

    void describe(Fields& fields);
  };
  std::int64_t dimensions = 100;  ///< d
  Curvature curvature;
  double noise = 1.0;          ///< σ; 1: the gradient's covariance is the curvature
  std::int64_t batch = 1;      ///< B
  double learning_rate = 0.1;  ///< η; η·h_1·max c < 2
  double start = 1.0;          ///< every coordinate of the first model
  std::vector<double> optima;  ///< b: one an island; empty: 0 for all
  Where optima_where;
  Where learning_rate_where;
  Where dimensions_where;

  void describe(Fields& fields);
};

/// SGD on a noisy quadratic loss, not one run of it but the mean and the covariance of all runs:
/// the curves are expectations, smooth and without a seed.
///
/// Model. In the eigenbasis of the curvature a model has d coordinates that never meet, with the
/// spectrum h_k = h_1 k^−p. Island i descends f_i(x) = Σ_k c_i h_k/2 (x_k − b_i)² with gradients of
/// B samples, whose covariance is in proportion to its curvature:
///
///     x_k ← x_k − η (c_i h_k (x_k − b_i) + s_ik z),    s_ik² = σ² c_i h_k / B,
///
/// z standard normal, independent of every other. Source: Zhang et al. 2019, "Which Algorithmic
/// Choices Matter at Which Batch Sizes? Insights From a Noisy Quadratic Model" (arXiv 1907.04164),
/// who take h_k = 1/k for d = 10⁴ and the gradient's covariance equal to the curvature (σ = 1).
///
/// State. For each k the mean μ_u of every slot u and the covariance V_uv of every two. With
/// a = η c_i h_k and ρ = 1 − a, H steps of island i are, all other slots u being as they were,
///
///     μ_i ← b_i + ρ^H (μ_i − b_i),    V_iu ← ρ^H V_iu,
///     V_ii ← ρ^2H V_ii + η² s² (1 − ρ^2H)/(1 − ρ²),
///
/// and a sum of slots y = Σ w_u x_u has the mean Σ w_u μ_u, the covariance Σ w_u V_uv with slot v
/// and the variance Σ_u Σ_v w_u w_v V_uv. A fragment is the coordinates k ≡ index (mod count),
/// counted from 0.
///
/// Evaluation, with x̄ = (1/n) Σ x_i and F(x) = (1/n) Σ_i f_i(x):
///
///     E F(x) = Σ_k h_k/2 (1/n) Σ_i c_i ((μ_k − b_i)² + V_k),
///     E Ξ²   = (1/n²) Σ_{i<j} Σ_k ((μ_i − μ_j)² + V_ii + V_jj − 2 V_ij).
///
/// The worst island is the one with the largest expected loss, which is at most the expected loss
/// of whichever is worst in a run. There is no accuracy and there are no values.
///
/// Errors: `start` throws `InputError` for lists that do not fit the islands and for
/// η·h_1·max c ≥ 2.
/// Cost, for S slots: 4 S² d bytes; a training S d, whatever H; a sum of t slots t S d; an
/// evaluation n² d.
class NoisyQuadratic final : public Task {
 public:
  explicit NoisyQuadratic(NoisyQuadraticSpec spec = {}) : spec_(std::move(spec)) {}

  void describe(Fields& fields) override { spec_.describe(fields); }
  void start(const TaskContext& context) override;
  [[nodiscard]] bool has_accuracy() const override { return false; }
  [[nodiscard]] std::int64_t samples_per_step() const override { return spec_.batch; }
  [[nodiscard]] std::size_t parameters() const override { return curvatures_.size(); }
  [[nodiscard]] bool has_values() const override { return false; }
  void train(IslandId island, std::int64_t steps) override;
  void reserve(std::size_t slots) override;
  void combine(std::size_t target, std::span<const Term> terms, Fragment fragment) override;
  [[nodiscard]] Model values(std::size_t slot, Fragment fragment) const override;
  void assign(std::size_t slot, const Model& values, Fragment fragment) override;
  [[nodiscard]] Evaluation evaluate() const override;

  /// By coordinate: the expected value of a slot, and the covariance of two.
  [[nodiscard]] std::span<const double> means(std::size_t slot) const;
  [[nodiscard]] std::span<const double> covariances(std::size_t a, std::size_t b) const;

 private:
  [[nodiscard]] std::span<double> means_of(std::size_t slot);
  [[nodiscard]] std::span<double> covariances_of(std::size_t a, std::size_t b);
  [[nodiscard]] double loss(std::span<const double> mean, std::span<const double> variance) const;

  NoisyQuadraticSpec spec_;
  std::vector<double> curvatures_;  ///< h, by coordinate
  std::vector<double> factors_;     ///< c, by island
  std::vector<double> optima_;      ///< b, by island
  std::size_t slots_ = 0;
  std::vector<double> means_;        ///< d numbers a slot
  std::vector<double> covariances_;  ///< d numbers a pair of slots (u, v ≤ u), so that slots append
  std::vector<double> sums_;         ///< room of `combine`
};

std::unique_ptr<Task> make_noisy_quadratic();

}  // namespace gyre
