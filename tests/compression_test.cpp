#include "models/compression.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "models/rng.hpp"
#include "models/tasks/quadratic.hpp"
#include "tests/lockstep.hpp"

namespace gyre {
namespace {

Model noise(std::size_t count) {
  Rng rng = Rng::stream(1, "values");
  Model values(count);
  for (double& value : values) value = rng.normal();
  return values;
}

CompressionSpec spec_of(CompressionSpec::Kind kind, std::int64_t block = 256) {
  CompressionSpec spec;
  spec.kind = kind;
  spec.block = block;
  return spec;
}

// 1000 parameters in blocks of 256: four scales.
TEST(Compression, CountsEveryBit) {
  using Kind = CompressionSpec::Kind;
  EXPECT_EQ(compressed_bytes(spec_of(Kind::kInt8), 1000, 16), 1000 + 4 * 4);
  EXPECT_EQ(compressed_bytes(spec_of(Kind::kInt4), 1000, 16), 500 + 4 * 4);
  EXPECT_EQ(compressed_bytes(spec_of(Kind::kInt4, 3), 7, 16), std::ceil((28 + 3 * 32) / 8.0));
  CompressionSpec top = spec_of(Kind::kTopK);
  top.keep = 0.01;
  EXPECT_EQ(compressed_bytes(top, 1001, 16), std::ceil(11 * (16 + 32) / 8.0));
  top.index_bits = 10;
  EXPECT_EQ(compressed_bytes(top, 1001, 16), std::ceil(11 * 26 / 8.0));
  top.keep = 0.07;  // in double 0.07 * 100 is above 7
  EXPECT_EQ(compressed_bytes(top, 100, 6), 7 * 16 / 8.0);
}

TEST(Compression, RoundsWithinHalfAStepOfItsBlock) {
  const Model values = noise(1000);
  for (const auto& [kind, largest_code] :
       {std::pair{CompressionSpec::Kind::kInt8, 127.0}, {CompressionSpec::Kind::kInt4, 7.0}}) {
    const Model arrived = compress(spec_of(kind, 100), values);
    double worst = 0.0;
    for (std::size_t first = 0; first < values.size(); first += 100) {
      double largest = 0.0;
      for (std::size_t p = first; p < first + 100; ++p) {
        largest = std::max(largest, std::abs(values[p]));
      }
      const double step = largest / largest_code;
      for (std::size_t p = first; p < first + 100; ++p) {
        const double error = std::abs(arrived[p] - values[p]);
        EXPECT_LE(error, 0.5 * step * (1.0 + 1e-6));
        EXPECT_NEAR(arrived[p] / step, std::round(arrived[p] / step), 1e-4);
        worst = std::max(worst, error / step);
      }
    }
    EXPECT_GT(worst, 0.45);  // it does round
  }
}

TEST(Compression, ZerosStayZeros) {
  EXPECT_EQ(compress(spec_of(CompressionSpec::Kind::kInt4), Model(5, 0.0)), Model(5, 0.0));
}

TEST(Compression, TopKKeepsTheLargestAndTheFirstOfEquals) {
  CompressionSpec spec = spec_of(CompressionSpec::Kind::kTopK);
  spec.keep = 0.4;
  EXPECT_EQ(compress(spec, {1.0, -3.0, 2.0, -2.0, 0.5}), (Model{0.0, -3.0, 2.0, 0.0, 0.0}));
  spec.keep = 1.0;
  EXPECT_EQ(compress(spec, {1.0, -3.0}), (Model{1.0, -3.0}));
}

QuadraticSpec nine_islands() {
  QuadraticSpec spec;
  spec.optima = {-4, -3, -2, -1, 0, 1, 2, 3, 4};
  spec.start = 5.0;
  return spec;
}

// With one parameter a block's scale is the value itself, so that int8 sends it as it is (but for
// the scale, a float32): the closed form O4 holds with and without compression.
TEST(Compression, OneValueInABlockIsSentAsItIs) {
  for (const auto of : {CompressionSpec::Of::kChange, CompressionSpec::Of::kModel}) {
    Quadratic task(nine_islands());
    MixingRule rule;
    rule.compression = spec_of(CompressionSpec::Kind::kInt8);
    rule.compression->of = of;
    test::Lockstep run(task, 9, 1, rule);
    for (const double known : {1.7433922005, 0.6078832730, 0.2119557914}) {
      run.round(10, test::kGridGlobal);
      for (const double x : run.scalars()) EXPECT_NEAR(x, known, 2e-6);
    }
  }
}

/// A task that does not learn, so that only the exchange moves its models.
class Still final : public ValueTask {
 public:
  explicit Still(std::vector<Model> models) : models_(std::move(models)) {}
  void describe(Fields& /*fields*/) override {}
  void start(const TaskContext& /*context*/) override { start_slots(models_.size()); }
  [[nodiscard]] bool has_accuracy() const override { return false; }
  [[nodiscard]] std::int64_t samples_per_step() const override { return 0; }
  [[nodiscard]] std::size_t parameters() const override { return models_.front().size(); }
  void train(IslandId /*island*/, std::int64_t /*steps*/) override {}
  [[nodiscard]] Evaluation evaluate() const override { return {}; }

 private:
  void add_to(IslandId island, double weight, Model& sum) const override {
    for (std::size_t p = 0; p < sum.size(); ++p) sum[p] += weight * models_[island.index()][p];
  }
  void set(IslandId island, const Model& model) override { models_[island.index()] = model; }
  std::vector<Model> models_;
};

// Error feedback: what top-k withholds from a model that stands still arrives in the end, however
// little is sent at a time; without it, most of it never does.
TEST(Compression, ErrorFeedbackSendsWhatWasWithheld) {
  for (const bool feedback : {true, false}) {
    const Model target = noise(50);
    Still task({Model(50, 0.0), Model(50, 0.0)});
    MixingRule rule;
    rule.compression = spec_of(CompressionSpec::Kind::kTopK);
    rule.compression->keep = 0.1;
    rule.compression->error_feedback = feedback;
    test::Lockstep run(task, 2, 1, rule);
    Model sent(50, 0.0);
    // Both islands move by `target` before the first exchange and never again.
    task.assign(IslandId::at(0), target);
    task.assign(IslandId::at(1), target);
    for (int round = 0; round < 10; ++round) run.mix(test::Cliques{{0, 1}});
    const Model reached = task.model(IslandId::at(0));
    double missing = 0.0;
    for (std::size_t p = 0; p < 50; ++p) missing += std::abs(reached[p] - target[p]);
    EXPECT_EQ(missing < 1e-9, feedback) << missing;
  }
}

// Two fragments: an exchange of one leaves the other's parameters alone.
TEST(Fragments, TouchOnlyTheirOwnParameters) {
  Still task({{1.0, 2.0, 3.0, 4.0, 5.0}, {3.0, 4.0, 5.0, 6.0, 7.0}});
  test::Lockstep run(task, 2, 1);
  run.mix(test::Cliques{{0, 1}}, {.index = 1, .count = 2});
  EXPECT_EQ(task.model(IslandId::at(0)), (Model{1.0, 3.0, 3.0, 5.0, 5.0}));
  EXPECT_EQ(task.model(IslandId::at(1)), (Model{3.0, 3.0, 5.0, 5.0, 7.0}));
  run.mix(test::Cliques{{0, 1}}, {.index = 0, .count = 2});
  EXPECT_EQ(task.model(IslandId::at(0)), task.model(IslandId::at(1)));
}

// Streaming DiLoCo in small: each fragment has its own outer state, and all together are one step
// of plain DiLoCo where nothing happens between their exchanges.
TEST(Fragments, OuterStepsAreTheWholeModelsTogether) {
  std::vector<std::vector<Model>> ends;
  for (const std::size_t count : {1U, 2U, 3U}) {
    Still task({{1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}});
    MixingRule rule;
    rule.outer = OuterOptimizerSpec{};
    test::Lockstep run(task, 2, 1, rule);
    for (int round = 0; round < 4; ++round) {
      for (const std::size_t i : {0U, 1U}) {
        Model moved = task.model(IslandId::at(i));
        for (double& value : moved) value -= 0.1 * (1.0 + static_cast<double>(i));
        task.assign(IslandId::at(i), moved);
      }
      for (std::size_t f = 0; f < count; ++f) {
        run.mix(test::Cliques{{0, 1}}, {.index = f, .count = count});
      }
    }
    ends.push_back({task.model(IslandId::at(0))});
  }
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_EQ(ends[0], ends[2]);
}

}  // namespace
}  // namespace gyre
