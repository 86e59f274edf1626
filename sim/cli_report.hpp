#pragma once

#include <functional>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace gyre {

struct ReportOptions {
  std::string folder;
  std::optional<std::string> output;  ///< none: report.html in the folder
  bool overwrite = false;
  bool quiet = false;
};

/// Adds `gyre report`; `action` becomes the command when it is parsed.
void add_report(CLI::App& app, ReportOptions& options, std::function<int()>& action);

/// Writes the page of a results folder. Returns the exit status. Errors: `InputError`.
int command_report(const ReportOptions& options);

}  // namespace gyre
