#pragma once

#include "models/topology.hpp"
#include "scenarios/scenario.hpp"

namespace gyre {

/// Judges `transport` and `faults` of the network against the map and each other.
/// Errors: `InputError` for arcs and switches that are not there, an arc that is named twice, a
/// recovery from nothing, and losses that the switches' discipline cannot repair.
void check_transport(const Scenario& scenario, const Topology& topology);

/// Errors: `InputError` for a name that is no arc of the map.
void check_arc(const Text& arc, const Topology& topology);
/// Errors: `InputError` for names that are not on the map, and two switches that no link joins.
void check_arcs(const ArcsSpec& spec, const Topology& topology);

}  // namespace gyre
