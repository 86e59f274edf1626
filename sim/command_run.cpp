#include <filesystem>

#include <fmt/format.h>

#include "sim/batch.hpp"
#include "sim/cli.hpp"
#include "sim/interrupt.hpp"
#include "sim/manifest.hpp"
#include "sim/path_lock.hpp"
#include "sim/report_table.hpp"

namespace gyre {
int command_run(const RunOptions& options) {
  const LoadedScenario loaded = load(options.common);
  const RunChoice choice = chosen_run(options.schedule, options.mode, loaded.scenario);
  CommonOptions common = options.common;
  if (!common.output) {
    common.output = (std::filesystem::path("results") / loaded.scenario.name.value /
                     run_id(loaded.scenario, choice))
                        .string();
  }
  const std::filesystem::path folder = output_folder(common, loaded.scenario);
  const PathLock lock(folder);

  watch_interrupts();
  const BatchOutcome outcome =
      run_batch({{.loaded = &loaded, .choice = choice, .folder = folder}},
                {.jobs = 1, .quiet = common.quiet, .overwrite = common.overwrite});
  switch (chosen_format(common.format)) {
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
  if (!common.quiet) {
    if (outcome.reused > 0) fmt::print(stderr, "reused the complete run of the same scenario\n");
    fmt::print(stderr, "results in {}\n", folder.string());
  }
  if (outcome.status == RunStatus::kTruncated) fmt::print(stderr, "interrupted: truncated\n");
  return outcome.status == RunStatus::kComplete ? kExitDone : kExitFailed;
}

}  // namespace gyre
