#include "models/rng.hpp"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace gyre {
namespace {

struct Moments {
  double mean = 0.0;
  double variance = 0.0;
};

template <class Draw>
Moments moments_of(int count, Draw draw) {
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < count; ++i) {
    const double value = draw();
    sum += value;
    squares += value * value;
  }
  const double mean = sum / count;
  return {.mean = mean, .variance = squares / count - mean * mean};
}

constexpr int kDraws = 400'000;
/// Five standard errors of a mean of `kDraws` values with this variance.
double five_sigma(double variance) { return 5.0 * std::sqrt(variance / kDraws); }

// The values below were computed by a second implementation of SplitMix64's finaliser and of
// mt19937_64, which gives the 10,000th number that the C++ standard states.
TEST(Rng, FirstNumbersOfAStreamAreFixed) {
  Rng batch = Rng::stream(1, "island/FRA/batch");
  EXPECT_EQ(batch.next(), 0x4224365168a5ec22U);
  EXPECT_EQ(batch.next(), 0xf404c2347ad89019U);
  EXPECT_EQ(batch.next(), 0x6c3ee1f345437116U);
  EXPECT_EQ(Rng::stream(1, "island/FRA/compute").next(), 0xf9a19f7c66e90f65U);
  EXPECT_EQ(Rng::stream(2, "island/FRA/batch").next(), 0xd221b3e5a08b5f87U);
  EXPECT_EQ(Rng::stream(0, "").next(), 0x7b6903c09fc7cabeU);
}

TEST(Rng, FirstVariatesAreFixed) {
  Rng stream = Rng::stream(1, "x");
  EXPECT_DOUBLE_EQ(stream.uniform(), 0.09361659376957487);
  EXPECT_DOUBLE_EQ(stream.exponential(), 0.86583322028201);
  EXPECT_DOUBLE_EQ(stream.normal(), 0.88430909972518);
}

TEST(Rng, AStreamDoesNotDependOnOthers) {
  Rng alone = Rng::stream(7, "island/FRA/batch");
  Rng other = Rng::stream(7, "island/LON/batch");
  Rng beside = Rng::stream(7, "island/FRA/batch");
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t foreign = other.next();
    const std::uint64_t expected = alone.next();
    EXPECT_EQ(beside.next(), expected);
    EXPECT_NE(foreign, expected);
  }
}

TEST(Rng, StreamsWithSimilarNamesAreUncorrelated) {
  Rng a = Rng::stream(1, "island/A/batch");
  Rng b = Rng::stream(1, "island/B/batch");
  double product = 0.0;
  for (int i = 0; i < kDraws; ++i) product += (a.uniform() - 0.5) * (b.uniform() - 0.5);
  EXPECT_NEAR(product / kDraws, 0.0, five_sigma(1.0 / 144.0));
}

TEST(Rng, UniformLiesInItsIntervalAndHasItsMoments) {
  Rng stream = Rng::stream(3, "uniform");
  const Moments m = moments_of(kDraws, [&stream] {
    const double u = stream.uniform();
    EXPECT_TRUE(u >= 0.0 && u < 1.0);
    return u;
  });
  EXPECT_NEAR(m.mean, 0.5, five_sigma(1.0 / 12.0));
  EXPECT_NEAR(m.variance, 1.0 / 12.0, five_sigma(1.0 / 180.0));
}

TEST(Rng, ExponentialHasItsMoments) {
  Rng stream = Rng::stream(3, "exponential");
  const Moments m = moments_of(kDraws, [&stream] { return stream.exponential(); });
  EXPECT_NEAR(m.mean, 1.0, five_sigma(1.0));
  EXPECT_NEAR(m.variance, 1.0, five_sigma(8.0));  // the fourth central moment is 9
}

TEST(Rng, NormalHasItsMoments) {
  Rng stream = Rng::stream(3, "normal");
  const Moments m = moments_of(kDraws, [&stream] { return stream.normal(); });
  EXPECT_NEAR(m.mean, 0.0, five_sigma(1.0));
  EXPECT_NEAR(m.variance, 1.0, five_sigma(2.0));
}

TEST(Rng, GammaHasItsMoments) {
  for (const double shape : {0.1, 0.5, 1.0, 2.5, 30.0}) {
    SCOPED_TRACE(shape);
    Rng stream = Rng::stream(3, "gamma");
    const Moments m = moments_of(kDraws, [&stream, shape] { return stream.gamma(shape); });
    EXPECT_NEAR(m.mean, shape, five_sigma(shape));
    // The fourth central moment is 3k² + 6k.
    EXPECT_NEAR(m.variance, shape, five_sigma(2.0 * shape * shape + 6.0 * shape));
  }
}

TEST(Rng, BelowIsUnbiased) {
  Rng stream = Rng::stream(3, "below");
  for (const std::uint64_t bound : {1U, 2U, 3U, 7U}) {
    SCOPED_TRACE(bound);
    std::vector<int> counts(bound, 0);
    for (int i = 0; i < kDraws; ++i) ++counts.at(stream.below(bound));
    const double p = 1.0 / static_cast<double>(bound);
    for (const int count : counts) {
      EXPECT_NEAR(static_cast<double>(count) / kDraws, p, five_sigma(p * (1.0 - p)));
    }
  }
}

TEST(Rng, BelowIsUnbiasedWhereTheRemainderIsLarge) {
  // With bound 3·2^62 a plain remainder would give the lowest third twice as often as it should.
  constexpr std::uint64_t kThird = std::uint64_t{1} << 62U;
  Rng stream = Rng::stream(3, "large");
  int lowest = 0;
  for (int i = 0; i < kDraws; ++i) lowest += stream.below(3 * kThird) < kThird ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(lowest) / kDraws, 1.0 / 3.0, five_sigma(2.0 / 9.0));
}

TEST(Rng, EveryPermutationIsEquallyLikely) {
  Rng stream = Rng::stream(3, "shuffle");
  std::vector<int> counts(27, 0);
  for (int i = 0; i < kDraws; ++i) {
    std::vector<std::size_t> order{0, 1, 2};
    stream.shuffle(order);
    ++counts[(order[0] * 9) + (order[1] * 3) + order[2]];
  }
  for (const std::size_t code : {5U, 7U, 11U, 15U, 19U, 21U}) {
    EXPECT_NEAR(static_cast<double>(counts[code]) / kDraws, 1.0 / 6.0, five_sigma(5.0 / 36.0));
  }
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), kDraws);
}

TEST(RngDeathTest, ImpossibleRequestsAreRefused) {
  Rng stream = Rng::stream(1, "x");
  EXPECT_DEATH(stream.below(0), "below 0");
  EXPECT_DEATH(stream.gamma(0.0), "positive shape");
}

}  // namespace
}  // namespace gyre
