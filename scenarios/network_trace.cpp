#include "scenarios/network_trace.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "models/error.hpp"
#include "scenarios/yaml.hpp"

namespace gyre {
namespace {

constexpr std::string_view kFirstLine = "time,arc,bandwidth,latency";
constexpr std::size_t kColumns = 4;

std::vector<Text> cells_of(const std::string& line, Where where) {
  constexpr const char* kBlanks = " \t";
  std::vector<Text> cells;
  for (std::size_t from = 0; from != std::string::npos;) {
    const std::size_t comma = line.find(',', from);
    const std::size_t end = std::min(comma, line.size());
    const std::size_t first = std::min(line.find_first_not_of(kBlanks, from), end);
    where.column = static_cast<int>(first) + 1;
    std::string text = line.substr(first, end - first);
    text.erase(text.find_last_not_of(kBlanks) + 1);
    cells.push_back({.value = std::move(text), .where = where});
    from = comma == std::string::npos ? comma : comma + 1;
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
  const Text file = network.traces.value_or(Text());
  const std::filesystem::path path =
      std::filesystem::path(scenario_path).parent_path() / file.value;
  const std::string text = read_text_file(path.string(), file.where);
  std::istringstream lines(text);
  Where where{.file = path.string(), .line = 0, .column = 1, .key_path = {}};
  bool begun = false;
  std::size_t count = 0;
  Duration before;
  for (std::string line; std::getline(lines, line);) {
    ++where.line;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.find_first_not_of(" \t") == std::string::npos || line.front() == '#') continue;
    const std::vector<Text> cells = cells_of(line, where);
    if (!begun) {
      std::string names;
      for (const Text& cell : cells) names += (names.empty() ? "" : ",") + cell.value;
      if (names != kFirstLine) {
        throw InputError(where,
                         fmt::format("the columns are '{}'; must be '{}'", names, kFirstLine));
      }
      begun = true;
      continue;
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
  }
  if (count == 0) {
    throw InputError(file.where, fmt::format("{} holds no changes; wanted are a line '{}' and "
                                             "lines as '12 s,NYC->LON,4 Gbps,60 ms'",
                                             path.string(), kFirstLine));
  }
  return {.key_path = "network.traces.text",
          .value = fmt::format("{} changes, FNV-1a {:016x}", count, digest(text)),
          .origin = path.string()};
}

}  // namespace gyre
