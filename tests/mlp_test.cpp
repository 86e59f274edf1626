#include "models/tasks/mlp.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/tasks/matrix_product.hpp"
#include "models/tasks/softmax.hpp"
#include "tests/lockstep.hpp"

namespace gyre {
namespace {

using Widths = std::vector<std::int64_t>;
using Kind = InnerOptimizerSpec::Kind;

TEST(MatrixProduct, SumsInAscendingOrder) {
  Rng stream = Rng::stream(1, "matrices");
  for (const ProductShape& shape :
       {ProductShape{8, 1, 16}, ProductShape{16, 7, 32}, ProductShape{8, 300, 48}}) {
    const auto random = [&stream](std::size_t count) {
      std::vector<float> values(count);
      for (float& value : values) value = static_cast<float>(stream.normal());
      return values;
    };
    const std::vector<float> left = random(shape.rows * shape.inner);
    const std::vector<float> right = random(shape.inner * shape.columns);
    const std::vector<float> start = random(shape.rows * shape.columns);
    for (const bool transposed : {false, true}) {
      const LeftFactor factor = transposed ? LeftFactor{left.data(), 1, shape.rows}
                                           : LeftFactor{left.data(), shape.inner, 1};
      std::vector<float> sum = start;
      add_product(factor, right.data(), sum.data(), shape);
      std::vector<float> product = start;
      set_product(factor, right.data(), product.data(), shape);
      for (std::size_t r = 0; r < shape.rows; ++r) {
        for (std::size_t c = 0; c < shape.columns; ++c) {
          float expected = start[r * shape.columns + c];
          float from_zero = 0.0F;
          for (std::size_t k = 0; k < shape.inner; ++k) {
            const float term = left[r * factor.row_stride + k * factor.inner_stride] *
                               right[k * shape.columns + c];
            expected += term;
            from_zero += term;
          }
          ASSERT_EQ(sum[r * shape.columns + c], expected) << r << " " << c;  // the same bits
          ASSERT_EQ(product[r * shape.columns + c], from_zero) << r << " " << c;
        }
      }
    }
  }
}

/// A perceptron's loss once more, in double and by the model's flat order.
class PlainPerceptron {
 public:
  explicit PlainPerceptron(Widths hidden) : widths_(std::move(hidden)) {
    widths_.insert(widths_.begin(), 784);
    widths_.push_back(10);
  }

  [[nodiscard]] double loss(const Model& parameters,
                            const std::vector<std::vector<std::uint8_t>>& images,
                            const std::vector<std::uint8_t>& labels) const {
    double sum = 0.0;
    for (std::size_t s = 0; s < images.size(); ++s) {
      const std::vector<double> z = logits(parameters, images[s]);
      double total = 0.0;
      for (const double value : z) total += std::exp(value);
      sum += std::log(total) - z[labels[s]];
    }
    return sum / static_cast<double>(images.size());
  }
  [[nodiscard]] std::vector<double> logits(const Model& parameters,
                                           const std::vector<std::uint8_t>& image) const {
    std::vector<double> a;
    a.reserve(image.size());
    for (const std::uint8_t pixel : image) a.push_back(pixel / 255.0);
    std::size_t at = 0;
    for (std::size_t l = 1; l < widths_.size(); ++l) {
      const auto width = static_cast<std::size_t>(widths_[l]);
      const std::size_t biases = at + a.size() * width;
      std::vector<double> z(width);
      for (std::size_t c = 0; c < width; ++c) {
        z[c] = parameters[biases + c];
        for (std::size_t j = 0; j < a.size(); ++j) z[c] += a[j] * parameters[at + j * width + c];
        if (l + 1 < widths_.size()) z[c] = std::max(z[c], 0.0);
      }
      a = z;
      at = biases + width;
    }
    return a;
  }

 private:
  Widths widths_;
};

struct LabelledBatch {
  std::vector<std::vector<std::uint8_t>> images;
  std::vector<std::uint8_t> labels;
};

LabelledBatch random_images(std::size_t count, Rng& stream) {
  LabelledBatch batch{{count, std::vector<std::uint8_t>(784)}, std::vector<std::uint8_t>(count)};
  for (std::size_t s = 0; s < count; ++s) {
    for (std::uint8_t& pixel : batch.images[s]) {
      pixel = static_cast<std::uint8_t>(stream.below(256));
    }
    batch.labels[s] = static_cast<std::uint8_t>(stream.below(10));
  }
  return batch;
}

/// A gradient in the model's order: what a step of size 1 from zero takes away.
Model in_model_order(const PerceptronShape& shape, std::span<const float> padded) {
  Perceptron holder(shape);
  std::ranges::copy(padded, holder.values().begin());
  Model model(shape.parameters(), 0.0);
  holder.add_to(model, 1.0);
  return model;
}

// Central differences in double err by h²/6 times the third derivative, here below 1e-8, unless a
// unit's z changes its sign within h, which the small h makes unlikely; float32 rounds sums of up
// to 784 products of size 1 by about 2⁻²⁴ · √784 of themselves: 2e-6.
TEST(Perceptron, GradientEqualsFiniteDifferences) {
  constexpr double kStep = 1e-5;
  for (const auto& [hidden, size] : std::vector<std::pair<Widths, std::size_t>>{
           {{}, 3}, {{5}, 1}, {{7, 3}, 9}, {{17, 20, 6}, 4}}) {
    SCOPED_TRACE(hidden.size());
    Rng stream = Rng::stream(hidden.size() + 1, "network");
    const PerceptronShape shape(hidden);
    const PlainPerceptron plain(hidden);
    Perceptron perceptron(shape);
    perceptron.assign(he_normal(shape, stream));
    Model model(shape.parameters(), 0.0);
    perceptron.add_to(model, 1.0);
    for (double& value : model) value += 0.01 * stream.normal();  // biases other than 0
    perceptron.assign(model);
    model.assign(model.size(), 0.0);
    perceptron.add_to(model, 1.0);  // as rounded

    const LabelledBatch data = random_images(size, stream);
    PerceptronBatch batch(shape, size);
    for (std::size_t s = 0; s < size; ++s) batch.set(s, data.images[s].data());
    const Model gradient = in_model_order(shape, batch.gradient(perceptron, data.labels));
    for (std::size_t s = 0; s < size; ++s) {
      const std::vector<double> expected = plain.logits(model, data.images[s]);
      for (std::size_t c = 0; c < 10; ++c) EXPECT_NEAR(batch.logits(s).at(c), expected[c], 5e-5);
    }
    std::vector<std::size_t> checked;  // the first layer has many parameters: some of them
    checked.reserve(60);
    for (int i = 0; i < 60; ++i) checked.push_back(stream.below(784 * (model.size() / 785)));
    const std::size_t rest = std::min<std::size_t>(model.size(), 400);
    for (std::size_t p = model.size() - rest; p < model.size(); ++p) checked.push_back(p);
    for (const std::size_t p : checked) {
      const auto moved = [&](double by) {
        Model other = model;
        other[p] += by;
        return plain.loss(other, data.images, data.labels);
      };
      const double expected = (moved(kStep) - moved(-kStep)) / (2.0 * kStep);
      ASSERT_NEAR(gradient[p], expected, 1e-5) << "parameter " << p;
    }
  }
}

TEST(Perceptron, PaddingHoldsNoParameters) {
  const PerceptronShape shape(Widths{128});
  EXPECT_EQ(shape.parameters(), 101'770U);
  EXPECT_EQ(PerceptronShape(Widths{}).parameters(), kImageParameters);
  EXPECT_EQ(PerceptronShape(Widths{5, 3}).parameters(), 785U * 5U + 6U * 3U + 4U * 10U);
}

TEST(Perceptron, TheStartHasHeNormalWeights) {
  constexpr std::size_t kHidden = 128;
  const Model start = he_normal(PerceptronShape(Widths{128}), Rng::stream(1, "start"));
  const auto variance = [&start](std::size_t first, std::size_t count) {
    double sum = 0.0;
    for (std::size_t p = first; p < first + count; ++p) sum += start[p] * start[p];
    return sum / static_cast<double>(count);
  };
  // A sample variance of n normal numbers deviates by √(2/n): 0.45 % and 4 %; four of them.
  EXPECT_NEAR(variance(0, 784 * kHidden), 2.0 / 784.0, 0.018 * 2.0 / 784.0);
  EXPECT_NEAR(variance(785 * kHidden, 1280), 2.0 / 128.0, 0.16 * 2.0 / 128.0);
  EXPECT_EQ(variance(784 * kHidden, 128), 0.0);
  EXPECT_EQ(variance(785 * kHidden + 1280, 10), 0.0);
}

MlpSpec spec_of(const Widths& hidden, Kind kind = Kind::kSgd, double learning_rate = 0.05) {
  MlpSpec spec;
  spec.images.learning_rate = learning_rate;
  spec.hidden = hidden;
  spec.optimizer.kind = kind;
  return spec;
}

std::unique_ptr<Mlp> started(const MlpSpec& spec, std::size_t islands, std::uint64_t seed = 1) {
  auto task = std::make_unique<Mlp>(spec);
  task->load();
  task->start({.islands = test::numbered_islands(islands), .seed = seed});
  return task;
}

TEST(Mlp, AllIslandsStartFromOneModelOfTheSeed) {
  const auto task = started(spec_of({128}), 3);
  EXPECT_EQ(task->parameters(), 101'770U);
  const Model model = task->model(IslandId::at(0));
  EXPECT_EQ(task->model(IslandId::at(2)), model);
  const Evaluation e = task->evaluate();
  EXPECT_LT(e.consensus_distance, 1e-12);
  EXPECT_NEAR(e.loss_average, std::log(10.0), 0.5);  // nothing is known yet
  EXPECT_EQ(started(spec_of({128}), 2)->model(IslandId::at(1)), model);
  EXPECT_NE(started(spec_of({128}), 3, 2)->model(IslandId::at(0)), model);
}

TEST(Mlp, TheSameSeedGivesTheSameBits) {
  for (const Kind kind : {Kind::kSgd, Kind::kMomentum, Kind::kAdamW}) {
    const MlpSpec spec = spec_of({32, 16}, kind, 0.002);
    const auto task = started(spec, 2);
    task->train(IslandId::at(0), 20);
    const Model model = task->model(IslandId::at(0));
    // A start forgets everything, the moments too.
    task->start({.islands = test::numbered_islands(2), .seed = 1});
    task->train(IslandId::at(0), 20);
    EXPECT_EQ(task->model(IslandId::at(0)), model);
    const auto other = started(spec, 2, 3);
    other->train(IslandId::at(0), 20);
    EXPECT_NE(other->model(IslandId::at(0)), model);
  }
}

TEST(Mlp, IslandsShareNeitherRandomnessNorMoments) {
  for (const Kind kind : {Kind::kMomentum, Kind::kAdamW}) {
    const auto task = started(spec_of({16}, kind, 0.002), 2);
    task->train(IslandId::at(0), 20);
    const Model alone = task->model(IslandId::at(0));
    task->start({.islands = test::numbered_islands(2), .seed = 1});
    for (int step = 0; step < 20; ++step) {
      task->train(IslandId::at(1), 3);
      task->train(IslandId::at(0), 1);
    }
    EXPECT_EQ(task->model(IslandId::at(0)), alone);
  }
}

// v is (x_4 − x_5)/η when a model is set from outside; the next step goes on with μv, and differs
// by that from plain descent on the same batch.
TEST(Mlp, MomentsOutliveAnExchange) {
  const IslandId island = IslandId::at(0);
  const auto with = started(spec_of({}, Kind::kMomentum, 0.01), 1);
  const auto without = started(spec_of({}, Kind::kSgd, 0.01), 1);
  with->train(island, 4);
  const Model x4 = with->model(island);
  with->train(island, 1);
  const Model x5 = with->model(island);
  without->train(island, 5);
  for (Mlp* task : {with.get(), without.get()}) {
    task->assign(island, Model(task->parameters(), 0.125));
    task->train(island, 1);
  }
  const Model moved = with->model(island);
  const Model plain = without->model(island);
  double largest = 0.0;
  for (std::size_t p = 0; p < moved.size(); ++p) {
    const double expected = 0.9 * (x5[p] - x4[p]);
    ASSERT_NEAR(moved[p] - plain[p], expected, 1e-7) << p;
    largest = std::max(largest, std::abs(expected));
  }
  EXPECT_GT(largest, 1e-3);
}

TEST(Mlp, WithoutHiddenLayersItIsSoftmaxRegression) {
  Softmax softmax;
  softmax.load();
  softmax.start({.islands = test::numbered_islands(2), .seed = 4});
  const auto task = started(spec_of({}), 2, 4);
  ASSERT_EQ(task->parameters(), softmax.parameters());
  task->assign(IslandId::at(1), softmax.model(IslandId::at(1)));
  for (int turn = 0; turn < 4; ++turn) {
    softmax.train(IslandId::at(1), 50);
    task->train(IslandId::at(1), 50);
    const Model expected = softmax.model(IslandId::at(1));
    const Model model = task->model(IslandId::at(1));
    for (std::size_t p = 0; p < model.size(); ++p) ASSERT_NEAR(model[p], expected[p], 2e-6) << p;
  }
}

// One island with all data: 600 steps are a third of a pass over it.
TEST(Mlp, EveryOptimizerLearns) {
  struct Case {
    Widths hidden;
    Kind kind;
    double learning_rate;
  };
  for (const Case& c : {Case{{64}, Kind::kSgd, 0.1}, Case{{64}, Kind::kMomentum, 0.02},
                        Case{{64}, Kind::kAdamW, 0.001}, Case{{48, 32}, Kind::kAdamW, 0.002}}) {
    const auto task = started(spec_of(c.hidden, c.kind, c.learning_rate), 1);
    task->train(IslandId::at(0), 600);
    EXPECT_GT(task->evaluate().accuracy_average.value_or(0.0), 0.78) << static_cast<int>(c.kind);
  }
}

}  // namespace
}  // namespace gyre
