#include "sim/cli_values.hpp"

#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {

std::int64_t whole_number(std::string_view option, const std::string& text, WholeRange range) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < range.least ||
      value > range.most) {
    throw InputError(option, fmt::format("'{}' is no whole number from {} to {}", text, range.least,
                                         range.most));
  }
  return value;
}

Duration milliseconds(std::string_view option, const std::string& text) {
  const std::optional<double> value = parse_number(text);
  if (!value || !std::isfinite(*value) || *value < 0.0) {
    throw InputError(option, fmt::format("'{}' is no number of ms from 0, as in 0.0085", text));
  }
  return Duration::milliseconds(*value);
}

Bandwidth capacity(std::string_view option, const std::string& text) {
  const Parsed<Bandwidth> parsed = parse_bandwidth(text);
  if (!parsed.value) throw InputError(option, parsed.problem);
  if (*parsed.value <= Bandwidth()) {
    throw InputError(option,
                     fmt::format("{} carries nothing; a positive bandwidth is wanted", text));
  }
  return *parsed.value;
}

}  // namespace gyre
