#pragma once

#include "sim/reproductions.hpp"

namespace gyre {

/// The bandwidth that five ways of training need for a compute utilisation, from simulations of two
/// islands (a few seconds): the first point of the published grid that reaches it.
ReproducedTable streaming_diloco(const ReproductionWatch& watch);

/// Utilisations that follow from published lengths of phases, from simulated rounds of as long.
ReproducedTable phases(const ReproductionWatch& watch);

}  // namespace gyre
