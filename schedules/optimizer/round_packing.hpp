#pragma once

#include <map>
#include <vector>

#include "schedules/optimizer/packed_tree.hpp"

namespace gyre {

/// A group's trees with their rates.
struct PackedGroup {
  std::size_t clique = 0;  ///< of the round's exchanging cliques
  PackingGroup group;
  std::vector<PackedTree> trees;
  std::vector<double> gbps;  ///< by tree
};

/// An optimal packing of a round: every group moves at `gbps`, no faster round exists.
struct RoundPacking {
  double gbps = 0.0;          ///< Y, by the primal solution
  double bound_gbps = 0.0;    ///< by the prices: Y ≤ Σ c·l / Σ_groups cheapest tree
  std::vector<double> price;  ///< l, by arc, scaled to Σ c·l = 1 (c in Gbit/s)
  std::vector<PackedGroup> groups;
};

/// The largest rate at which all cliques of a round exchange at once, by column generation.
///
///     max Y:  Σ_{trees t of group g} x_t ≥ Y,  Σ_t load_t(a)·x_t ≤ c(a)
///
/// The master is `PackingLp`; each iteration prices the cheapest tree of every group exactly and
/// stops when the prices prove the rate (gap below 1e-8). Trees found for a clique serve later
/// rounds with the same clique.
class RoundPacker {
 public:
  /// `capacity_gbps` by arc in place of the map's, to see what other capacities would do.
  explicit RoundPacker(const PackingProblem& problem, std::vector<double> capacity_gbps = {});

  /// Requires a clique of two or more members.
  RoundPacking pack(const Round& round);

  [[nodiscard]] const PackingProblem& problem() const { return problem_; }
  [[nodiscard]] std::span<const double> capacity_gbps() const { return capacity_gbps_; }
  /// The map with these prices, and a tiny one for latency, so that of equal trees the shorter is
  /// taken.
  [[nodiscard]] PricedMap priced(const std::vector<double>& price) const;

 private:
  using Trees = std::vector<std::vector<PackedTree>>;  ///< by group of a clique

  [[nodiscard]] std::vector<double> tie_broken(std::vector<double> price) const;
  PackingProblem problem_;
  std::vector<double> capacity_gbps_;
  std::vector<double> tie_;  ///< a tiny price by arc, so that of equal trees the shorter is taken
  std::map<Clique, Trees> known_;
};

inline constexpr double kBitsPerGigabit = 1e9;

/// The cliques of a round that have two members or more, in its order.
std::vector<Clique> exchanging_cliques(const Round& round);

/// The least latency that a clique's exchange of this kind can have: direct max d(u, v); into a
/// member (or switch) and out again min_root (max_u d(u, root) + max_v d(root, v)), as direct where
/// nothing can be the root.
Duration least_latency(const PackingProblem& problem, const Clique& clique);

}  // namespace gyre
