// Local SGD: worker-steps per second of the `softmax` task against the same arithmetic written
// straight in Eigen, in one process, in turns. Exit status 1 if the median ratio is below the
// target.

#define EIGEN_NO_DEBUG  // our side has no assertions in its loops either

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <fmt/format.h>

#include "models/rng.hpp"
#include "models/tasks/idx.hpp"
#include "models/tasks/shards.hpp"
#include "models/tasks/softmax.hpp"

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Pixels = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kTargetRatio = 0.8;
constexpr std::size_t kIslands = 9;
constexpr std::int64_t kStepsPerTurn = 200;
constexpr int kTurns = 15;
constexpr int kBatch = 32;
constexpr float kLearningRate = 0.05F;

/// The same task with products, sums and exponentials by Eigen.
class EigenSoftmax {
 public:
  EigenSoftmax(const gyre::LabelledImages& data, const std::vector<std::string>& islands,
               std::uint64_t seed)
      : pixels_(data.pixels.data(), static_cast<Eigen::Index>(data.count), 784),
        labels_(&data.labels),
        shards_(
            gyre::make_shards({}, data.labels, islands.size(), gyre::Rng::stream(seed, "shards"))) {
    for (const std::string& island : islands) {
      weights_.emplace_back(Matrix::Zero(784, 10));
      biases_.emplace_back(Eigen::RowVectorXf::Zero(10));
      streams_.push_back(gyre::Rng::stream(seed, "island/" + island + "/batch"));
    }
  }

  void train(std::size_t island, std::int64_t steps) {
    Matrix& weights = weights_[island];
    const std::vector<std::uint32_t>& shard = shards_[island];
    for (std::int64_t step = 0; step < steps; ++step) {
      for (int s = 0; s < kBatch; ++s) {
        samples_[static_cast<std::size_t>(s)] = shard[streams_[island].below(shard.size())];
        const Eigen::Index sample = samples_[static_cast<std::size_t>(s)];
        inputs_.row(s) = pixels_.row(sample).cast<float>() * (1.0F / 255.0F);
      }
      outputs_.noalias() = inputs_ * weights;
      outputs_.rowwise() += biases_[island];
      outputs_.colwise() -= outputs_.rowwise().maxCoeff().eval();
      outputs_ = outputs_.array().exp();
      outputs_.array().colwise() /= outputs_.array().rowwise().sum().eval();
      for (int s = 0; s < kBatch; ++s) {
        outputs_(s, (*labels_)[samples_[static_cast<std::size_t>(s)]]) -= 1.0F;
      }
      outputs_ *= kLearningRate / kBatch;
      weights.noalias() -= inputs_.transpose() * outputs_;
      biases_[island] -= outputs_.colwise().sum();
    }
  }

  [[nodiscard]] double weight_sum(std::size_t island) const {
    return weights_[island].cast<double>().cwiseAbs().sum() +
           biases_[island].cast<double>().cwiseAbs().sum();
  }

 private:
  Eigen::Map<const Pixels> pixels_;
  const std::vector<std::uint8_t>* labels_;
  std::vector<std::vector<std::uint32_t>> shards_;
  std::vector<Matrix> weights_;
  std::vector<Eigen::RowVectorXf> biases_;
  std::vector<gyre::Rng> streams_;
  std::vector<std::uint32_t> samples_ = std::vector<std::uint32_t>(kBatch);
  Matrix inputs_ = Matrix::Zero(kBatch, 784);
  Matrix outputs_ = Matrix::Zero(kBatch, 10);
};

template <class Train>
double steps_per_second(Train train) {
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < kIslands; ++i) train(i);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  return static_cast<double>(kIslands) * static_cast<double>(kStepsPerTurn) / time.count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int bench() {
  std::vector<std::string> islands;
  islands.reserve(kIslands);
  for (std::size_t i = 0; i < kIslands; ++i) islands.push_back(fmt::format("I{}", i));
  const gyre::SoftmaxSpec spec{.data = gyre::SoftmaxSpec{}.data,
                               .shards = {},
                               .batch = kBatch,
                               .learning_rate = static_cast<double>(kLearningRate)};
  gyre::Softmax ours(spec);
  ours.load();
  ours.start({.islands = islands, .seed = 1});
  const gyre::LabelledImages data = gyre::read_labelled_images(spec.data.value, "train");
  EigenSoftmax theirs(data, islands, 1);

  std::vector<double> our_rates;
  std::vector<double> their_rates;
  std::vector<double> ratios;
  for (int turn = 0; turn < kTurns; ++turn) {
    our_rates.push_back(steps_per_second(
        [&ours](std::size_t i) { ours.train(gyre::IslandId::at(i), kStepsPerTurn); }));
    their_rates.push_back(
        steps_per_second([&theirs](std::size_t i) { theirs.train(i, kStepsPerTurn); }));
    ratios.push_back(our_rates.back() / their_rates.back());
  }

  double our_sum = 0.0;
  for (const double value : ours.model(gyre::IslandId::at(0))) our_sum += std::abs(value);
  const double their_sum = theirs.weight_sum(0);
  const bool agree = std::abs(our_sum - their_sum) < 1e-3 * their_sum;
  const bool fast = median(ratios) >= kTargetRatio;
  fmt::print("softmax, {} islands, batch {}, median of {} turns of {} steps each\n", kIslands,
             kBatch, kTurns, kStepsPerTurn);
  fmt::print("  gyre            {:10.0f} worker-steps/s  {:7.2f} us/step\n", median(our_rates),
             1e6 / median(our_rates));
  fmt::print("  straight Eigen  {:10.0f} worker-steps/s  {:7.2f} us/step\n", median(their_rates),
             1e6 / median(their_rates));
  fmt::print("  ratio           {:10.2f} (target: at least {})\n", median(ratios), kTargetRatio);
  fmt::print("  sum of |weights| {:.5f} and {:.5f}: {}\n", our_sum, their_sum,
             agree ? "the same model" : "DIFFERENT MODELS");
  const auto start = std::chrono::steady_clock::now();
  const gyre::Evaluation evaluation = ours.evaluate();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  fmt::print(
      "  one evaluation of {} different models and their average: {:.1f} ms (accuracy {:.4f})\n",
      kIslands, 1e3 * time.count(), evaluation.accuracy_average.value_or(0.0));
  return agree && fast ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return bench();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
