#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "sim/faults.hpp"
#include "sim/packet_flow.hpp"

namespace gyre {

/// A time in which an arc loses all that it carries.
struct Outage {
  double from_s = 0.0;
  double to_s = kEndOfTime;
};

/// When faults strike, drawn as time goes on: what fails by chance fails without end.
class PacketOutages {
 public:
  /// The faults have to outlive it.
  PacketOutages(std::span<const Fault> faults, std::size_t arcs, std::uint64_t seed);

  /// Whether the arc is down at some time after `from_s` and before `to_s`.
  bool is_down_between(ArcId arc, double from_s, double to_s);
  bool is_down(ArcId arc, double at_s);
  /// When the fault strikes next after `after_s`; nothing if it does not.
  std::optional<double> next(std::size_t fault, double after_s);

 private:
  struct Source {
    FaultTimes times;
    std::vector<Outage> drawn;  ///< by time, none before the other's end
    bool over = false;
  };
  /// Draws all outages that begin up to then, and one more.
  static void draw(Source& source, double until_s);

  std::vector<Source> sources_;               ///< by fault
  std::vector<std::vector<std::size_t>> of_;  ///< faults by arc
};

}  // namespace gyre
