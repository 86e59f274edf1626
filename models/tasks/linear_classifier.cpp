#include "models/tasks/linear_classifier.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "models/error.hpp"
#include "models/wide.hpp"

namespace gyre {
namespace {

constexpr std::size_t kLanes = 4;
constexpr std::size_t kPaddedClasses = 3 * kLanes;
static_assert(kImageInputs % kLanes == 0);
static_assert(sizeof(ClassRow) == kPaddedClasses * sizeof(float));

using PaddedValues = std::array<float, kPaddedClasses>;

PaddedValues values_of(const ClassRow& row) { return std::bit_cast<PaddedValues>(row); }
ClassRow row_of(const PaddedValues& values) { return std::bit_cast<ClassRow>(values); }

inline void add_scaled(ClassRow& sum, const ClassRow& row, float factor) {
  sum.low += row.low * factor;
  sum.middle += row.middle * factor;
  sum.high += row.high * factor;
}

inline void subtract(ClassRow& row, const ClassRow& other) {
  row.low -= other.low;
  row.middle -= other.middle;
  row.high -= other.high;
}

/// outputs = (inputs, 1)·weights. Requires a multiple of four images.
GYRE_WIDE void multiply(const ClassRow* weights, std::span<const float> inputs,
                        std::span<ClassRow> outputs) {
  for (std::size_t s = 0; s < outputs.size(); s += kLanes) {
    const float* x0 = inputs.data() + s * kImageInputs;
    const float* x1 = x0 + kImageInputs;
    const float* x2 = x1 + kImageInputs;
    const float* x3 = x2 + kImageInputs;
    ClassRow z0 = weights[kImageInputs];
    ClassRow z1 = z0;
    ClassRow z2 = z0;
    ClassRow z3 = z0;
    for (std::size_t j = 0; j < kImageInputs; ++j) {
      add_scaled(z0, weights[j], x0[j]);
      add_scaled(z1, weights[j], x1[j]);
      add_scaled(z2, weights[j], x2[j]);
      add_scaled(z3, weights[j], x3[j]);
    }
    outputs[s] = z0;
    outputs[s + 1] = z1;
    outputs[s + 2] = z2;
    outputs[s + 3] = z3;
  }
}

/// weights −= (inputs, 1)ᵀ·gradients.
GYRE_WIDE void subtract_products(ClassRow* weights, std::span<const float> inputs,
                                 std::span<const ClassRow> gradients) {
  for (std::size_t j = 0; j < kImageInputs; j += kLanes) {
    ClassRow d0{};
    ClassRow d1{};
    ClassRow d2{};
    ClassRow d3{};
    const float* x = inputs.data() + j;
    for (std::size_t s = 0; s < gradients.size(); ++s, x += kImageInputs) {
      add_scaled(d0, gradients[s], x[0]);
      add_scaled(d1, gradients[s], x[1]);
      add_scaled(d2, gradients[s], x[2]);
      add_scaled(d3, gradients[s], x[3]);
    }
    subtract(weights[j], d0);
    subtract(weights[j + 1], d1);
    subtract(weights[j + 2], d2);
    subtract(weights[j + 3], d3);
  }
  for (const ClassRow& gradient : gradients) subtract(weights[kImageInputs], gradient);
}

}  // namespace

void LinearClassifier::assign(std::span<const double> parameters) {
  check(parameters.size() == kImageParameters, "a model has another number of parameters");
  const double* next = parameters.data();
  for (ClassRow& row : rows_) {
    PaddedValues values{};
    for (std::size_t c = 0; c < kImageClasses; ++c) values[c] = static_cast<float>(*next++);
    row = row_of(values);
  }
}

void LinearClassifier::add_to(std::span<double> sum, double weight) const {
  check(sum.size() == kImageParameters, "a sum has another number of parameters");
  double* next = sum.data();
  for (const ClassRow& row : rows_) {
    const PaddedValues values = values_of(row);
    for (std::size_t c = 0; c < kImageClasses; ++c) {
      *next++ += weight * static_cast<double>(values[c]);
    }
  }
}

bool LinearClassifier::same_as(const LinearClassifier& other) const {
  return std::memcmp(rows_.data(), other.rows_.data(), rows_.size() * sizeof(ClassRow)) == 0;
}

ImageBatch::ImageBatch(std::size_t images)
    : size_(images),
      padded_size_((images + kLanes - 1) / kLanes * kLanes),
      inputs_(padded_size_ * kImageInputs, 0.0F),
      outputs_(padded_size_) {}

void ImageBatch::set(std::size_t image, const std::uint8_t* pixels) {
  scale_pixels(pixels, inputs_.data() + image * kImageInputs);
}

void ImageBatch::forward(const LinearClassifier& classifier) {
  multiply(classifier.rows_.data(), inputs_, outputs_);
}

ClassValues ImageBatch::logits(std::size_t image) const {
  const PaddedValues padded = values_of(outputs_[image]);
  ClassValues values{};
  std::copy_n(padded.begin(), kImageClasses, values.begin());
  return values;
}

void ImageBatch::descend(LinearClassifier& classifier, std::span<const std::uint8_t> labels,
                         float learning_rate) {
  check(labels.size() == size_, "a batch has another number of labels than images");
  forward(classifier);
  const float scale = learning_rate / static_cast<float>(size_);
  for (std::size_t s = 0; s < size_; ++s) {
    const ClassValues gradient = cross_entropy_gradient(logits(s), labels[s], scale);
    PaddedValues padded{};
    std::ranges::copy(gradient, padded.begin());
    outputs_[s] = row_of(padded);
  }
  for (std::size_t s = size_; s < padded_size_; ++s) outputs_[s] = ClassRow{};
  subtract_products(classifier.rows_.data(), inputs_, outputs_);
}

}  // namespace gyre
