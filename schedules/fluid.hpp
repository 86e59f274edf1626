#pragma once

#include <span>

#include "models/topology.hpp"
#include "models/units.hpp"
#include "schedules/exchange_plan.hpp"

namespace gyre {

/// Time until the flows have all been delivered, alone on an idle map, by progressive filling: at
/// any time each flow under way has its max–min fair rate (each arc's capacity over the copies that
/// cross it), a flow starts when those it waits for are there, and a delivery takes the stream's
/// latency on top (none without `propagation`). The model of flow fidelity, without its engine:
/// what `best` compares plans by. Cost: one filling a change, each O(flows under way × arcs a flow
/// × bottlenecks).
Duration fluid_time(const Topology& topology, std::span<const Flow> flows, bool propagation);

}  // namespace gyre
