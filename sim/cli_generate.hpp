#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/generate/generators.hpp"

namespace CLI {
class App;
}

namespace gyre {

/// Of `gyre generate`; values as they were given, or their defaults.
struct GenerateOptions {
  MapKind kind = MapKind::kRandomGeometric;
  std::optional<std::string> output;  ///< none: standard output
  bool overwrite = false;
  bool quiet = false;
  std::optional<std::string> name;
  std::string bandwidth;
  std::optional<std::string> access;

  struct RandomGeometric {
    std::string islands;
    std::string links;
    std::string seed = "1";
    std::string side_km = "5000";
    std::string ms_per_km = "0.005";
    std::string ms_per_link = "0";
  };
  struct Regions {
    std::string regions;
    std::string islands;
    std::string core = "star";
    std::string local_ms = "0.5";
    std::string core_ms = "20";
    std::optional<std::string> core_bandwidth;
  };
  struct Torus {
    std::string sides;
    std::string ms_per_link = "5";
  };
  RandomGeometric random_geometric;
  Regions regions;
  Torus torus;
};

/// The kinds of maps, for error texts.
std::vector<std::string> generator_names();

/// Adds `gyre generate` with a subcommand a kind; `action` becomes the command when it is parsed.
void add_generate(CLI::App& app, GenerateOptions& options, std::function<int()>& action);

/// Makes a topology file of a kind of map. Returns the exit status. Errors: `InputError`.
int command_generate(const GenerateOptions& options);

}  // namespace gyre
