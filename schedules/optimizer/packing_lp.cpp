#include "schedules/optimizer/packing_lp.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <ClpSimplex.hpp>
#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {

// Rows: the arcs, then the groups. Columns: Y, then the packing's.
class PackingLp::Model {
 public:
  Model(std::vector<double> capacity, std::size_t groups)
      : arcs_(capacity.size()),
        groups_(groups),
        capacity_(std::move(capacity)),
        first_load_(arcs_, 0.0),
        has_column_(groups, false) {
    clp_.setLogLevel(0);
    clp_.setOptimizationDirection(-1.0);
    clp_.setPrimalTolerance(1e-10);
    clp_.setDualTolerance(1e-11);
    const int rows = static_cast<int>(arcs_ + groups_);
    clp_.resize(rows, 0);
    std::vector<int> index(groups_);
    const std::vector<double> value(groups_, -1.0);
    for (std::size_t g = 0; g < groups_; ++g) {
      index[g] = static_cast<int>(arcs_ + g);
      clp_.setRowBounds(index[g], 0.0, COIN_DBL_MAX);
    }
    clp_.addColumn(static_cast<int>(groups_), index.data(), value.data(), 0.0, COIN_DBL_MAX, 1.0);
  }

  void add_column(std::size_t group, std::span<const ArcLoad> loads, double weight) {
    std::vector<int> index;
    std::vector<double> value;
    index.reserve(loads.size() + 1);
    value.reserve(loads.size() + 1);
    for (const ArcLoad& load : loads) {
      index.push_back(static_cast<int>(load.arc.index()));
      value.push_back(load.load);
      if (!has_column_[group]) first_load_[load.arc.index()] += load.load;
    }
    has_column_[group] = true;
    weighted_ = weighted_ || weight != 1.0;
    ++columns_;
    index.push_back(static_cast<int>(arcs_ + group));
    value.push_back(weight);
    clp_.addColumn(static_cast<int>(index.size()), index.data(), value.data(), 0.0, COIN_DBL_MAX,
                   0.0);
  }

  Solution solve() {
    if (!unit_) choose_unit();
    clp_.primal();
    check(clp_.isProvenOptimal(), fmt::format("packing LP ended with status {}", clp_.status()));
    Solution solution;
    const double* x = clp_.primalColumnSolution();
    const double* dual = clp_.dualRowSolution();
    solution.rate = x[0];
    solution.amount.assign(x + 1, x + 1 + columns_);
    for (double& amount : solution.amount) amount = std::max(amount, 0.0);
    keep_within_capacity(solution);
    solution.rate *= *unit_;
    for (double& amount : solution.amount) amount *= *unit_;
    solution.price.reserve(arcs_);
    for (std::size_t a = 0; a < arcs_; ++a) solution.price.push_back(std::max(dual[a], 0.0));
    solution.share.reserve(groups_);
    for (std::size_t g = 0; g < groups_; ++g) {
      solution.share.push_back(std::max(-dual[arcs_ + g], 0.0));
    }
    return solution;
  }

 private:
  /// The solver's tolerances are absolute: low rates are solved in units of what the first columns
  /// alone would reach. Weights are given such that Y is near 1.
  void choose_unit() {
    double unit = 1.0;
    for (std::size_t a = 0; a < arcs_; ++a) {
      if (!weighted_ && first_load_[a] > 0.0) unit = std::min(unit, capacity_[a] / first_load_[a]);
    }
    unit_ = unit;
    for (std::size_t a = 0; a < arcs_; ++a) {
      clp_.setRowBounds(static_cast<int>(a), -COIN_DBL_MAX, capacity_[a] / unit);
    }
  }

  void keep_within_capacity(Solution& solution) const {
    const double* used = clp_.primalRowSolution();
    const double* capacity = clp_.rowUpper();
    double excess = 1.0;
    for (std::size_t a = 0; a < arcs_; ++a) excess = std::max(excess, used[a] / capacity[a]);
    double shortfall = 0.0;  // of the group that moves least
    for (std::size_t g = 0; g < groups_; ++g) shortfall = std::min(shortfall, used[arcs_ + g]);
    if (excess > 1.0 + kFarBeyond) {
      cut_columns(solution);
      return;
    }
    solution.rate = (solution.rate + shortfall) / excess;
    for (double& amount : solution.amount) amount /= excess;
  }

  /// Where an arc has next to nothing the solver's tolerance is much beside it, though not beside
  /// the rate: only what crosses that arc moves less.
  void cut_columns(Solution& solution) const {
    const double* used = clp_.primalRowSolution();
    const double* capacity = clp_.rowUpper();
    const CoinPackedMatrix& matrix = *clp_.matrix();
    std::vector<double> moved(groups_, 0.0);
    for (std::size_t c = 0; c < columns_; ++c) {
      const int column = static_cast<int>(c) + 1;
      const int* row = matrix.getIndices() + matrix.getVectorFirst(column);
      const double* value = matrix.getElements() + matrix.getVectorFirst(column);
      const int size = matrix.getVectorSize(column);
      double excess = 1.0;
      for (int k = 0; k + 1 < size; ++k) excess = std::max(excess, used[row[k]] / capacity[row[k]]);
      solution.amount[c] /= excess;
      // Its group is the last of its rows.
      moved[static_cast<std::size_t>(row[size - 1]) - arcs_] +=
          solution.amount[c] * value[size - 1];
    }
    solution.rate = *std::ranges::min_element(moved);
  }

  static constexpr double kFarBeyond = 1e-9;  ///< of a capacity

  std::size_t arcs_;
  std::size_t groups_;
  std::size_t columns_ = 0;
  std::vector<double> capacity_;
  std::vector<double> first_load_;  ///< by arc, where each group moves 1 by its first column
  std::vector<bool> has_column_;    ///< by group
  bool weighted_ = false;
  std::optional<double> unit_;  ///< of the solver's capacities and rates; chosen when solved
  ClpSimplex clp_;
};

PackingLp::PackingLp(std::vector<double> capacity, std::size_t groups)
    : model_(std::make_unique<Model>(std::move(capacity), groups)) {}
PackingLp::PackingLp(PackingLp&&) noexcept = default;
PackingLp& PackingLp::operator=(PackingLp&&) noexcept = default;
PackingLp::~PackingLp() = default;

void PackingLp::add_column(std::size_t group, std::span<const ArcLoad> loads, double weight) {
  model_->add_column(group, loads, weight);
}
PackingLp::Solution PackingLp::solve() { return model_->solve(); }

}  // namespace gyre
