#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace gyre {

/// A round as the objectives see it: the block of each island, and how long the round takes.
struct MixingRound {
  std::span<const std::uint16_t> block;
  double time_s = 0.0;
};

/// What a schedule that never mixes costs.
inline constexpr double kNeverMixes = std::numeric_limits<double>::infinity();

/// Drift J̄: islands drift apart at unit variance per second and average by W at the end of each
/// round; the time average over a period, in its steady state, of (1/n)·tr((I−J)·S(t)):
///
///     S ← W·(S + t·I)·W at a round's end,   J̄ = Σ t_i·(r_i + t_i·(n−1)/2) / (n·Σ t_i),
///
/// with r_i the disagreement tr((I−J)S) at the start of round i. Seconds. `kNeverMixes` where the
/// rounds together do not connect the islands, or have not settled after `kMostPeriods`.
/// `precision` is relative. The disagreement grows from period to period to its steady state: a
/// schedule that exceeds `give_up_s` before is given up (`kNeverMixes`). Cost: O(n²) a round and
/// period.
double drift_s(std::span<const MixingRound> period, double precision = 1e-13,
               double give_up_s = kNeverMixes);

/// Seconds until ‖W_t … W_1 − J‖₂ ≤ ε, the rounds repeated; and after how many rounds.
struct Consensus {
  double time_s = kNeverMixes;
  std::size_t rounds = 0;
};
/// Gives up once `give_up_s` is exceeded.
Consensus time_to_consensus(std::span<const MixingRound> period, double epsilon,
                            double give_up_s = kNeverMixes);

/// Whether the rounds together connect all islands, without which nothing agrees.
bool connects(std::span<const MixingRound> period);

}  // namespace gyre
