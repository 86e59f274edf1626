#pragma once

#include <string>

#include "scenarios/scenario.hpp"

namespace gyre {

/// Reads the file of `network.traces`, relative to the scenario's folder, into the network's
/// changes, behind those that it has.
///
/// The first line is `time,arc,bandwidth,latency`; each other one says what an arc has from a time
/// on: `12 s,NYC->LON,4 Gbps,60 ms`. An empty cell leaves that as it is; lines that are empty or
/// begin with # are skipped. Times never go back. Returns what `gyre check` prints of it, and what
/// tells one text of the file from another.
/// Errors: `InputError` with line and column for what is no such table, and at the key for a file
/// that cannot be read or says nothing. Arcs and limits are judged with those of the other changes.
ResolvedValue read_network_trace(NetworkSpec& network, const std::string& scenario_path);

}  // namespace gyre
