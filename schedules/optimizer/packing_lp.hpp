#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "models/ids.hpp"

namespace gyre {

/// How often one unit of a column's rate crosses an arc.
struct ArcLoad {
  ArcId arc;
  double load = 1.0;
};

/// The master problem of fractional packing, by COIN-OR CLP:
///
///     max Y   such that   Σ_{t ∈ g} w_t x_t ≥ Y for every group g,   Σ_t load_t(a) x_t ≤ c(a),
///
/// with x ≥ 0 and weights w. Groups are what has to move at the common rate Y
/// (an ordered pair, a source's copies, a clique); columns are the ways to move it. The dual has a
/// price l(a) ≥ 0 an arc and a share π(g) ≥ 0 a group, Σ π = 1: a column improves Y only if
/// Σ load l < w·π. Columns are added between solves, which start from the last basis.
/// Numbers are of one unit throughout (Gbit/s).
class PackingLp {
 public:
  struct Solution {
    double rate = 0.0;           ///< Y
    std::vector<double> amount;  ///< x, by column
    std::vector<double> price;   ///< l, by arc
    std::vector<double> share;   ///< π, by group
  };

  PackingLp(std::vector<double> capacity, std::size_t groups);
  PackingLp(PackingLp&&) noexcept;
  PackingLp& operator=(PackingLp&&) noexcept;
  ~PackingLp();

  void add_column(std::size_t group, std::span<const ArcLoad> loads, double weight = 1.0);
  /// Requires a column in every group. The amounts keep within the capacities and the rate within
  /// the amounts: what the solver's tolerances let through is taken off.
  [[nodiscard]] Solution solve();

 private:
  class Model;
  std::unique_ptr<Model> model_;
};

}  // namespace gyre
