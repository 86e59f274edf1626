#pragma once

#include "analysis/summary.hpp"
#include "sim/run_setup.hpp"
#include "sim/run_totals.hpp"

namespace gyre {

/// The row of a run of which nothing is known but that it is one.
SummaryRow named_row(const Scenario& scenario, const RunChoice& choice, RunStatus status);

/// The row of a run that was simulated.
SummaryRow summarise(const LoadedScenario& loaded, const RunChoice& choice, const RunSpec& spec,
                     const RunResult& result, const RunTotals& totals);

}  // namespace gyre
