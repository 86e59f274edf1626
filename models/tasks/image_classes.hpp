#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gyre {

/// What all classifiers of 28×28 images share: pixels in, one logit for each of 10 classes out.
inline constexpr std::size_t kImageInputs = 784;
inline constexpr std::size_t kImageClasses = 10;

/// One value for each class.
using ClassValues = std::array<float, kImageClasses>;

/// inputs = pixels / 255. Requires 784 of each.
void scale_pixels(const std::uint8_t* pixels, float* inputs);

/// The class of the largest logit, the lowest one among equals.
inline std::size_t best_class(const ClassValues& z) {
  return static_cast<std::size_t>(std::ranges::max_element(z) - z.begin());
}

/// Cross-entropy −z_y + log Σ_c exp z_c.
inline double cross_entropy(const ClassValues& z, std::size_t label) {
  const float highest = z[best_class(z)];
  float sum = 0.0F;
  for (const float value : z) sum += std::exp(value - highest);
  return static_cast<double>(highest - z[label] + std::log(sum));
}

/// Its gradient in the logits, times `scale`: scale · (softmax(z) − e_y).
inline ClassValues cross_entropy_gradient(const ClassValues& z, std::size_t label, float scale) {
  const float highest = *std::ranges::max_element(z);
  ClassValues gradient{};
  float sum = 0.0F;
  for (std::size_t c = 0; c < kImageClasses; ++c) {
    gradient[c] = std::exp(z[c] - highest);
    sum += gradient[c];
  }
  const float share = scale / sum;
  for (float& value : gradient) value *= share;
  gradient[label] -= scale;
  return gradient;
}

}  // namespace gyre
