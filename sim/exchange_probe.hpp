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
  std::vector<SwitchRow> switches;  ///< fidelity `packet`: those that held sums, in the end
  std::int64_t lost = 0;            ///< chunks
  bool dropped = false;             ///< an exchange gave up: the times say when
  std::string failure;              ///< why it did not end; then nothing else is here
  std::int64_t events = 0;          ///< of packets
};

struct ProbeOptions {
  Routing routing = Routing::kShortest;
  const SwitchLimits* limits = nullptr;
  std::optional<PacketSettings> packets = std::nullopt;  ///< at fidelity `packet`
  std::uint64_t seed = 1;
  /// At fidelity `packet`: what fails, and what is to become of exchanges then.
  std::vector<Fault> faults = {};
  InFlight in_flight = InFlight::kWait;
  bool without_propagation = true;  ///< the second simulation, for `RoundCost::bandwidth`
};

/// Simulates rounds one after the other, each on an idle map, twice: as they are, and without
/// propagation (and losses). Runs in processes of its own.
ProbeResult probe(const Topology& topology, const Capabilities& capabilities, Bytes payload,
                  Exchange exchange, const std::vector<Round>& rounds,
                  const ProbeOptions& options = {});

}  // namespace gyre
