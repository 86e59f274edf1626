#include "schedules/mixing.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/SVD>

#include "models/error.hpp"

namespace gyre {
namespace {

constexpr double kTolerance = 1e-12;

Eigen::Index index_of(IslandId island) { return static_cast<Eigen::Index>(island.index()); }

Eigen::MatrixXd averaging(Eigen::Index n) {
  return Eigen::MatrixXd::Constant(n, n, 1.0 / static_cast<double>(n));
}

}  // namespace

std::vector<WeightedIsland> clique_weights(std::span<const IslandId> clique) {
  std::vector<WeightedIsland> weights;
  weights.reserve(clique.size());
  const double weight = 1.0 / static_cast<double>(clique.size());
  for (const IslandId i : clique) weights.push_back({.island = i, .weight = weight});
  return weights;
}

Eigen::MatrixXd mixing_matrix(const Round& round, std::size_t islands) {
  const auto n = static_cast<Eigen::Index>(islands);
  Eigen::MatrixXd w = Eigen::MatrixXd::Zero(n, n);
  for (const Clique& clique : round.cliques) {
    const std::vector<WeightedIsland> weights = clique_weights(clique);
    for (const IslandId i : clique) {
      for (const auto& [j, weight] : weights) w(index_of(i), index_of(j)) = weight;
    }
  }
  for (const MixingEdge& edge : round.edges) {
    w(index_of(edge.to), index_of(edge.from)) = edge.weight;
    w(index_of(edge.to), index_of(edge.to)) -= edge.weight;
  }
  return w;
}

Eigen::MatrixXd ring_mixing_matrix(std::size_t islands) {
  check(islands >= 3, "a ring needs three islands");
  const auto n = static_cast<Eigen::Index>(islands);
  Eigen::MatrixXd w = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    w(i, i) += 1.0 / 3.0;
    w(i, (i + 1) % n) += 1.0 / 3.0;
    w(i, (i + n - 1) % n) += 1.0 / 3.0;
  }
  return w;
}

bool keeps_the_mean(const Eigen::MatrixXd& w) {
  const auto sums_to_one = [](const auto& sums) {
    return ((sums.array() - 1.0).abs() <= kTolerance).all();
  };
  return w.rows() == w.cols() && sums_to_one(w.rowwise().sum()) && sums_to_one(w.colwise().sum());
}

bool keeps_the_mean(const Round& round, std::size_t islands) {
  std::vector<double> rows(islands, 0.0);
  std::vector<double> columns(islands, 0.0);
  for (const Clique& clique : round.cliques) {
    double sum = 0.0;
    for (const WeightedIsland& member : clique_weights(clique)) sum += member.weight;
    for (const IslandId i : clique) {
      rows[i.index()] += sum;
      columns[i.index()] += sum;
    }
  }
  for (const MixingEdge& edge : round.edges) {
    // What the receiver takes it keeps less of its own: its row stays as it is.
    columns[edge.from.index()] += edge.weight;
    columns[edge.to.index()] -= edge.weight;
  }
  const auto is_one = [](double sum) { return std::abs(sum - 1.0) <= kTolerance; };
  return std::ranges::all_of(rows, is_one) && std::ranges::all_of(columns, is_one);
}

bool is_doubly_stochastic(const Eigen::MatrixXd& w) {
  return (w.array() >= -kTolerance).all() && keeps_the_mean(w);
}

double contraction(const Eigen::MatrixXd& product) {
  const Eigen::MatrixXd rest = product - averaging(product.rows());
  return Eigen::JacobiSVD<Eigen::MatrixXd>(rest).singularValues()(0);
}

double disagreement_floor(std::span<const Eigen::MatrixXd> period) {
  check(!period.empty(), "an empty period has no floor");
  const Eigen::Index n = period.front().rows();
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(n, n);
  const Eigen::MatrixXd off_mean = identity - averaging(n);
  Eigen::MatrixXd spread = Eigen::MatrixXd::Zero(n, n);
  double previous = -1.0;
  double floor = 0.0;
  while (std::abs(floor - previous) > 1e-15 * floor) {
    previous = floor;
    for (const Eigen::MatrixXd& w : period) {
      // Projecting out the mean keeps its unbounded random walk from costing digits.
      spread = off_mean * w * (spread + identity) * w.transpose() * off_mean;
    }
    floor = spread.trace() / static_cast<double>(n);
  }
  return floor;
}

}  // namespace gyre
