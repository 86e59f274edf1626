#pragma once

#include "sim/reproductions.hpp"

namespace gyre {

/// The bandwidth that five ways of training need for a compute utilisation, from simulations of two
/// islands (a few seconds): the first point of the published grid that reaches it.
ReproducedTable streaming_diloco(const ReproductionWatch& watch);

/// Utilisations that follow from published lengths of phases, from simulated rounds of as long.
ReproducedTable phases(const ReproductionWatch& watch);

/// Round times of overlays on a wireless mesh whose links both directions share, beside what
/// multicast and addition on the way would give (a second).
ReproducedTable roofnet(const ReproductionWatch& watch);

/// Cycle times of overlays on five maps: by the published model, in which each edge has its own
/// links, and with the map's links shared (two minutes).
ReproducedTable cross_silo(const ReproductionWatch& watch);

}  // namespace gyre
