// Local SGD: worker-steps per second of the tasks `softmax` and `mlp` against the same arithmetic
// in straight Eigen and by calls of OpenBLAS, in one process, in turns. Exit status 1 if a median
// ratio to the best of them is below the target or if the models differ by more than rounding.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/tasks/mlp.hpp"
#include "models/tasks/softmax.hpp"
#include "models/value_task.hpp"
#include "tests/bench_learning_baseline.hpp"

namespace gyre {
namespace {

constexpr double kTargetRatio = 0.8;
constexpr std::size_t kIslands = 9;
constexpr int kTurns = 61;

/// Orders of sums differ and some baselines fuse operations: the distance of an island's models
/// after all steps, as a share of the way they went, is some 1e-6 to 2e-5. In a few islands it is
/// up to 2e-2: there a hidden unit's sum rounds to either side of 0, and the models part. So the
/// median island is what is compared.
constexpr double kRounding = 1e-4;

struct Contender {
  std::string name;
  std::unique_ptr<Baseline> baseline;
  std::vector<double> rates;   ///< worker-steps per second, by turn
  std::vector<double> ratios;  ///< ours to its rate, by turn
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Worker-steps per second of one turn of all islands.
template <class Trained>
double rate_of(Trained& trained, std::int64_t steps) {
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < kIslands; ++i) trained.train(IslandId::at(i), steps);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  return static_cast<double>(kIslands) * static_cast<double>(steps) / time.count();
}

double distance(const Model& a, const Model& b) {
  double sum = 0.0;
  for (std::size_t p = 0; p < a.size(); ++p) sum += (a[p] - b[p]) * (a[p] - b[p]);
  return std::sqrt(sum);
}

/// The distance of an island's model to ours as a share of the way that it went from its start: of
/// the median island.
double disagreement(const ValueTask& ours, const Baseline& baseline,
                    const std::vector<Model>& start) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < kIslands; ++i) {
    const IslandId island = IslandId::at(i);
    const Model model = ours.model(island);
    shares.push_back(distance(model, baseline.model(island)) / distance(model, start[i]));
  }
  return median(shares);
}

struct Workload {
  std::string name;
  std::vector<std::int64_t> hidden;
  std::int64_t steps_per_turn;  ///< of each island
};

/// Whether we are fast enough and learn the same models.
bool bench(const Workload& workload, ValueTask& ours, const FashionMnist& images,
           const TaskContext& context) {
  ours.load();
  ours.start(context);
  std::vector<Model> start;
  for (std::size_t i = 0; i < kIslands; ++i) start.push_back(ours.model(IslandId::at(i)));
  const BaselineSpec spec{.images = images, .hidden = workload.hidden, .start = start};
  std::vector<Contender> others;
  others.push_back({"straight Eigen, our options", make_eigen(spec), {}, {}});
  others.push_back({"straight Eigen, -march=native", make_native_eigen(spec), {}, {}});
  if (auto blas = make_openblas(spec)) others.push_back({"OpenBLAS", std::move(blas), {}, {}});

  std::vector<double> our_rates;
  for (int turn = 0; turn < kTurns; ++turn) {
    our_rates.push_back(rate_of(ours, workload.steps_per_turn));
    for (Contender& other : others) {
      other.rates.push_back(rate_of(*other.baseline, workload.steps_per_turn));
      other.ratios.push_back(our_rates.back() / other.rates.back());
    }
  }

  fmt::print("{}, {} islands, batch {}, median of {} turns of {} steps each\n", workload.name,
             kIslands, images.spec().batch, kTurns, workload.steps_per_turn);
  fmt::print("  {:30} {:8.0f} worker-steps/s  {:7.2f} us/step\n", "gyre", median(our_rates),
             1e6 / median(our_rates));
  bool agree = true;
  double ratio = median(others.front().ratios);
  for (const Contender& other : others) {
    const double apart = disagreement(ours, *other.baseline, start);
    agree = agree && apart < kRounding;
    ratio = std::min(ratio, median(other.ratios));
    fmt::print("  {:30} {:8.0f} worker-steps/s  {:7.2f} us/step  ratio {:5.2f}  {} ({:.0e})\n",
               other.name, median(other.rates), 1e6 / median(other.rates), median(other.ratios),
               apart < kRounding ? "the same models" : "DIFFERENT MODELS", apart);
  }
  const bool fast = ratio >= kTargetRatio;
  fmt::print("  ratio to the best of them: {:.2f}, {} the target of {}\n", ratio,
             fast ? "which meets" : "BELOW", kTargetRatio);
  const auto begin = std::chrono::steady_clock::now();
  const Evaluation evaluation = ours.evaluate();
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  fmt::print("  one evaluation of {} models and their average: {:.1f} ms (accuracy {:.4f})\n",
             kIslands, 1e3 * time.count(), evaluation.accuracy_average.value_or(0.0));
  return agree && fast;
}

bool bench_all() {
  TaskContext context{.islands = {}, .seed = 1};
  for (std::size_t i = 0; i < kIslands; ++i) context.islands.push_back(fmt::format("I{}", i));
  FashionMnist images;
  images.load();
  images.start(context);
  fmt::print("OpenBLAS: {}\n", openblas_description());
  Softmax softmax(images.spec());
  const bool softmax_passes = bench({"softmax 784-10", {}, 50}, softmax, images, context);
  const MlpSpec spec{.images = images.spec(), .hidden = {128}, .optimizer = {}};
  Mlp mlp(spec);
  const bool mlp_passes = bench({"mlp 784-128-10, sgd", {128}, 12}, mlp, images, context);
  return softmax_passes && mlp_passes;
}

}  // namespace
}  // namespace gyre

int main() {
  try {
    return gyre::bench_all() ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
