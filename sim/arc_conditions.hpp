#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/background.hpp"
#include "models/topology.hpp"
#include "models/units.hpp"

namespace gyre {

/// What an arc has from a time on.
struct ArcChange {
  Instant at;
  ArcId arc;
  std::optional<Bandwidth> capacity = {};  ///< at most what it has on the map; none: as before
  std::optional<Duration> latency = {};    ///< at least what it has on the map; none: as before
};

/// What the arcs have now: capacity = the map's as it was changed − the background that is on.
class ArcConditions {
 public:
  explicit ArcConditions(const Topology& topology);
  void change(const ArcChange& change);
  /// The background goes on, or off.
  void turn(const Background& background, bool on);
  /// For good, with what it takes in the long run.
  void turn_on_average(const Background& background);
  /// Positive, as the scenario's check sees to it.
  [[nodiscard]] Bandwidth capacity(ArcId arc) const;
  [[nodiscard]] Duration latency(ArcId arc) const { return arcs_[arc.index()].latency; }

 private:
  struct State {
    Bandwidth capacity;
    Duration latency;
    std::int64_t taken_bps = 0;
  };
  std::vector<State> arcs_;
};

/// What arcs have offered on average, from one look to the next.
class OfferedCapacities {
 public:
  explicit OfferedCapacities(std::size_t arcs) : offers_(arcs) {}
  /// The arc's capacity, which is this until now, is about to change.
  /// `down`: from now on.
  void change(std::size_t arc, double bits_per_second, bool down = false);
  /// By arc, the mean capacity since the last call, or since the start, over the time in which it
  /// was not down; what it is when it is not down where there was no such time.
  /// `bits_per_second`: of an arc now, if it is not down.
  std::vector<Bandwidth> take_means(const std::function<double(std::size_t arc)>& bits_per_second);

 private:
  struct Offer {
    Instant since;  ///< the capacity has been what it is
    double bits = 0.0;
    Duration time;  ///< in which it was not down
    bool down = false;
  };
  [[nodiscard]] Offer until_now(std::size_t arc, double bits_per_second) const;

  std::vector<Offer> offers_;
};

}  // namespace gyre
