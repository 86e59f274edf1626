#pragma once

#include <string>
#include <vector>

#include "models/topology.hpp"
#include "scenarios/scenario.hpp"

namespace gyre {

/// What reading a topology file gives: its description, and its values for the resolved scenario.
struct TopologyFile {
  TopologySpec spec;
  std::vector<ResolvedValue> resolved;  ///< key paths start with `network.topology`
};

/// The keys of a topology file: those of the inline mapping, and the format's version.
void describe_topology_file(Fields& fields, TopologySpec& spec);

/// Reads a topology file. `overrides` have key paths inside the file (`links[0].latency`).
/// Errors: `InputError` at `path.where` for a file that cannot be read, else in the file.
TopologyFile read_topology_file(const Text& path, const std::string& scenario_path,
                                const std::vector<Override>& overrides);

/// Makes the map of a network. Errors: `InputError` at the line of a name that is empty, repeated,
/// unknown or not usable in a round's text, of a link from a switch to itself, of an island without
/// a bandwidth, and of an island that another one cannot reach.
Topology build_topology(const NetworkSpec& network);

}  // namespace gyre
