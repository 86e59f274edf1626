#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "sim/batch.hpp"
#include "sim/cli.hpp"
#include "sim/interrupt.hpp"
#include "sim/manifest.hpp"
#include "sim/path_lock.hpp"
#include "sim/report_table.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;

/// Removes what other scenarios left among the runs, as far as it is a run of gyre.
void remove_other_runs(const fs::path& folder, const std::vector<BatchRun>& runs) {
  if (!fs::is_directory(folder)) return;
  std::vector<fs::path> others;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const bool mine = std::any_of(runs.begin(), runs.end(), [&entry](const BatchRun& run) {
      return run.folder.filename() == entry.path().filename();
    });
    if (!mine && read_run_manifest(entry.path())) others.push_back(entry.path());
  }
  for (const fs::path& other : others) fs::remove_all(other);
}

}  // namespace

int command_compare(const CompareOptions& options) {
  const LoadedScenario loaded = load(options.common);
  const fs::path folder = output_folder(options.common, loaded.scenario);
  const PathLock lock(folder);
  const std::vector<RunChoice> choices = all_runs(loaded.scenario);
  const std::vector<BatchRun> runs = runs_below(folder, loaded);

  watch_interrupts();
  const auto begin = [&] {
    if (options.common.overwrite) remove_other_runs(folder / "runs", runs);
    write_comparison_manifest(folder, loaded, choices, RunStatus::kTruncated);
  };
  BatchOutcome outcome = run_batch(runs, {.jobs = job_count(options.common.jobs),
                                          .quiet = options.common.quiet,
                                          .overwrite = options.common.overwrite,
                                          .on_begin = begin});
  rank(outcome.rows);
  write_file(folder / "summary.csv", comparison_csv(outcome.rows));
  write_comparison_manifest(folder, loaded, choices, outcome.status);

  switch (chosen_format(options.common.format)) {
    case Format::kTable:
      fmt::print("{}", comparison_text(loaded, outcome.rows));
      break;
    case Format::kCsv:
      fmt::print("{}", comparison_csv(outcome.rows));
      break;
    case Format::kJson:
      fmt::print("{}", comparison_json(outcome.rows));
      break;
  }
  for (const std::string& failure : outcome.failures) fmt::print(stderr, "failed: {}\n", failure);
  if (!options.common.quiet) {
    fmt::print(stderr, "{} runs in {:.1f} s", runs.size(), outcome.elapsed_s);
    if (outcome.reused > 0) fmt::print(stderr, ", {} of them reused", outcome.reused);
    fmt::print(
        stderr,
        " (of the processes' time: simulation {:.1f} s, learning {:.1f} s, output {:.1f} s)\n",
        outcome.wall.simulation_s, outcome.wall.learning_s, outcome.wall.output_s);
    fmt::print(stderr, "results in {}\n", folder.string());
  }
  if (outcome.status == RunStatus::kTruncated) {
    fmt::print(stderr, "interrupted: {} of {} runs are complete; run again to go on\n",
               std::count_if(outcome.rows.begin(), outcome.rows.end(),
                             [](const SummaryRow& row) { return row.status == "complete"; }),
               runs.size());
  }
  return outcome.status == RunStatus::kComplete ? kExitDone : kExitFailed;
}

}  // namespace gyre
