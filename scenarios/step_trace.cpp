#include "scenarios/step_trace.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/limits.hpp"
#include "models/units.hpp"
#include "scenarios/trace_lines.hpp"

namespace gyre {
namespace {

/// A line takes as much memory as one of so many islands, however few they are.
constexpr std::size_t kTracedAtLeast = 10;

}  // namespace

void read_step_trace(StepTrace& trace, const std::string& scenario_path) {
  const TraceFile file = read_trace_file(trace.file, scenario_path);
  for_each_line(file, [&trace](const std::string& line, const Where& where) {
    if (std::count(line.begin(), line.end(), ',') >= static_cast<std::ptrdiff_t>(kMostIslands)) {
      throw InputError(where, fmt::format("more than {} values in one line", kMostIslands));
    }
    const std::vector<Text> cells = cells_of(line, where);
    if (trace.islands.empty()) {
      for (const Text& cell : cells) trace.islands.push_back(cell.value);
      return;
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
    for (const Text& cell : cells) {
      const std::optional<double> seconds = parse_number(cell.value);
      if (!seconds || *seconds <= 0.0) {
        throw InputError(cell.where, fmt::format("'{}' is no step time; a positive number of "
                                                 "seconds is wanted",
                                                 cell.value));
      }
      step.push_back(*seconds);
    }
  });
  if (trace.steps_s.empty()) {
    throw InputError(
        trace.file.where,
        fmt::format("{} holds no steps; wanted are a line of island names and lines of "
                    "seconds",
                    file.path));
  }
}

}  // namespace gyre
