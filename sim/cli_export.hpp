#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sim/cli.hpp"

namespace gyre {

struct ExportCommandOptions {
  CommonOptions common;  ///< without `output`: standard output
  std::string to;
  std::optional<std::string> schedule;
  std::optional<std::string> mode;
  std::optional<std::int64_t> rounds;  ///< none: a period
};

/// Adds `gyre export`; `action` becomes the command when it is parsed.
void add_export(CLI::App& app, ExportCommandOptions& options, std::function<int()>& action);

/// Writes a map, a schedule or its switch programs for other programs. Returns the exit status.
/// Errors: `InputError`.
int command_export(const ExportCommandOptions& options);

}  // namespace gyre
