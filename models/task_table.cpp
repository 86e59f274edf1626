#include <array>

#include "models/task.hpp"
#include "models/tasks/mlp.hpp"
#include "models/tasks/noisy_quadratic.hpp"
#include "models/tasks/quadratic.hpp"
#include "models/tasks/scaling_law_task.hpp"
#include "models/tasks/softmax.hpp"

namespace gyre {

std::span<const TaskEntry> task_table() {
  static constexpr std::array<TaskEntry, 5> kTasks{{
      {"mlp",
       "A multi-layer perceptron on Fashion-MNIST, trained for real with SGD, momentum or AdamW.",
       make_mlp},
      {"noisy-quadratic",
       "SGD on a spectrum of curvatures with gradient noise: its expected loss, in closed form and "
       "without random numbers.",
       make_noisy_quadratic},
      {"quadratic",
       "One number an island on f_i(x) = a_i/2 (x - b_i)^2: every curve has a closed form.",
       make_quadratic},
      {"scaling-law",
       "Large language models by published fits: loss from parameters, the tokens that have "
       "reached "
       "a model, and a stated penalty for islands.",
       make_scaling_law},
      {"softmax",
       "Multinomial logistic regression on Fashion-MNIST, trained for real with plain SGD.",
       make_softmax},
  }};
  return kTasks;
}

}  // namespace gyre
