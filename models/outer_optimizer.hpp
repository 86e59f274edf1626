#pragma once

#include "models/fields.hpp"

namespace gyre {

/// Nesterov's outer step (DiLoCo, arXiv 2311.08105): with θ the model after the island's last
/// exchange and D = θ − average, m ← μm + D and θ ← θ − lr·(D + μm).
struct OuterOptimizerSpec {
  double learning_rate = 0.7;
  double momentum = 0.9;

  void describe(Fields& fields);
};

}  // namespace gyre
