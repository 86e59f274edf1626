#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "models/error.hpp"
#include "models/tasks/fashion_mnist.hpp"
#include "models/value_task.hpp"

namespace gyre {

/// A task on Fashion-MNIST, all but its classifier: data, batches, models by island, evaluation.
/// Accuracy and mean cross-entropy are over the whole test set; of equal logits the lowest class
/// wins. Requires `load` before `train` and `evaluate`; errors and streams as `FashionMnist`.
///
/// `Classifier` holds the parameters of one model in float32 (`assign`, `add_to`, `same_as`),
/// `Batch` images and the scratch space of a step (`size`, `set`, `forward`, `logits`).
template <class Classifier, class Batch>
class ImageTask : public ValueTask {
 public:
  explicit ImageTask(FashionMnistSpec spec) : data_(std::move(spec)) {}

  void describe(Fields& fields) override { data_.describe(fields); }
  void load() final { data_.load(); }
  void start(const TaskContext& context) final;
  [[nodiscard]] bool has_accuracy() const final { return true; }
  [[nodiscard]] std::int64_t samples_per_step() const final { return data_.spec().batch; }
  void train(IslandId island, std::int64_t steps) final;
  [[nodiscard]] Evaluation evaluate() const final;
  [[nodiscard]] std::vector<std::vector<double>> label_counts() const final {
    return data_.label_counts();
  }

 protected:
  /// The model that all islands start from. Called first of a start.
  virtual Classifier first_model(const TaskContext& context) = 0;
  [[nodiscard]] virtual Batch make_batch(std::size_t images) const = 0;
  /// One step of the island's model on a batch.
  virtual void descend(IslandId island, Classifier& classifier, Batch& batch,
                       std::span<const std::uint8_t> labels) = 0;

  [[nodiscard]] const FashionMnistSpec& images() const { return data_.spec(); }

 private:
  /// Test images that are held as floats at a time: they and a small model stay in the cache.
  static constexpr std::size_t kEvaluationBlock = 64;

  void add_to(IslandId island, double weight, Model& sum) const final {
    classifiers_[island.index()].add_to(sum, weight);
  }
  void set(IslandId island, const Model& model) final {
    classifiers_[island.index()].assign(model);
  }
  [[nodiscard]] std::vector<ImageScore> scores(
      std::span<const Classifier* const> classifiers) const;
  [[nodiscard]] double consensus_distance(const Model& average) const;

  FashionMnist data_;
  std::vector<Classifier> classifiers_;  ///< by island
  std::unique_ptr<Batch> batch_;         ///< from the first start on
  std::vector<std::uint8_t> labels_;     ///< of the batch
};

template <class Classifier, class Batch>
void ImageTask<Classifier, Batch>::start(const TaskContext& context) {
  check(!context.islands.empty(), "a task was started without islands");
  classifiers_.assign(context.islands.size(), first_model(context));
  start_slots(context.islands.size());
  batch_ = std::make_unique<Batch>(make_batch(static_cast<std::size_t>(images().batch)));
  labels_.assign(batch_->size(), 0);
  data_.start(context);
}

template <class Classifier, class Batch>
void ImageTask<Classifier, Batch>::train(IslandId island, std::int64_t steps) {
  check(batch_ != nullptr, "a task was trained before it was started");
  const LabelledImages& training = data_.training();
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::span<const std::uint32_t> samples = data_.draw(island);
    for (std::size_t s = 0; s < samples.size(); ++s) {
      labels_[s] = training.labels[samples[s]];
      batch_->set(s, training.pixels.data() + samples[s] * kImageInputs);
    }
    descend(island, classifiers_[island.index()], *batch_, labels_);
  }
}

template <class Classifier, class Batch>
std::vector<ImageScore> ImageTask<Classifier, Batch>::scores(
    std::span<const Classifier* const> classifiers) const {
  const LabelledImages& test = data_.test();
  std::vector<std::size_t> correct(classifiers.size(), 0);
  std::vector<double> losses(classifiers.size(), 0.0);
  Batch block = make_batch(kEvaluationBlock);
  for (std::size_t first = 0; first < test.count; first += kEvaluationBlock) {
    const std::size_t count = std::min(kEvaluationBlock, test.count - first);
    for (std::size_t s = 0; s < count; ++s) {
      block.set(s, test.pixels.data() + (first + s) * kImageInputs);
    }
    for (std::size_t m = 0; m < classifiers.size(); ++m) {
      block.forward(*classifiers[m]);
      for (std::size_t s = 0; s < count; ++s) {
        const ClassValues z = block.logits(s);
        const std::size_t label = test.labels[first + s];
        if (best_class(z) == label) ++correct[m];
        losses[m] += cross_entropy(z, label);
      }
    }
  }
  const auto total = static_cast<double>(test.count);
  std::vector<ImageScore> result(classifiers.size());
  for (std::size_t m = 0; m < classifiers.size(); ++m) {
    result[m] = {.accuracy = static_cast<double>(correct[m]) / total, .loss = losses[m] / total};
  }
  return result;
}

template <class Classifier, class Batch>
double ImageTask<Classifier, Batch>::consensus_distance(const Model& average) const {
  double sum = 0.0;
  for (const Classifier& classifier : classifiers_) {
    Model difference = average;
    classifier.add_to(difference, -1.0);
    sum = std::inner_product(difference.begin(), difference.end(), difference.begin(), sum);
  }
  return sum / static_cast<double>(classifiers_.size());
}

template <class Classifier, class Batch>
Evaluation ImageTask<Classifier, Batch>::evaluate() const {
  check(data_.test().count > 0, "a task was evaluated before its data was loaded");
  const std::size_t n = classifiers_.size();
  Model average(parameters(), 0.0);
  for (const Classifier& classifier : classifiers_) {
    classifier.add_to(average, 1.0 / static_cast<double>(n));
  }
  Classifier average_classifier = classifiers_.front();
  average_classifier.assign(average);

  // After an exchange many models are the same bits: each distinct one is scored once.
  std::vector<const Classifier*> distinct{&average_classifier};
  std::vector<std::size_t> which(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto same = std::ranges::find_if(
        distinct, [this, i](const Classifier* other) { return other->same_as(classifiers_[i]); });
    which[i] = static_cast<std::size_t>(same - distinct.begin());
    if (same == distinct.end()) distinct.push_back(&classifiers_[i]);
  }
  const std::vector<ImageScore> all = scores(distinct);
  Evaluation result = summary_of(all, which);
  result.consensus_distance = consensus_distance(average);
  return result;
}

}  // namespace gyre
