#include "sim/cli_import.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "scenarios/import/formats.hpp"

namespace gyre {
namespace {

std::string format_help() {
  std::string text = "Format of FILE, where its name does not say:";
  for (const ImportFormat& format : import_formats()) {
    text += fmt::format("\n{}: {}", format.name, format.summary);
  }
  return text;
}

void add_rules(CLI::App& command, ImportCommandOptions& options) {
  command
      .add_option("--ms-per-km", options.ms_per_km,
                  "Latency of a km of cable, for links without one: 0.0085, or 0.005\n"
                  "where lengths are those of the cables")
      ->type_name("MS");
  command
      .add_option("--ms-per-link", options.ms_per_link,
                  "Latency of such a link beside that of its length (default: 0)")
      ->type_name("MS");
  command
      .add_option("--bandwidth", options.bandwidth,
                  "Capacity each way of links that have none in the file, as in 10Gbps")
      ->type_name("RATE");
  command.add_flag("--force-bandwidth", options.force_bandwidth,
                   "Capacity of all links, whatever the file says");
}

void add_choices(CLI::App& command, ImportCommandOptions& options) {
  command
      .add_option("--islands", options.islands,
                  "Nodes that get an island (default: all; no routers or hyperedges)")
      ->type_name("A,B,C");
  command.add_flag("--drop-unplaced", options.drop_unplaced,
                   "Drop nodes without coordinates where lengths need them");
  command.add_flag("--largest-component", options.largest_component,
                   "Keep the largest part of a map in several parts");
  command.add_flag("--internal-only", options.internal_only,
                   "Drop nodes of other networks (Internal 0)");
}

}  // namespace

void add_import(CLI::App& app, ImportCommandOptions& options, std::function<int()>& action) {
  CLI::App* command = app.add_subcommand(
      "import", "A topology file from a map: GML, GraphML, SNDlib, DoubleZero, CSV, SimGrid");
  command->add_option("FILE", options.file, "The map")->required();
  command
      ->add_option("-o,--output", options.output,
                   "Topology file to write (default: standard output)")
      ->type_name("FILE");
  command->add_flag("--overwrite", options.overwrite, "Replace that file");
  command->add_option("--format-of", options.format_of, format_help())->type_name("NAME");
  command->add_option("--name", options.name, "Name of the map (default: the file's own)")
      ->type_name("NAME");
  command
      ->add_option("--nodes", options.nodes,
                   "CSV that says more about the nodes: name, latitude, longitude,\n"
                   "access_gbps; or DoubleZero's devices")
      ->type_name("FILE");
  add_rules(*command, options);
  add_choices(*command, options);
  command->add_flag("--quiet", options.quiet, "No summary on standard error");
  command->footer(
      "A link's own latency and capacity win; then its length by the rule. Nothing is looked up\n"
      "on the net. What was decided stands in the file's comments.\n"
      "Example: gyre import cities.gml --ms-per-km 0.0085 --bandwidth 10Gbps -o cities.yaml");
  command->callback([&] { action = [&options] { return command_import(options); }; });
}

}  // namespace gyre
