#pragma once

#include <nlohmann/json.hpp>

#include "sim/packet_rows.hpp"

namespace gyre {

/// How a switch's usage leaves the process that simulated it.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SwitchUsage, slots, bytes, peak_bytes, blocked_s, unsummed,
                                   timeouts, retransmissions, repeated)

}  // namespace gyre
