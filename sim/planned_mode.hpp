#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"
#include "schedules/exchange_plan.hpp"
#include "schedules/optimizer/optimizer.hpp"

namespace gyre {

/// What the optimiser found for one mode.
struct PlannedMode {
  Mode mode = Mode::kNeither;
  PlanResult result;  ///< with at least one ranked schedule, unless it was stopped before
  std::vector<std::vector<ExchangePlan>> plans;  ///< of the best, by round: what would run
  std::optional<Duration> simulated;             ///< what its period takes as those plans
  std::vector<std::string> notes;                ///< what the limits of the switches cost

  /// How far the schedule's value is above the bound, relative to the bound.
  [[nodiscard]] double gap(const PlannedSchedule& schedule) const;
};

/// Errors: `InputError` for what cannot be planned in this mode, in one sentence.
void check_plan(const LoadedScenario& loaded, Mode mode);

/// Plans the scenario's `plan` in one mode. Requires `check_plan`. Errors: `InputError` where no
/// round fits the window.
PlannedMode plan_mode(const LoadedScenario& loaded, Mode mode, const PlanWatch& watch);

}  // namespace gyre
