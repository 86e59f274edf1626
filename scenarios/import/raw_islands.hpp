#pragma once

#include "scenarios/import/raw_map.hpp"

namespace gyre {

/// Makes `islands` of an exact map's nodes that are islands: those and their links leave the map.
/// Errors: `InputError` for an island without exactly one access link, or one without figures both
/// ways, or with two latencies.
void take_islands(RawMap& map);

}  // namespace gyre
