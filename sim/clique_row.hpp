#pragma once

#include <string>

#include "sim/clique_exchange.hpp"
#include "sim/simulation.hpp"

namespace gyre {

/// What is reported of an exchange that has ended, with what bound it.
CliqueRow clique_row(const Topology& topology, std::int64_t number, const CliqueExchange& exchange,
                     Instant ended);

/// The members that have not come, or `its flows`.
std::string whom_it_waits_for(const Topology& topology, const CliqueExchange& exchange);

}  // namespace gyre
