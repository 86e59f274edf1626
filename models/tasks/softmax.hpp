#pragma once

#include <memory>
#include <vector>

#include "models/fields.hpp"
#include "models/rng.hpp"
#include "models/tasks/idx.hpp"
#include "models/tasks/linear_classifier.hpp"
#include "models/tasks/shards.hpp"
#include "models/value_task.hpp"

namespace gyre {

/// The keys of a `softmax` task.
struct SoftmaxSpec {
  Text data{.value = "/usr/share/datasets/fashion-mnist", .where = {}};  ///< folder of IDX files
  ShardSpec shards;
  std::int64_t batch = 32;
  double learning_rate = 0.05;

  void describe(Fields& fields);
};

/// Multinomial logistic regression on Fashion-MNIST (Xiao, Rasul, Vollgraf 2017, arXiv 1708.07747):
/// 784 inputs and a bias, 10 classes, zero start, plain SGD in float32, pixels / 255. A step draws
/// its batch with replacement from the island's shard (stream `island/NAME/batch`; the shards come
/// from the stream `shards`). Accuracy and mean cross-entropy are over the whole test set; of equal
/// logits the lowest class wins.
/// Shapes: a `Model` is W by input, then b: 785 × 10.
/// Requires `load` before `train` and `evaluate`. `start` before `load` only checks the options.
/// Errors: `load` throws `InputError` that names the file, or the Debian package where there is
/// none. Cost: 55 MB for the data, 38 KB an island.
class Softmax final : public ValueTask {
 public:
  explicit Softmax(SoftmaxSpec spec = {}) : spec_(std::move(spec)) {}

  void describe(Fields& fields) override { spec_.describe(fields); }
  void load() override;
  void start(const TaskContext& context) override;
  [[nodiscard]] bool has_accuracy() const override { return true; }
  [[nodiscard]] std::int64_t samples_per_step() const override { return spec_.batch; }
  void train(IslandId island, std::int64_t steps) override;
  [[nodiscard]] std::size_t parameters() const override { return kImageParameters; }
  [[nodiscard]] Evaluation evaluate() const override;

 private:
  void add_to(IslandId island, double weight, Model& sum) const override {
    classifiers_[island.index()].add_to(sum, weight);
  }
  void set(IslandId island, const Model& model) override {
    classifiers_[island.index()].assign(model);
  }
  struct Score {
    double accuracy = 0.0;
    double loss = 0.0;
  };
  [[nodiscard]] std::vector<Score> scores(
      std::span<const LinearClassifier* const> classifiers) const;
  [[nodiscard]] double consensus_distance(const Model& average) const;

  SoftmaxSpec spec_;
  LabelledImages training_;
  LabelledImages test_;
  std::vector<std::vector<std::uint32_t>> shards_;  ///< by island
  std::vector<LinearClassifier> classifiers_;
  std::vector<Rng> streams_;
  std::vector<std::uint32_t> batch_samples_;
  std::vector<std::uint8_t> batch_labels_;
  ImageBatch batch_{0};
};

std::unique_ptr<Task> make_softmax();

}  // namespace gyre
