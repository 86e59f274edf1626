#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/capabilities.hpp"
#include "scenarios/scenario.hpp"

namespace gyre {

/// One round of a schedule at both fidelities, and where they part: packets as the scenario has
/// them, less what they would take with nothing but their chunks, and so on. The parts add up to
/// `packet_s − flow_s`.
struct CrossCheck {
  std::string schedule;
  std::string mode;
  std::string round;
  double flow_s = 0.0;
  double packet_s = 0.0;
  double bound_s = 0.0;            ///< of any exchange
  double granularity_s = 0.0;      ///< chunks stored at every arc, and in turn
  double granularity_limit_s = 0;  ///< what theory allows for that
  double headers_s = 0.0;          ///< header bytes and the switches' own time
  double limits_s = 0.0;           ///< windows, slots, adders
  double loss_s = 0.0;             ///< losses, faults and their recovery
  std::int64_t lost = 0;           ///< chunks
  std::int64_t retransmissions = 0;
  std::string failure;  ///< why packets did not end; then the figures after `flow_s` are empty
};

struct CrossCheckRequest {
  std::optional<std::size_t> schedule;  ///< absent: all that exchange over the WAN
  std::optional<Mode> mode;             ///< absent: all of the scenario's
  std::int64_t rounds = 4;              ///< of each schedule; those that come again count once
};

/// Simulates every round by itself, communication only. `progress` is told the share that is done
/// and says whether to go on. Errors: `InputError` for a recovery time-out below a round trip.
std::vector<CrossCheck> cross_check(const LoadedScenario& loaded, const CrossCheckRequest& request,
                                    const std::function<bool(double)>& progress);

/// The largest part of the difference, in words.
std::string main_reason(const CrossCheck& row);

}  // namespace gyre
