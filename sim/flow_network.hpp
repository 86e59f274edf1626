#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "models/ids.hpp"
#include "models/topology.hpp"
#include "models/units.hpp"
#include "schedules/exchange_plan.hpp"
#include "sim/arc_conditions.hpp"
#include "sim/arc_meter.hpp"
#include "sim/platform.hpp"
#include "sim/simgrid_compat.hpp"

namespace gyre {

/// A stream's arcs in the engine's terms. Made once for a plan, used for every flow of it.
struct FlowRoute {
  simgrid_compat::LinkList links;
  std::optional<Bandwidth> rate;  ///< never faster than that
};

class FlowNetwork;

/// A flow under way or ended. Any number of actors may wait for it.
class FlowHandle {
 public:
  [[nodiscard]] bool started() const { return started_; }
  /// Blocks the calling actor until the last byte has left, or it was cancelled; returns when that
  /// was. A flow counts from the first time on.
  Instant wait();
  /// From its last byte's leaving to its arrival, as it was when the flow started; none where the
  /// flow does not lead to the receiver.
  [[nodiscard]] std::optional<Duration> latency_to(IslandId receiver) const;

 private:
  friend class FlowNetwork;
  void count();
  bool started_ = false;
  FlowNetwork* network_ = nullptr;
  simgrid::s4u::Link* pace_ = nullptr;  ///< of a flow with a rate of its own, until it has ended
  simgrid_compat::HeldComm comm_;       ///< none for a flow of 0 bytes
  Instant ended_;
  const Stream* stream_ = nullptr;
  bool counted_ = false;
  Bytes bytes_;
  std::vector<Delivery> deliveries_;  ///< where they are not the stream's
};

/// The WAN on SimGrid, fidelity `flow`: each stream is one fluid flow that takes the same rate on
/// each of its arcs (an arc with c copies counts c times); flows share arcs max–min.
///
/// Links have no latency in the engine, where it would weight the sharing; propagation is added by
/// whoever waits (`Delivery::latency`). A fibre is two directed links. Cost: memory O(arcs); a flow
/// leaves nothing behind.
class FlowNetwork {
  friend class FlowHandle;

 public:
  /// A flow with a rate of its own goes through one more link, which only it uses: of these the
  /// platform has as many as there can be such flows.
  explicit FlowNetwork(const Platform& platform);
  FlowNetwork(const FlowNetwork&) = delete;
  FlowNetwork& operator=(const FlowNetwork&) = delete;
  ~FlowNetwork() = default;

  /// `rate`: never faster than that.
  [[nodiscard]] FlowRoute route(const Stream& stream, std::optional<Bandwidth> rate = {}) const;
  /// Starts a flow over the stream's route from the host of `starter`, within any actor. The stream
  /// has to outlive the flow.
  FlowHandle start(IslandId starter, const Stream& stream, const FlowRoute& route, Bytes bytes);
  /// Has to be called before the first flow of a run in which arcs may be down.
  void expect_outages() { expects_outages_ = true; }
  /// These arcs are down from now on, and no others: they carry next to nothing, so
  /// that flows on them stand still. Within any actor. Returns how many flows under way do so now
  /// that did not before.
  std::size_t set_down(const std::set<ArcId>& down);
  /// Whether it has started and not all of it has left yet. Requires `expect_outages`.
  [[nodiscard]] bool under_way(const FlowHandle& flow) const;
  /// Bytes of it that have left so far. Requires `expect_outages`.
  [[nodiscard]] Bytes sent(const FlowHandle& flow) const;
  /// Counts the flow with what has left so far, which it returns: it is about to be closed.
  /// Requires `expect_outages`.
  Bytes settle(FlowHandle& flow);
  /// Ends the settled flow where it is, if it is under way: who waits for it goes on.
  /// Requires `expect_outages`.
  void close(FlowHandle& flow);
  /// Flows under way share what there is from now on. Within any actor. Requires a positive rate.
  void set_capacity(ArcId arc, Bandwidth capacity);
  /// Flows that start from now on take as long over the arc.
  void set_latency(const Topology& topology, ArcId arc, Duration latency);
  /// By arc, the mean capacity since the last call, or since the start, over the time in which it
  /// was not down; what it is when it is not down where there was no such time.
  [[nodiscard]] std::vector<Bandwidth> take_mean_capacities();
  [[nodiscard]] const std::vector<ArcUsage>& usage() const { return meter_.usage(); }
  /// How many flows were started, and Σ of their arcs.
  [[nodiscard]] std::int64_t started() const { return started_; }
  [[nodiscard]] std::int64_t started_arcs() const { return started_arcs_; }
  [[nodiscard]] simgrid::s4u::Host* host(IslandId island) const { return platform_->host(island); }

 private:
  const Platform* platform_;
  std::vector<simgrid::s4u::Link*> free_paces_;
  ArcMeter meter_;
  std::int64_t started_ = 0;
  std::int64_t started_arcs_ = 0;
  bool expects_outages_ = false;
  /// Only where outages are expected; only looked up and counted.
  std::map<const simgrid_compat::Activity*, const Stream*> under_way_;
  std::set<ArcId> down_;
  void apply(ArcId arc);
  [[nodiscard]] double capacity_bps(std::size_t arc) const;
  OfferedCapacities offers_;
  const Topology* topology_ = nullptr;  ///< with `latencies_`
  std::vector<Duration> latencies_;     ///< by arc, once one has changed
  /// Arcs whose capacity has changed: that of the map, and what it is now.
  struct Changed {
    double own_bytes_per_second = 0.0;
    double wanted_bytes_per_second = 0.0;  ///< when it is not down
    double bytes_per_second = 0.0;
  };
  Changed& changed_of(ArcId arc);
  std::map<ArcId, Changed> changed_;
};

}  // namespace gyre
