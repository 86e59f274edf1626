#pragma once

#include <optional>
#include <string>

#include "tests/random_map.hpp"

namespace gyre {

/// What the parts of a random scenario have to know of each other.
struct RandomRun {
  RandomMap map;
  bool packets = false;
  std::string mode;
  bool engineered = false;

  std::string policy;
  bool exchanges = true;
  bool overlay = false;
  bool colocated = false;
  bool joins_all = false;
  bool plans = false;  ///< its rounds, by the optimiser
  std::string exchange;

  bool quorum = false;
  bool layered = false;
  bool delayed = false;                ///< islands compute while they exchange
  bool leaves = false;                 ///< some island does, for a while or for good
  bool held_up_by_chance = false;      ///< by what fails or leaves, maybe for long
  std::optional<std::string> numbers;  ///< format that switches add
  std::int64_t local_steps = 1;
  double step_s = 1.0;
  double payload_bytes = 1.0;
  double round_s = 1.0;  ///< about
  std::int64_t max_rounds = 1;
  bool never_back = false;  ///< something fails for good: only a time ends the run
  std::string trace;        ///< of the network, as its file's text; empty if there is none

  [[nodiscard]] bool adds() const { return mode == "aggregation" || mode == "both"; }
  [[nodiscard]] bool replicates() const { return mode == "multicast" || mode == "both"; }
  [[nodiscard]] std::size_t islands() const { return map.islands.size(); }
};

/// The `network` of a scenario, from the map on: what its switches can do, what fails and changes,
/// and how packets travel. Fills in what it decides (`numbers` is given).
std::string random_network(Draw& draw, RandomRun& run);

}  // namespace gyre
