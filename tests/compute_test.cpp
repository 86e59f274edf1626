#include "models/compute.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/error.hpp"
#include "tests/lockstep.hpp"

namespace gyre {
namespace {

ComputeSpec spec_with(StepJitter jitter) {
  ComputeSpec spec;
  spec.step_time = Duration::milliseconds(120.0);
  spec.jitter = jitter;
  return spec;
}

/// Mean over `rounds` of the time at which the last of `islands` has done `steps` steps, in
/// seconds.
double mean_barrier_s(const ComputeSpec& spec, std::size_t islands, std::int64_t steps,
                      int rounds) {
  ComputeModel model(spec, test::numbered_islands(islands), 5);
  double sum_s = 0.0;
  for (int round = 0; round < rounds; ++round) {
    Duration last;
    for (std::size_t i = 0; i < islands; ++i) {
      last = std::max(last, model.draw(IslandId::at(i), steps));
    }
    sum_s += last.in_seconds();
  }
  return sum_s / rounds;
}

std::string error_of(const ComputeSpec& spec, const std::vector<std::string>& islands) {
  try {
    const ComputeModel model(spec, islands, 1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Compute, WithoutJitterEveryStepTakesTheStepTime) {
  ComputeSpec spec = spec_with({});
  spec.islands.push_back({.island = {"I1", {}}, .step_time = Duration::seconds(0.5)});
  ComputeModel model(spec, test::numbered_islands(3), 1);
  EXPECT_DOUBLE_EQ(model.draw(IslandId::at(0), 10).in_seconds(), 1.2);
  EXPECT_DOUBLE_EQ(model.draw(IslandId::at(1), 10).in_seconds(), 5.0);
  EXPECT_DOUBLE_EQ(model.draw(IslandId::at(2), 1).in_seconds(), 0.12);
  EXPECT_EQ(model.draw(IslandId::at(2), 0), Duration());
  EXPECT_DOUBLE_EQ(model.mean_step_time(IslandId::at(1)).in_seconds(), 0.5);
}

TEST(Compute, StrangersAndRepeatsAreRefusedWithTheirPlace) {
  ComputeSpec spec = spec_with({});
  const Where where{
      .file = "a.yaml", .line = 7, .column = 13, .key_path = "job.compute.islands[0]"};
  spec.islands.push_back({.island = {"FRAA", where}, .step_time = Duration::seconds(1.0)});
  EXPECT_EQ(error_of(spec, {"FRA", "LON"}),
            "a.yaml:7:13: job.compute.islands[0]: unknown island 'FRAA' (did you mean 'FRA'?); the "
            "islands are FRA or LON");
  spec.islands.front().island.value = "FRA";
  EXPECT_EQ(error_of(spec, {"FRA", "LON"}), "no error");
  spec.islands.push_back(spec.islands.front());
  EXPECT_EQ(error_of(spec, {"FRA", "LON"}),
            "a.yaml:7:13: job.compute.islands[0]: island 'FRA' is given twice; allowed is one step "
            "time an island");
}

TEST(Compute, DrawsDependOnTheSeedAndTheOwnNameOnly) {
  const ComputeSpec spec = spec_with({.kind = StepJitter::Kind::kExponential});
  ComputeModel pair(spec, {"FRA", "LON"}, 1);
  ComputeModel more(spec, {"AMS", "FRA", "LON"}, 1);
  ComputeModel other_seed(spec, {"FRA", "LON"}, 2);
  (void)more.draw(IslandId::at(0), 3);
  const Duration drawn = pair.draw(IslandId::at(0), 10);
  EXPECT_EQ(drawn, more.draw(IslandId::at(1), 10));
  EXPECT_NE(drawn, other_seed.draw(IslandId::at(0), 10));
}

TEST(Compute, SeveralStepsAreTheSumOfSingleOnes) {
  const ComputeSpec spec = spec_with({.kind = StepJitter::Kind::kLognormal, .sigma = 0.5});
  ComputeModel together(spec, {"FRA"}, 1);
  ComputeModel single(spec, {"FRA"}, 1);
  Duration sum;
  for (int step = 0; step < 10; ++step) sum += single.draw(IslandId::at(0), 1);
  EXPECT_NEAR(together.draw(IslandId::at(0), 10).in_seconds(), sum.in_seconds(), 1e-14);
}

// The tolerances are five standard errors of the mean over the rounds.
TEST(Compute, ExponentialBarrierTakesTheHarmonicNumber) {
  constexpr int kRounds = 200'000;
  const ComputeSpec spec = spec_with({.kind = StepJitter::Kind::kExponential});
  const double h9 = 2.8289682540;
  const double variance = 1.5397677312;  // Σ 1/k², k = 1..9
  EXPECT_NEAR(mean_barrier_s(spec, 9, 1, kRounds), 0.12 * h9,
              0.12 * 5.0 * std::sqrt(variance / kRounds));
}

TEST(Compute, UniformBarrierTakesTheExpectedMaximum) {
  constexpr int kRounds = 200'000;
  const ComputeSpec spec = spec_with({.kind = StepJitter::Kind::kUniform, .low = 0.5, .high = 2.0});
  const double variance = 1.5 * 1.5 * 9.0 / (100.0 * 11.0);  // n/((n+1)²(n+2)) of the unit interval
  EXPECT_NEAR(mean_barrier_s(spec, 9, 1, kRounds), 0.12 * (0.5 + 1.5 * 9.0 / 10.0),
              0.12 * 5.0 * std::sqrt(variance / kRounds));
}

TEST(Compute, MeanStepTimeIsTheMeanOfTheDraws) {
  constexpr int kRounds = 200'000;
  const std::vector<StepJitter> jitters{
      {.kind = StepJitter::Kind::kExponential},
      {.kind = StepJitter::Kind::kUniform, .low = 0.0, .high = 3.0},
      {.kind = StepJitter::Kind::kLognormal, .sigma = 0.8}};
  for (const StepJitter& jitter : jitters) {
    const ComputeSpec spec = spec_with(jitter);
    const ComputeModel model(spec, {"I0"}, 1);
    // All three variances are below 1.
    EXPECT_NEAR(mean_barrier_s(spec, 1, 1, kRounds),
                model.mean_step_time(IslandId::at(0)).in_seconds(),
                0.12 * 5.0 * std::sqrt(1.0 / kRounds));
  }
}

/// 64 chips of 989 TFLOPS at 40 % on a ninth of 2 Mi tokens a step, 10^10 parameters.
ComputeSpec chips_of_the_worked_case() {
  ComputeSpec spec;
  spec.parameters = 1e10;
  spec.tokens_per_step = 2097152.0;
  spec.accelerators = AcceleratorSpec{.count = 64,
                                      .peak = FlopRate::per_second(989e12),
                                      .utilisation = 0.4,
                                      .memory = Bytes::count(80'000'000'000),
                                      .where = {}};
  return spec;
}

// Worked case: 6 x 10^10 x 2097152/9 / (64 x 989e12 x 0.4) = 0.5522 s.
TEST(Compute, ChipsAndTokensMakeTheStepTime) {
  ComputeSpec spec = chips_of_the_worked_case();
  ComputeModel model(spec, test::numbered_islands(9), 1);
  EXPECT_NEAR(model.draw(IslandId::at(3), 1).in_seconds(), 0.5522, 5e-5);
  EXPECT_DOUBLE_EQ(model.mean_step_time(IslandId::at(3)).in_seconds(),
                   6.0 * 1e10 * 2097152.0 / 9.0 / (64.0 * 989e12 * 0.4));
  // An island with half the chips takes twice as long; one with a stated time takes that.
  AcceleratorSpec half = *spec.accelerators;
  half.count = 32;
  spec.islands.push_back({.island = {"I1", {}}, .accelerators = half});
  spec.islands.push_back({.island = {"I2", {}}, .step_time = Duration::seconds(3.0)});
  const ComputeModel mixed(spec, test::numbered_islands(9), 1);
  EXPECT_DOUBLE_EQ(mixed.mean_step_time(IslandId::at(1)) / mixed.mean_step_time(IslandId::at(0)),
                   2.0);
  EXPECT_DOUBLE_EQ(mixed.slowest_mean_step_time().in_seconds(), 3.0);
}

// 16 bytes a parameter: 160 GB for 10^10 parameters, two chips of 80 GB hold them, one does not.
TEST(Compute, AnIslandThatCannotHoldTheModelIsRefused) {
  ComputeSpec spec = chips_of_the_worked_case();
  spec.accelerators->count = 2;
  EXPECT_EQ(error_of(spec, test::numbered_islands(2)), "no error");
  spec.accelerators->count = 1;
  EXPECT_NE(error_of(spec, test::numbered_islands(2)).find("cannot hold the model"),
            std::string::npos);
  spec.parameters = 0.0;
  EXPECT_NE(error_of(spec, test::numbered_islands(2)).find("job.parameters"), std::string::npos);
}

// A trace is played step by step, and from its start again; the jitter multiplies it.
TEST(Compute, TracesArePlayedInTurn) {
  ComputeSpec spec;
  spec.step_time = Duration::seconds(9.0);
  spec.trace = StepTrace{.file = {}, .islands = {"I1"}, .steps_s = {{1.0}, {2.0}, {4.0}}};
  ComputeModel model(spec, test::numbered_islands(2), 1);
  EXPECT_DOUBLE_EQ(model.draw(IslandId::at(1), 2).in_seconds(), 3.0);
  EXPECT_DOUBLE_EQ(model.draw(IslandId::at(1), 2).in_seconds(), 5.0);
  EXPECT_DOUBLE_EQ(model.draw(IslandId::at(0), 2).in_seconds(), 18.0);
  EXPECT_DOUBLE_EQ(model.mean_step_time(IslandId::at(1)).in_seconds(), 7.0 / 3.0);
  spec.trace->islands = {"nobody"};
  EXPECT_NE(error_of(spec, test::numbered_islands(2)).find("unknown island"), std::string::npos);
}

}  // namespace
}  // namespace gyre
