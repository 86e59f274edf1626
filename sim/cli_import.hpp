#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gyre {

struct ImportCommandOptions {
  std::string file;
  std::optional<std::string> output;  ///< none: standard output
  bool overwrite = false;
  bool quiet = false;
  std::optional<std::string> format_of;
  std::optional<std::string> name;
  std::optional<std::string> nodes;
  std::optional<std::string> islands;
  std::optional<std::string> bandwidth;
  bool force_bandwidth = false;
  std::optional<std::string> ms_per_km;
  std::optional<std::string> ms_per_link;
  bool drop_unplaced = false;
  bool largest_component = false;
  bool internal_only = false;
};

/// Adds `gyre import`; `action` becomes the command when it is parsed.
void add_import(CLI::App& app, ImportCommandOptions& options, std::function<int()>& action);

/// Errors: `InputError` if `--output` cannot be written, would be one of the inputs, or is there
/// already and not to be overwritten.
void check_output(const std::optional<std::string>& output, bool overwrite,
                  const std::vector<std::string>& inputs);

/// Makes a topology file of a foreign map. Returns the exit status. Errors: `InputError`.
int command_import(const ImportCommandOptions& options);

}  // namespace gyre
