#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/inner_optimizer.hpp"
#include "models/tasks/image_task.hpp"
#include "models/tasks/perceptron.hpp"

namespace gyre {

/// The keys of an `mlp` task.
struct MlpSpec {
  FashionMnistSpec images;
  std::vector<std::int64_t> hidden{128};  ///< widths; none: a linear classifier
  InnerOptimizerSpec optimizer;
  Where hidden_where;

  /// Its own keys, without those of `images`.
  void describe(Fields& fields);
};

/// A multi-layer perceptron on Fashion-MNIST: 784 inputs, hidden layers of any widths with ReLU, 10
/// classes, in float32, pixels / 255. All islands start from one He-normal model (stream `start`)
/// and draw the batches that a `softmax` task draws. The moments of the optimiser are the island's
/// own: exchanges neither send, average nor reset them.
/// Shapes: a `Model` is W by input, then b, layer by layer: Σ_l (inputs_l + 1) · outputs_l numbers,
/// 101770 for one hidden layer of 128.
/// Requires and errors as `ImageTask`; a start refuses more than `kMostModelNumbers`. Cost: 4 bytes
/// a parameter and moment an island besides the data; 6 · batch · parameters operations a step,
/// less those into the first layer's input.
class Mlp final : public ImageTask<Perceptron, PerceptronBatch> {
 public:
  explicit Mlp(MlpSpec spec = {});

  void describe(Fields& fields) override;
  [[nodiscard]] std::size_t parameters() const override { return shape_.parameters(); }

 private:
  Perceptron first_model(const TaskContext& context) override;
  [[nodiscard]] PerceptronBatch make_batch(std::size_t images) const override {
    return {shape_, images};
  }
  void descend(IslandId island, Perceptron& perceptron, PerceptronBatch& batch,
               std::span<const std::uint8_t> labels) override {
    optimizers_[island.index()].step(perceptron.values(), batch.gradient(perceptron, labels));
  }

  /// Errors: `InputError` for more numbers than memory is wanted for.
  void check_size(std::size_t islands) const;

  MlpSpec spec_;
  PerceptronShape shape_;
  std::vector<InnerOptimizer> optimizers_;  ///< by island
};

std::unique_ptr<Task> make_mlp();

}  // namespace gyre
