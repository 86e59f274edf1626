#include "schedules/matcha_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <Eigen/Eigenvalues>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/edge_coloring.hpp>

#include "models/error.hpp"

namespace gyre {
namespace {

using Matrix = Eigen::MatrixXd;

Matrix laplacian(const Matching& matching, std::size_t nodes) {
  const auto n = static_cast<Eigen::Index>(nodes);
  Matrix l = Matrix::Zero(n, n);
  for (const auto& [first, second] : matching) {
    const auto a = static_cast<Eigen::Index>(first);
    const auto b = static_cast<Eigen::Index>(second);
    l(a, a) += 1.0;
    l(b, b) += 1.0;
    l(a, b) -= 1.0;
    l(b, a) -= 1.0;
  }
  return l;
}

/// The nearest point with entries in [0, 1] that sum to at most `most`.
std::vector<double> projected(std::vector<double> p, double most) {
  const auto sum_after = [&p](double shift) {
    double sum = 0.0;
    for (const double value : p) sum += std::clamp(value - shift, 0.0, 1.0);
    return sum;
  };
  double shift = 0.0;
  if (sum_after(0.0) > most) {
    double low = 0.0;
    double high = *std::max_element(p.begin(), p.end());
    for (int i = 0; i < 100; ++i) {
      shift = 0.5 * (low + high);
      (sum_after(shift) > most ? low : high) = shift;
    }
    shift = high;
  }
  for (double& value : p) value = std::clamp(value - shift, 0.0, 1.0);
  return p;
}

/// −μ log Σ_{i ≥ 2} exp(−λ_i / μ) of Σ p_j L_j, and its gradient in p.
struct SoftConnectivity {
  double value = 0.0;
  double hard = 0.0;  ///< λ_2
  std::vector<double> gradient;
};

SoftConnectivity soft_connectivity(const std::vector<Matrix>& parts, const std::vector<double>& p,
                                   double softness) {
  Matrix mean = Matrix::Zero(parts.front().rows(), parts.front().cols());
  for (std::size_t j = 0; j < parts.size(); ++j) mean += p[j] * parts[j];
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(mean);
  const Eigen::VectorXd& eigenvalues = solver.eigenvalues();
  SoftConnectivity result;
  result.hard = eigenvalues(1);
  double sum = 0.0;
  Eigen::VectorXd weights = Eigen::VectorXd::Zero(eigenvalues.size());
  for (Eigen::Index i = 1; i < eigenvalues.size(); ++i) {
    weights(i) = std::exp(-(eigenvalues(i) - result.hard) / softness);
    sum += weights(i);
  }
  result.value = result.hard - softness * std::log(sum);
  const Matrix& vectors = solver.eigenvectors();
  for (const Matrix& part : parts) {
    double slope = 0.0;
    for (Eigen::Index i = 1; i < eigenvalues.size(); ++i) {
      if (weights(i) < 1e-12) continue;
      slope += weights(i) / sum * vectors.col(i).dot(part * vectors.col(i));
    }
    result.gradient.push_back(slope);
  }
  return result;
}

std::vector<double> best_probabilities(const std::vector<Matrix>& parts, double most) {
  std::vector<double> p(parts.size(), most / static_cast<double>(parts.size()));
  double softness = 0.1;
  for (int stage = 0; stage < 10; ++stage, softness *= 0.3) {
    double step = 1.0;
    SoftConnectivity here = soft_connectivity(parts, p, softness);
    for (int iteration = 0; iteration < 300 && step > 1e-12; ++iteration) {
      std::vector<double> moved = p;
      for (std::size_t j = 0; j < p.size(); ++j) moved[j] += step * here.gradient[j];
      moved = projected(std::move(moved), most);
      SoftConnectivity there = soft_connectivity(parts, moved, softness);
      if (there.value > here.value) {
        p = std::move(moved);
        here = std::move(there);
        step *= 1.5;
      } else {
        step *= 0.4;
      }
    }
  }
  return p;
}

/// ρ(α); see `MatchaPlan`.
double contraction_at(double weight, const Matrix& mean, const Matrix& squares) {
  const Eigen::Index n = mean.rows();
  const Matrix expected = Matrix::Identity(n, n) - 2.0 * weight * mean + weight * weight * squares -
                          Matrix::Constant(n, n, 1.0 / static_cast<double>(n));
  return Eigen::SelfAdjointEigenSolver<Matrix>(expected, Eigen::EigenvaluesOnly)
      .eigenvalues()
      .cwiseAbs()
      .maxCoeff();
}

}  // namespace

std::vector<Matching> matchings_of(const std::vector<std::pair<std::size_t, std::size_t>>& graph,
                                   std::size_t nodes) {
  using Graph =
      boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                            boost::property<boost::edge_weight_t, std::size_t>>;
  Graph coloured(nodes);
  for (const auto& [a, b] : graph) boost::add_edge(a, b, coloured);
  const std::size_t colours =
      graph.empty() ? 0 : boost::edge_coloring(coloured, get(boost::edge_weight, coloured));
  std::vector<Matching> matchings(colours);
  const auto [first, last] = boost::edges(coloured);
  for (auto edge = first; edge != last; ++edge) {
    const std::size_t colour = get(boost::edge_weight, coloured, *edge);
    matchings.at(colour).emplace_back(source(*edge, coloured), target(*edge, coloured));
  }
  std::erase_if(matchings, [](const Matching& matching) { return matching.empty(); });
  return matchings;
}

MatchaPlan matcha_plan(const std::vector<Matching>& matchings, std::size_t nodes, double budget) {
  check(!matchings.empty() && nodes >= 2 && budget > 0.0 && budget <= 1.0,
        "MATCHA needs matchings and a budget");
  std::vector<Matrix> parts;
  parts.reserve(matchings.size());
  for (const Matching& matching : matchings) parts.push_back(laplacian(matching, nodes));
  MatchaPlan plan;
  plan.probabilities = best_probabilities(parts, budget * static_cast<double>(parts.size()));
  const auto n = static_cast<Eigen::Index>(nodes);
  Matrix mean = Matrix::Zero(n, n);
  Matrix spread = Matrix::Zero(n, n);
  for (std::size_t j = 0; j < parts.size(); ++j) {
    const double p = plan.probabilities[j];
    mean += p * parts[j];
    spread += p * (1.0 - p) * parts[j];
  }
  const Matrix squares = mean * mean + 2.0 * spread;
  plan.connectivity =
      Eigen::SelfAdjointEigenSolver<Matrix>(mean, Eigen::EigenvaluesOnly).eigenvalues()(1);
  double low = 0.0;
  double high = 2.0;
  for (int i = 0; i < 200; ++i) {
    const double left = low + (high - low) / 3.0;
    const double right = high - (high - low) / 3.0;
    if (contraction_at(left, mean, squares) <= contraction_at(right, mean, squares)) {
      high = right;
    } else {
      low = left;
    }
  }
  plan.weight = 0.5 * (low + high);
  plan.contraction = contraction_at(plan.weight, mean, squares);
  return plan;
}

}  // namespace gyre
