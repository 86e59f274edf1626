#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/ids.hpp"
#include "models/units.hpp"
#include "schedules/exchange.hpp"
#include "schedules/round.hpp"
#include "schedules/stream.hpp"

namespace gyre {

/// What a flow carries of its chunk, which is what the verification follows.
enum class Carries : std::uint8_t {
  kContribution,  ///< the sources' own vectors (summed if several); the receivers add it
  kPartialSum,    ///< the source's running sum; the receiver adds it
  kResult,        ///< the complete sum; the receivers replace theirs by it
};

/// One stream that moves one chunk, or several that follow each other, once.
struct Flow {
  Stream stream;
  Bytes bytes;
  std::size_t chunk = 0;  ///< the first
  std::size_t chunk_count = 1;
  std::optional<Bandwidth> rate;  ///< never faster than that
  Carries carries = Carries::kContribution;
  /// Its part of the memory of the switches that add it, as the round's plans share it.
  std::vector<std::pair<SwitchId, double>> memory_shares;
  /// Flows that must have been delivered to (or sent by) this flow's source before it starts.
  std::vector<std::size_t> after;

  /// The island that starts it.
  [[nodiscard]] IslandId starter() const { return stream.sources.front(); }
};

/// Predicted for a clique alone on an idle map: `bandwidth` is the time on the slowest arc under
/// sharing were every latency zero, `latency` what the propagation adds.
struct Prediction {
  Duration bandwidth;
  Duration latency;
  ArcId binding_arc;  ///< the arc that takes `bandwidth`; the lowest index of several

  [[nodiscard]] Duration total() const { return bandwidth + latency; }
};

/// How one clique exchanges: its flows with their dependencies. Built here, verified, and then run
/// by the simulation, which decides nothing by itself.
struct ExchangePlan {
  Exchange exchange = Exchange::kDirect;  ///< never `best`: what was chosen
  Clique members;
  Bytes payload;
  std::vector<Bytes> chunks;         ///< sum to the payload
  std::vector<Flow> flows;           ///< each after the flows that it waits for
  std::optional<SwitchId> root;      ///< in-network
  std::vector<IslandId> ring_order;  ///< ring
  std::string limited_by;            ///< `memory NYC` where a switch's limit sets the pace
  Prediction predicted;
};

/// Plans an exchange of `clique` (k ≥ 2 members, payload M each).
///
/// - `direct`: each member's vector to each other member: k trees out where switches replicate, k
///   reduction trees in where they add, or k·(k−1) unicasts; the fastest of these, and of
///   `in-network` where a switch has both capabilities. So another capability never costs time.
/// - `in-network`: one reduction tree to a root switch joined to one multicast tree back. The root
///   is the capable switch with the least M/min c + latency (ties: lowest index). For k = 2 the two
///   members swap vectors, which takes no addition.
/// - `ring`: reduce-scatter and all-gather, 2(k−1) steps of M/k, in the order that `ring_order`
///   finds.
/// - `tree`: members add and re-send over a packing of trees (`plan_tree`).
/// - `hub`: all send their vectors to one member, which adds them and sends the result to all: one
///   reduction tree where switches add and one multicast tree where they replicate, else k−1
///   unicasts each way. The hub is the member with which that ends first (ties: the lowest rank).
/// - `multi-root`: the payload in parts, each along its own tree (`plan_multi_root`).
/// - `best`: the fastest of `direct`, `ring` and, up to `kMostPackedIslands` members, `tree` (ties:
///   in this order).
/// Faster is what takes less time alone on an idle map (`fluid_time`).
/// Requires `available`. Cost: direct k² path lengths; ring see `ring_order`.
ExchangePlan plan_exchange(const Network& network, const Clique& clique, Bytes payload,
                           Exchange exchange);

/// Whether the exchange exists here: `in-network` needs a switch that adds and replicates.
bool available(const Network& network, Exchange exchange);

/// Why the plan would not leave every member with every contribution exactly once, or would lose
/// bytes, or asks a switch for what it cannot do, or passes on what it does not wait for; nothing
/// if it is sound. Follows the contributions of every chunk through the flows. Cost O(flows · k).
std::optional<std::string> plan_fault(const Network& network, const ExchangePlan& plan);

/// The payload in parts that differ by at most one byte.
std::vector<Bytes> even_chunks(Bytes payload, std::size_t count);

/// Of flows that start together: the busiest arc sets the pace, the longest delivery ends it.
Prediction predict_one_step(const Topology& topology, std::span<const Flow> flows);

/// The arc that needs longest for what the flows put on it, and that time: max_a load(a)/c(a).
Prediction busiest_arc(const Topology& topology, std::span<const Flow> flows);

}  // namespace gyre
