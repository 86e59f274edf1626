#pragma once

#include <cstddef>
#include <optional>
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
  /// By receiver and sender: after how many rounds the one had heard from the other; none if it has
  /// not. An island knows itself from the start.
  std::vector<std::vector<std::optional<std::size_t>>> first;
};

/// Follows the cliques and overlays of rounds.csv. Islands that were absent, and exchanges that
/// were dropped, wholly or for some, inform nobody.
Spread spread_of(const Results& results, const ResultRun& run);

}  // namespace gyre
