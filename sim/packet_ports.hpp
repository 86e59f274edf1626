#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "models/rng.hpp"
#include "models/transport.hpp"
#include "sim/flow_network.hpp"
#include "sim/packet_agenda.hpp"
#include "sim/packet_flow.hpp"
#include "sim/packet_outages.hpp"

namespace gyre {

/// How packets cross arcs.
struct WireOptions {
  TransportSpec transport;
  std::vector<double> loss;   ///< of a packet, by arc
  std::vector<Fault> faults;  ///< while one has an arc, that loses all that it carries
  std::uint64_t seed = 1;
  Duration adder_latency;   ///< of switches: a chunk stays with them as long
  bool propagation = true;  ///< false: every latency counts as zero
};

/// The outgoing ports of all nodes, one an arc.
///
/// A port sends one chunk at a time, the lanes that have some in turn; the chunk arrives when its
/// last bit has, latency later. Of a lane no more chunks are between the two nodes, or wait at the
/// second, than its window holds: the second node's word that it has passed one on takes the arc's
/// latency. With windows of capacity × delay a lane gets its max–min share, as turns and windows at
/// each hop do (Hahne 1991).
class PacketPorts {
 public:
  /// Called when a chunk has been put on the wire: its last bit leaves at `left_s`.
  using OnSent = std::function<void(PacketFlow&, std::uint32_t lane, const QueuedChunk&,
                                    double now_s, double left_s)>;

  PacketPorts(const Topology& topology, WireOptions options, PacketAgenda& agenda);
  void on_sent(OnSent callback) { on_sent_ = std::move(callback); }

  /// Credits of a fresh flow's lanes.
  void open(PacketFlow& flow) const;
  /// Puts a chunk into a lane's queue.
  void put(PacketFlow& flow, std::uint32_t lane, QueuedChunk chunk, double now_s);
  /// The node behind the lane has passed a chunk on.
  void give_credit(PacketFlow& flow, std::uint32_t lane, double now_s);
  /// Looks at a lane that may have room again.
  void wake(PacketFlow& flow, std::uint32_t lane, double now_s);
  /// The port has sent what it was sending.
  void free(ArcId arc, double now_s);

  /// By arc, until then: a chunk whose last bit leaves later was busy with it only so long.
  [[nodiscard]] std::vector<ArcUsage> usage(Duration until) const;
  [[nodiscard]] std::int64_t lost(ArcId arc) const { return lost_[arc.index()]; }
  [[nodiscard]] double latency_s(ArcId arc) const;
  /// Time that a chunk takes on the arc, without latency.
  [[nodiscard]] double chunk_s(ArcId arc, std::int64_t bytes) const;
  [[nodiscard]] const WireOptions& options() const { return options_; }
  [[nodiscard]] PacketOutages& outages() { return outages_; }

 private:
  void serve(ArcId arc, double now_s);
  struct Port {
    double free_s = 0.0;
    bool waking = false;
    RingBuffer<std::pair<PacketFlow*, std::uint32_t>> ring;  ///< lanes that can send, in turn
  };
  [[nodiscard]] bool has_credit(PacketFlow& flow, std::uint32_t lane, double now_s);
  void join(PacketFlow& flow, std::uint32_t lane);
  void send(PacketFlow& flow, std::uint32_t lane, double now_s);
  [[nodiscard]] bool loses(ArcId arc, std::int64_t bytes, double from_s, double to_s);

  const Topology* topology_;
  WireOptions options_;
  PacketOutages outages_;
  PacketAgenda* agenda_;
  OnSent on_sent_;
  std::vector<Port> ports_;        ///< by arc
  std::vector<Rng> loss_streams_;  ///< by arc
  std::vector<ArcUsage> usage_;
  std::vector<std::int64_t> lost_;
};

}  // namespace gyre
