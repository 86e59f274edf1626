#include "models/tasks/fashion_mnist.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {
namespace {

/// A folder of the scenario is relative to the file that names it; one of the command line is not.
std::string resolve_folder(const Text& folder) {
  const std::filesystem::path path(folder.value);
  if (path.is_absolute() || folder.where.line == 0) return path.string();
  return (std::filesystem::path(folder.where.file).parent_path() / path).string();
}

/// Samples lie all over the memory: asking for a whole batch at once hides most of its latency.
void prefetch(const std::uint8_t* pixels) {
  constexpr std::size_t kCacheLine = 64;
  for (std::size_t j = 0; j < kImageInputs; j += kCacheLine) __builtin_prefetch(pixels + j);
}

/// What is read already, as long as anybody has it.
std::shared_ptr<const LabelledImages> shared_images(const std::string& folder, const char* prefix) {
  static std::map<std::pair<std::string, std::string>, std::weak_ptr<const LabelledImages>> known;
  std::weak_ptr<const LabelledImages>& entry = known[{folder, prefix}];
  if (std::shared_ptr<const LabelledImages> images = entry.lock()) return images;
  auto images = std::make_shared<const LabelledImages>(read_labelled_images(folder, prefix));
  entry = images;
  return images;
}

}  // namespace

void FashionMnistSpec::describe(Fields& fields) {
  fields.optional({"data",
                   "Folder of the four Fashion-MNIST files (IDX, plain or .gz); the default "
                   "is where the Debian package dataset-fashion-mnist puts them."},
                  data);
  fields.optional_object({"shards", "How the training samples are spread over the islands."},
                         shards);
  fields.optional({"batch", "Samples a local step, drawn with replacement from the island's own."},
                  batch, Range{.at_least = 1.0, .at_most = 60000.0});
  fields.optional({"learning_rate", "Step size of the local gradient descent."}, learning_rate,
                  kPositive);
}

void FashionMnist::load() {
  const std::string folder = resolve_folder(spec_.data);
  for (const char* prefix : {"train", "t10k"}) {
    if (has_labelled_images(folder, prefix)) continue;
    const std::string problem = fmt::format(
        "the Fashion-MNIST files {0}-images-idx3-ubyte and {0}-labels-idx1-ubyte (plain or .gz) "
        "are "
        "not in {1}; install the Debian package dataset-fashion-mnist, or set the task's key "
        "`data` "
        "to the folder that holds them",
        prefix, folder);
    if (spec_.data.where.file.empty()) throw InputError("task.data", problem);
    throw InputError(spec_.data.where, problem);
  }
  training_ = shared_images(folder, "train");
  test_ = shared_images(folder, "t10k");
}

void FashionMnist::start(const TaskContext& context) {
  streams_.clear();
  for (const std::string& island : context.islands) {
    streams_.push_back(Rng::stream(context.seed, "island/" + island + "/batch"));
  }
  batch_.assign(static_cast<std::size_t>(spec_.batch), 0);
  if (training_->count == 0) return;
  shards_ = make_shards(spec_.shards, training_->labels, context.islands.size(),
                        Rng::stream(context.seed, "shards"));
}

std::vector<std::vector<double>> FashionMnist::label_counts() const {
  std::vector<std::vector<double>> counts;
  for (const std::vector<std::uint32_t>& shard : shards_) {
    std::vector<double>& of = counts.emplace_back(kImageClasses, 0.0);
    for (const std::uint32_t sample : shard) of[training_->labels[sample]] += 1.0;
  }
  return counts;
}

std::span<const std::uint32_t> FashionMnist::draw(IslandId island) {
  const std::size_t i = island.index();
  check(i < shards_.size(), "a batch was drawn before the data was loaded and spread");
  const std::vector<std::uint32_t>& shard = shards_[i];
  for (std::uint32_t& sample : batch_) {
    sample = shard[streams_[i].below(shard.size())];
    prefetch(training_->pixels.data() + sample * kImageInputs);
  }
  return batch_;
}

Evaluation summary_of(std::span<const ImageScore> scores, std::span<const std::size_t> which) {
  Evaluation result;
  result.accuracy_average = scores.front().accuracy;
  result.loss_average = scores.front().loss;
  double accuracy_sum = 0.0;
  double accuracy_worst = 1.0;
  double loss_sum = 0.0;
  for (const std::size_t m : which) {
    accuracy_sum += scores[m].accuracy;
    accuracy_worst = std::min(accuracy_worst, scores[m].accuracy);
    loss_sum += scores[m].loss;
    result.loss_worst = std::max(result.loss_worst, scores[m].loss);
  }
  const auto n = static_cast<double>(which.size());
  result.accuracy_mean = accuracy_sum / n;
  result.accuracy_worst = accuracy_worst;
  result.loss_mean = loss_sum / n;
  return result;
}

}  // namespace gyre
