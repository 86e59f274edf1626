#pragma once

#include "scenarios/scenario.hpp"
#include "scenarios/yaml.hpp"

namespace gyre {

/// Puts the override's value into the tree, in place of what is there. Mappings on the way that do
/// not exist are made; entries of lists must exist. Keys that cannot stand beside the new one
/// (`seeds` beside `seed`, `job.payload` beside `job.parameters`, `stop.loss` beside
/// `stop.accuracy`) are removed, so that one override is enough to change over. The value `null`
/// leaves out a key that is there.
/// Errors: `InputError` with the place `--set`.
void apply_override(YamlNode& root, const Override& change);

}  // namespace gyre
