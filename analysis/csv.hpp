#pragma once

#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/columns.hpp"
#include "models/units.hpp"

namespace gyre {

/// A number as all outputs write it: 12 significant digits, no trailing zeros; empty for none.
std::string number(double value);
std::string number(std::optional<double> value);
std::string seconds(Duration value);

/// One CSV line (RFC 4180: fields with a comma, quote or line break are quoted) with `\n`.
std::string csv_line(std::span<const std::string> fields);
std::string csv_header(std::span<const Column> columns);

/// The fields of one CSV line, or nothing if its quotes do not close.
std::optional<std::vector<std::string>> parse_csv_line(std::string_view line);

/// Writes a CSV table row by row. Requires as many fields as columns.
class CsvWriter {
 public:
  CsvWriter(std::ostream& out, std::span<const Column> columns);
  void row(std::span<const std::string> fields);

 private:
  std::ostream* out_;
  std::size_t width_;
};

}  // namespace gyre
