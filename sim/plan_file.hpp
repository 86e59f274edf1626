#pragma once

#include <string>
#include <vector>

#include "sim/planned_mode.hpp"

namespace gyre {

/// Where the schedule of a mode goes: the file itself where one mode is planned, else with the mode
/// before its extension (`schedule.both.yaml`). The switch programs stand beside it
/// (`schedule.both.programs.json`).
std::string plan_path(const std::string& output, Mode mode, bool only_mode);

/// Errors: `InputError` if a file would be lost, unless `overwrite`.
void check_plan_output(const std::string& output, const std::vector<Mode>& modes, bool overwrite);

/// The best schedule as a document that `{policy: explicit, file: …}` runs.
std::string schedule_text(const LoadedScenario& loaded, const PlannedMode& mode);

/// Its switch programs, round by round: what an orchestrator would install.
std::string programs_text(const LoadedScenario& loaded, const PlannedMode& mode);

/// Writes both for every mode.
void write_plans(const std::string& output, const LoadedScenario& loaded,
                 const std::vector<PlannedMode>& modes);

}  // namespace gyre
