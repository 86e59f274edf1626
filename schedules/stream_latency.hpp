#pragma once

#include <span>
#include <vector>

#include "models/topology.hpp"
#include "models/units.hpp"
#include "schedules/stream.hpp"

namespace gyre {

/// What the stream's deliveries are where its arcs have these latencies, by arc of the map: the
/// deepest way up to its root plus the way from there to each receiver. With the map's latencies
/// they are `Stream::deliveries`, but for rounding. Cost: O(arcs of the stream · log).
std::vector<Delivery> deliveries_at(const Topology& topology, const Stream& stream,
                                    std::span<const Duration> latencies);

}  // namespace gyre
