#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/fields.hpp"

namespace gyre {

/// A text file that a scenario names, relative to the scenario's folder.
struct TraceFile {
  std::string path;
  std::string text;
};
/// Errors: `InputError` at the name for a file that cannot be read.
TraceFile read_trace_file(const Text& name, const std::string& scenario_path);

/// Calls `take` with each line that is neither empty nor begins with #, and its place.
void for_each_line(const TraceFile& file,
                   const std::function<void(const std::string& line, const Where& where)>& take);

/// What stands between the commas of a line, each with its place.
std::vector<Text> cells_of(const std::string& line, const Where& where);

}  // namespace gyre
