#pragma once

#include <string>

#include "models/compute.hpp"

namespace gyre {

/// Reads the file of a trace, relative to the scenario's folder, into it.
/// Errors: `InputError` with line and column for what is no table of positive seconds, and at the
/// key for a file that cannot be read.
void read_step_trace(StepTrace& trace, const std::string& scenario_path);

}  // namespace gyre
