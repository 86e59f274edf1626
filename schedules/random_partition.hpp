#pragma once

#include "models/rng.hpp"
#include "schedules/round.hpp"

namespace gyre {

/// A uniformly random partition of the islands into cliques of `size`; the last one holds what is
/// left over.
Round random_partition(std::size_t islands, std::size_t size, Rng& stream);

}  // namespace gyre
