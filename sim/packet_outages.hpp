#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sim/faults.hpp"

namespace gyre {

/// When arcs lose all that they carry, by their faults.
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
  std::vector<FaultPeriods> periods_;         ///< by fault
  std::vector<std::vector<std::size_t>> of_;  ///< faults by arc
};

}  // namespace gyre
