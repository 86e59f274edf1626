#pragma once

#include <functional>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace gyre {

struct ReproduceOptions {
  std::string name;
  std::string format = "table";
  bool quiet = false;
  // Of `figures` only:
  std::optional<std::string> figure;
  std::optional<std::string> output;
  std::optional<std::string> jobs;
  bool overwrite = false;
};

/// Adds `gyre reproduce`; `action` becomes the command when it is parsed.
void add_reproduce(CLI::App& app, ReproduceOptions& options, std::function<int()>& action);

/// Prints a published table beside ours, or makes the paper's figures. Returns the exit status.
/// Errors: `InputError`.
int command_reproduce(const ReproduceOptions& options);

}  // namespace gyre
