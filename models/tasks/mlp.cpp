#include "models/tasks/mlp.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/limits.hpp"

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
  hidden_where = fields.where("hidden");
}

Mlp::Mlp(MlpSpec spec) : ImageTask(spec.images), spec_(std::move(spec)), shape_(spec_.hidden) {}

void Mlp::describe(Fields& fields) {
  ImageTask::describe(fields);
  spec_.describe(fields);
}

Perceptron Mlp::first_model(const TaskContext& context) {
  shape_ = PerceptronShape(spec_.hidden);  // widths that were read are valid from here on
  check_size(context.islands.size());
  optimizers_.assign(context.islands.size(),
                     InnerOptimizer(spec_.optimizer, images().learning_rate, shape_.padded_size()));
  Perceptron perceptron(shape_);
  perceptron.assign(he_normal(shape_, Rng::stream(context.seed, "start")));
  return perceptron;
}

void Mlp::check_size(std::size_t islands) const {
  const auto batch = static_cast<std::size_t>(images().batch);
  std::size_t widths = kImageInputs;
  for (const PerceptronLayer& layer : shape_.layers()) widths += layer.padded_outputs;
  const std::size_t models = shape_.padded_size() * islands;
  if (std::max(models, batch * widths) <= kMostModelNumbers) return;
  throw InputError(spec_.hidden_where,
                   fmt::format("the models of {} islands come to {} numbers and a batch of {} to "
                               "{}; at most {} are allowed",
                               islands, models, batch, batch * widths, kMostModelNumbers));
}

std::unique_ptr<Task> make_mlp() { return std::make_unique<Mlp>(); }

}  // namespace gyre
