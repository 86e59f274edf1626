#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/paper_figures.hpp"
#include "analysis/summary.hpp"
#include "scenarios/scenario.hpp"
#include "sim/plan_points.hpp"

namespace gyre {

/// A figure with its numbers in words.
struct PaperResult {
  Drawing drawing;
  std::vector<std::string> findings;
};

/// The scenario that all figures are about, with some values changed.
std::shared_ptr<const LoadedScenario> paper_scenario(const std::vector<Override>& overrides = {});

PaperOrigin origin_of(const LoadedScenario& loaded);

PaperResult topology_figure(const PaperFigure& figure, const LoadedScenario& loaded);

// What is planned for a figure, and the figure of what was found, in the same order.
std::vector<PlanPointRequest> schedules_requests();
PaperResult schedules_figure(const PaperFigure& figure, const LoadedScenario& loaded,
                             const std::vector<PlanPoint>& points);
std::vector<PlanPointRequest> exchange_rate_requests();
PaperResult exchange_rate_figure(const PaperFigure& figure, const LoadedScenario& loaded,
                                 const std::vector<PlanPoint>& points);

/// The scenario's schedules with several seeds.
std::shared_ptr<const LoadedScenario> accuracy_scenario();
/// `results`: those of `accuracy_scenario`.
PaperResult accuracy_figure(const PaperFigure& figure, const Results& results);

/// A scenario of the sensitivity figure.
struct SensitivityPoint {
  std::size_t panel = 0;
  double value = 0.0;
  std::string setting;  ///< as `--set` takes it
  std::shared_ptr<const LoadedScenario> loaded;
};
std::vector<SensitivityPoint> sensitivity_points();
/// `rows`: of all runs of each point.
PaperResult sensitivity_figure(const PaperFigure& figure,
                               const std::vector<SensitivityPoint>& points,
                               const std::vector<std::vector<SummaryRow>>& rows);

}  // namespace gyre
