#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/fields.hpp"
#include "models/named_arcs.hpp"
#include "models/times_spec.hpp"
#include "models/units.hpp"

namespace gyre {

/// How the network is simulated.
enum class Fidelity : std::uint8_t {
  kFlow,    ///< a tree is one fluid flow
  kPacket,  ///< switches pass on, replicate and add chunks
};
inline constexpr std::array<std::string_view, 2> kFidelityNames{"flow", "packet"};
constexpr std::string_view name_of(Fidelity fidelity) {
  return kFidelityNames[static_cast<std::size_t>(fidelity)];
}

/// What becomes of an exchange that gives up.
enum class GiveUpRule : std::uint8_t {
  kFail,  ///< the run fails and says what was waited for
  kDrop,  ///< the clique does without: its members keep their models in this round
};
inline constexpr std::array<std::string_view, 2> kGiveUpRuleNames{"fail", "drop"};

/// Loss on one arc, instead of the map's.
struct ArcLoss {
  Text arc;
  double loss = 0.0;

  void describe(Fields& fields);
};

/// How lost chunks come back. In use as soon as something can be lost.
struct RecoverySpec {
  /// From sending a chunk to sending it again if it was not acknowledged; absent: twice the round
  /// trip of the exchange.
  std::optional<Duration> timeout;
  bool force = false;                        ///< allow a time-out below the round trip
  Duration give_up = Duration::seconds(60);  ///< after the first sending of a chunk
  GiveUpRule then = GiveUpRule::kFail;
  Where where;
  Where timeout_where;
  Where give_up_where;

  void describe(Fields& fields);
};

/// How data travels at fidelity `packet` (`network.transport` of a scenario).
///
/// A chunk of b bytes takes b + ⌈b/packet⌉·header bytes on each arc and is lost there with
/// 1 − (1 − loss)^⌈b/packet⌉. A switch passes it on when it has all of it.
struct TransportSpec {
  Bytes chunk = Bytes::count(1'000'000);
  Bytes packet = Bytes::count(9000);  ///< payload of a packet
  Bytes header = Bytes::count(0);     ///< of a packet: what goes over the wire besides
  /// Bytes of a stream between two nodes that the second has not passed on; absent: what the arc's
  /// capacity and delay need.
  std::optional<Bytes> window;
  Duration hop_latency;  ///< of a switch
  double loss = 0.0;     ///< probability that an arc loses a packet
  std::vector<ArcLoss> losses;
  std::optional<RecoverySpec> recovery;
  Where where;

  void describe(Fields& fields);
  /// Whether anything can be lost on the way.
  [[nodiscard]] bool lossy() const;
  [[nodiscard]] std::int64_t packets(std::int64_t bytes) const;
  /// Bytes on the wire.
  [[nodiscard]] std::int64_t wire_bytes(std::int64_t bytes) const;
};

/// What exchanges that are under way do where something that they use fails.
enum class InFlight : std::uint8_t {
  /// Flows stand still until all that they use is back, and go on where they were; packets are sent
  /// again by `transport.recovery`.
  kWait,
  kReroute,  ///< the exchange is planned anew on what is left of the map, and starts again
  kDrop,     ///< its members do without it in this round
};
inline constexpr std::array<std::string_view, 3> kInFlightNames{"wait", "reroute", "drop"};

/// What a switch can lose.
enum class Loses : std::uint8_t { kMulticast, kAggregation, kBoth };
inline constexpr std::array<std::string_view, 3> kLosesNames{"multicast", "aggregation", "both"};

/// Something of the map that fails: an arc, both arcs of a link, every link by itself, or a switch
/// with all its arcs, or of what it can do; once, or again and again.
struct FaultSpec : ArcsSpec, TimesSpec {
  std::optional<Text> at_switch;
  std::optional<Loses> loses;
  Where where;
  Where loses_where;

  void describe(Fields& fields);
};

/// Arcs whose capacity or latency changes while a run goes on: an entry of `network.changes`, or a
/// line of the file of `network.traces`.
struct ChangeSpec {
  Duration at;
  std::vector<Text> arcs;
  std::optional<Bandwidth> bandwidth;  ///< absent: it stays what it is
  std::optional<Duration> latency;     ///< likewise
  Where bandwidth_where;
  Where latency_where;
  Where where;

  void describe(Fields& fields);
};

}  // namespace gyre
