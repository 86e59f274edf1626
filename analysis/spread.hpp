#pragma once

#include <vector>

#include "analysis/results.hpp"

namespace gyre {

/// Nobody looks further for runs in which some islands never hear from others.
inline constexpr std::size_t kMostRoundsOfSpread = 30;

/// How islands come to hear from each other.
struct Spread {
  /// Share of the ordered pairs of islands of which one has heard from the other, directly or
  /// through others, when r rounds are over. Ends when all have, or with the run's rounds.
  std::vector<double> informed;
  /// The run averages over an overlay: rounds.csv does not say who sends to whom.
  bool untold = false;
};

/// Follows the cliques of rounds.csv. Islands that were absent, and exchanges that were dropped,
/// wholly or for some, inform nobody.
Spread spread_of(const Results& results, const ResultRun& run);

}  // namespace gyre
