#pragma once

#include <optional>
#include <vector>

#include "models/ids.hpp"
#include "models/topology.hpp"
#include "models/units.hpp"
#include "schedules/exchange_plan.hpp"
#include "sim/platform.hpp"
#include "sim/simgrid_compat.hpp"

namespace gyre {

/// What an arc carried in a run.
struct ArcUsage {
  Bytes bytes;                    ///< of the flows that ended
  Duration busy;                  ///< time with at least one flow on it
  double carried_bits = 0.0;      ///< ∫ rate dt, flows under way included
  double peak_utilisation = 0.0;  ///< highest share of the capacity in use between two events
};

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
  /// Blocks the calling actor until the last byte has left; returns when that was.
  Instant wait();

 private:
  friend class FlowNetwork;
  bool started_ = false;
  FlowNetwork* network_ = nullptr;      ///< that the link below goes back to
  simgrid::s4u::Link* pace_ = nullptr;  ///< of a flow with a rate of its own, until it has ended
  simgrid::s4u::CommPtr comm_;          ///< none for a flow of 0 bytes
  Instant ended_;
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
  FlowNetwork(const Topology& topology, const Platform& platform);
  FlowNetwork(const FlowNetwork&) = delete;
  FlowNetwork& operator=(const FlowNetwork&) = delete;
  ~FlowNetwork() = default;

  [[nodiscard]] FlowRoute route(const Flow& flow) const;
  /// Starts a flow from the host of `starter`, within any actor.
  FlowHandle start(IslandId starter, const FlowRoute& route, Bytes bytes);
  /// Counts a flow that ended.
  void account(const Stream& stream, Bytes bytes);
  [[nodiscard]] const std::vector<ArcUsage>& usage() const { return usage_; }
  [[nodiscard]] simgrid::s4u::Host* host(IslandId island) const { return platform_->host(island); }

 private:
  void measure(Duration elapsed);

  const Platform* platform_;
  std::vector<simgrid::s4u::Link*> free_paces_;
  std::vector<ArcUsage> usage_;
};

}  // namespace gyre
