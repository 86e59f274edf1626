#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "models/units.hpp"

namespace gyre {

/// A field of an output table in JSON: a number where it is one, else the text.
inline nlohmann::ordered_json json_cell(const std::string& field) {
  const std::optional<double> value = parse_number(field);
  if (value) return *value;
  return field;
}

}  // namespace gyre
