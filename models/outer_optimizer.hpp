#pragma once

#include <optional>
#include <vector>

#include "models/fields.hpp"
#include "models/ids.hpp"
#include "models/task.hpp"

namespace gyre {

/// Nesterov's outer step (DiLoCo, arXiv 2311.08105): with θ the model after the island's last
/// exchange and D = θ − average, m ← μm + D and θ ← θ − lr·(D + μm).
struct OuterOptimizerSpec {
  double learning_rate = 0.7;
  double momentum = 0.9;

  void describe(Fields& fields);
};

/// Keeps θ and m per island and turns an exchange's average into the island's next model.
/// Without a spec it returns the average unchanged and holds no state.
class OuterOptimizer {
 public:
  OuterOptimizer(std::optional<OuterOptimizerSpec> spec, const Task& task, std::size_t islands);
  [[nodiscard]] Model step(IslandId island, const Model& average);

 private:
  struct State {
    Model anchor;
    Model momentum;
  };
  std::optional<OuterOptimizerSpec> spec_;
  std::vector<State> states_;
};

}  // namespace gyre
