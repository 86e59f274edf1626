#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/bench_learning_baseline.hpp"

#ifdef GYRE_BENCH_OPENBLAS
#include <cstdlib>

#include <cblas.h>
#include <dlfcn.h>
#include <fmt/format.h>

namespace gyre {
namespace {

struct Layer {
  std::size_t inputs;
  std::size_t outputs;
  std::vector<float> weights;
  std::vector<float> biases;
};

class OpenBlasBaseline final : public Baseline {
 public:
  explicit OpenBlasBaseline(BaselineSpec spec)
      : images_(std::move(spec.images)), batch_(static_cast<std::size_t>(images_.spec().batch)) {
    openblas_set_num_threads(1);
    std::vector<std::size_t> widths{kImageInputs};
    for (const std::int64_t width : spec.hidden) widths.push_back(static_cast<std::size_t>(width));
    widths.push_back(kImageClasses);
    for (const Model& model : spec.start) {
      std::vector<Layer>& layers = islands_.emplace_back();
      const double* next = model.data();
      for (std::size_t l = 1; l < widths.size(); ++l) {
        Layer& layer = layers.emplace_back(Layer{widths[l - 1], widths[l], {}, {}});
        layer.weights.resize(layer.inputs * layer.outputs);
        layer.biases.resize(layer.outputs);
        for (float& value : layer.weights) value = static_cast<float>(*next++);
        for (float& value : layer.biases) value = static_cast<float>(*next++);
      }
    }
    for (const std::size_t width : widths) {
      activations_.emplace_back(batch_ * width);
      errors_.emplace_back(batch_ * width);
    }
  }

  void train(IslandId island, std::int64_t steps) override {
    for (std::int64_t step = 0; step < steps; ++step) {
      const std::span<const std::uint32_t> samples = images_.draw(island);
      for (std::size_t s = 0; s < batch_; ++s) {
        scale_pixels(images_.training().pixels.data() + samples[s] * kImageInputs,
                     activations_.front().data() + s * kImageInputs);
      }
      forward(islands_[island.index()]);
      start_backward(samples);
      descend(islands_[island.index()]);
    }
  }

  [[nodiscard]] Model model(IslandId island) const override {
    Model model;
    for (const Layer& layer : islands_[island.index()]) {
      model.insert(model.end(), layer.weights.begin(), layer.weights.end());
      model.insert(model.end(), layer.biases.begin(), layer.biases.end());
    }
    return model;
  }

 private:
  void forward(const std::vector<Layer>& layers) {
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const Layer& layer = layers[l];
      std::vector<float>& outputs = activations_[l + 1];
      for (std::size_t s = 0; s < batch_; ++s) {
        std::ranges::copy(layer.biases, outputs.data() + s * layer.outputs);
      }
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size(batch_), size(layer.outputs),
                  size(layer.inputs), 1.0F, activations_[l].data(), size(layer.inputs),
                  layer.weights.data(), size(layer.outputs), 1.0F, outputs.data(),
                  size(layer.outputs));
      if (l + 1 == layers.size()) return;
      for (float& output : outputs) output = std::max(output, 0.0F);
    }
  }

  /// The gradient of the mean loss in the logits, times the learning rate.
  void start_backward(std::span<const std::uint32_t> samples) {
    const float scale =
        static_cast<float>(images_.spec().learning_rate) / static_cast<float>(batch_);
    for (std::size_t s = 0; s < batch_; ++s) {
      ClassValues logits;
      std::copy_n(activations_.back().data() + s * kImageClasses, kImageClasses, logits.begin());
      std::ranges::copy(
          cross_entropy_gradient(logits, images_.training().labels[samples[s]], scale),
          errors_.back().data() + s * kImageClasses);
    }
  }

  void descend(std::vector<Layer>& layers) {
    for (std::size_t l = layers.size(); l-- > 0;) {
      Layer& layer = layers[l];
      const std::vector<float>& errors = errors_[l + 1];
      if (l > 0) {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, size(batch_), size(layer.inputs),
                    size(layer.outputs), 1.0F, errors.data(), size(layer.outputs),
                    layer.weights.data(), size(layer.outputs), 0.0F, errors_[l].data(),
                    size(layer.inputs));
        for (std::size_t e = 0; e < errors_[l].size(); ++e) {
          errors_[l][e] = activations_[l][e] > 0.0F ? errors_[l][e] : 0.0F;
        }
      }
      cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, size(layer.inputs), size(layer.outputs),
                  size(batch_), -1.0F, activations_[l].data(), size(layer.inputs), errors.data(),
                  size(layer.outputs), 1.0F, layer.weights.data(), size(layer.outputs));
      for (std::size_t s = 0; s < batch_; ++s) {
        for (std::size_t c = 0; c < layer.outputs; ++c) {
          layer.biases[c] -= errors[s * layer.outputs + c];
        }
      }
    }
  }

  static blasint size(std::size_t value) { return static_cast<blasint>(value); }

  FashionMnist images_;
  std::size_t batch_;
  std::vector<std::vector<Layer>> islands_;
  std::vector<std::vector<float>> activations_;  ///< by layer, from the input: batch × width
  std::vector<std::vector<float>> errors_;
};

}  // namespace

std::unique_ptr<Baseline> make_openblas(BaselineSpec spec) {
  return std::make_unique<OpenBlasBaseline>(std::move(spec));
}

std::string openblas_description() {
  Dl_info place{};
  const bool found = dladdr(reinterpret_cast<const void*>(&cblas_sgemm), &place) != 0;
  const char* forced = std::getenv("OPENBLAS_CORETYPE");
  return fmt::format("{}, kernels for {}{}, {}", openblas_get_config(), openblas_get_corename(),
                     forced != nullptr ? " (FORCED by OPENBLAS_CORETYPE)" : "",
                     found ? place.dli_fname : "linked statically");
}

}  // namespace gyre
#else

namespace gyre {

std::unique_ptr<Baseline> make_openblas(BaselineSpec /*spec*/) { return nullptr; }
std::string openblas_description() { return "not installed"; }

}  // namespace gyre
#endif
