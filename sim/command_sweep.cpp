#include "models/error.hpp"
#include "sim/cli.hpp"
#include "sim/cli_sweep.hpp"
#include "sim/print_rows.hpp"
#include "sim/study_store.hpp"
#include "sim/sweep.hpp"

namespace gyre {

int command_sweep(const SweepOptions& options) {
  const SweepSettings settings{.study = options.study,
                               .output = options.output
                                             ? std::optional<std::filesystem::path>(*options.output)
                                             : std::nullopt,
                               .jobs = job_count(options.jobs),
                               .fidelity = chosen_fidelity(options.fidelity),
                               .dry_run = options.dry_run,
                               .retry_failed = options.retry_failed,
                               .overwrite = options.overwrite,
                               .quiet = options.quiet};
  if (options.output && options.output->empty()) {
    throw InputError("--output", "is empty; expected the name of a file");
  }
  if (options.jobs && MpiWorld::present()) {
    throw InputError("--jobs", "has no effect under mpirun, where each process does one run");
  }
  MpiWorld world;
  try {
    return sweep(settings, world);
  } catch (const InputError&) {
    // All processes find the same fault: one says it.
    if (world.leads()) throw;
    return kExitBadInput;
  }
}

int command_query(const QueryOptions& options) {
  const Format format = chosen_format(options.format);
  const QueryResult result = query_study(options.file, options.sql);
  switch (format) {
    case Format::kTable:
      print_table(result.columns, result.rows);
      break;
    case Format::kCsv:
      print_csv(result.columns, result.rows);
      break;
    case Format::kJson:
      print_json(result.columns, result.rows);
      break;
  }
  return kExitDone;
}

}  // namespace gyre
