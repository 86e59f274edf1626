#include "scenarios/network_trace.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "models/error.hpp"
#include "scenarios/trace_lines.hpp"

namespace gyre {
namespace {

constexpr std::string_view kFirstLine = "time,arc,bandwidth,latency";
constexpr std::size_t kColumns = 4;

constexpr const char* kBlanks = " \t";

std::vector<Text> trimmed(std::vector<Text> cells) {
  for (Text& cell : cells) {
    const std::size_t first = std::min(cell.value.find_first_not_of(kBlanks), cell.value.size());
    cell.where.column += static_cast<int>(first);
    cell.value.erase(0, first);
    cell.value.erase(cell.value.find_last_not_of(kBlanks) + 1);
  }
  return cells;
}

/// The quantity of a cell, or nothing if it is empty.
template <class T>
std::optional<T> quantity(const Text& cell, Parsed<T> (*parse)(std::string_view), T least,
                          bool or_equal) {
  if (cell.value.empty()) return std::nullopt;
  const Parsed<T> parsed = parse(cell.value);
  if (!parsed.value) throw InputError(cell.where, parsed.problem);
  if (*parsed.value < least || (!or_equal && *parsed.value == least)) {
    throw InputError(cell.where,
                     fmt::format("{} is out of range; must be {} {}", to_text(*parsed.value),
                                 or_equal ? "at least" : "above", to_text(least)));
  }
  return parsed.value;
}

ChangeSpec change_of(const std::vector<Text>& cells, const Where& where) {
  if (cells.size() != kColumns) {
    throw InputError(where, fmt::format("has {} cells; must be {}, as in '{}'", cells.size(),
                                        kColumns, "12 s,NYC->LON,4 Gbps,60 ms"));
  }
  ChangeSpec change;
  change.where = where;
  const std::optional<Duration> at = quantity(cells[0], parse_duration, Duration(), true);
  if (!at) throw InputError(cells[0].where, "the time is missing; must be as in '12 s'");
  change.at = *at;
  change.arcs = {cells[1]};
  change.bandwidth = quantity(cells[2], parse_bandwidth, Bandwidth(), false);
  change.latency = quantity(cells[3], parse_duration, Duration(), true);
  change.bandwidth_where = cells[2].where;
  change.latency_where = cells[3].where;
  if (!change.bandwidth && !change.latency) {
    throw InputError(where, "changes nothing; give a bandwidth, a latency or both");
  }
  return change;
}

/// FNV-1a, 64 bits.
std::uint64_t digest(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const char c : text) {
    value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return value;
}

}  // namespace

ResolvedValue read_network_trace(NetworkSpec& network, const std::string& scenario_path) {
  const Text name = network.traces.value_or(Text());
  const TraceFile file = read_trace_file(name, scenario_path);
  bool begun = false;
  std::size_t count = 0;
  Duration before;
  for_each_line(file, [&](const std::string& line, const Where& where) {
    if (line.find_first_not_of(kBlanks) == std::string::npos) return;
    const std::vector<Text> cells = trimmed(cells_of(line, where));
    if (!begun) {
      std::string names;
      for (const Text& cell : cells) names += (names.empty() ? "" : ",") + cell.value;
      if (names != kFirstLine) {
        throw InputError(where,
                         fmt::format("the columns are '{}'; must be '{}'", names, kFirstLine));
      }
      begun = true;
      return;
    }
    network.changes.push_back(change_of(cells, where));
    const Duration at = network.changes.back().at;
    if (at < before) {
      throw InputError(cells[0].where, fmt::format("{} is before the {} of the line above; must be "
                                                   "at least that",
                                                   to_text(at), to_text(before)));
    }
    before = at;
    ++count;
  });
  if (count == 0) {
    throw InputError(name.where, fmt::format("{} holds no changes; wanted are a line '{}' and "
                                             "lines as '12 s,NYC->LON,4 Gbps,60 ms'",
                                             file.path, kFirstLine));
  }
  return {.key_path = "network.traces.text",
          .value = fmt::format("{} changes, FNV-1a {:016x}", count, digest(file.text)),
          .origin = file.path};
}

}  // namespace gyre
