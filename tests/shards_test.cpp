#include "models/tasks/shards.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/error.hpp"

namespace gyre {
namespace {

using Shards = std::vector<std::vector<std::uint32_t>>;
using Kind = ShardSpec::Kind;

/// 10 classes in turn: sample k has the label k mod 10.
std::vector<std::uint8_t> labels_in_turn(std::size_t count) {
  std::vector<std::uint8_t> labels(count);
  for (std::size_t k = 0; k < count; ++k) labels[k] = static_cast<std::uint8_t>(k % 10);
  return labels;
}

Shards shards_of(const ShardSpec& spec, std::size_t samples, std::size_t islands,
                 std::uint64_t seed = 1) {
  return make_shards(spec, labels_in_turn(samples), islands, Rng::stream(seed, "shards"));
}

std::size_t classes_in(const std::vector<std::uint32_t>& shard) {
  std::set<std::uint32_t> classes;
  for (const std::uint32_t sample : shard) classes.insert(sample % 10);
  return classes.size();
}

/// No sample twice, no empty shard, and all but `left_out` of the samples.
void expect_disjoint(const Shards& shards, std::size_t samples, std::size_t left_out) {
  std::set<std::uint32_t> all;
  std::size_t count = 0;
  for (const auto& shard : shards) {
    EXPECT_FALSE(shard.empty());
    all.insert(shard.begin(), shard.end());
    count += shard.size();
  }
  EXPECT_EQ(count, samples - left_out);
  EXPECT_EQ(all.size(), count);
  EXPECT_LT(*all.rbegin(), samples);
}

TEST(Shards, NoSampleIsUsedTwiceAndFewAreLeftOut) {
  for (const std::size_t n : {1U, 2U, 3U, 9U, 50U, 100U}) {
    SCOPED_TRACE(n);
    expect_disjoint(shards_of({.kind = Kind::kIid}, 203, n), 203, 203 % n);
    expect_disjoint(shards_of({.kind = Kind::kByLabel, .per_island = 1}, 203, n), 203, 203 % n);
    expect_disjoint(shards_of({.kind = Kind::kByLabel, .per_island = 2}, 203, n), 203,
                    203 % (2 * n));
    for (const double alpha : {0.001, 0.1, 1.0, 1000.0}) {
      expect_disjoint(shards_of({.kind = Kind::kDirichlet, .alpha = alpha}, 203, n), 203, 0);
    }
  }
}

TEST(Shards, IidSharesAreEqualAndMixed) {
  const Shards shards = shards_of({.kind = Kind::kIid}, 1000, 9);
  for (const auto& shard : shards) {
    EXPECT_EQ(shard.size(), 111U);
    EXPECT_EQ(classes_in(shard), 10U);
    EXPECT_FALSE(std::is_sorted(shard.begin(), shard.end()));
  }
}

TEST(Shards, ByLabelCutsTheSortedSamples) {
  // Twenty samples, two of each class; five islands with two pieces of two samples each.
  const Shards shards = shards_of({.kind = Kind::kByLabel, .per_island = 2}, 20, 5);
  EXPECT_EQ(shards[0], (std::vector<std::uint32_t>{0, 10, 5, 15}));
  EXPECT_EQ(shards[4], (std::vector<std::uint32_t>{4, 14, 9, 19}));
  const Shards sorted = shards_of({.kind = Kind::kByLabel, .per_island = 1}, 20, 5);
  EXPECT_EQ(sorted[0], (std::vector<std::uint32_t>{0, 10, 1, 11}));
  EXPECT_EQ(sorted[4], (std::vector<std::uint32_t>{8, 18, 9, 19}));
}

TEST(Shards, DirichletGoesFromFewClassesToAll) {
  std::vector<double> mean_classes;
  for (const double alpha : {0.01, 0.3, 1000.0}) {
    const Shards shards = shards_of({.kind = Kind::kDirichlet, .alpha = alpha}, 10'000, 9);
    double sum = 0.0;
    for (const auto& shard : shards) sum += static_cast<double>(classes_in(shard));
    mean_classes.push_back(sum / 9.0);
  }
  EXPECT_LT(mean_classes[0], 2.5);
  EXPECT_GT(mean_classes[1], mean_classes[0]);
  EXPECT_LT(mean_classes[1], 10.0);
  EXPECT_EQ(mean_classes[2], 10.0);
}

TEST(Shards, DirichletSharesHaveTheirMoments) {
  // Share of class 0 that island 0 gets, over many seeds: mean 1/4, variance (1/4)(3/4)/(4α + 1).
  constexpr int kSeeds = 2000;
  double sum = 0.0;
  double squares = 0.0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Shards shards = shards_of({.kind = Kind::kDirichlet, .alpha = 0.5}, 4000, 4,
                                    static_cast<std::uint64_t>(seed));
    const auto count = std::count_if(shards[0].begin(), shards[0].end(),
                                     [](std::uint32_t sample) { return sample % 10 == 0; });
    const double share = static_cast<double>(count) / 400.0;
    sum += share;
    squares += share * share;
  }
  const double mean = sum / kSeeds;
  EXPECT_NEAR(mean, 0.25, 5.0 * 0.25 / std::sqrt(kSeeds));
  EXPECT_NEAR(squares / kSeeds - mean * mean, 0.0625, 0.0625 * 0.15);
}

TEST(Shards, TheSeedDecidesAndNothingElse) {
  const ShardSpec iid{.kind = Kind::kIid};
  const ShardSpec dirichlet{.kind = Kind::kDirichlet, .alpha = 0.5};
  for (const ShardSpec& spec : {iid, dirichlet}) {
    EXPECT_EQ(shards_of(spec, 500, 9, 1), shards_of(spec, 500, 9, 1));
    EXPECT_NE(shards_of(spec, 500, 9, 1), shards_of(spec, 500, 9, 2));
  }
}

TEST(Shards, FewerSamplesThanPiecesAreRefused) {
  const auto error_of = [](const ShardSpec& spec, std::size_t samples, std::size_t islands) {
    try {
      (void)shards_of(spec, samples, islands);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const Where where{.file = "s.yaml", .line = 4, .column = 11, .key_path = "task.shards"};
  EXPECT_EQ(error_of({.kind = Kind::kIid, .where = where}, 3, 3), "no error");
  EXPECT_EQ(error_of({.kind = Kind::kIid, .where = where}, 3, 4),
            "s.yaml:4:11: task.shards: 3 samples can't be spread over 4 islands with 1 piece(s) "
            "each; allowed are at most 3 pieces");
  EXPECT_EQ(error_of({.kind = Kind::kByLabel, .per_island = 2, .where = where}, 8, 4), "no error");
  EXPECT_NE(error_of({.kind = Kind::kByLabel, .per_island = 3, .where = where}, 8, 4), "no error");
  EXPECT_NE(error_of({.kind = Kind::kDirichlet, .where = where}, 3, 4), "no error");
}

}  // namespace
}  // namespace gyre
