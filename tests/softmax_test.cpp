#include "models/tasks/softmax.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/error.hpp"
#include "models/rng.hpp"
#include "tests/lockstep.hpp"

namespace gyre {
namespace {

/// The arithmetic once more, in double and without any blocking.
class PlainClassifier {
 public:
  explicit PlainClassifier(Model parameters) : parameters_(std::move(parameters)) {}

  [[nodiscard]] std::vector<double> logits(const std::vector<std::uint8_t>& image) const {
    std::vector<double> z(10);
    for (std::size_t c = 0; c < 10; ++c) {
      z[c] = parameters_[7840 + c];
      for (std::size_t j = 0; j < 784; ++j) z[c] += image[j] / 255.0 * parameters_[j * 10 + c];
    }
    return z;
  }
  void descend(const std::vector<std::vector<std::uint8_t>>& images,
               const std::vector<std::uint8_t>& labels, double learning_rate) {
    Model next = parameters_;
    const double scale = learning_rate / static_cast<double>(images.size());
    for (std::size_t s = 0; s < images.size(); ++s) {
      const std::vector<double> z = logits(images[s]);
      double sum = 0.0;
      for (const double value : z) sum += std::exp(value);
      for (std::size_t c = 0; c < 10; ++c) {
        const double gradient = scale * (std::exp(z[c]) / sum - (labels[s] == c ? 1.0 : 0.0));
        for (std::size_t j = 0; j < 784; ++j) next[j * 10 + c] -= gradient * images[s][j] / 255.0;
        next[7840 + c] -= gradient;
      }
    }
    parameters_ = next;
  }
  [[nodiscard]] const Model& parameters() const { return parameters_; }

 private:
  Model parameters_;
};

Model random_parameters(Rng& stream) {
  Model parameters(kImageParameters);
  for (double& value : parameters) value = 0.1 * stream.normal();
  return parameters;
}

TEST(LinearClassifier, AStepEqualsThePlainArithmetic) {
  for (const std::size_t size : {1U, 2U, 3U, 5U, 7U, 32U}) {
    SCOPED_TRACE(size);
    Rng stream = Rng::stream(size, "images");
    LinearClassifier classifier;
    PlainClassifier plain(random_parameters(stream));
    classifier.assign(plain.parameters());
    ImageBatch batch(size);
    for (int step = 0; step < 3; ++step) {
      std::vector<std::vector<std::uint8_t>> images(size, std::vector<std::uint8_t>(784));
      std::vector<std::uint8_t> labels(size);
      for (std::size_t s = 0; s < size; ++s) {
        for (std::uint8_t& pixel : images[s]) pixel = static_cast<std::uint8_t>(stream.below(256));
        labels[s] = static_cast<std::uint8_t>(stream.below(10));
        batch.set(s, images[s].data());
      }
      batch.forward(classifier);
      for (std::size_t s = 0; s < size; ++s) {
        const std::vector<double> expected = plain.logits(images[s]);
        const ClassValues z = batch.logits(s);
        for (std::size_t c = 0; c < 10; ++c) EXPECT_NEAR(z.at(c), expected[c], 2e-5);
      }
      batch.descend(classifier, labels, 0.05F);
      plain.descend(images, labels, 0.05);
    }
    Model parameters(kImageParameters, 0.0);
    classifier.add_to(parameters, 1.0);
    for (std::size_t p = 0; p < kImageParameters; ++p) {
      ASSERT_NEAR(parameters[p], plain.parameters()[p], 1e-6) << "parameter " << p;
    }
  }
}

TEST(LinearClassifier, LargeLogitsDoNotOverflow) {
  LinearClassifier classifier;
  Model parameters(kImageParameters, 0.0);
  parameters[7840] = 1e4;
  parameters[7841] = -1e4;
  classifier.assign(parameters);
  ImageBatch batch(1);
  batch.set(0, std::vector<std::uint8_t>(784, 255).data());
  batch.descend(classifier, std::vector<std::uint8_t>{1}, 1.0F);
  Model next(kImageParameters, 0.0);
  classifier.add_to(next, 1.0);
  EXPECT_DOUBLE_EQ(next[7840], 1e4 - 1.0);
  EXPECT_DOUBLE_EQ(next[7841], -1e4 + 1.0);
  EXPECT_DOUBLE_EQ(next[7842], 0.0);
}

class SoftmaxTask : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    loaded_ = std::make_unique<Softmax>();
    loaded_->load();
  }
  static void TearDownTestSuite() { loaded_.reset(); }

  static Softmax& started(std::size_t islands, std::uint64_t seed = 1) {
    loaded_->start({.islands = test::numbered_islands(islands), .seed = seed});
    return *loaded_;
  }

  static std::unique_ptr<Softmax> loaded_;
};
std::unique_ptr<Softmax> SoftmaxTask::loaded_;

TEST_F(SoftmaxTask, AZeroModelGuessesTheLowestClass) {
  const Softmax& task = started(3);
  const Evaluation e = task.evaluate();
  EXPECT_DOUBLE_EQ(e.accuracy_average.value_or(-1.0), 0.1);  // a tenth of the test set is class 0
  EXPECT_DOUBLE_EQ(e.accuracy_worst.value_or(-1.0), 0.1);
  EXPECT_NEAR(e.loss_average, std::log(10.0), 1e-6);
  EXPECT_NEAR(e.loss_worst, std::log(10.0), 1e-6);
  EXPECT_EQ(e.consensus_distance, 0.0);
}

TEST_F(SoftmaxTask, TheSameSeedGivesTheSameBits) {
  std::vector<Model> models;
  for (const std::uint64_t seed : {5U, 5U, 6U}) {
    Softmax& task = started(2, seed);
    task.train(IslandId::at(0), 20);
    models.push_back(task.model(IslandId::at(0)));
  }
  EXPECT_EQ(models[0], models[1]);
  EXPECT_NE(models[0], models[2]);
}

TEST_F(SoftmaxTask, IslandsDoNotShareTheirRandomness) {
  Softmax& task = started(2);
  task.train(IslandId::at(0), 10);
  task.train(IslandId::at(0), 10);
  const Model alone = task.model(IslandId::at(0));
  started(2);
  for (int step = 0; step < 20; ++step) {
    task.train(IslandId::at(1), 3);
    task.train(IslandId::at(0), 1);
  }
  EXPECT_EQ(task.model(IslandId::at(0)), alone);
}

TEST_F(SoftmaxTask, EvaluationScoresEachIslandAndTheAverage) {
  constexpr std::size_t kIslands = 3;
  Softmax& task = started(kIslands);
  std::vector<Model> models;
  for (std::size_t i = 0; i < kIslands; ++i) {
    task.train(IslandId::at(i), 15 * (1 + static_cast<std::int64_t>(i)));
    models.push_back(task.model(IslandId::at(i)));
  }
  const std::vector<WeightedIsland> all{
      {IslandId::at(0), 1.0 / 3.0}, {IslandId::at(1), 1.0 / 3.0}, {IslandId::at(2), 1.0 / 3.0}};
  const Model average = test::weighted_sum(task, all, kIslands);
  double consensus = 0.0;
  for (const Model& model : models) {
    for (std::size_t p = 0; p < model.size(); ++p) {
      consensus += (model[p] - average[p]) * (model[p] - average[p]) / 3.0;
    }
  }
  const Evaluation together = task.evaluate();
  EXPECT_NEAR(together.consensus_distance, consensus, 1e-12);

  std::vector<Evaluation> single;
  for (const Model& model : {models[0], models[1], models[2], average}) {
    Softmax& one = started(1);
    one.assign(IslandId::at(0), model);
    single.push_back(one.evaluate());
    EXPECT_EQ(single.back().consensus_distance < 1e-12, true);
  }
  EXPECT_EQ(together.accuracy_average, single[3].accuracy_average);
  EXPECT_EQ(together.loss_average, single[3].loss_average);
  const double mean =
      (single[0].accuracy_average.value_or(-1.0) + single[1].accuracy_average.value_or(-1.0) +
       single[2].accuracy_average.value_or(-1.0)) /
      3.0;
  EXPECT_NEAR(together.accuracy_mean.value_or(-1.0), mean, 1e-15);
  EXPECT_EQ(together.accuracy_worst.value_or(-1.0),
            std::min({single[0].accuracy_average.value_or(-1.0),
                      single[1].accuracy_average.value_or(-1.0),
                      single[2].accuracy_average.value_or(-1.0)}));
  EXPECT_EQ(together.loss_worst,
            std::max({single[0].loss_average, single[1].loss_average, single[2].loss_average}));
}

TEST_F(SoftmaxTask, ModelsSurviveTheWayThroughDouble) {
  Softmax& task = started(2);
  task.train(IslandId::at(0), 5);
  const Model model = task.model(IslandId::at(0));
  EXPECT_EQ(model.size(), kImageParameters);
  task.assign(IslandId::at(1), model);
  EXPECT_EQ(task.model(IslandId::at(1)), model);
  const std::vector<WeightedIsland> halves{{IslandId::at(0), 0.5}, {IslandId::at(1), 0.5}};
  EXPECT_EQ(test::weighted_sum(task, halves, 2), model);
}

TEST_F(SoftmaxTask, AnyNumberOfIslandsTrains) {
  for (const std::size_t islands : {1U, 2U, 17U}) {
    Softmax& task = started(islands);
    for (std::size_t i = 0; i < islands; ++i) task.train(IslandId::at(i), 30);
    EXPECT_GT(task.evaluate().accuracy_average.value_or(-1.0), 0.5) << islands;
  }
  EXPECT_THROW(started(60'001), InputError);
}

TEST(SoftmaxData, AMissingFolderNamesThePackageAndTheKey) {
  SoftmaxSpec spec;
  spec.data = {.value = "nowhere",
               .where = {.file = "maps/a.yaml", .line = 3, .column = 9, .key_path = "task.data"}};
  Softmax task(spec);
  task.start({.islands = {"A"}, .seed = 1});  // checks the options without the data
  try {
    task.load();
    FAIL() << "the folder exists";
  } catch (const InputError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "maps/a.yaml:3:9: task.data: the Fashion-MNIST files train-images-idx3-ubyte and "
        "train-labels-idx1-ubyte (plain or .gz) are not in maps/nowhere; install the Debian "
        "package dataset-fashion-mnist, or set the task's key `data` to the folder that holds "
        "them");
  }
}

TEST(TaskTable, IsSortedAndMakesItsTasks) {
  std::string_view previous;
  for (const TaskEntry& entry : task_table()) {
    EXPECT_LT(previous, entry.name);
    EXPECT_FALSE(entry.summary.empty());
    EXPECT_NE(entry.make(), nullptr);
    previous = entry.name;
  }
  EXPECT_EQ(task_table().size(), 5U);
}

}  // namespace
}  // namespace gyre
