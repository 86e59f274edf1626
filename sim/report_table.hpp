#pragma once

#include <string>
#include <vector>

#include "analysis/summary.hpp"
#include "scenarios/scenario.hpp"

namespace gyre {

/// The ranked tables of a comparison, one a mode, with what the shift between modes is.
/// Rows have to be ranked (`rank`).
std::string comparison_text(const LoadedScenario& loaded, const std::vector<SummaryRow>& rows);

/// The same as CSV (the columns of summary.csv, in ranked order) and as JSON.
std::string comparison_csv(const std::vector<SummaryRow>& rows);
std::string comparison_json(const std::vector<SummaryRow>& rows);

}  // namespace gyre
