#pragma once

#include <string_view>
#include <vector>

#include "models/fields.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/yaml.hpp"

namespace gyre {

/// Reads a mapping into whatever `describe` describes. Returns each value with its unit and origin,
/// also the defaults, in reading order; `prefix` goes before the key paths of that list.
/// Errors: `InputError` for the first problem in the order of the file (problems from `--set` come
/// last): an unknown, missing or empty key, a value of another type or out of range, and what
/// `describe` itself throws. Where a mapping holds an unknown key, that is what is reported, since
/// a missing one is then most often the same misspelt key.
std::vector<ResolvedValue> read_mapping(const YamlNode& root, const Fields::Describe& describe,
                                        std::string_view prefix = {});

}  // namespace gyre
