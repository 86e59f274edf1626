#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/routing.hpp"
#include "scenarios/export/exported_map.hpp"

namespace gyre {

/// Options of SimGrid by name.
using SimgridOptions = std::vector<std::pair<std::string, std::string>>;

/// The map as a SimGrid platform (DTD 4.1): one flat zone; a host an island and a switch; a link an
/// arc, so that a fibre is two of them; a route from each island to each other one over the
/// least-latency path, and one between neighbours; `options` as its configuration. `gyre import`
/// reads the same map back. Size: O(islands² · arcs of a path).
std::string simgrid_platform(const ExportedMap& map, const Routes& routes,
                             const SimgridOptions& options);

/// A SimGrid deployment on that platform: an actor an island, whose arguments are its rounds. A
/// comment in the file says what they mean.
std::string simgrid_deployment(const ExportedMap& map, const ExportedSchedule& schedule);

}  // namespace gyre
