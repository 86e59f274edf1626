#pragma once

#include <limits>
#include <span>
#include <vector>

#include "models/topology.hpp"
#include "schedules/stream.hpp"

namespace gyre {

/// Max–min fair rates of streams that are under way together: the tightest arc (capacity over the
/// copies that cross it) or the lowest cap sets the rate of its streams, and so on with what is
/// left (progressive filling). Cost: O(streams × arcs a stream × bottlenecks).
class FairRates {
 public:
  struct Demand {
    std::span<const ArcUse> arcs;
    double cap_bps = std::numeric_limits<double>::infinity();  ///< never faster than that
  };

  explicit FairRates(const Topology& topology);
  /// The arc has this capacity from now on. Requires a positive one.
  void set_capacity(ArcId arc, Bandwidth capacity);
  /// In bits per second, by stream.
  std::vector<double> fill(std::span<const Demand> streams);

 private:
  std::vector<double> own_bps_;       ///< by arc
  std::vector<double> capacity_bps_;  ///< of it left
  std::vector<int> copies_;           ///< of the streams without a rate, by arc
};

}  // namespace gyre
