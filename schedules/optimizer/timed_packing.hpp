#pragma once

#include <vector>

#include "schedules/optimizer/round_packing.hpp"

namespace gyre {

/// A packing with its latencies: every group of clique c sends M = Σ_t y_t·(T_c − L_t).
struct TimedPacking {
  RoundPacking packing;
  std::vector<Duration> ends;  ///< T by exchanging clique
  Duration time;               ///< the last of them
};

/// The packing that ends the round first, latencies counted: rates y that minimise T such that
/// Σ_{t ∈ g} y_t·(T − L_t) ≥ M for each group, within the capacities. With one tree a group
/// T = M/y + L; with several T = (M + Σ y L)/Σ y.
///
/// For a given T the rates solve an LP; with those rates the round ends at T or before, and that
/// end is the next T (Dinkelbach 1967). Between two LPs new trees are priced by load and depth:
/// exactly for paths, by grown trees (`grow_tree`) for the others, whose depth is no sum. An upper
/// bound therefore; M/Y + the least latency is the reference's lower bound for one tree a clique,
/// and a clique that could be done before is slowed down to that.
TimedPacking finish_first(RoundPacker& packer, const Round& round, Bytes payload);

}  // namespace gyre
