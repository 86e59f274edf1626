#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "models/units.hpp"

namespace gyre {

// Values of command-line options. Errors: `InputError` that names the option and what is allowed.

/// A whole number.
struct WholeRange {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};
std::int64_t whole_number(std::string_view option, const std::string& text, WholeRange range);

/// A latency in ms, from 0.
Duration milliseconds(std::string_view option, const std::string& text);

/// A capacity with its unit, above 0.
Bandwidth capacity(std::string_view option, const std::string& text);

}  // namespace gyre
