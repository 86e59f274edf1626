#include "models/outer_optimizer.hpp"

namespace gyre {

void OuterOptimizerSpec::describe(Fields& fields) {
  fields.optional({"learning_rate",
                   "Outer learning rate: how far an island moves towards the "
                   "exchange's average (1 with momentum 0 is plain averaging)."},
                  learning_rate, kPositive);
  fields.optional({"momentum", "Outer Nesterov momentum, from 0 to below 1."}, momentum,
                  Range{.at_least = 0.0, .below = 1.0});
}

}  // namespace gyre
