#pragma once

#include <memory>

#include "models/tasks/image_task.hpp"
#include "models/tasks/linear_classifier.hpp"

namespace gyre {

/// The keys of a `softmax` task.
using SoftmaxSpec = FashionMnistSpec;

/// Multinomial logistic regression on Fashion-MNIST: 784 inputs and a bias, 10 classes, zero start,
/// plain SGD in float32, pixels / 255.
/// Shapes: a `Model` is W by input, then b: 785 × 10.
/// Requires and errors as `ImageTask`. Cost: 38 KB an island besides the data.
class Softmax final : public ImageTask<LinearClassifier, ImageBatch> {
 public:
  explicit Softmax(SoftmaxSpec spec = {}) : ImageTask(std::move(spec)) {}

  [[nodiscard]] std::size_t parameters() const override { return kImageParameters; }

 private:
  LinearClassifier first_model(const TaskContext& /*context*/) override { return {}; }
  [[nodiscard]] ImageBatch make_batch(std::size_t images) const override {
    return ImageBatch(images);
  }
  void descend(IslandId /*island*/, LinearClassifier& classifier, ImageBatch& batch,
               std::span<const std::uint8_t> labels) override {
    batch.descend(classifier, labels, static_cast<float>(images().learning_rate));
  }
};

std::unique_ptr<Task> make_softmax();

}  // namespace gyre
