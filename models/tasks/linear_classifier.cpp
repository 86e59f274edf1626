#include "models/tasks/linear_classifier.hpp"

#include <algorithm>
#include <cstring>

#include "models/error.hpp"

namespace gyre {

void LinearClassifier::assign(std::span<const double> parameters) {
  check(parameters.size() == kImageParameters, "a model has another number of parameters");
  const double* next = parameters.data();
  for (std::size_t row = 0; row < rows_.size(); row += kPaddedClasses) {
    for (std::size_t c = 0; c < kImageClasses; ++c) rows_[row + c] = static_cast<float>(*next++);
  }
}

void LinearClassifier::add_to(std::span<double> sum, double weight) const {
  check(sum.size() == kImageParameters, "a sum has another number of parameters");
  double* next = sum.data();
  for (std::size_t row = 0; row < rows_.size(); row += kPaddedClasses) {
    for (std::size_t c = 0; c < kImageClasses; ++c) {
      *next++ += weight * static_cast<double>(rows_[row + c]);
    }
  }
}

bool LinearClassifier::same_as(const LinearClassifier& other) const {
  return std::memcmp(rows_.data(), other.rows_.data(), rows_.size() * sizeof(float)) == 0;
}

ImageBatch::ImageBatch(std::size_t images)
    : size_(images),
      padded_size_((images + kRowBlock - 1) / kRowBlock * kRowBlock),
      inputs_(padded_size_ * kImageInputs, 0.0F),
      outputs_(padded_size_ * LinearClassifier::kPaddedClasses),
      difference_(kImageInputs * LinearClassifier::kPaddedClasses) {
  static_assert(kImageInputs % kRowBlock == 0);
}

void ImageBatch::set(std::size_t image, const std::uint8_t* pixels) {
  scale_pixels(pixels, inputs_.data() + image * kImageInputs);
}

void ImageBatch::forward(const LinearClassifier& classifier) {
  constexpr std::size_t kWidth = LinearClassifier::kPaddedClasses;
  const float* weights = classifier.rows_.data();
  for (std::size_t s = 0; s < padded_size_; ++s) {
    std::copy_n(weights + kImageInputs * kWidth, kWidth, outputs_.data() + s * kWidth);
  }
  add_product({inputs_.data(), kImageInputs, 1}, weights, outputs_.data(),
              {.rows = padded_size_, .inner = kImageInputs, .columns = kWidth});
}

ClassValues ImageBatch::logits(std::size_t image) const {
  ClassValues values{};
  std::copy_n(outputs_.data() + image * LinearClassifier::kPaddedClasses, kImageClasses,
              values.begin());
  return values;
}

void ImageBatch::descend(LinearClassifier& classifier, std::span<const std::uint8_t> labels,
                         float learning_rate) {
  check(labels.size() == size_, "a batch has another number of labels than images");
  constexpr std::size_t kWidth = LinearClassifier::kPaddedClasses;
  forward(classifier);
  const float scale = learning_rate / static_cast<float>(size_);
  for (std::size_t s = 0; s < size_; ++s) {
    const ClassValues gradient = cross_entropy_gradient(logits(s), labels[s], scale);
    std::ranges::copy(gradient, outputs_.data() + s * kWidth);  // the padding is 0 already
  }
  set_product({inputs_.data(), 1, kImageInputs}, outputs_.data(), difference_.data(),
              {.rows = kImageInputs, .inner = size_, .columns = kWidth});
  float* weights = classifier.rows_.data();
  for (std::size_t w = 0; w < difference_.size(); ++w) weights[w] -= difference_[w];
  float* biases = weights + difference_.size();
  for (std::size_t s = 0; s < size_; ++s) {
    for (std::size_t c = 0; c < kImageClasses; ++c) biases[c] -= outputs_[s * kWidth + c];
  }
}

}  // namespace gyre
