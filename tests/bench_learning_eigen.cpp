// Compiled twice. The second time Eigen's own names differ as well: the linker keeps only one of
// two functions of one name, whatever they were compiled for.

#ifdef GYRE_BENCH_NATIVE
#define Eigen NativeEigen
#define make_eigen make_native_eigen
#endif
#define EIGEN_NO_DEBUG  // our side has no assertions in its loops either

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "tests/bench_learning_baseline.hpp"

namespace gyre {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Pixels = Eigen::Map<const Eigen::Matrix<std::uint8_t, 1, Eigen::Dynamic>>;

struct Layer {
  Matrix weights;
  Eigen::RowVectorXf biases;
};

class EigenBaseline final : public Baseline {
 public:
  explicit EigenBaseline(BaselineSpec spec) : images_(std::move(spec.images)) {
    std::vector<std::int64_t> widths{kImageInputs};
    widths.insert(widths.end(), spec.hidden.begin(), spec.hidden.end());
    widths.push_back(kImageClasses);
    for (const Model& model : spec.start) {
      std::vector<Layer>& layers = islands_.emplace_back();
      const double* next = model.data();
      for (std::size_t l = 1; l < widths.size(); ++l) {
        Layer& layer = layers.emplace_back();
        layer.weights = Matrix(widths[l - 1], widths[l]);
        layer.biases = Eigen::RowVectorXf(widths[l]);
        for (float& value : layer.weights.reshaped<Eigen::RowMajor>()) {
          value = static_cast<float>(*next++);
        }
        for (float& value : layer.biases) value = static_cast<float>(*next++);
      }
    }
    const std::int64_t batch = images_.spec().batch;
    for (const std::int64_t width : widths) {
      activations_.emplace_back(Matrix::Zero(batch, width));
      errors_.emplace_back(Matrix::Zero(batch, width));
    }
  }

  void train(IslandId island, std::int64_t steps) override {
    for (std::int64_t step = 0; step < steps; ++step) {
      const std::span<const std::uint32_t> samples = images_.draw(island);
      for (std::size_t s = 0; s < samples.size(); ++s) {
        const Pixels pixels(images_.training().pixels.data() + samples[s] * kImageInputs,
                            kImageInputs);
        activations_.front().row(static_cast<Eigen::Index>(s)) =
            pixels.cast<float>() * (1.0F / 255.0F);
      }
      forward(islands_[island.index()]);
      start_backward(samples);
      descend(islands_[island.index()]);
    }
  }

  [[nodiscard]] Model model(IslandId island) const override {
    Model model;
    for (const Layer& layer : islands_[island.index()]) {
      for (const float value : layer.weights.reshaped<Eigen::RowMajor>()) model.push_back(value);
      for (const float value : layer.biases) model.push_back(value);
    }
    return model;
  }

 private:
  void forward(const std::vector<Layer>& layers) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
      Matrix& outputs = activations_[l + 1];
      outputs.noalias() = activations_[l] * layers[l].weights;
      outputs.rowwise() += layers[l].biases;
      if (l + 1 < layers.size()) outputs = outputs.cwiseMax(0.0F);
    }
  }

  /// The gradient of the mean loss in the logits, times the learning rate.
  void start_backward(std::span<const std::uint32_t> samples) {
    Matrix& errors = errors_.back();
    errors = activations_.back();
    errors.colwise() -= errors.rowwise().maxCoeff().eval();
    errors = errors.array().exp();
    errors.array().colwise() /= errors.array().rowwise().sum().eval();
    for (std::size_t s = 0; s < samples.size(); ++s) {
      errors(static_cast<Eigen::Index>(s), images_.training().labels[samples[s]]) -= 1.0F;
    }
    errors *= static_cast<float>(images_.spec().learning_rate) / static_cast<float>(errors.rows());
  }

  void descend(std::vector<Layer>& layers) {
    for (std::size_t l = layers.size(); l-- > 0;) {
      if (l > 0) {
        errors_[l].noalias() = errors_[l + 1] * layers[l].weights.transpose();
        errors_[l].array() *= (activations_[l].array() > 0.0F).cast<float>();
      }
      layers[l].weights.noalias() -= activations_[l].transpose() * errors_[l + 1];
      layers[l].biases -= errors_[l + 1].colwise().sum();
    }
  }

  FashionMnist images_;
  std::vector<std::vector<Layer>> islands_;
  std::vector<Matrix> activations_;  ///< by layer, from the input
  std::vector<Matrix> errors_;
};

}  // namespace

std::unique_ptr<Baseline> make_eigen(BaselineSpec spec) {
  return std::make_unique<EigenBaseline>(std::move(spec));
}

}  // namespace gyre
