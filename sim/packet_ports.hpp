#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "models/rng.hpp"
#include "models/routing.hpp"
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
///
/// Where an arc changes, a chunk whose sending has begun keeps its rate and delay, and later ones
/// have the new ones. An arc keeps its chunks in order: where the latency falls, a chunk arrives no
/// sooner than the one before it. A word of room takes what the arc's latency is when it is given.
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
  /// The arc has this from now on. Windows that are not given are what it needs, but those of
  /// `open` flows never shrink: that would hold up what waits until all that is on the way has
  /// come.
  void change(ArcId arc, Bandwidth capacity, Duration latency,
              std::span<const std::shared_ptr<PacketFlow>> open);
  [[nodiscard]] double capacity_bps(ArcId arc) const {
    return 8.0 * wires_[arc.index()].bytes_per_second;
  }
  /// How much longer than on the map a word takes from one node to another.
  [[nodiscard]] double word_delay_s(NodeId from, NodeId to) const;
  /// How much longer than on the map a chunk of the flow's takes on its longest way.
  [[nodiscard]] double extra_way_s(const PacketTables& tables) const;
  /// Time that a chunk takes on the arc, without latency.
  [[nodiscard]] double chunk_s(ArcId arc, std::int64_t bytes) const;
  [[nodiscard]] const WireOptions& options() const { return options_; }
  [[nodiscard]] PacketOutages& outages() { return outages_; }

 private:
  void serve(ArcId arc, double now_s);
  struct Port {
    double free_s = 0.0;
    double last_arrival_s = 0.0;   ///< of what it has sent so far
    double bits_per_second = 0.0;  ///< of the last chunk
    bool waking = false;
    RingBuffer<std::pair<PacketFlow*, std::uint32_t>> ring;  ///< lanes that can send, in turn
  };
  [[nodiscard]] bool has_credit(PacketFlow& flow, std::uint32_t lane, double now_s);
  void join(PacketFlow& flow, std::uint32_t lane);
  void send(PacketFlow& flow, std::uint32_t lane, double now_s);
  [[nodiscard]] std::int64_t window_of(const PacketFlow& flow, std::size_t lane) const;
  [[nodiscard]] double extra_s(ArcId arc) const;
  [[nodiscard]] bool loses(ArcId arc, std::int64_t bytes, double from_s, double to_s);

  const Topology* topology_;
  WireOptions options_;
  PacketOutages outages_;
  PacketAgenda* agenda_;
  OnSent on_sent_;
  /// What an arc has now.
  struct Wire {
    double bytes_per_second = 0.0;
    Duration latency;
  };
  std::vector<Wire> wires_;        ///< by arc
  std::optional<Routes> routes_;   ///< of words, once a latency has changed
  std::vector<Port> ports_;        ///< by arc
  std::vector<Rng> loss_streams_;  ///< by arc
  std::vector<ArcUsage> usage_;
  std::vector<std::int64_t> lost_;
};

}  // namespace gyre
