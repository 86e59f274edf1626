#include "sim/cli_export.hpp"

#include <CLI/CLI.hpp>

namespace gyre {

void add_export(CLI::App& app, ExportCommandOptions& options, std::function<int()>& action) {
  CLI::App* command = app.add_subcommand(
      "export", "Map and schedule for other programs: SimGrid, GraphML, switch programs as JSON");
  add_scenario(*command, options.common);
  command->get_option("SCENARIO")->description("Scenario file, or a topology file by itself");
  command
      ->add_option("--to", options.to,
                   "simgrid: a platform, and with --schedule a deployment beside it\n"
                   "graphml: the map, and with --schedule its cliques or weighted edges\n"
                   "programs: what the switches replicate and add, as JSON")
      ->type_name("FORMAT")
      ->required();
  command
      ->add_option("-o,--output", options.common.output, "File to write (default: standard output)")
      ->type_name("FILE");
  command->add_flag("--overwrite", options.common.overwrite, "Replace what is there");
  command
      ->add_option("--schedule", options.schedule,
                   "Name of one of the scenario's schedules; for programs needed where it\n"
                   "has several, else the map goes alone without it")
      ->type_name("NAME");
  command
      ->add_option("--mode", options.mode,
                   "What the switches may do; with a schedule needed where the scenario has\n"
                   "several modes")
      ->type_name("MODE");
  command
      ->add_option("--rounds", options.rounds,
                   "First rounds of the schedule (default: those before it begins again)")
      ->type_name("N")
      ->check(CLI::Range(1, 10'000));
  command->add_flag("--quiet", options.common.quiet, "No summary on standard error");
  command->footer(
      "gyre import reads the maps back. What a file holds stands in it.\n"
      "Example: gyre export scenarios/nine-city.yaml --to graphml --schedule two-rounds-3x3 \\\n"
      "           --mode both -o nine-city.graphml");
  command->callback([&] { action = [&options] { return command_export(options); }; });
}

}  // namespace gyre
