#pragma once

#include <functional>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace gyre {

struct SweepOptions {
  std::string study;
  std::optional<std::string> output;
  std::optional<std::string> jobs;
  std::optional<std::string> fidelity;
  bool dry_run = false;
  bool retry_failed = false;
  bool overwrite = false;
  bool quiet = false;
};

struct QueryOptions {
  std::string file;
  std::string sql = "SELECT * FROM runs ORDER BY run";
  std::string format = "csv";
};

/// Adds `gyre sweep`; `action` becomes the command when it is parsed.
void add_sweep(CLI::App& app, SweepOptions& options, std::function<int()>& action);
/// Adds `gyre query`.
void add_query(CLI::App& app, QueryOptions& options, std::function<int()>& action);

/// Runs a study into its file. Returns the exit status. Errors: `InputError`.
int command_sweep(const SweepOptions& options);
/// Prints what SQLite answers. Returns the exit status. Errors: `InputError`.
int command_query(const QueryOptions& options);

}  // namespace gyre
