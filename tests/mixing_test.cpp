#include "schedules/mixing.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "scenarios/scenario.hpp"
#include "schedules/random_partition.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

using Matrix = Eigen::MatrixXd;

constexpr std::size_t kNine = 9;

/// The round of these cliques of single-digit ranks, such as `012 345 678`.
Round digits(const std::string& text, std::size_t islands = kNine) {
  std::vector<Clique> cliques(1);
  for (const char c : text) {
    if (c == ' ') {
      cliques.emplace_back();
    } else {
      cliques.back().push_back(IslandId::at(static_cast<std::size_t>(c - '0')));
    }
  }
  return make_round(cliques, islands);
}

Matrix average(Eigen::Index n) { return Matrix::Constant(n, n, 1.0 / static_cast<double>(n)); }

/// The four parallel classes of the affine plane AG(2,3): rows, columns and both diagonals.
std::vector<Matrix> parallel_classes() {
  std::vector<Matrix> classes;
  for (const char* text : {"012 345 678", "036 147 258", "048 156 237", "057 138 246"}) {
    classes.push_back(mixing_matrix(digits(text), kNine));
  }
  return classes;
}

// O1: any two different classes average nine islands exactly; one class twice does not.
TEST(Mixing, TwoParallelClassesAverageExactly) {
  const std::vector<Matrix> classes = parallel_classes();
  for (std::size_t a = 0; a < classes.size(); ++a) {
    for (std::size_t b = 0; b < classes.size(); ++b) {
      const Matrix product = classes[b] * classes[a];
      if (a == b) {
        EXPECT_NEAR(contraction(product), 1.0, 1e-12);
        continue;
      }
      EXPECT_LE((product - average(9)).cwiseAbs().maxCoeff(), 1e-15) << a << b;
      EXPECT_LE(contraction(product), 1e-15) << a << b;
    }
  }
}

TEST(Mixing, AllFourParallelClassesLetEachPairMeetOnce) {
  Matrix meetings = Matrix::Zero(9, 9);
  for (const Matrix& w : parallel_classes()) meetings += 3.0 * w;
  EXPECT_LE((meetings - (Matrix::Ones(9, 9) + 3.0 * Matrix::Identity(9, 9))).cwiseAbs().maxCoeff(),
            1e-12);
}

TEST(Mixing, OfARoundIsBlockAveraging) {
  const Matrix w = mixing_matrix(digits("03 124", 6), 6);
  Matrix expected = Matrix::Zero(6, 6);
  for (const int i : {0, 3}) {
    for (const int j : {0, 3}) expected(i, j) = 0.5;
  }
  for (const int i : {1, 2, 4}) {
    for (const int j : {1, 2, 4}) expected(i, j) = 1.0 / 3.0;
  }
  expected(5, 5) = 1.0;
  EXPECT_EQ(w, expected);
  EXPECT_LE((w * w - w).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_EQ(w, w.transpose());
}

TEST(Mixing, OfOneIslandAndOfNobodyIsTheIdentity) {
  EXPECT_EQ(mixing_matrix(make_round({}, 1), 1), Matrix::Identity(1, 1));
  EXPECT_EQ(mixing_matrix(make_round({}, 4), 4), Matrix::Identity(4, 4));
  EXPECT_LE(contraction(mixing_matrix(make_round({}, 1), 1)), 1e-15);
}

TEST(Mixing, WeightsOfACliqueSumToOne) {
  for (std::size_t k = 1; k <= 300; ++k) {
    Clique clique;
    for (std::size_t i = 0; i < k; ++i) clique.push_back(IslandId::at(2 * i));
    double sum = 0.0;
    for (const auto& [island, weight] : clique_weights(clique)) sum += weight;
    EXPECT_NEAR(sum, 1.0, 1e-12);
    EXPECT_EQ(clique_weights(clique).back().island, clique.back());
  }
}

TEST(IsDoublyStochastic, SeesEachWayOfBeingWrong) {
  EXPECT_TRUE(is_doubly_stochastic(average(7)));
  EXPECT_TRUE(is_doubly_stochastic(ring_mixing_matrix(3)));
  Matrix rows_only = Matrix::Zero(2, 2);
  rows_only.col(0).setOnes();
  EXPECT_FALSE(is_doubly_stochastic(rows_only));
  EXPECT_FALSE(is_doubly_stochastic(rows_only.transpose()));
  Matrix negative(2, 2);
  negative << 1.5, -0.5, -0.5, 1.5;
  EXPECT_FALSE(is_doubly_stochastic(negative));
  Matrix off = average(3);
  off(1, 1) += 1e-11;
  EXPECT_FALSE(is_doubly_stochastic(off));
  EXPECT_FALSE(is_doubly_stochastic(Matrix::Constant(2, 3, 0.5)));
  EXPECT_FALSE(is_doubly_stochastic(Matrix::Constant(2, 2, std::nan(""))));
}

// O2: the second eigenvalue (1 + 2 cos(2π/n))/3 of a ring with weights 1/3, and what is left of the
// variance in the worst direction after 1, 5 and 10 rounds.
// The sparse check and the matrix agree: who gives more than it takes breaks the columns.
TEST(KeepsTheMean, OfARoundIsThatOfItsMatrix) {
  const auto edge = [](std::size_t from, std::size_t to, double weight) {
    return MixingEdge{.from = IslandId::at(from), .to = IslandId::at(to), .weight = weight};
  };
  const Round ring = make_overlay({edge(0, 1, 0.5), edge(1, 2, 0.5), edge(2, 0, 0.5)}, 3);
  const Round lopsided = make_overlay({edge(0, 1, 0.5), edge(1, 2, 0.5), edge(2, 0, 0.25)}, 3);
  EXPECT_TRUE(keeps_the_mean(ring, 3));
  EXPECT_FALSE(keeps_the_mean(lopsided, 3));
  for (const Round& round : {ring, lopsided, digits("03 124", 6)}) {
    const std::size_t n = round.cliques.size() == 3 && round.edges.empty() ? 6 : 3;
    EXPECT_EQ(keeps_the_mean(round, n), keeps_the_mean(mixing_matrix(round, n)));
  }
}

TEST(Contraction, OfARingIsItsSecondEigenvalue) {
  const Matrix ring = ring_mixing_matrix(kNine);
  EXPECT_NEAR(contraction(ring), 0.8440296287459855, 1e-12);
  for (std::size_t n = 3; n <= 40; ++n) {
    double second = 0.0;
    for (std::size_t k = 1; k < n; ++k) {
      const double angle = 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
      second = std::max(second, std::abs(1.0 + 2.0 * std::cos(angle)) / 3.0);
    }
    EXPECT_NEAR(contraction(ring_mixing_matrix(n)), second, 1e-12) << n;
  }
  const std::map<int, double> variance{{1, 0.7123860142}, {5, 0.1834750114}, {10, 0.0336630798}};
  Matrix product = Matrix::Identity(9, 9);
  for (int round = 1; round <= 10; ++round) {
    product = ring * product;
    if (variance.count(round) == 0) continue;
    EXPECT_NEAR(std::pow(contraction(product), 2), variance.at(round), 5e-11) << round;
  }
}

TEST(Contraction, IsOneWhereSomebodyIsLeftAloneAndZeroForAll) {
  EXPECT_NEAR(contraction(mixing_matrix(digits("01234567"), kNine)), 1.0, 1e-12);
  EXPECT_LE(contraction(mixing_matrix(digits("012345678"), kNine)), 1e-15);
}

/// Calls `visit` with each partition of nine islands into three triangles: 280 of them.
template <class Visit>
void each_three_triangles(Visit visit) {
  for (char a = '1'; a <= '8'; ++a) {
    for (char b = static_cast<char>(a + 1); b <= '8'; ++b) {
      std::string rest;
      for (char c = '1'; c <= '8'; ++c) {
        if (c != a && c != b) rest += c;
      }
      for (std::size_t i = 1; i < 6; ++i) {
        for (std::size_t j = i + 1; j < 6; ++j) {
          std::string last;
          for (std::size_t c = 1; c < 6; ++c) {
            if (c != i && c != j) last += rest[c];
          }
          visit(
              digits({'0', a, b, ' ', rest[0], rest[i], rest[j], ' ', last[0], last[1], last[2]}));
        }
      }
    }
  }
}

/// ‖Wx‖²/‖x‖² for a vector x of mean zero.
double variance_left(const Matrix& w, const Eigen::VectorXd& x) {
  return (w * x).squaredNorm() / x.squaredNorm();
}

Eigen::VectorXd uneven_disagreement() {
  Eigen::VectorXd x(9);
  x << -5.0, 1.0, 2.0, 0.5, -3.0, 7.0, -1.5, 0.0, -1.0;
  return x;
}

// O2: over all partitions into groups of m, E‖Wx‖²/‖x‖² = (n/m − 1)/(n − 1), here 2/8; over all
// pairs 1 − 1/(n − 1), whatever x.
TEST(Mixing, OfATypicalPartitionLeavesTheExpectedVariance) {
  const Eigen::VectorXd x = uneven_disagreement();
  ASSERT_NEAR(x.sum(), 0.0, 1e-15);
  double sum = 0.0;
  int count = 0;
  each_three_triangles([&](const Round& round) {
    sum += variance_left(mixing_matrix(round, kNine), x);
    ++count;
  });
  EXPECT_EQ(count, 280);
  EXPECT_NEAR(sum / count, 0.25, 1e-12);

  double pairs = 0.0;
  for (char a = '0'; a <= '8'; ++a) {
    for (char b = static_cast<char>(a + 1); b <= '8'; ++b) {
      pairs += variance_left(mixing_matrix(digits({a, b}), kNine), x);
    }
  }
  EXPECT_NEAR(pairs / 36.0, 0.875, 1e-12);
}

// 28,000 draws, 100 for each partition. χ² with 279 degrees of freedom has mean 279 and standard
// deviation √558 = 23.6; five of them either way.
TEST(RandomPartition, DrawsEachPartitionEquallyOften) {
  std::map<std::vector<Clique>, int> drawn;
  each_three_triangles([&drawn](const Round& round) { drawn[round.cliques] = 0; });
  ASSERT_EQ(drawn.size(), 280U);
  Rng stream = Rng::stream(7, "partition");
  double left = 0.0;
  const Eigen::VectorXd x = uneven_disagreement();
  for (int draw = 0; draw < 28'000; ++draw) {
    const Round round = random_partition(kNine, 3, stream);
    const auto seen = drawn.find(round.cliques);
    ASSERT_NE(seen, drawn.end());
    ++seen->second;
    if (draw < 4'000) left += variance_left(mixing_matrix(round, kNine), x);
  }
  double chi_squared = 0.0;
  for (const auto& [cliques, count] : drawn) chi_squared += std::pow(count - 100.0, 2) / 100.0;
  EXPECT_GT(chi_squared, 279.0 - 5.0 * 23.6);
  EXPECT_LT(chi_squared, 279.0 + 5.0 * 23.6);
  // ‖Wx‖²/‖x‖² lies in [0, 1] with mean 0.25, so its variance is at most 3/16: five standard errors
  // of 4,000 draws are at most 0.034.
  EXPECT_NEAR(left / 4'000.0, 0.25, 0.034);
}

TEST(RandomPartition, LeavesTheRestInTheLastClique) {
  Rng stream = Rng::stream(1, "partition");
  for (const std::size_t n : {1U, 2U, 7U, 10U}) {
    std::map<std::size_t, int> sizes;
    for (const Clique& clique : random_partition(n, 3, stream).cliques) ++sizes[clique.size()];
    EXPECT_EQ(sizes[3], static_cast<int>(n / 3)) << n;
    if (n % 3 == 0) continue;
    EXPECT_EQ(sizes[n % 3], 1) << n;
  }
}

// O3: (1/n) Σ_{k≥2} λ_k²/(1 − λ_k²) for the ring; 1/3 − 1/9 after the second of two triangle
// rounds.
TEST(DisagreementFloor, MeetsTheClosedForms) {
  const std::vector<Matrix> ring{ring_mixing_matrix(kNine)};
  EXPECT_NEAR(disagreement_floor(ring), 32.0 / 51.0, 1e-12);
  const std::vector<Matrix> classes = parallel_classes();
  const std::vector<Matrix> triangles{classes[0], classes[1]};
  EXPECT_NEAR(disagreement_floor(triangles), 2.0 / 9.0, 1e-12);
  const std::vector<Matrix> all{average(9)};
  EXPECT_NEAR(disagreement_floor(all), 0.0, 1e-15);
}

// Each shipped schedule of two 3×3 rounds averages exactly.
TEST(Mixing, OfTheShippedGridsAveragesExactly) {
  LoadedScenario loaded =
      load_scenario(std::string(GYRE_SOURCE_DIR) + "/scenarios/two-rounds-3x3.yaml");
  int grids = 0;
  for (ScheduleSpec& schedule : loaded.scenario.schedules) {
    if (schedule.policy_name == "all-reduce") continue;
    schedule.policy->start({.topology = loaded.topology, .seed = 1});
    const Matrix rows = mixing_matrix(schedule.policy->round(0), kNine);
    const Matrix columns = mixing_matrix(schedule.policy->round(1), kNine);
    EXPECT_LE(contraction(columns * rows), 1e-15) << schedule.label.value;
    ++grids;
  }
  EXPECT_EQ(grids, 2);
}

}  // namespace
}  // namespace gyre
