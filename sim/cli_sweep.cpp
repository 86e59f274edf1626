#include "sim/cli_sweep.hpp"

#include <CLI/CLI.hpp>

#include "sim/cli.hpp"

namespace gyre {

void add_sweep(CLI::App& app, SweepOptions& options, std::function<int()>& action) {
  CLI::App* command = app.add_subcommand(
      "sweep", "All runs of a study: a scenario with some of its values varied, into one file");
  command->add_option("STUDY", options.study, "Study file: the scenario and what to vary")
      ->required();
  command
      ->add_option("-o,--output", options.output,
                   "SQLite file for the results (default: results/NAME.sqlite of the study)")
      ->type_name("FILE");
  command
      ->add_option("--jobs", options.jobs,
                   "Simulations at a time (default: one a core; under mpirun one a process)")
      ->type_name("N");
  add_fidelity(*command, options.fidelity);
  command->add_flag("--dry-run", options.dry_run,
                    "Only say how many runs there are and how long they would take");
  command->add_flag("--retry-failed", options.retry_failed, "Run those again that have failed");
  command->add_flag("--overwrite", options.overwrite,
                    "Replace the results of another study in that file");
  command->add_flag("--quiet", options.quiet, "No progress on standard error");
  command->footer(
      "Runs that the file has are not run again: after an interrupt, or a kill at any moment, the\n"
      "same command goes on. On a cluster: mpirun -n N gyre sweep STUDY, or srun --mpi=pmix -n N.\n"
      "Example: gyre sweep scenarios/studies/access.yaml");
  command->callback([&] { action = [&options] { return command_sweep(options); }; });
}

void add_query(CLI::App& app, QueryOptions& options, std::function<int()>& action) {
  CLI::App* command =
      app.add_subcommand("query", "The results of a study, or what SQL makes of them");
  command->add_option("FILE", options.file, "File that gyre sweep has written")->required();
  command->add_option("SQL", options.sql,
                      "A question to the table runs (default: all of it, by number of the run)");
  add_format(*command, options.format);
  command->footer(
      "The columns are the study's keys and those of summary.csv (gyre list columns).\n"
      "Example: gyre query results/access.sqlite \\\n"
      "           'SELECT mode, schedule, min(time_to_accuracy_s) FROM runs GROUP BY mode'");
  command->callback([&] { action = [&options] { return command_query(options); }; });
}

}  // namespace gyre
