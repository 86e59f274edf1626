#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/import/attributes.hpp"
#include "scenarios/import/source_text.hpp"

namespace gyre {

/// A CSV file with a header (RFC 4180: fields in quotes may hold commas, quotes and line breaks).
/// Empty lines and lines that start with `#` are skipped.
struct CsvTable {
  std::vector<std::string> header;
  Where header_where;
  /// A row's fields under the names of its columns; empty fields are left out.
  std::vector<Attributes> rows;
  std::vector<Where> row_where;
};

/// What the columns have to be called.
struct CsvColumns {
  std::vector<std::string> required;
  std::vector<std::string> optional;
};

/// Errors: `InputError` with line and column for open quotes, text behind a closing quote, a row of
/// another width, a column that is unknown, missing or there twice, and a required field that is
/// empty.
CsvTable read_csv(const SourceText& source, const CsvColumns& columns);

}  // namespace gyre
