#pragma once

#include "models/topology.hpp"
#include "scenarios/scenario.hpp"

namespace gyre {

/// The schedule's rule for members that are away: its own, else the scenario's.
std::optional<WithoutMember> without_member_of(const Scenario& scenario,
                                               const ScheduleSpec& schedule);

/// Judges `churn` against the map and the schedules. Errors: `InputError` for islands that are not
/// on the map, a rule that is missing or has no effect, and what is not modelled with it.
void check_churn(const Scenario& scenario, const Topology& topology);

}  // namespace gyre
