#pragma once

#include <cstdint>
#include <vector>

#include "models/topology.hpp"
#include "sim/simulation.hpp"

namespace gyre {

/// What a run's arcs will offer, for yardsticks that may know it: from the changes that its
/// scenario states, and its faults, whose times are drawn a second time from their own streams, so
/// that the run itself is not disturbed.
class KnownFuture {
 public:
  /// The specification and its map have to outlive it.
  explicit KnownFuture(const RunSpec& spec);
  /// What can be counted on from an instant on, over a stretch (at that instant, where it is none):
  /// by arc the mean capacity. What is down counts as nothing while it is, where exchanges wait for
  /// it; where they do not (`in_flight`), an arc that is down at any time in it offers nothing,
  /// since what is under way there is lost. Of background at random the mean counts. Instants may
  /// only grow from call to call.
  std::vector<Bandwidth> rates(Instant from, Duration stretch);

 private:
  struct Played {
    const Fault* fault;
    FaultPeriods outages;
  };
  [[nodiscard]] std::vector<Bandwidth> capacities(Instant at) const;

  const RunSpec* spec_;
  std::vector<Played> played_;
};

}  // namespace gyre
