#include "sim/cli_reproduce.hpp"

#include <CLI/CLI.hpp>

#include "sim/cli.hpp"

namespace gyre {

void add_reproduce(CLI::App& app, ReproduceOptions& options, std::function<int()>& action) {
  CLI::App* command = app.add_subcommand(
      "reproduce", "A known table beside ours, cell by cell, or the figures of the paper");
  command->add_option("NAME", options.name, "Which one (gyre list reproductions)")->required();
  command->add_option("FIGURE", options.figure,
                      "With figures: this one only (topology, schedules, exchange-rate,\n"
                      "time-to-accuracy or sensitivity; default: all)");
  command
      ->add_option("-o,--output", options.output,
                   "With figures: their folder, which also keeps what they are made from\n"
                   "(default: results/paper-figures)")
      ->type_name("FOLDER");
  command->add_option("--jobs", options.jobs, "With figures: plans and simulations at a time")
      ->type_name("N");
  command->add_flag("--overwrite", options.overwrite,
                    "With figures: replace sources and data that were changed by hand");
  command->add_flag("--quiet", options.quiet, "No progress on standard error");
  add_format(*command, options.format);
  command->footer(
      "gyre reproduce figures takes a few minutes; interrupted, it goes on where it was.\n"
      "Example: gyre reproduce memory-shift");
  command->callback([&] { action = [&options] { return command_reproduce(options); }; });
}

}  // namespace gyre
