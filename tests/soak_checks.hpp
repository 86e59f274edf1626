#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/summary.hpp"
#include "sim/simulation.hpp"
#include "tests/random_scenario.hpp"

namespace gyre {

/// A run that has ended, and the folder of its files.
struct EndedRun {
  const RandomScenario& made;
  const RunSpec& spec;
  const RunResult& result;
  const SummaryRow& summary;
  std::filesystem::path folder;
};

/// What is wrong with a run's files whatever the scenario was: one sentence each.
///
/// Times: no row of rounds.csv takes less than its bound nor the mean round less than its own, no
/// part of a round is negative, clocks go forward, an island does one thing at a time, and no arc
/// carries more than it can. Bytes: plans keep them at switches that neither replicate nor add,
/// each member sends and receives a payload at least, and arcs carry what the exchanges took.
/// Rounds: each island is in each round once. Models: their mean goes its way by `MeanLaw`.
std::vector<std::string> wrong_with(const EndedRun& run);

}  // namespace gyre
