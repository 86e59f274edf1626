#include "schedules/optimizer/mixing_cost.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "models/error.hpp"

namespace gyre {
namespace {

constexpr int kMostPeriods = 2000;
constexpr std::size_t kMostRounds = 4000;

/// n × n, with the averaging of rows (and columns) over the blocks of a round.
class Matrix {
 public:
  explicit Matrix(std::size_t n) : n_(n), entry_(n * n, 0.0), sum_(n * n), size_(n) {}

  double& operator()(std::size_t i, std::size_t j) { return entry_[i * n_ + j]; }
  [[nodiscard]] double trace() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < n_; ++i) sum += entry_[i * n_ + i];
    return sum;
  }
  void add(double diagonal, double everywhere) {
    for (double& entry : entry_) entry += everywhere;
    for (std::size_t i = 0; i < n_; ++i) entry_[i * n_ + i] += diagonal;
  }
  /// W·M.
  void average_rows(std::span<const std::uint16_t> block) {
    const std::size_t blocks = count(block);
    std::fill_n(sum_.begin(), blocks * n_, 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      double* sum = &sum_[block[i] * n_];
      const double* row = &entry_[i * n_];
      for (std::size_t j = 0; j < n_; ++j) sum[j] += row[j];
    }
    for (std::size_t b = 0; b < blocks; ++b) {
      const double share = 1.0 / size_[b];
      for (std::size_t j = 0; j < n_; ++j) sum_[b * n_ + j] *= share;
    }
    for (std::size_t i = 0; i < n_; ++i) {
      std::copy_n(&sum_[block[i] * n_], n_, &entry_[i * n_]);
    }
  }
  /// W·M·W for symmetric M: only the blocks' averages count.
  void average_both(std::span<const std::uint16_t> block) {
    const std::size_t blocks = count(block);
    std::fill_n(sum_.begin(), blocks * blocks, 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      double* sum = &sum_[block[i] * blocks];
      const double* row = &entry_[i * n_];
      for (std::size_t j = 0; j < n_; ++j) sum[block[j]] += row[j];
    }
    for (std::size_t a = 0; a < blocks; ++a) {
      for (std::size_t b = 0; b < blocks; ++b) sum_[a * blocks + b] /= size_[a] * size_[b];
    }
    for (std::size_t i = 0; i < n_; ++i) {
      const double* sum = &sum_[block[i] * blocks];
      double* row = &entry_[i * n_];
      for (std::size_t j = 0; j < n_; ++j) row[j] = sum[block[j]];
    }
  }
  /// Whether ‖M − J‖₂ ≤ bound; the Frobenius norm, at most √n as large, decides most.
  [[nodiscard]] bool deviates_at_most(double bound) const {
    const double average = 1.0 / static_cast<double>(n_);
    double squares = 0.0;
    for (const double entry : entry_) squares += (entry - average) * (entry - average);
    if (squares <= bound * bound) return true;
    if (squares > bound * bound * static_cast<double>(n_)) return false;
    const auto n = static_cast<Eigen::Index>(n_);
    using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Dense rest = Eigen::Map<const Dense>(entry_.data(), n, n).array() - average;
    const Eigen::SelfAdjointEigenSolver<Dense> solver(rest * rest.transpose(),
                                                      Eigen::EigenvaluesOnly);
    return std::sqrt(std::max(0.0, solver.eigenvalues().maxCoeff())) <= bound;
  }

 private:
  std::size_t count(std::span<const std::uint16_t> block) {
    std::size_t blocks = 0;
    for (std::size_t i = 0; i < n_; ++i) blocks = std::max<std::size_t>(blocks, block[i] + 1U);
    std::fill_n(size_.begin(), blocks, 0.0);
    for (std::size_t i = 0; i < n_; ++i) size_[block[i]] += 1.0;
    return blocks;
  }

  std::size_t n_;
  std::vector<double> entry_;
  std::vector<double> sum_;
  std::vector<double> size_;
};

}  // namespace

bool connects(std::span<const MixingRound> period) {
  if (period.empty()) return false;
  const std::size_t n = period.front().block.size();
  std::vector<std::size_t> part(n);
  for (std::size_t i = 0; i < n; ++i) part[i] = i;
  std::size_t parts = n;
  std::vector<std::size_t> first(n);
  for (const MixingRound& round : period) {
    std::fill(first.begin(), first.end(), n);
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t& f = first[round.block[i]];
      if (f == n) {
        f = i;
        continue;
      }
      const std::size_t keep = part[f];
      const std::size_t drop = part[i];
      if (keep == drop) continue;
      std::replace(part.begin(), part.end(), drop, keep);
      --parts;
    }
  }
  return parts == 1;
}

double drift_s(std::span<const MixingRound> period, double precision, double give_up_s) {
  if (!connects(period)) return kNeverMixes;
  const std::size_t n = period.front().block.size();
  const auto islands = static_cast<double>(n);
  double length_s = 0.0;
  for (const MixingRound& round : period) length_s += round.time_s;
  check(length_s > 0.0, "a period takes time");
  // D = (I−J)S(I−J), which W keeps apart from the mean's random walk.
  Matrix d(n);
  double before = -1.0;
  for (int p = 0; p < kMostPeriods; ++p) {
    double sum = 0.0;
    for (const MixingRound& round : period) {
      const double t = round.time_s;
      sum += t * (d.trace() + t * (islands - 1.0) / 2.0);
      d.add(t, -t / islands);
      d.average_both(round.block);
    }
    const double drift = sum / (islands * length_s);
    if (drift > give_up_s) return kNeverMixes;
    if (std::abs(drift - before) <= precision * drift) return drift;
    before = drift;
  }
  return kNeverMixes;
}

Consensus time_to_consensus(std::span<const MixingRound> period, double epsilon, double give_up_s) {
  if (!connects(period)) return {};
  const std::size_t n = period.front().block.size();
  Matrix product(n);
  product.add(1.0, 0.0);
  Consensus consensus{.time_s = 0.0, .rounds = 0};
  while (consensus.rounds < kMostRounds) {
    const MixingRound& round = period[consensus.rounds % period.size()];
    product.average_rows(round.block);
    consensus.time_s += round.time_s;
    ++consensus.rounds;
    if (consensus.time_s > give_up_s) return {};
    if (product.deviates_at_most(epsilon)) return consensus;
  }
  return {};
}

}  // namespace gyre
