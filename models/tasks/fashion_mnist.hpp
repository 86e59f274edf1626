#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/fields.hpp"
#include "models/rng.hpp"
#include "models/task.hpp"
#include "models/tasks/idx.hpp"
#include "models/tasks/image_classes.hpp"
#include "models/tasks/shards.hpp"

namespace gyre {

/// The keys of every task on Fashion-MNIST.
struct FashionMnistSpec {
  Text data{.value = "/usr/share/datasets/fashion-mnist", .where = {}};  ///< folder of IDX files
  ShardSpec shards;
  std::int64_t batch = 32;
  double learning_rate = 0.05;

  void describe(Fields& fields);
};

/// Fashion-MNIST (Xiao, Rasul, Vollgraf 2017, arXiv 1708.07747) spread over islands: 60000 training
/// and 10000 test images of 28×28 pixels in 10 classes. Whatever is learnt from it, the same seed
/// gives the same shards (stream `shards`) and the same batches (streams `island/NAME/batch`).
/// Requires `load` before `draw`. `start` before `load` only checks the options.
/// Errors: `load` throws `InputError` that names the file, or the Debian package where there is
/// none; `start` throws it for more islands than samples. Cost: 55 MB.
class FashionMnist {
 public:
  explicit FashionMnist(FashionMnistSpec spec = {}) : spec_(std::move(spec)) {}

  void describe(Fields& fields) { spec_.describe(fields); }
  void load();
  void start(const TaskContext& context);
  /// The island's next batch, drawn with replacement from its shard: numbers of training images.
  /// Valid until the next draw.
  std::span<const std::uint32_t> draw(IslandId island);

  /// By island and label, of the shards; empty before `load` and `start`.
  [[nodiscard]] std::vector<std::vector<double>> label_counts() const;
  [[nodiscard]] const FashionMnistSpec& spec() const { return spec_; }
  [[nodiscard]] const LabelledImages& training() const { return *training_; }
  [[nodiscard]] const LabelledImages& test() const { return *test_; }

 private:
  FashionMnistSpec spec_;
  // One copy for all that read the same folder; empty before `load`.
  std::shared_ptr<const LabelledImages> training_ = std::make_shared<LabelledImages>();
  std::shared_ptr<const LabelledImages> test_ = training_;
  std::vector<std::vector<std::uint32_t>> shards_;  ///< by island
  std::vector<Rng> streams_;
  std::vector<std::uint32_t> batch_;
};

/// A model's result on the test set.
struct ImageScore {
  double accuracy = 0.0;
  double loss = 0.0;  ///< mean cross-entropy
};

/// The accuracies and losses of an evaluation: `scores[0]` of the average model, `scores[which[i]]`
/// of island i.
Evaluation summary_of(std::span<const ImageScore> scores, std::span<const std::size_t> which);

}  // namespace gyre
