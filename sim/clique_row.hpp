#pragma once

#include <string>

#include "sim/simulation.hpp"
#include "sim/sync.hpp"

namespace gyre {

/// The row of islands whose local steps are done, without an exchange.
CliqueRow computed_row(std::int64_t round, std::size_t fragment, Clique members, Instant began,
                       Duration compute);

/// What is reported of an exchange that has ended, with what bound it.
CliqueRow clique_row(const Topology& topology, const Sync& sync, Instant ended);

/// The members that have not come, or `its flows`.
std::string whom_it_waits_for(const Topology& topology, const CliqueExchange& exchange);

}  // namespace gyre
