#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "schedules/optimizer/mixing_cost.hpp"
#include "schedules/optimizer/round_times.hpp"

namespace gyre {

/// A period of rounds, as indices of partitions, and what the objective makes of it (less is
/// better).
struct Candidate {
  std::vector<std::size_t> rounds;
  double value = kNeverMixes;
};

struct SearchResult {
  std::vector<Candidate> best;  ///< ranked, the best first; empty if nothing mixes
  double bound = 0.0;           ///< no schedule (see each search) has a lower value
  std::string method;           ///< how the bound came about, in words
};

/// Called now and then with the share done, the incumbent and the bound; false ends the search with
/// the best so far.
using SearchWatch = std::function<bool(double share, double incumbent, double bound)>;

struct SearchOptions {
  std::size_t max_period = 4;
  std::size_t max_clique = Partitions::kMostIslands;
  double epsilon = 1e-3;
  double compute_s = 0.0;  ///< of a round, before it exchanges
  double window_s = 0.0;   ///< objective `window`
  std::size_t keep = 4;    ///< ranked schedules to return
  std::uint64_t seed = 1;
  SearchWatch watch;  ///< none: runs to its end
};

/// Least time until ‖W_R … W_1 − J‖₂ ≤ ε over schedules of any length R, communication only.
///
/// One round: the partitions that average exactly. Two rounds: all pairs whose sizes allow it, in
/// order of their bounds, by the overlap test |o/(ab) − 1/n| ≤ ε of blocks a, b with o common
/// islands. More: an entry of the product is a whole multiple of 1/D, D the product over the rounds
/// of the least common multiple of the block sizes, so only those combinations of block sizes count
/// that have a multiple of 1/D within ε of 1/n, can spread one island's vector over all n, and
/// whose fastest rounds sum to less than the incumbent; what remains is enumerated, as far as a
/// fixed amount of work allows, else it bounds the result. Cliques limited below n are searched by
/// annealing instead, since many rounds are needed then. The bound is the value itself where the
/// enumeration ended.
SearchResult search_consensus(const Partitions& partitions, RoundTimes& times,
                              const SearchOptions& options);

/// Least drift J̄ (see `drift_s`) over periods of up to `max_period` rounds of τ + compute, by
/// annealing from several starts, then replacing one round at a time by every other partition until
/// none helps. All periods are tried where there are no more than `kMostPeriodsTried`. The bound
/// holds for periods of any length (see `drift_bound_s`).
SearchResult search_drift(const Partitions& partitions, RoundTimes& times,
                          const SearchOptions& options);

/// The same with every round `window_s` long, over rounds that fit: τ ≤ window_s.
/// Best is empty if no round fits.
SearchResult search_window(const Partitions& partitions, RoundTimes& times,
                           const SearchOptions& options);

/// Most pairs that exchange per second, Σ_C k(k−1)/2 / τ, over single rounds: the value is its
/// negative. Exact.
SearchResult search_pairs(const Partitions& partitions, RoundTimes& times,
                          const SearchOptions& options);

/// Least time until consensus over matchings and other small cliques, the period repeated: by
/// annealing. The bound is the trivial ⌈log n / log max_clique⌉ fastest rounds.
SearchResult anneal_consensus(const Partitions& partitions, RoundTimes& times,
                              const SearchOptions& options);

/// A lower bound on J̄ of every schedule whose rounds with m blocks take at least `least_s[m]`
/// (seconds, compute included; infinite where there is none; index 0 unused).
///
/// After a round of length t with m blocks the drift of that round alone leaves at least
/// t·(m−1)/n of disagreement, since W·I·W = W has trace m. So over any cycle of rounds
///
///     J̄ ≥ Σ t_i·(t_{i−1}·(m_{i−1}−1)/n + t_i·(n−1)/(2n)) / Σ t_i.
///
/// The least-ratio cycle, by bisection on the ratio and Bellman–Ford on the classes m × intervals
/// of t; each interval counts with what it could make best.
double drift_bound_s(std::span<const double> least_s, std::size_t islands);

}  // namespace gyre
