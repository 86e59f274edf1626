#include "models/tasks/perceptron.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "models/error.hpp"
#include "models/tasks/matrix_product.hpp"

namespace gyre {
namespace {

std::size_t padded(std::size_t size, std::size_t block) {
  return (size + block - 1) / block * block;
}

/// Calls `visit(row, length)` for each row of W and for b, in the model's order: the place of its
/// first value in the flat array and the values that follow there.
template <class Visit>
void for_each_row(const PerceptronShape& shape, Visit visit) {
  for (const PerceptronLayer& layer : shape.layers()) {
    for (std::size_t j = 0; j < layer.inputs; ++j) {
      visit(layer.weights + j * layer.padded_outputs, layer.outputs);
    }
    visit(layer.biases, layer.outputs);
  }
}

/// Requires multiples of `kColumnBlock`: blocks of that size are read and written a line at a time.
void transpose(const float* from, float* to, std::size_t rows, std::size_t columns) {
  for (std::size_t r = 0; r < rows; r += kColumnBlock) {
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t i = r; i < r + kColumnBlock; ++i) to[c * rows + i] = from[i * columns + c];
    }
  }
}

}  // namespace

PerceptronShape::PerceptronShape(std::span<const std::int64_t> hidden) {
  std::vector<std::size_t> widths{kImageInputs};
  for (const std::int64_t width : hidden) {
    check(width >= 1, "a layer without units");
    widths.push_back(static_cast<std::size_t>(width));
  }
  widths.push_back(kImageClasses);
  for (std::size_t l = 1; l < widths.size(); ++l) {
    PerceptronLayer layer{.inputs = widths[l - 1],
                          .outputs = widths[l],
                          .padded_inputs = padded(widths[l - 1], kColumnBlock),
                          .padded_outputs = padded(widths[l], kColumnBlock)};
    layer.weights = padded_size_;
    layer.biases = layer.weights + layer.padded_inputs * layer.padded_outputs;
    padded_size_ = layer.biases + layer.padded_outputs;
    parameters_ += (layer.inputs + 1) * layer.outputs;
    layers_.push_back(layer);
  }
}

Perceptron::Perceptron(PerceptronShape shape)
    : shape_(std::move(shape)), values_(shape_.padded_size(), 0.0F) {}

void Perceptron::assign(std::span<const double> parameters) {
  check(parameters.size() == shape_.parameters(), "a model has another number of parameters");
  const double* next = parameters.data();
  for_each_row(shape_, [&](std::size_t row, std::size_t length) {
    for (std::size_t c = 0; c < length; ++c) values_[row + c] = static_cast<float>(*next++);
  });
}

void Perceptron::add_to(std::span<double> sum, double weight) const {
  check(sum.size() == shape_.parameters(), "a sum has another number of parameters");
  double* next = sum.data();
  for_each_row(shape_, [&](std::size_t row, std::size_t length) {
    for (std::size_t c = 0; c < length; ++c) {
      *next++ += weight * static_cast<double>(values_[row + c]);
    }
  });
}

bool Perceptron::same_as(const Perceptron& other) const {
  return values_.size() == other.values_.size() &&
         std::memcmp(values_.data(), other.values_.data(), values_.size() * sizeof(float)) == 0;
}

std::vector<double> he_normal(const PerceptronShape& shape, Rng stream) {
  std::vector<double> model;
  model.reserve(shape.parameters());
  for (const PerceptronLayer& layer : shape.layers()) {
    const double deviation = std::sqrt(2.0 / static_cast<double>(layer.inputs));
    for (std::size_t w = 0; w < layer.inputs * layer.outputs; ++w) {
      model.push_back(deviation * stream.normal());
    }
    model.insert(model.end(), layer.outputs, 0.0);
  }
  return model;
}

PerceptronBatch::PerceptronBatch(PerceptronShape shape, std::size_t images)
    : shape_(std::move(shape)),
      size_(images),
      padded_size_(padded(images, kRowBlock)),
      activations_{std::vector<float>(padded_size_ * kImageInputs, 0.0F)},
      gradients_(shape_.padded_size()) {
  static_assert(kImageInputs % kColumnBlock == 0 && kColumnBlock % kRowBlock == 0);
  std::size_t widest = 0;
  std::size_t largest = 0;
  for (const PerceptronLayer& layer : shape_.layers()) {
    activations_.emplace_back(padded_size_ * layer.padded_outputs, 0.0F);
    widest = std::max(widest, layer.padded_outputs);
    if (layer.weights > 0) {  // nothing goes back to the input
      largest = std::max(largest, layer.padded_inputs * layer.padded_outputs);
    }
  }
  errors_.resize(padded_size_ * widest);
  next_errors_.resize(padded_size_ * widest);
  transposed_.resize(largest);
}

void PerceptronBatch::set(std::size_t image, const std::uint8_t* pixels) {
  scale_pixels(pixels, activations_.front().data() + image * kImageInputs);
}

void PerceptronBatch::forward(const Perceptron& perceptron) {
  const float* values = perceptron.values().data();
  for (std::size_t l = 0; l < shape_.layers().size(); ++l) {
    const PerceptronLayer& layer = shape_.layers()[l];
    std::vector<float>& outputs = activations_[l + 1];
    for (std::size_t s = 0; s < padded_size_; ++s) {
      std::copy_n(values + layer.biases, layer.padded_outputs,
                  outputs.data() + s * layer.padded_outputs);
    }
    add_product({activations_[l].data(), layer.padded_inputs, 1}, values + layer.weights,
                outputs.data(),
                {.rows = padded_size_, .inner = layer.inputs, .columns = layer.padded_outputs});
    if (l + 1 == shape_.layers().size()) return;
    for (float& output : outputs) output = std::max(output, 0.0F);
  }
}

ClassValues PerceptronBatch::logits(std::size_t image) const {
  ClassValues values{};
  const std::size_t width = shape_.layers().back().padded_outputs;
  std::copy_n(activations_.back().data() + image * width, kImageClasses, values.begin());
  return values;
}

void PerceptronBatch::start_backward(std::span<const std::uint8_t> labels) {
  const std::size_t width = shape_.layers().back().padded_outputs;
  std::fill_n(errors_.begin(), padded_size_ * width, 0.0F);
  const float scale = 1.0F / static_cast<float>(size_);
  for (std::size_t s = 0; s < size_; ++s) {
    const ClassValues gradient = cross_entropy_gradient(logits(s), labels[s], scale);
    std::ranges::copy(gradient, errors_.data() + s * width);
  }
}

/// From the errors of a layer's z to those of the layer before it.
void PerceptronBatch::pass_back(const Perceptron& perceptron, std::size_t layer_number) {
  const PerceptronLayer& layer = shape_.layers()[layer_number];
  const float* weights = perceptron.values().data() + layer.weights;
  transpose(weights, transposed_.data(), layer.padded_inputs, layer.padded_outputs);
  const std::size_t count = padded_size_ * layer.padded_inputs;
  set_product({errors_.data(), layer.padded_outputs, 1}, transposed_.data(), next_errors_.data(),
              {.rows = padded_size_, .inner = layer.outputs, .columns = layer.padded_inputs});
  const std::vector<float>& activations = activations_[layer_number];
  for (std::size_t e = 0; e < count; ++e) {
    next_errors_[e] = activations[e] > 0.0F ? next_errors_[e] : 0.0F;
  }
  errors_.swap(next_errors_);
}

std::span<const float> PerceptronBatch::gradient(const Perceptron& perceptron,
                                                 std::span<const std::uint8_t> labels) {
  check(labels.size() == size_, "a batch has another number of labels than images");
  forward(perceptron);
  start_backward(labels);
  for (std::size_t l = shape_.layers().size(); l-- > 0;) {
    const PerceptronLayer& layer = shape_.layers()[l];
    set_product({activations_[l].data(), 1, layer.padded_inputs}, errors_.data(),
                gradients_.data() + layer.weights,
                {.rows = layer.padded_inputs, .inner = size_, .columns = layer.padded_outputs});
    float* biases = gradients_.data() + layer.biases;
    std::fill_n(biases, layer.padded_outputs, 0.0F);
    for (std::size_t s = 0; s < size_; ++s) {
      const float* error = errors_.data() + s * layer.padded_outputs;
      for (std::size_t c = 0; c < layer.padded_outputs; ++c) biases[c] += error[c];
    }
    if (l > 0) pass_back(perceptron, l);
  }
  return gradients_;
}

}  // namespace gyre
