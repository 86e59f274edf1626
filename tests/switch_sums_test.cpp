#include "schedules/switch_sums.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support.hpp"

namespace gyre {
namespace {

/// The nine cities' global clique in a mode, with a plan and its program.
struct Summed {
  explicit Summed(Mode mode)
      : world(nine_city(), mode),
        plan(plan_exchange(world.network(), world.everybody(), Bytes::count(2'000'000'000),
                           Exchange::kDirect)),
        program(compile(world.network(), plan)) {}
  [[nodiscard]] SwitchAverages averages(const SumNumbers& numbers,
                                        const std::vector<Model>& models) const {
    return switch_averages(world.topology, plan, program, numbers, models);
  }
  World world;
  ExchangePlan plan;
  SwitchProgram program;
};

SumNumbers numbers_of(SumFormat format, double scale = 65536.0) {
  return {.format = format, .scale = scale, .where = {}};
}

std::vector<Model> random_models(std::size_t members, std::size_t parameters, double size) {
  Rng stream = Rng::stream(1, "models");
  std::vector<Model> models(members, Model(parameters));
  for (Model& model : models) {
    for (double& value : model) value = size * (2.0 * stream.uniform() - 1.0);
  }
  return models;
}

// Published patterns: 1 + 2^-8 lies in the middle and goes to the even neighbour.
TEST(Bfloat16, RoundsToNearestEven) {
  EXPECT_EQ(to_bfloat16(1.0F), 1.0F);
  EXPECT_EQ(to_bfloat16(1.00390625F), 1.0F);
  EXPECT_EQ(to_bfloat16(1.01171875F), 1.015625F);
  EXPECT_EQ(to_bfloat16(-3.14159265F), -3.140625F);
  EXPECT_EQ(to_bfloat16(std::numeric_limits<float>::max()), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(to_bfloat16(std::nanf(""))));
}

TEST(SwitchSums, AreOfPlansThatAddInSwitches) {
  EXPECT_TRUE(adds_in_switches(nine_city(), Summed(Mode::kBoth).program));
  EXPECT_TRUE(adds_in_switches(nine_city(), Summed(Mode::kAggregation).program));
  EXPECT_FALSE(adds_in_switches(nine_city(), Summed(Mode::kMulticast).program));
}

// Theory S7: |error of the sum| <= n/(2f), and nothing overflows below 2^31.
TEST(SwitchSums, FixedPointKeepsItsBound) {
  for (const Mode mode : {Mode::kBoth, Mode::kAggregation}) {
    const Summed summed(mode);
    const std::vector<Model> models = random_models(9, 500, 3.0);
    for (const double scale : {16.0, 65536.0, 7e7}) {
      const SwitchAverages got = summed.averages(numbers_of(SumFormat::kFixed, scale), models);
      EXPECT_EQ(got.overflows, 0) << scale;
      EXPECT_LE(got.largest_error, 0.5 / scale + 1e-15) << scale;
      EXPECT_GT(got.largest_error, 0.05 / scale) << scale;
    }
  }
}

// Nine times 3.0 at scale 2^31/27 is the first sum that does not fit: it wraps and is counted.
TEST(SwitchSums, FixedPointOverflowIsCounted) {
  const Summed summed(Mode::kBoth);
  const std::vector<Model> models(9, Model(4, 3.0));
  const double limit = 2147483648.0 / 27.0;
  EXPECT_EQ(summed.averages(numbers_of(SumFormat::kFixed, std::floor(limit)), models).overflows, 0);
  const SwitchAverages over =
      summed.averages(numbers_of(SumFormat::kFixed, std::ceil(limit)), models);
  EXPECT_EQ(over.overflows, 4);
  EXPECT_GT(over.largest_error, 5.0);
}

// float32 errs by some 2^-24 a sum, bfloat16 by some 2^-9 a hop; the order is that of the tables.
TEST(SwitchSums, FloatsErrByTheirPrecision) {
  const Summed summed(Mode::kBoth);
  const std::vector<Model> models = random_models(9, 500, 1.0);
  const SwitchAverages fp32 = summed.averages(numbers_of(SumFormat::kFloat32), models);
  const SwitchAverages bf16 = summed.averages(numbers_of(SumFormat::kBfloat16), models);
  EXPECT_GT(fp32.largest_error, std::ldexp(1.0, -28));
  EXPECT_LT(fp32.largest_error, std::ldexp(1.0, -23));
  EXPECT_GT(bf16.largest_error, std::ldexp(1.0, -11));
  EXPECT_LT(bf16.largest_error, std::ldexp(1.0, -7));
  EXPECT_EQ(summed.averages(numbers_of(SumFormat::kBfloat16), models).of_member, bf16.of_member);
}

// One switch, three islands: what comes out is the float32 sum in the order of its row's inputs.
TEST(SwitchSums, AddInTheOrderOfTheTable) {
  const Bandwidth rate = Bandwidth::gigabits_per_second(10);
  std::vector<Topology::Island> islands;
  for (const char* name : {"A", "B", "C"}) {
    islands.push_back({name, SwitchId::at(0), rate, rate, {}});
  }
  const World world(Topology("star", {"s"}, islands, {}), Mode::kBoth);
  const ExchangePlan plan = plan_exchange(world.network(), world.everybody(),
                                          Bytes::count(1'000'000'000), Exchange::kInNetwork);
  const SwitchProgram program = compile(world.network(), plan);
  const std::vector<Model> models{{1e8}, {1.0}, {-1e8}};
  float expected = 0.0F;
  for (const ProgramEntry& row : program.flows.at(0).rows) {
    if (row.in.size() != 3) continue;
    for (const Port& port : row.in) {
      const IslandId from = world.topology.island_at(world.topology.arc(port.arc).tail);
      expected += static_cast<float>(models[from.index()][0]);
    }
  }
  const SwitchAverages got =
      switch_averages(world.topology, plan, program, numbers_of(SumFormat::kFloat32), models);
  EXPECT_EQ(got.of_member[0][0], static_cast<double>(expected) / 3.0);
  EXPECT_NE(got.of_member[0][0], 1.0 / 3.0);
}

}  // namespace
}  // namespace gyre
