#pragma once

#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "schedules/round_plan.hpp"
#include "schedules/switch_program.hpp"
#include "sim/flow_network.hpp"
#include "sim/packet_network.hpp"

namespace gyre {

/// A verified plan with everything that running it needs.
struct PreparedPlan {
  ExchangePlan plan;
  std::vector<FlowRoute> routes;                  ///< by flow, at fidelity `flow`
  std::vector<PacketPlan> packets;                ///< by flow, at fidelity `packet`
  std::vector<std::size_t> independent;           ///< flows that wait for none
  std::vector<std::vector<std::size_t>> starts;   ///< by member rank: its other flows, in order
  std::vector<std::vector<std::size_t>> touches;  ///< by member rank: flows it sends or receives
  SwitchProgram program;
  bool sums_in_switches = false;
  Bytes wan_bytes;  ///< over core arcs, copies included
};

/// Whether the switches are told the same for both: around an outage elsewhere a clique is planned
/// anew, but goes where it went.
bool have_same_tables(const ExchangePlan& a, const ExchangePlan& b);

/// What is left of an exchange when only one of its members takes part: nothing is sent.
PreparedPlan lone_plan(const ExchangePlan& of_all, IslandId member);

/// A stream by itself, in packets: its sources send, its receivers get what they send.
PacketPlan packets_of(const Network& network, const Stream& stream, Bytes bytes);

/// Errors: `InputError` where `network.transport.recovery` cannot repair the plan's exchange: its
/// time-out is not above the round trip and nobody forces it, or it gives up before it repeats.
void check_recovery(const Topology& topology, const PreparedPlan& plan,
                    const PacketSettings& settings, const SwitchLimits* limits);

/// By how much packets may end later than fluid flows, for their chunks alone: a chunk's time, at
/// its flow's rate where that is set, on each arc of the longest way, over the longest chain of
/// flows that wait for each other.
Duration granularity(const Topology& topology, const PreparedPlan& plan,
                     const TransportSpec& transport);

/// How the exchanges of a run are planned.
struct PlanOptions {
  Exchange exchange = Exchange::kBest;
  Routing routing = Routing::kShortest;
  bool keep_rates = false;  ///< in packets, also where acknowledgements would set the pace
};

/// Plans, verifies and prepares cliques' exchanges, keeping those that come again: by payload and
/// clique, or round where its cliques are planned together. Bounded: emptied when it holds
/// `kMostPlans`.
class PlanCache {
 public:
  /// `flows` is null at fidelity `packet`.
  PlanCache(const Network& network, const FlowNetwork* flows, const PlanOptions& options);
  /// The plan of a clique of the round, by its place in the round.
  std::shared_ptr<const PreparedPlan> get(const Round& round, std::size_t clique, Bytes payload);

 private:
  static constexpr std::size_t kMostPlans = 1024;
  /// The payload, the cliques that were planned together, and the one that the plan is for.
  using Key = std::tuple<Bytes, std::vector<Clique>, Clique>;

  [[nodiscard]] PreparedPlan prepare(ExchangePlan plan) const;

  Network network_;
  const FlowNetwork* flows_;
  PlanOptions options_;
  std::map<Key, std::shared_ptr<const PreparedPlan>> plans_;
};

/// Plans the cliques of rounds without running them. Errors: `InputError` for what packets cannot
/// carry or `check_recovery` refuses.
void check_packets(const Network& network, const PlanOptions& options, Bytes payload,
                   const PacketSettings& settings, std::span<const Round> rounds);

}  // namespace gyre
