#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "analysis/summary.hpp"
#include "scenarios/scenario.hpp"
#include "sim/run_setup.hpp"
#include "sim/simulation.hpp"

namespace gyre {

/// What a run's folder says about the run.
struct RunManifest {
  std::string key;  ///< see `run_key`
  RunStatus status = RunStatus::kTruncated;
  std::string failure;
  std::optional<SummaryRow> summary;
};

/// Writes `manifest.json` of one run, replacing it in one step. A run first writes it as truncated,
/// so that whatever stops it leaves the mark.
/// Errors: `std::runtime_error` if it cannot be written.
void write_run_manifest(const std::filesystem::path& folder, const LoadedScenario& loaded,
                        const RunChoice& choice, const RunManifest& manifest);
/// Nothing if there is none, it is damaged, or it is not one of this version.
std::optional<RunManifest> read_run_manifest(const std::filesystem::path& folder);

/// Writes `manifest.json` of a comparison: scenario text and resolved values, model options,
/// status, the list of runs.
void write_comparison_manifest(const std::filesystem::path& folder, const LoadedScenario& loaded,
                               const std::vector<RunChoice>& runs, RunStatus status);

/// Replaces a file's content in one step. Errors: `std::runtime_error`.
void write_file(const std::filesystem::path& file, const std::string& content);

}  // namespace gyre
