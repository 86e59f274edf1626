#include "sim/cli_generate.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "scenarios/generate/generators.hpp"

namespace gyre {
namespace {

/// What every kind takes.
CLI::App* add_kind(CLI::App& parent, const GeneratorEntry& kind, GenerateOptions& options,
                   std::function<int()>& action) {
  CLI::App* command = parent.add_subcommand(std::string(kind.name), std::string(kind.summary));
  command
      ->add_option("--bandwidth", options.bandwidth, "Capacity of each link each way, as in 10Gbps")
      ->type_name("RATE")
      ->required();
  command
      ->add_option("--access", options.access,
                   "Capacity of each island each way (default: left to the scenario)")
      ->type_name("RATE");
  command->add_option("--name", options.name, "Name of the map (default: its kind)")
      ->type_name("NAME");
  command
      ->add_option("-o,--output", options.output,
                   "Topology file to write (default: standard output)")
      ->type_name("FILE");
  command->add_flag("--overwrite", options.overwrite, "Replace that file");
  command->add_flag("--quiet", options.quiet, "No summary on standard error");
  command->callback([&options, &action, chosen = kind.kind] {
    options.kind = chosen;
    action = [&options] { return command_generate(options); };
  });
  return command;
}

void add_random_geometric(CLI::App& command, GenerateOptions::RandomGeometric& options) {
  command.add_option("--islands", options.islands, "How many cities, each with an island")
      ->type_name("N")
      ->required();
  command
      .add_option("--links", options.links,
                  "How many links: a minimum spanning tree, then the shortest other pairs")
      ->type_name("N")
      ->required();
  command.add_option("--seed", options.seed, "Of the cities' places (default: 1)")->type_name("N");
  command
      .add_option("--side-km", options.side_km,
                  "Side of the square that the cities lie in (default: 5000)")
      ->type_name("KM");
  command.add_option("--ms-per-km", options.ms_per_km, "Latency of a km of link (default: 0.005)")
      ->type_name("MS");
  command
      .add_option("--ms-per-link", options.ms_per_link,
                  "Latency of a link beside that of its length (default: 0)")
      ->type_name("MS");
  command.footer(
      "Example: gyre generate random-geometric --islands 100 --links 144 --seed 1 \\\n"
      "         --bandwidth 10Gbps -o wan.yaml");
}

void add_regions(CLI::App& command, GenerateOptions::Regions& options) {
  command.add_option("--regions", options.regions, "How many regions")->type_name("N")->required();
  command.add_option("--islands", options.islands, "How many cities a region, each with an island")
      ->type_name("N")
      ->required();
  command
      .add_option("--core", options.core,
                  "How the regions' hubs are joined: star (to a switch in the middle), ring or\n"
                  "mesh (each to each other; default: star)")
      ->type_name("SHAPE");
  command
      .add_option("--local-ms", options.local_ms, "Latency from a city to its hub (default: 0.5)")
      ->type_name("MS");
  command.add_option("--core-ms", options.core_ms, "Latency of a link of the core (default: 20)")
      ->type_name("MS");
  command
      .add_option("--core-bandwidth", options.core_bandwidth,
                  "Capacity of the core's links each way (default: that of all links)")
      ->type_name("RATE");
  command.footer(
      "The file's comments hold the regions as cliques, for hierarchical and static-cliques.\n"
      "Example: gyre generate regions --regions 5 --islands 8 --bandwidth 10Gbps -o wan.yaml");
}

void add_torus(CLI::App& command, GenerateOptions::Torus& options) {
  command.add_option("--sides", options.sides, "Cities along each dimension, as in 4x5 or 4x4x4")
      ->type_name("AxB")
      ->required();
  command.add_option("--ms-per-link", options.ms_per_link, "Latency of a link (default: 5)")
      ->type_name("MS");
  command.footer("Example: gyre generate torus --sides 4x5 --bandwidth 10Gbps -o wan.yaml");
}

}  // namespace

std::vector<std::string> generator_names() {
  std::vector<std::string> names;
  for (const GeneratorEntry& kind : generator_table()) names.emplace_back(kind.name);
  return names;
}

void add_generate(CLI::App& app, GenerateOptions& options, std::function<int()>& action) {
  CLI::App* command = app.add_subcommand(
      "generate", "A topology file for scale studies: random WANs, stars of regions, tori");
  command->require_subcommand(1);
  for (const GeneratorEntry& kind : generator_table()) {
    CLI::App& one = *add_kind(*command, kind, options, action);
    switch (kind.kind) {
      case MapKind::kRandomGeometric:
        add_random_geometric(one, options.random_geometric);
        break;
      case MapKind::kRegions:
        add_regions(one, options.regions);
        break;
      case MapKind::kTorus:
        add_torus(one, options.torus);
        break;
    }
  }
  command->footer(
      "Each kind explains its options: gyre generate regions --help\n"
      "What was chosen stands in the file; the same choices give the same bytes.");
}

}  // namespace gyre
