#pragma once

#include "models/topology.hpp"
#include "scenarios/scenario.hpp"

namespace gyre {

/// Judges how each schedule trains: its own choices and the job's together, against its policy, the
/// network and the task, which has started. Errors: `InputError` for what does not go together or
/// has no effect.
void check_training(const Scenario& scenario, const Topology& topology);

/// Refuses what packets do not simulate. Errors: `InputError`.
void check_packet_training(const Scenario& scenario);

}  // namespace gyre
