#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/capabilities.hpp"
#include "models/topology.hpp"
#include "schedules/exchange.hpp"
#include "schedules/round.hpp"
#include "sim/simulation.hpp"

namespace gyre {

/// What one round of exchange costs by itself, all cliques starting together on an idle map.
struct RoundCost {
  Duration time;  ///< until the last member held its result
  /// The same with every latency at zero; where plans set rates, the payload over the common rate.
  Duration bandwidth;
  std::vector<CliqueRow> cliques;  ///< those of two and more members
};

struct ProbeResult {
  std::vector<RoundCost> rounds;
  std::vector<ArcUsage> arcs;       ///< of all rounds together
  std::vector<SwitchRow> switches;  ///< fidelity `packet`: as they were reported
  std::int64_t lost = 0;            ///< chunks
  std::string failure;              ///< why it did not end; then nothing else is here
  std::int64_t events = 0;          ///< of packets
};

/// Simulates rounds one after the other, each on an idle map, twice: as they are, and without
/// propagation. Runs in processes of its own. With `packets` at fidelity `packet`.
ProbeResult probe(const Topology& topology, const Capabilities& capabilities, Bytes payload,
                  Exchange exchange, const std::vector<Round>& rounds,
                  Routing routing = Routing::kShortest, const SwitchLimits* limits = nullptr,
                  const std::optional<PacketSettings>& packets = {}, std::uint64_t seed = 1);

}  // namespace gyre
