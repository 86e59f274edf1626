#pragma once

#include <functional>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace gyre {

struct FiguresOptions {
  std::string results;
  std::optional<std::string> output;  ///< none: `figures` in the folder of results
  bool overwrite = false;
  bool quiet = false;
};

/// Adds `gyre figures`; `action` becomes the command when it is parsed.
void add_figures(CLI::App& app, FiguresOptions& options, std::function<int()>& action);

/// Writes the figures of a results folder with their data and plot sources, and has gnuplot draw
/// them. Returns the exit status. Errors: `InputError`.
int command_figures(const FiguresOptions& options);

}  // namespace gyre
