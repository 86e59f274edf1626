#include "scenarios/trace_lines.hpp"

#include <filesystem>
#include <sstream>

#include "scenarios/yaml.hpp"

namespace gyre {

TraceFile read_trace_file(const Text& name, const std::string& scenario_path) {
  const std::string path =
      (std::filesystem::path(scenario_path).parent_path() / name.value).string();
  return {.path = path, .text = read_text_file(path, name.where)};
}

void for_each_line(const TraceFile& file,
                   const std::function<void(const std::string& line, const Where& where)>& take) {
  std::istringstream lines(file.text);
  Where where{.file = file.path, .line = 0, .column = 1, .key_path = {}};
  for (std::string line; std::getline(lines, line);) {
    ++where.line;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty() && line.front() != '#') take(line, where);
  }
}

std::vector<Text> cells_of(const std::string& line, const Where& where) {
  std::vector<Text> cells;
  for (std::size_t from = 0; from != std::string::npos;) {
    const std::size_t comma = line.find(',', from);
    Text& cell = cells.emplace_back(Text{.value = line.substr(from, comma - from), .where = where});
    cell.where.column = static_cast<int>(from) + 1;
    from = comma == std::string::npos ? comma : comma + 1;
  }
  return cells;
}

}  // namespace gyre
