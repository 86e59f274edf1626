#pragma once

#include <string>
#include <string_view>

#include "models/fields.hpp"
#include "scenarios/yaml.hpp"

namespace gyre {

/// Reads a scalar of the type that `value` points to, checks its range, and stores it.
/// Returns what is wrong and what is allowed, or an empty string; then `value` has been set.
/// `where` is kept by a `Text`. The readings:
///   Text       any single value, as written: `NO`, `010` and `"a b"` are texts
///   bool       true or false, plain
///   double     `parse_number`, plain
///   int64      a whole number, plain; `1e9` is one
///   quantity   a number with a unit, plain or quoted
std::string read_scalar(const YamlNode& node, ScalarRef value, Range range, const Where& where);

/// The value as `gyre check` prints it, with its unit.
std::string print_scalar(ScalarRef value);

/// A bound of a range in the unit of the type that `kind` points to: `10 Gbps`, `0 s`, `1`.
std::string print_bound(ScalarRef kind, double bound);

}  // namespace gyre
