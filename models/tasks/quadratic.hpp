#pragma once

#include <memory>
#include <vector>

#include "models/fields.hpp"
#include "models/rng.hpp"
#include "models/value_task.hpp"

namespace gyre {

/// The keys of a `quadratic` task.
struct QuadraticSpec {
  std::vector<double> curvatures{1.0};  ///< a: one for all islands or one an island
  std::vector<double> optima;           ///< b: one an island
  double start = 0.0;                   ///< x0
  double learning_rate = 0.1;           ///< η; η·a < 2
  double noise = 0.0;                   ///< s: standard deviation of the gradient's noise
  Where curvatures_where;
  Where optima_where;
  Where learning_rate_where;

  void describe(Fields& fields);
};

/// Island i descends f_i(x) = a_i/2 (x − b_i)² in double precision, one number a model.
/// Step: x ← x − η(a_i(x − b_i) + s·z), z standard normal from the stream `island/NAME/gradient`.
/// Loss of a model x: (1/n) Σ_i f_i(x); there is no accuracy. With s = 0 every trajectory is a
/// closed form, which is what the task is for.
/// Errors: `start` throws `InputError` for lists that do not fit the islands, and for η·a ≥ 2,
/// where local descent does not converge and the numbers would overflow sooner or later.
class Quadratic final : public ValueTask {
 public:
  explicit Quadratic(QuadraticSpec spec = {}) : spec_(std::move(spec)) {}

  void describe(Fields& fields) override { spec_.describe(fields); }
  void start(const TaskContext& context) override;
  [[nodiscard]] bool has_accuracy() const override { return false; }
  [[nodiscard]] std::int64_t samples_per_step() const override { return 0; }
  void train(IslandId island, std::int64_t steps) override;
  [[nodiscard]] std::size_t parameters() const override { return 1; }
  [[nodiscard]] Evaluation evaluate() const override;

 private:
  void add_to(IslandId island, double weight, Model& sum) const override {
    sum.front() += weight * models_[island.index()];
  }
  void set(IslandId island, const Model& model) override {
    models_[island.index()] = model.front();
  }
  [[nodiscard]] double loss(double x) const;

  QuadraticSpec spec_;
  std::vector<double> curvatures_;  ///< by island
  std::vector<double> optima_;
  std::vector<double> models_;
  std::vector<Rng> streams_;
};

std::unique_ptr<Task> make_quadratic();

}  // namespace gyre
