#pragma once

#include <string>

#include "scenarios/export/exported_map.hpp"

namespace gyre {

/// The map as GraphML: islands and switches are nodes, access links and fibres edges. The graph is
/// undirected where every link is the same both ways, else each arc is a directed edge (many
/// readers refuse a mixture). With a schedule of cliques, each island has its clique of each round;
/// with one of overlays, a further graph for each round has its weighted edges. Keys say what they
/// mean; `gyre import` reads the same map back.
std::string graphml_file(const ExportedMap& map, const ExportedSchedule* schedule = nullptr);

}  // namespace gyre
