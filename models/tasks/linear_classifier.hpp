#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/tasks/image_classes.hpp"
#include "models/tasks/matrix_product.hpp"

namespace gyre {

/// W by input, then b: input × class, then class.
inline constexpr std::size_t kImageParameters = (kImageInputs + 1) * kImageClasses;

/// The arithmetic of multinomial logistic regression on 28×28 images with 10 classes, in float32.
///
///   logits   z = xW + b,  x ∈ [0, 1]^784,  W: 784×10,  b: 10
///   loss     −z_y + log Σ_c exp z_c
///   step     (W, b) ← (W, b) − (η/B) Σ_s (x_s, 1)ᵀ (softmax(z_s) − e_{y_s})
///
/// Ten classes are padded to a block of columns (see `matrix_product.hpp`). The order of every sum
/// is fixed: over inputs ascending from the bias, over samples ascending.
///
/// A model is the rows of W, then b.
class LinearClassifier {
 public:
  LinearClassifier() : rows_((kImageInputs + 1) * kPaddedClasses, 0.0F) {}

  /// Requires `kImageParameters` values.
  void assign(std::span<const double> parameters);
  /// sum += weight · parameters, in double. Requires `kImageParameters` values.
  void add_to(std::span<double> sum, double weight) const;
  /// Whether all parameters are the same bits.
  [[nodiscard]] bool same_as(const LinearClassifier& other) const;

 private:
  friend class ImageBatch;
  static constexpr std::size_t kPaddedClasses = kColumnBlock;
  static_assert(kImageClasses <= kPaddedClasses);

  std::vector<float> rows_;  ///< of W, then b; what is padding stays 0
};

/// Images as floats, with the scratch space of a step: nothing is allocated after construction.
class ImageBatch {
 public:
  explicit ImageBatch(std::size_t images);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Sets an image from its pixels. Requires 784 bytes.
  void set(std::size_t image, const std::uint8_t* pixels);
  /// The logits of all images under a model; see `logits`.
  void forward(const LinearClassifier& classifier);
  [[nodiscard]] ClassValues logits(std::size_t image) const;
  /// One step of gradient descent on the mean loss. Requires a label for each image.
  void descend(LinearClassifier& classifier, std::span<const std::uint8_t> labels,
               float learning_rate);

 private:
  std::size_t size_;
  std::size_t padded_size_;     ///< the images beyond `size_` are 0
  std::vector<float> inputs_;   ///< padded_size_ × 784
  std::vector<float> outputs_;  ///< padded_size_ × padded classes: logits, then scaled gradients
  std::vector<float> difference_;  ///< of W in a step
};

}  // namespace gyre
