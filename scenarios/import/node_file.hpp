#pragma once

#include "scenarios/import/raw_map.hpp"
#include "scenarios/import/source_text.hpp"

namespace gyre {

/// Adds what a second file says about the nodes of a map: CSV with `name`, `latitude` and
/// `longitude` (decimal degrees) and `access_gbps`, or the devices of DoubleZero's network-shapley
/// (`device`, `edge`, `operator`; `edge` is the access bandwidth in Gbps). Nodes are named by id or
/// label. A list of devices has to name each node of the map.
/// Errors: `InputError` for a name that is no node or several, or is there twice.
void read_node_file(RawMap& map, const SourceText& source);

}  // namespace gyre
