#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "models/ids.hpp"
#include "models/topology.hpp"
#include "models/units.hpp"
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

/// The engine with the map: a link an arc, a host an island and a switch. One per process: the
/// engine is a singleton.
class Platform {
 public:
  /// `pace_links` are links that belong to no arc (see `FlowNetwork`): none can be made later.
  explicit Platform(const Topology& topology, std::size_t pace_links = 0);
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;
  ~Platform() = default;

  /// The host whose one actor is the island (at fidelity `packet` also its network interface).
  [[nodiscard]] simgrid::s4u::Host* host(IslandId i) const { return islands_[i.index()]; }
  [[nodiscard]] simgrid::s4u::Host* host(SwitchId s) const { return switches_[s.index()]; }
  [[nodiscard]] simgrid::s4u::Host* sink() const { return sink_; }
  [[nodiscard]] const std::vector<simgrid::s4u::Link*>& links() const { return links_; }
  [[nodiscard]] const std::vector<simgrid::s4u::Link*>& pace_links() const { return pace_links_; }
  [[nodiscard]] simgrid_compat::ChosenRouteZone& zone() const { return *zone_; }

  /// Runs the simulation to its end. Returns false if it ended because all actors wait for each
  /// other; then `on_deadlock` was called while they still existed.
  bool run(const std::function<void()>& on_deadlock);

 private:
  /// The engine takes Ctrl-C for itself; this gives it back.
  struct InterruptAction {
    InterruptAction();
    void restore() const;
    struct sigaction action {};
  };

  InterruptAction interrupt_;
  simgrid::s4u::Engine engine_;
  simgrid_compat::ChosenRouteZone* zone_ = nullptr;  ///< the engine owns it
  std::vector<simgrid::s4u::Link*> links_;           ///< by arc
  std::vector<simgrid::s4u::Link*> pace_links_;
  std::vector<simgrid::s4u::Host*> islands_;
  std::vector<simgrid::s4u::Host*> switches_;
  simgrid::s4u::Host* sink_ = nullptr;
};

/// The engine's clock.
Instant simulated_now();
/// Blocks the calling actor until `when`; returns at once if that is past.
void sleep_until(Instant when);

}  // namespace gyre
