#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/fields.hpp"
#include "models/topology.hpp"

namespace gyre {

/// Arcs of which something is said: one, both directions of the links between two switches, or of
/// every link by itself.
struct ArcsSpec {
  std::optional<Text> arc;
  std::vector<Text> link;  ///< two switches
  bool every_link = false;
};

/// Arcs that go together, by a name for them: `NYC->LON`, or `NYC-LON` of a link.
struct NamedArcs {
  std::string name;
  std::vector<ArcId> arcs;
};

/// What the specification names; nothing where it names nothing. Requires that it is on the map.
std::vector<NamedArcs> named_arcs(const ArcsSpec& spec, const Topology& topology);

}  // namespace gyre
