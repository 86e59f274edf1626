#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/capabilities.hpp"
#include "scenarios/scenario.hpp"

namespace gyre {

/// The best schedule that `gyre plan` finds in one mode, as a point of a figure.
struct PlanPoint {
  std::optional<double> models_per_s;  ///< others' models that an island takes in; none: none fits
  std::optional<double> round_s;       ///< mean of the period; with a window, the window
  std::optional<double> consensus_s;   ///< none if it never agrees
  double bound_per_s = 0.0;            ///< max over cliques of k islands of (k − 1) / bound
  std::size_t largest = 0;             ///< islands of its largest clique
  std::string schedule;                ///< as `to_text` writes it
};

struct PlanPointRequest {
  std::shared_ptr<const LoadedScenario> loaded;
  Mode mode = Mode::kNeither;
  std::string what;  ///< for the progress
};

/// Plans each, `jobs` at a time in processes of their own, with progress on standard error unless
/// `quiet`. What `folder` holds from before is not planned again. Nothing if it was interrupted:
/// what is done stays done. Errors: `std::runtime_error` for one that failed.
std::optional<std::vector<PlanPoint>> plan_points(const std::filesystem::path& folder,
                                                  const std::vector<PlanPointRequest>& requests,
                                                  std::size_t jobs, bool quiet);

}  // namespace gyre
