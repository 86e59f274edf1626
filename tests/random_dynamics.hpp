#pragma once

#include <string>

#include "tests/random_network.hpp"

namespace gyre {

/// File beside the scenario that `network.traces` names.
inline constexpr const char* kNetworkTrace = "network.csv";

/// The keys `changes`, `traces` and `background` of a scenario's `network`, or some of them, or
/// none: arcs get narrower and longer than on the map, and others take what is left of them, but
/// for some of it. Fills in `trace`.
std::string random_dynamics(Draw& draw, RandomRun& run);

}  // namespace gyre
