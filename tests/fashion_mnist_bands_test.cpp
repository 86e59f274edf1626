// Accuracy of nine islands under five mixings, against tests/data/fashion_mnist_bands.csv.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/tasks/mlp.hpp"
#include "models/tasks/softmax.hpp"
#include "tests/lockstep.hpp"

namespace gyre {
namespace {

constexpr std::size_t kIslands = 9;

struct Setting {
  std::string task;
  std::string part;
  std::string schedule;
  std::int64_t local_steps = 0;

  auto operator<=>(const Setting&) const = default;
};

struct Reference {
  double accuracy_low = 0.0;  ///< of the average model: the suggested band
  double accuracy_high = 0.0;
  double loss = 0.0;
  double worker_mean = 0.0;
  double worker_least = 0.0;  ///< over islands and seeds
  double consensus = 0.0;
};

using Curve = std::map<std::int64_t, Reference>;  ///< by step

std::map<Setting, Curve> read_reference() {
  std::ifstream file(std::string(GYRE_SOURCE_DIR) + "/tests/data/fashion_mnist_bands.csv");
  std::map<Setting, Curve> curves;
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("softmax,") && !line.starts_with("mlp,")) continue;
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    const auto number = [&cells](std::size_t column) { return std::stod(cells.at(column)); };
    const Setting setting{cells.at(0), cells.at(1), cells.at(2), std::stoll(cells.at(3))};
    curves[setting][std::stoll(cells.at(4))] = {.accuracy_low = number(13),
                                                .accuracy_high = number(14),
                                                .loss = number(9),
                                                .worker_mean = number(10),
                                                .worker_least = number(11),
                                                .consensus = number(12)};
  }
  return curves;
}

ShardSpec shards_of(const std::string& part) {
  if (part == "iid") return {.kind = ShardSpec::Kind::kIid};
  return {.kind = ShardSpec::Kind::kByLabel, .per_island = part == "2shard" ? 2 : 1};
}

/// The cliques after a number of exchanges that happened before.
const test::Cliques& cliques_of(const std::string& schedule, std::int64_t exchange) {
  if (schedule == "rowsonly") return test::kGridRows;
  if (schedule == "cliques") return exchange % 2 == 0 ? test::kGridRows : test::kGridColumns;
  return test::kGridGlobal;
}

using Evaluations = std::map<std::int64_t, Evaluation>;  ///< by step

/// Evaluations at the reference's steps from `first` to `last`. Starts the task anew.
Evaluations run(Task& task, const Setting& setting, const Curve& curve, std::uint64_t seed,
                std::int64_t first, std::int64_t last) {
  MixingRule rule;
  if (setting.schedule == "diloco") rule.outer = {.learning_rate = 0.7, .momentum = 0.9};
  test::Lockstep islands(task, kIslands, seed, rule);
  Evaluations evaluations;
  std::int64_t exchanges = 0;
  for (std::int64_t step = 1; step <= last; ++step) {
    islands.train(1);
    if (setting.schedule != "none" && step % setting.local_steps == 0) {
      if (setting.schedule == "ring") {
        islands.mix(test::ring_matrix(kIslands));
      } else {
        islands.mix(cliques_of(setting.schedule, exchanges++));
      }
    }
    if (step >= first && curve.contains(step)) evaluations[step] = task.evaluate();
  }
  return evaluations;
}

/// All settings of one task and part, as (setting, curve) pairs. Every part has the same twelve.
std::map<Setting, Curve> settings_of(const std::string& task, const std::string& part) {
  std::map<Setting, Curve> all = read_reference();
  std::erase_if(
      all, [&](const auto& entry) { return entry.first.task != task || entry.first.part != part; });
  EXPECT_EQ(all.size(), 12U) << task << " " << part;
  return all;
}

std::unique_ptr<Task> loaded_task(const std::string& name, const std::string& part) {
  MlpSpec spec;
  spec.images.shards = shards_of(part);
  std::unique_ptr<Task> task;
  if (name == "mlp") {
    task = std::make_unique<Mlp>(spec);
  } else {
    task = std::make_unique<Softmax>(spec.images);
  }
  task->load();
  return task;
}

std::string name_of(const Setting& setting, std::int64_t step) {
  return fmt::format("{} {} {} H={} step {}", setting.task, setting.part, setting.schedule,
                     setting.local_steps, step);
}

/// Consensus distances below this are rounding: the islands were just averaged.
constexpr double kConsensus = 1e-9;

// One seed against bands that the mean of three was given.
void check_one_seed(const std::string& name, const std::string& part) {
  const std::unique_ptr<Task> task = loaded_task(name, part);
  for (const auto& [setting, curve] : settings_of(name, part)) {
    const Evaluations evaluations = run(*task, setting, curve, 1, 500, 1000);
    EXPECT_EQ(evaluations.size(), 2U);
    for (const auto& [step, e] : evaluations) {
      SCOPED_TRACE(name_of(setting, step));
      const Reference& r = curve.at(step);
      EXPECT_GE(e.accuracy_average.value_or(0.0), r.accuracy_low);
      EXPECT_LE(e.accuracy_average.value_or(1.0), r.accuracy_high);
      // Islands that are far apart are so because of their data: seeds hardly matter.
      if (r.consensus > 0.1) {
        EXPECT_NEAR(e.consensus_distance, r.consensus, 0.05 * r.consensus);
      }
      if (r.consensus < kConsensus) {
        EXPECT_LT(e.consensus_distance, kConsensus);
      }
    }
  }
}

/// A figure's mean and range over seeds.
struct Spread {
  std::vector<double> values;

  [[nodiscard]] double mean() const { return test::mean_of(values); }
  [[nodiscard]] double least() const { return *std::min_element(values.begin(), values.end()); }
  [[nodiscard]] double range() const {
    return *std::max_element(values.begin(), values.end()) - least();
  }
};

template <class Figure>
Spread spread_of(const std::vector<Evaluations>& seeds, std::int64_t step, Figure figure) {
  Spread spread;
  for (const Evaluations& evaluations : seeds) {
    spread.values.push_back(figure(evaluations.at(step)));
  }
  return spread;
}

/// The figures of one setting for which the reference has no band.
struct WorkerFigures {
  Spread mean_accuracy;
  Spread worst_accuracy;
  Spread consensus;
};

using WorkerCurve = std::map<std::int64_t, WorkerFigures>;  ///< by step

template <class Range>
double largest_over(const WorkerCurve& steps, Range range) {
  double largest = 0.0;
  for (const auto& [step, figures] : steps) largest = std::max(largest, range(figures));
  return largest;
}

// The reference gives the mean over three seeds and no spread. Its own bands are the seeds' range
// and 0.015 more, and so is the tolerance here, with the range of our three seeds: the largest one
// among the steps, because three values say little about their spread. Consensus distances vary
// with the last few batches and in proportion to themselves: relative range, and 10 % more.
// The least accuracy of 27 islands is one extreme value, compared at steps 500 and 1000 only:
// later, for 2shard ring H=1 at step 2000, the reference has 0.684 where the least of 24 of our
// seeds is 0.690, although the means agree. Perceptrons follow their last batches more closely:
// under iid cliques H=1 the worst of nine moves between 0.761 and 0.814 from step 484 to step 500,
// so that no extreme value of theirs is compared.
void check_workers(const Setting& setting, const Curve& curve, const WorkerCurve& steps) {
  const double mean_tolerance =
      0.015 + largest_over(steps, [](const auto& f) { return f.mean_accuracy.range(); });
  const double worst_tolerance =
      0.015 + largest_over(steps, [](const auto& f) { return f.worst_accuracy.range(); });
  const double consensus_tolerance = 0.1 + largest_over(steps, [](const auto& f) {
                                       return f.consensus.range() / f.consensus.mean();
                                     });
  for (const auto& [step, ours] : steps) {
    SCOPED_TRACE(step);
    const Reference& r = curve.at(step);
    EXPECT_NEAR(ours.mean_accuracy.mean(), r.worker_mean, mean_tolerance);
    if (step <= 1000 && setting.task == "softmax") {
      EXPECT_NEAR(ours.worst_accuracy.least(), r.worker_least, worst_tolerance);
    }
    if (r.consensus < kConsensus) {
      EXPECT_LT(ours.consensus.mean(), kConsensus);
    } else {
      EXPECT_NEAR(ours.consensus.mean(), r.consensus, consensus_tolerance * r.consensus);
    }
  }
}

// How far two means of three seeds may be apart. Where the start is random and the shards are
// skewed, the range of three says too little: for the mlp, 2shard, rowsonly, step 500, 36 of our
// seeds have mean 1.676 and standard deviation 0.105, 6.26 % (the reference's 1.599 lies 1.3 of
// those of a mean of three below), but the first three a range of 0.058. So three standard
// deviations of a difference of two such means: 3 · √(2/3) · 6.26 % = 15.3 %.
double loss_tolerance(const Setting& setting, const Reference& reference, const Spread& loss) {
  if (setting.task == "mlp" && setting.part == "2shard") return 0.153 * reference.loss;
  return loss.range() + 0.02 * reference.loss;
}

// Three seeds, as the reference has. Before step 500 a few batches decide about several per cent.
void check_three_seeds(const std::string& name, const std::string& part) {
  const std::unique_ptr<Task> task = loaded_task(name, part);
  for (const auto& [setting, curve] : settings_of(name, part)) {
    std::vector<Evaluations> seeds;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      seeds.push_back(run(*task, setting, curve, seed, 500, 3000));
    }
    WorkerCurve workers;
    for (const auto& [step, unused] : seeds.front()) {
      SCOPED_TRACE(name_of(setting, step));
      const Reference& r = curve.at(step);
      const auto spread = [&seeds, step = step](auto figure) {
        return spread_of(seeds, step, figure);
      };
      const Spread accuracy = spread([](const Evaluation& e) { return *e.accuracy_average; });
      EXPECT_GE(accuracy.mean(), r.accuracy_low);
      EXPECT_LE(accuracy.mean(), r.accuracy_high);
      const Spread loss = spread([](const Evaluation& e) { return e.loss_average; });
      EXPECT_NEAR(loss.mean(), r.loss, loss_tolerance(setting, r, loss));
      workers[step] = {
          .mean_accuracy = spread([](const Evaluation& e) { return *e.accuracy_mean; }),
          .worst_accuracy = spread([](const Evaluation& e) { return *e.accuracy_worst; }),
          .consensus = spread([](const Evaluation& e) { return e.consensus_distance; })};
    }
    SCOPED_TRACE(name_of(setting, 0));
    check_workers(setting, curve, workers);
  }
}

TEST(FashionMnistBands, Iid) { check_one_seed("softmax", "iid"); }
TEST(FashionMnistBands, TwoShards) { check_one_seed("softmax", "2shard"); }
TEST(FashionMnistBands, Sorted) { check_one_seed("softmax", "sorted"); }

TEST(SlowFashionMnistBands, Iid) { check_three_seeds("softmax", "iid"); }
TEST(SlowFashionMnistBands, TwoShards) { check_three_seeds("softmax", "2shard"); }
TEST(SlowFashionMnistBands, Sorted) { check_three_seeds("softmax", "sorted"); }
TEST(SlowFashionMnistBands, MlpIid) { check_three_seeds("mlp", "iid"); }
TEST(SlowFashionMnistBands, MlpTwoShards) { check_three_seeds("mlp", "2shard"); }

// The more the islands mix, the better the average model of skewed shards; cliques that never
// rotate keep three models apart, of which none has seen all classes.
TEST(SlowFashionMnistBands, MlpRanksTheMixings) {
  const std::unique_ptr<Task> task = loaded_task("mlp", "2shard");
  std::map<std::pair<std::string, std::int64_t>, double> accuracy;
  for (const auto& [setting, curve] : settings_of("mlp", "2shard")) {
    if (setting.local_steps < 10 || setting.schedule == "diloco") continue;
    Spread spread;
    for (const std::uint64_t seed : {4U, 5U}) {
      const Evaluations evaluations = run(*task, setting, curve, seed, 3000, 3000);
      spread.values.push_back(evaluations.at(3000).accuracy_average.value_or(0.0));
    }
    accuracy[{setting.schedule, setting.local_steps}] = spread.mean();
  }
  for (const std::int64_t steps : {10, 50}) {
    SCOPED_TRACE(steps);
    const double cliques = accuracy.at({"cliques", steps});
    EXPECT_GE(accuracy.at({"global", steps}), cliques);
    EXPECT_GE(cliques, accuracy.at({"ring", steps}));
  }
  EXPECT_LT(accuracy.at({"rowsonly", 10}), accuracy.at({"ring", 10}) - 0.2);
}

}  // namespace
}  // namespace gyre
