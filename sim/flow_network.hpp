#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "models/ids.hpp"
#include "models/topology.hpp"
#include "models/units.hpp"
#include "schedules/exchange_plan.hpp"
#include "sim/simgrid_compat.hpp"

namespace gyre {

/// One option of the simulation engine, as it is set and as the manifest records it.
struct ModelOption {
  std::string name;
  std::string value;
};

/// Every option of SimGrid that could change a result, all set by us: SimGrid's defaults model TCP
/// windows and protocol factors, and share links by round-trip time.
const std::vector<ModelOption>& model_options();
/// `3.32.0`
std::string engine_version();

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
/// whoever waits (`Delivery::latency`). A fibre is two directed links. One per process: the engine
/// is a singleton. Cost: memory O(arcs); a flow leaves nothing behind.
class FlowNetwork {
  friend class FlowHandle;

 public:
  /// A flow with a rate of its own goes through one more link, which only it uses: of these there
  /// are `most_paced_flows`, since links cannot be made later.
  explicit FlowNetwork(const Topology& topology, std::size_t most_paced_flows = 0);
  FlowNetwork(const FlowNetwork&) = delete;
  FlowNetwork& operator=(const FlowNetwork&) = delete;
  ~FlowNetwork() = default;

  /// The host whose one actor is the island.
  [[nodiscard]] simgrid::s4u::Host* host(IslandId island) const { return hosts_[island.index()]; }
  [[nodiscard]] FlowRoute route(const Flow& flow) const;
  /// Starts a flow from within the actor of `starter`. `route` has to live until it has started.
  FlowHandle start(IslandId starter, const FlowRoute& route, Bytes bytes);
  /// Counts a flow that ended.
  void account(const Stream& stream, Bytes bytes);
  [[nodiscard]] const std::vector<ArcUsage>& usage() const { return usage_; }

  /// Runs the simulation to its end. Returns false if it ended because all actors wait for each
  /// other; then `on_deadlock` was called while they still existed.
  bool run(const std::function<void()>& on_deadlock);

 private:
  void measure(Duration elapsed);

  /// The engine takes Ctrl-C for itself; this gives it back.
  struct InterruptAction {
    InterruptAction();
    void restore() const;
    struct sigaction action {};
  };

  const Topology* topology_;
  InterruptAction interrupt_;
  simgrid::s4u::Engine engine_;
  simgrid_compat::ChosenRouteZone* zone_ = nullptr;  ///< the engine owns it
  std::vector<simgrid::s4u::Link*> links_;           ///< by arc
  std::vector<simgrid::s4u::Host*> hosts_;           ///< by island
  std::vector<simgrid::s4u::Link*> free_paces_;
  simgrid::s4u::Host* sink_ = nullptr;
  std::vector<ArcUsage> usage_;
};

/// The engine's clock.
Instant simulated_now();
/// Blocks the calling actor until `when`; returns at once if that is past.
void sleep_until(Instant when);

}  // namespace gyre
