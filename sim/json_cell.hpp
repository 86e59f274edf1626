#pragma once

#include <optional>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "analysis/columns.hpp"
#include "models/units.hpp"

namespace gyre {

/// A field of an output table in JSON: a number where it is one, else the text.
inline nlohmann::ordered_json json_cell(const std::string& field) {
  const std::optional<double> value = parse_number(field);
  if (value) return *value;
  return field;
}

/// The fields of a row of an output table under the names of its columns.
inline nlohmann::ordered_json json_row(std::span<const Column> columns,
                                       std::span<const std::string> fields) {
  auto row = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    row[std::string(columns[i].name)] = json_cell(fields[i]);
  }
  return row;
}

}  // namespace gyre
