#pragma once

#include <string>

#include "tests/random_network.hpp"

namespace gyre {

/// Islands that leave, return, or are slow: the scenario's `churn` and the key of its schedule that
/// belongs to it; both empty where nobody does.
struct RandomChurn {
  std::string text;
  std::string of_schedule;
};

/// Fills in `leaves` and `held_up_by_chance`. Requires what islands do in a round, and how long
/// that takes.
RandomChurn random_churn(Draw& draw, RandomRun& run);

}  // namespace gyre
