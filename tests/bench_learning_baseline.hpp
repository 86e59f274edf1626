#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/task.hpp"
#include "models/tasks/fashion_mnist.hpp"

namespace gyre {

/// What a baseline learns: a perceptron on the batches that our task draws, from our first model.
/// The vectors of floats that it multiplies are 784 × `hidden` … × 10; no hidden layer is
/// `softmax`.
struct BaselineSpec {
  FashionMnist images;
  std::vector<std::int64_t> hidden;
  std::vector<Model> start;  ///< by island
};

/// The arithmetic of our tasks with the products by somebody else. All baselines draw and fetch
/// their samples as we do, so that only the arithmetic differs.
class Baseline {
 public:
  virtual ~Baseline() = default;
  virtual void train(IslandId island, std::int64_t steps) = 0;
  [[nodiscard]] virtual Model model(IslandId island) const = 0;
};

/// Straight Eigen, compiled with the options that gyre itself is compiled with.
std::unique_ptr<Baseline> make_eigen(BaselineSpec spec);
/// The same source with -O3 -march=native: wide vectors and fused operations where there are any.
std::unique_ptr<Baseline> make_native_eigen(BaselineSpec spec);
/// Products by cblas_sgemm on one thread, the rest plain loops with -O3 -march=native. None where
/// OpenBLAS was not found.
std::unique_ptr<Baseline> make_openblas(BaselineSpec spec);
/// Which OpenBLAS that is: its configuration, its choice of kernels and its file.
std::string openblas_description();

}  // namespace gyre
