#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/transport.hpp"

namespace gyre {

/// What the average model of all islands does where nothing but their equal descents moves it: on
/// a/2 (x - b_i)^2 it is b + (start - b)(1 - rate a)^steps after so many, b the mean of the b_i.
struct MeanLaw {
  double curvature = 1.0;
  double rate = 0.1;
  double start = 0.0;
  std::vector<double> optima;
};

/// A small scenario of one run, as its file's text, and the fidelity that it is made for.
struct RandomScenario {
  std::string text;
  std::string trace = {};  ///< of its network, in a file beside it; empty if there is none
  Fidelity fidelity = Fidelity::kFlow;
  std::optional<MeanLaw> mean;  ///< where exchanges keep it
};

/// One that gyre takes, of any policy and with any of its options, or nearly always: what depends
/// on the plans of exchanges (a time-out below the round trip, a window that no round fits into) is
/// left to chance.
RandomScenario random_scenario(std::uint64_t seed);

/// Its text and, behind it, that of its trace.
std::string to_text(const RandomScenario& scenario);

}  // namespace gyre
