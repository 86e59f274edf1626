#include <array>

#include "models/task.hpp"
#include "models/tasks/mlp.hpp"
#include "models/tasks/quadratic.hpp"
#include "models/tasks/softmax.hpp"

namespace gyre {

std::span<const TaskEntry> task_table() {
  static constexpr std::array<TaskEntry, 3> kTasks{{
      {"mlp",
       "A multi-layer perceptron on Fashion-MNIST, trained for real with SGD, momentum or AdamW.",
       make_mlp},
      {"quadratic",
       "One number an island on f_i(x) = a_i/2 (x - b_i)^2: every curve has a closed form.",
       make_quadratic},
      {"softmax",
       "Multinomial logistic regression on Fashion-MNIST, trained for real with plain SGD.",
       make_softmax},
  }};
  return kTasks;
}

}  // namespace gyre
