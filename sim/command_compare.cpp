#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "sim/batch.hpp"
#include "sim/cli.hpp"
#include "sim/interrupt.hpp"
#include "sim/manifest.hpp"
#include "sim/report_table.hpp"

namespace gyre {

int command_compare(const CompareOptions& options) {
  namespace fs = std::filesystem;
  const LoadedScenario loaded = load(options.common);
  const fs::path folder = output_folder(options.common, loaded.scenario);
  const std::vector<RunChoice> choices = all_runs(loaded.scenario);
  std::vector<BatchRun> runs;
  for (const RunChoice& choice : choices) {
    runs.push_back({.choice = choice, .folder = folder / "runs" / run_id(loaded.scenario, choice)});
  }

  watch_interrupts();
  BatchOutcome outcome = run_batch(loaded, runs,
                                   {.jobs = job_count(options.common),
                                    .quiet = options.common.quiet,
                                    .overwrite = options.common.overwrite});
  rank(outcome.rows);
  write_file(folder / "summary.csv", comparison_csv(outcome.rows));
  write_comparison_manifest(folder, loaded, choices, outcome.status);

  switch (options.common.format) {
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
