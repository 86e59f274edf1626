#include "sim/cli_report.hpp"

#include <CLI/CLI.hpp>

namespace gyre {

void add_report(CLI::App& app, ReportOptions& options, std::function<int()>& action) {
  CLI::App* command = app.add_subcommand("report", "One self-contained HTML page of the results");
  command->add_option("RESULTS", options.folder, "Folder that `gyre compare` or `gyre run` wrote")
      ->required();
  command
      ->add_option("-o,--output", options.output, "The page (default: report.html in the folder)")
      ->type_name("FILE");
  command->add_flag("--overwrite", options.overwrite,
                    "Replace a file of that name given by --output");
  command->add_flag("--quiet", options.quiet, "No word of where the page is");
  command->footer(
      "The answer in a sentence a mode, the ranked table, curves, the map round by round, what "
      "each\n"
      "island does, links by utilisation, the scenario with every default, and the definition of\n"
      "every column. The page needs no network and no other file.\n"
      "Example: gyre report results/nine-city");
  command->callback([&] { action = [&options] { return command_report(options); }; });
}

}  // namespace gyre
