#include "models/tasks/mlp.hpp"

#include <utility>

namespace gyre {
namespace {

/// A wider layer would be a slip of the pen: its model alone has more than 10⁷ parameters.
constexpr double kWidest = 16384.0;

}  // namespace

void MlpSpec::describe(Fields& fields) {
  fields.list(
      {"hidden", "Widths of the hidden layers, [128] if not given; [] is a linear classifier."},
      Presence::kDefaulted, hidden, 0, Range{.at_least = 1.0, .at_most = kWidest});
  fields.optional_object({"optimizer",
                          "How an island moves along its gradients. What the rule remembers stays "
                          "with the island and is never exchanged."},
                         optimizer);
}

Mlp::Mlp(MlpSpec spec) : ImageTask(spec.images), spec_(std::move(spec)), shape_(spec_.hidden) {}

void Mlp::describe(Fields& fields) {
  ImageTask::describe(fields);
  spec_.describe(fields);
}

Perceptron Mlp::first_model(const TaskContext& context) {
  shape_ = PerceptronShape(spec_.hidden);  // widths that were read are valid from here on
  optimizers_.assign(context.islands.size(),
                     InnerOptimizer(spec_.optimizer, images().learning_rate, shape_.padded_size()));
  Perceptron perceptron(shape_);
  perceptron.assign(he_normal(shape_, Rng::stream(context.seed, "start")));
  return perceptron;
}

std::unique_ptr<Task> make_mlp() { return std::make_unique<Mlp>(); }

}  // namespace gyre
