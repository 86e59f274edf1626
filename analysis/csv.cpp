#include "analysis/csv.hpp"

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {

std::string number(double value) { return fmt::format("{:.12g}", value == 0.0 ? 0.0 : value); }
std::string number(std::optional<double> value) { return value ? number(*value) : ""; }
std::string seconds(Duration value) { return number(value.in_seconds()); }

std::string csv_line(std::span<const std::string> fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += ',';
    if (fields[i].find_first_of(",\"\r\n") == std::string::npos) {
      line += fields[i];
      continue;
    }
    line += '"';
    for (const char c : fields[i]) {
      if (c == '"') line += '"';
      line += c;
    }
    line += '"';
  }
  return line + "\n";
}

std::string csv_header(std::span<const Column> columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.emplace_back(column.name);
  return csv_line(names);
}

std::optional<std::vector<std::string>> parse_csv_line(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted) {
      if (c != '"') {
        fields.back() += c;
      } else if (i + 1 < line.size() && line[i + 1] == '"') {
        fields.back() += '"';
        ++i;
      } else {
        quoted = false;
      }
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '"' && fields.back().empty()) {
      quoted = true;
    } else {
      fields.back() += c;
    }
  }
  if (quoted) return std::nullopt;
  return fields;
}

CsvWriter::CsvWriter(std::ostream& out, std::span<const Column> columns)
    : out_(&out), width_(columns.size()) {
  *out_ << csv_header(columns);
}

void CsvWriter::row(std::span<const std::string> fields) {
  check(fields.size() == width_, "a CSV row has to have a field for each column");
  *out_ << csv_line(fields);
}

}  // namespace gyre
