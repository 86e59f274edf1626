#pragma once

#include <optional>
#include <vector>

#include "models/topology.hpp"
#include "schedules/stream.hpp"

namespace gyre {

/// A flow of a round that is not planned from a map's routes.
struct GivenFlow {
  Stream stream;
  std::optional<Bandwidth> rate;  ///< never faster than that; of a stream without arcs, its rate
  Duration latency;               ///< from its last byte's leaving until the receiver has it
};

/// Lengths of rounds, simulated one after the other in a process of their own: `compute`, then all
/// flows of the round at a time, each of `payload`, until the last one has arrived.
std::vector<Duration> lengths_of_rounds(const Topology& topology, Bytes payload, Duration compute,
                                        const std::vector<std::vector<GivenFlow>>& rounds);

}  // namespace gyre
