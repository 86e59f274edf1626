#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"

namespace gyre {

/// A whole training run, from the simulation of its first rounds.
///
/// With R rounds simulated (and one more, whose exchanges nothing follows), t(r) the end of round r
/// and D(r) the tokens that have reached a model on average by then, of T(r) that all islands have
/// trained on:
///
///     share      s = (D(R) − D(R/2)) / (T(R) − T(R/2)): what keeps reaching a model
///     islands    M = max(1, n·s)
///     tokens     D* at which M islands have the loss (the task's law)
///     trained    T* = T(R) + (D* − D(R)) / s, that is q = (T* − T(R)) / (T(R) − T(R/2)) halves
///     more time       t(R) + q·(t(R) − t(R/2)), in (1 + q/2)·R rounds
///
/// A round ends when the last island has ended it; those that are ahead go on meanwhile. With a
/// quorum many end at once, when a latecomer has caught up: then ten times as many are simulated.
/// Schedules that bring everybody's progress to everybody have s = 1 and lag by a constant; those
/// that never do have s < 1. Bytes grow in proportion to rounds.
struct Forecast {
  std::string schedule;
  std::string mode;
  std::int64_t local_steps = 1;
  double islands = 1.0;                         ///< M
  std::optional<double> tokens = std::nullopt;  ///< absent, like all that follows from it: never
  std::optional<double> steps = std::nullopt;   ///< of an island
  std::optional<double> rounds = std::nullopt;
  std::optional<double> days = std::nullopt;
  std::optional<double> bound_days =
      std::nullopt;          ///< no exchange of these cliques could make it shorter
  double round_s = 0.0;      ///< in the second half of what was simulated
  double utilisation = 0.0;  ///< share of the time that islands compute, in that half
  std::optional<double> sent_gb = std::nullopt;        ///< by an island, mean
  double peak_gbps = 0.0;                              ///< largest of the islands' access links
  std::optional<double> cost_per_site = std::nullopt;  ///< mean
  std::optional<double> cost = std::nullopt;
  std::int64_t simulated_rounds = 0;
  std::string failure = {};  ///< why the simulation did not end
};

/// Forecasts every schedule × mode × number of local steps, in that order of nesting. `progress` is
/// told the share that is done and says whether to go on. Errors: `InputError` for a scenario
/// without a law or a loss to reach, and prices of chips that nobody has.
std::vector<Forecast> forecast(const LoadedScenario& loaded,
                               const std::function<bool(double share)>& progress);

/// What the scenario's use leaves of what its law was made from, in sentences.
std::vector<std::string> forecast_cautions(const LoadedScenario& loaded,
                                           const std::vector<Forecast>& forecasts);

}  // namespace gyre
