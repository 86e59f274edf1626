#include "models/outer_optimizer.hpp"

#include "models/error.hpp"

namespace gyre {

void OuterOptimizerSpec::describe(Fields& fields) {
  fields.optional({"learning_rate",
                   "Outer learning rate: how far an island moves towards the "
                   "exchange's average (1 with momentum 0 is plain averaging)."},
                  learning_rate, kPositive);
  fields.optional({"momentum", "Outer Nesterov momentum, from 0 to below 1."}, momentum,
                  Range{.at_least = 0.0, .below = 1.0});
}

OuterOptimizer::OuterOptimizer(std::optional<OuterOptimizerSpec> spec, const Task& task,
                               std::size_t islands)
    : spec_(spec) {
  if (!spec_) return;
  states_.reserve(islands);
  for (std::size_t i = 0; i < islands; ++i) {
    Model anchor = task.model(IslandId::at(i));
    Model momentum(anchor.size(), 0.0);
    states_.push_back({.anchor = std::move(anchor), .momentum = std::move(momentum)});
  }
}

Model OuterOptimizer::step(IslandId island, const Model& average) {
  if (!spec_) return average;
  auto& [anchor, momentum] = states_[island.index()];
  check(average.size() == anchor.size(), "an average has another length than the models");
  for (std::size_t p = 0; p < anchor.size(); ++p) {
    const double descent = anchor[p] - average[p];
    momentum[p] = spec_->momentum * momentum[p] + descent;
    anchor[p] -= spec_->learning_rate * (descent + spec_->momentum * momentum[p]);
  }
  return anchor;
}

}  // namespace gyre
