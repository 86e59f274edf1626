#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/rng.hpp"
#include "models/tasks/image_classes.hpp"

namespace gyre {

/// One layer, of which the sizes in memory are padded with zeros (see `matrix_product.hpp`).
struct PerceptronLayer {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::size_t padded_inputs = 0;
  std::size_t padded_outputs = 0;
  std::size_t weights = 0;  ///< place of W in a flat array: padded_inputs × padded_outputs
  std::size_t biases = 0;   ///< place of b: padded_outputs
};

/// The widths of a perceptron on images: 784, the hidden ones, 10.
class PerceptronShape {
 public:
  /// Requires widths of at least 1.
  explicit PerceptronShape(std::span<const std::int64_t> hidden);

  [[nodiscard]] std::span<const PerceptronLayer> layers() const { return layers_; }
  [[nodiscard]] std::size_t parameters() const { return parameters_; }
  /// Length of a flat array of padded parameters or gradients.
  [[nodiscard]] std::size_t padded_size() const { return padded_size_; }

 private:
  std::vector<PerceptronLayer> layers_;
  std::size_t parameters_ = 0;
  std::size_t padded_size_ = 0;
};

/// A multi-layer perceptron on images, in float32.
///
///   layers   a₀ = x ∈ [0, 1]^784,  z_l = a_{l−1} W_l + b_l,  a_l = max(0, z_l)
///   loss     cross-entropy of the softmax of the last z
///
/// A model is, layer by layer, W by input and then b: for no hidden layer that of a
/// `LinearClassifier`.
class Perceptron {
 public:
  /// All parameters are 0.
  explicit Perceptron(PerceptronShape shape);

  /// Requires as many values as the shape has parameters.
  void assign(std::span<const double> parameters);
  /// sum += weight · parameters, in double. Requires the same.
  void add_to(std::span<double> sum, double weight) const;
  /// Whether all parameters are the same bits.
  [[nodiscard]] bool same_as(const Perceptron& other) const;

  [[nodiscard]] const PerceptronShape& shape() const { return shape_; }
  /// The padded parameters. Whoever changes them leaves the padding at 0.
  [[nodiscard]] std::span<float> values() { return values_; }
  [[nodiscard]] std::span<const float> values() const { return values_; }

 private:
  PerceptronShape shape_;
  std::vector<float> values_;
};

/// Weights drawn in the model's order from a normal distribution of variance 2 / inputs, biases 0.
/// Source: He, Zhang, Ren, Sun 2015 (arXiv 1502.01852).
std::vector<double> he_normal(const PerceptronShape& shape, Rng stream);

/// Images with the scratch space of a step: nothing is allocated after construction.
class PerceptronBatch {
 public:
  PerceptronBatch(PerceptronShape shape, std::size_t images);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Sets an image from its pixels. Requires 784 bytes.
  void set(std::size_t image, const std::uint8_t* pixels);
  /// The logits of all images under a model of the shape; see `logits`.
  void forward(const Perceptron& perceptron);
  [[nodiscard]] ClassValues logits(std::size_t image) const;
  /// The gradient of the mean loss in the parameters, in their padded places; valid until the next
  /// call. Requires a label for each image.
  std::span<const float> gradient(const Perceptron& perceptron,
                                  std::span<const std::uint8_t> labels);

 private:
  void start_backward(std::span<const std::uint8_t> labels);
  void pass_back(const Perceptron& perceptron, std::size_t layer);

  PerceptronShape shape_;
  std::size_t size_;
  std::size_t padded_size_;                      ///< the images beyond `size_` are 0
  std::vector<std::vector<float>> activations_;  ///< by layer, from the input: images × width
  std::vector<float> errors_;                    ///< gradient in a layer's z: images × width
  std::vector<float> next_errors_;
  std::vector<float> transposed_;  ///< a layer's Wᵀ
  std::vector<float> gradients_;
};

}  // namespace gyre
