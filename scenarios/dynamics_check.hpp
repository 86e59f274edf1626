#pragma once

#include "models/topology.hpp"
#include "scenarios/scenario.hpp"

namespace gyre {

/// Judges `changes` (those of `traces` among them) and `background` of the network against the map
/// and each other. The bounds beside every result are those of the map: nothing may make an arc
/// wider or shorter than it is there, and something of it always has to be left.
/// Errors: `InputError` for arcs and links that are not there, and for what breaks these rules.
void check_dynamics(const NetworkSpec& network, const Topology& topology);

}  // namespace gyre
