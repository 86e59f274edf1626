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
  explicit RoundPacker(const PackingProblem& problem);

  /// Requires a clique of two or more members.
  RoundPacking pack(const Round& round);
  /// Forgets trees of earlier rounds.
  void forget() { known_.clear(); }

  /// `pack`, then the trees and rates that end the round first with latencies counted
  /// (see `finish_first`).
  struct Timed {
    RoundPacking packing;
    Duration time;  ///< T: every group sends M = Σ_t y_t·(T − L_t)
  };
  /// Of the trees known after `pack` and some of less latency: the rates y that minimise T such
  /// that Σ_{t ∈ g} y_t·(T − L_t) ≥ M for each group within the capacities. With one tree a group
  /// T = M/y + L; with several T = (M + Σ y L)/Σ y. Bisection by LPs; an upper bound on the best
  /// pipelined packing, whose T is at least M/Y + the least latency.
  Timed finish_first(const Round& round, Bytes payload);

 private:
  using Trees = std::vector<std::vector<PackedTree>>;  ///< by group of a clique

  [[nodiscard]] std::vector<double> tie_broken(std::vector<double> price) const;
  [[nodiscard]] PricedMap priced(std::vector<double> price) const;
  void add_light_trees(const Clique& clique, Trees& trees) const;

  PackingProblem problem_;
  std::vector<double> capacity_gbps_;
  std::vector<double> tie_;  ///< a tiny price by arc, so that of equal trees the shorter is taken
  std::map<Clique, Trees> known_;
};

/// T of a clique alone that moves M at rate `gbps` in the way of each group, latency L on top.
constexpr double kBitsPerGigabit = 1e9;

/// The least latency that a clique's exchange of this kind can have: direct max d(u, v); into a
/// member (or switch) and out again min_root (max_u d(u, root) + max_v d(root, v)).
Duration least_latency(const PackingProblem& problem, const Clique& clique);

}  // namespace gyre
