#include "sim/cli_figures.hpp"

#include <CLI/CLI.hpp>

namespace gyre {

void add_figures(CLI::App& app, FiguresOptions& options, std::function<int()>& action) {
  CLI::App* command = app.add_subcommand(
      "figures", "Figures of a results folder: SVG, PDF, PNG, with their data and plot sources");
  command
      ->add_option("RESULTS", options.results, "Folder that gyre compare or gyre run has written")
      ->required();
  command
      ->add_option("-o,--output", options.output,
                   "Folder for the figures (default: RESULTS/figures)")
      ->type_name("FOLDER");
  command->add_flag("--overwrite", options.overwrite, "Replace figures that are there");
  command->add_flag("--quiet", options.quiet, "No list of what was drawn on standard error");
  command->footer(
      "A figure is NAME.csv (its data), NAME.gp (its source: change it and run gnuplot NAME.gp\n"
      "in the folder) and what gnuplot draws, NAME.svg, NAME.pdf and NAME.png.\n"
      "gyre list figures says which there are.\n"
      "Example: gyre figures results/nine-city");
  command->callback([&] { action = [&options] { return command_figures(options); }; });
}

}  // namespace gyre
