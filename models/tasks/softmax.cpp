#include "models/tasks/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {
namespace {

/// Test images that are held as floats at a time: they and a model stay in the cache.
constexpr std::size_t kEvaluationBlock = 64;

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

}  // namespace

void SoftmaxSpec::describe(Fields& fields) {
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

void Softmax::load() {
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
  training_ = read_labelled_images(folder, "train");
  test_ = read_labelled_images(folder, "t10k");
}

void Softmax::start(const TaskContext& context) {
  check(!context.islands.empty(), "a task was started without islands");
  const std::size_t n = context.islands.size();
  classifiers_.assign(n, LinearClassifier{});
  start_slots(n);
  streams_.clear();
  for (const std::string& island : context.islands) {
    streams_.push_back(Rng::stream(context.seed, "island/" + island + "/batch"));
  }
  batch_ = ImageBatch(static_cast<std::size_t>(spec_.batch));
  batch_samples_.assign(batch_.size(), 0);
  batch_labels_.assign(batch_.size(), 0);
  if (training_.count == 0) return;
  shards_ = make_shards(spec_.shards, training_.labels, n, Rng::stream(context.seed, "shards"));
}

void Softmax::train(IslandId island, std::int64_t steps) {
  const std::size_t i = island.index();
  check(i < shards_.size(), "softmax was trained before its data was loaded and spread");
  const std::vector<std::uint32_t>& shard = shards_[i];
  for (std::int64_t step = 0; step < steps; ++step) {
    for (std::uint32_t& sample : batch_samples_) {
      sample = shard[streams_[i].below(shard.size())];
      prefetch(training_.pixels.data() + sample * kImageInputs);
    }
    for (std::size_t s = 0; s < batch_.size(); ++s) {
      batch_labels_[s] = training_.labels[batch_samples_[s]];
      batch_.set(s, training_.pixels.data() + batch_samples_[s] * kImageInputs);
    }
    batch_.descend(classifiers_[i], batch_labels_, static_cast<float>(spec_.learning_rate));
  }
}

std::vector<Softmax::Score> Softmax::scores(
    std::span<const LinearClassifier* const> classifiers) const {
  std::vector<std::size_t> correct(classifiers.size(), 0);
  std::vector<double> losses(classifiers.size(), 0.0);
  ImageBatch block(kEvaluationBlock);
  for (std::size_t first = 0; first < test_.count; first += kEvaluationBlock) {
    const std::size_t count = std::min(kEvaluationBlock, test_.count - first);
    for (std::size_t s = 0; s < count; ++s) {
      block.set(s, test_.pixels.data() + (first + s) * kImageInputs);
    }
    for (std::size_t m = 0; m < classifiers.size(); ++m) {
      block.forward(*classifiers[m]);
      for (std::size_t s = 0; s < count; ++s) {
        const ClassValues z = block.logits(s);
        const std::size_t label = test_.labels[first + s];
        const auto best = static_cast<std::size_t>(std::ranges::max_element(z) - z.begin());
        if (best == label) ++correct[m];
        float sum = 0.0F;
        for (const float value : z) sum += std::exp(value - z[best]);
        losses[m] += static_cast<double>(z[best] - z[label] + std::log(sum));
      }
    }
  }
  const auto total = static_cast<double>(test_.count);
  std::vector<Score> result(classifiers.size());
  for (std::size_t m = 0; m < classifiers.size(); ++m) {
    result[m] = {.accuracy = static_cast<double>(correct[m]) / total, .loss = losses[m] / total};
  }
  return result;
}

double Softmax::consensus_distance(const Model& average) const {
  double sum = 0.0;
  for (const LinearClassifier& classifier : classifiers_) {
    Model difference = average;
    classifier.add_to(difference, -1.0);
    sum = std::inner_product(difference.begin(), difference.end(), difference.begin(), sum);
  }
  return sum / static_cast<double>(classifiers_.size());
}

Evaluation Softmax::evaluate() const {
  check(test_.count > 0, "softmax was evaluated before its data was loaded");
  const std::size_t n = classifiers_.size();
  Model average(kImageParameters, 0.0);
  for (const LinearClassifier& classifier : classifiers_) {
    classifier.add_to(average, 1.0 / static_cast<double>(n));
  }
  LinearClassifier average_classifier;
  average_classifier.assign(average);

  // After an exchange many models are the same bits: each distinct one is scored once.
  std::vector<const LinearClassifier*> distinct{&average_classifier};
  std::vector<std::size_t> which(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto same = std::ranges::find_if(distinct, [this, i](const LinearClassifier* other) {
      return other->same_as(classifiers_[i]);
    });
    which[i] = static_cast<std::size_t>(same - distinct.begin());
    if (same == distinct.end()) distinct.push_back(&classifiers_[i]);
  }
  const std::vector<Score> all = scores(distinct);

  Evaluation result;
  result.accuracy_average = all.front().accuracy;
  result.loss_average = all.front().loss;
  double accuracy_sum = 0.0;
  double accuracy_worst = 1.0;
  double loss_sum = 0.0;
  for (const std::size_t m : which) {
    accuracy_sum += all[m].accuracy;
    accuracy_worst = std::min(accuracy_worst, all[m].accuracy);
    loss_sum += all[m].loss;
    result.loss_worst = std::max(result.loss_worst, all[m].loss);
  }
  result.accuracy_mean = accuracy_sum / static_cast<double>(n);
  result.accuracy_worst = accuracy_worst;
  result.loss_mean = loss_sum / static_cast<double>(n);
  result.consensus_distance = consensus_distance(average);
  return result;
}

std::unique_ptr<Task> make_softmax() { return std::make_unique<Softmax>(); }

}  // namespace gyre
