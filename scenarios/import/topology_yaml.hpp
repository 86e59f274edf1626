#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.hpp"

namespace gyre {

/// A text as a YAML scalar that every reader takes for that text: plain where that is safe, else
/// in double quotes. Requires a text without control characters.
std::string yaml_scalar(std::string_view text);

/// A topology file that reads back as `spec`, with one comment line for each of `comments` (long
/// ones are wrapped).
std::string topology_yaml(const TopologySpec& spec, const std::vector<std::string>& comments);

}  // namespace gyre
