#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/summary.hpp"
#include "sim/run_setup.hpp"

namespace gyre {

/// Wall-clock seconds of runs, by part; for display only, never stored.
struct WallParts {
  double simulation_s = 0.0;
  double learning_s = 0.0;
  double output_s = 0.0;
};

struct BatchRun {
  const LoadedScenario* loaded = nullptr;
  RunChoice choice;
  std::filesystem::path folder;
};

struct BatchOptions {
  std::size_t jobs = 1;
  bool quiet = false;      ///< no progress
  bool overwrite = false;  ///< replace results of other scenarios
  /// Policies plan in the runs' processes instead of before: for many scenarios, few runs of each.
  bool plan_in_runs = false;
  /// Called once when the folders were found fit, before anything runs.
  std::function<void()> on_begin = [] {};
};

struct BatchOutcome {
  std::vector<SummaryRow> rows;  ///< by run; without those that never started
  /// By run: its row, or none if it never started.
  std::vector<std::optional<std::size_t>> row_of;
  RunStatus status = RunStatus::kComplete;  ///< the worst of the runs'
  std::vector<std::string> failures;
  std::size_t reused = 0;
  WallParts wall;
  double elapsed_s = 0.0;
};

/// Runs each in a process of its own, `jobs` at a time, with progress on standard error. A run
/// whose folder holds a complete one of the same key is not run again. Ctrl-C ends the runs under
/// way, which are marked as truncated. Errors: `InputError` if a folder holds a run of another
/// scenario, before anything runs.
BatchOutcome run_batch(const std::vector<BatchRun>& runs, const BatchOptions& options);

/// All runs of a scenario, each with its folder below `folder`/runs.
std::vector<BatchRun> runs_below(const std::filesystem::path& folder, const LoadedScenario& loaded);

}  // namespace gyre
