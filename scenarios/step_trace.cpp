#include "scenarios/step_trace.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/limits.hpp"
#include "models/units.hpp"
#include "scenarios/yaml.hpp"

namespace gyre {
namespace {

/// A line takes as much memory as one of so many islands, however few they are.
constexpr std::size_t kTracedAtLeast = 10;

struct Cell {
  std::string text;
  int column = 1;  ///< of its first character
};

std::vector<Cell> cells_of(const std::string& line, const Where& where) {
  std::vector<Cell> cells;
  std::size_t from = 0;
  while (true) {
    if (cells.size() == kMostIslands) {
      throw InputError(where, fmt::format("more than {} values in one line", kMostIslands));
    }
    const std::size_t comma = line.find(',', from);
    cells.push_back(
        {.text = line.substr(from, comma - from), .column = static_cast<int>(from) + 1});
    if (comma == std::string::npos) return cells;
    from = comma + 1;
  }
}

}  // namespace

void read_step_trace(StepTrace& trace, const std::string& scenario_path) {
  const std::filesystem::path path =
      std::filesystem::path(scenario_path).parent_path() / trace.file.value;
  std::istringstream text(read_text_file(path.string(), trace.file.where));
  Where where{.file = path.string(), .line = 0, .column = 1, .key_path = {}};
  for (std::string line; std::getline(text, line);) {
    ++where.line;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    const std::vector<Cell> cells = cells_of(line, where);
    if (trace.islands.empty()) {
      for (const Cell& cell : cells) trace.islands.push_back(cell.text);
      continue;
    }
    if (cells.size() != trace.islands.size()) {
      throw InputError(where, fmt::format("has {} values; the first line names {} islands",
                                          cells.size(), trace.islands.size()));
    }
    if ((trace.steps_s.size() + 1) * std::max(cells.size(), kTracedAtLeast) > kMostTracedSteps) {
      throw InputError(where, fmt::format("more than {} steps of {} islands", trace.steps_s.size(),
                                          cells.size()));
    }
    std::vector<double>& step = trace.steps_s.emplace_back();
    for (const Cell& cell : cells) {
      const std::optional<double> seconds = parse_number(cell.text);
      where.column = cell.column;
      if (!seconds || *seconds <= 0.0) {
        throw InputError(where, fmt::format("'{}' is no step time; a positive number of seconds is "
                                            "wanted",
                                            cell.text));
      }
      step.push_back(*seconds);
    }
    where.column = 1;
  }
  if (trace.steps_s.empty()) {
    throw InputError(
        trace.file.where,
        fmt::format("{} holds no steps; wanted are a line of island names and lines of "
                    "seconds",
                    path.string()));
  }
}

}  // namespace gyre
