#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <simgrid/Exception.hpp>
#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <simgrid/simix.hpp>
#include <simgrid/version.h>

/// What differs between SimGrid 3.32 and 4.x, in one place.
namespace gyre::simgrid_compat {

using Activity = simgrid::kernel::activity::ActivityImpl;

/// The communication whose last byte has left. Its class is not among the headers that SimGrid
/// installs; all of it that is needed here is in its one base, which has the same address.
inline const Activity* activity_of(const simgrid::kernel::resource::NetworkAction& action) {
  return reinterpret_cast<const simgrid::kernel::resource::Action&>(action).get_activity();
}

using HeldComm = std::shared_ptr<simgrid::s4u::Comm>;

using LinkList = std::vector<simgrid::kernel::resource::StandardLinkImpl*>;

inline simgrid::s4u::Host* add_host(simgrid::s4u::NetZone* zone, const std::string& name) {
#if SIMGRID_VERSION >= 40000
  return zone->add_host(name, 1e9)->seal();
#else
  return zone->create_host(name, 1e9)->seal();
#endif
}

inline simgrid::s4u::Link* add_link(simgrid::s4u::NetZone* zone, const std::string& name,
                                    double bytes_per_second) {
#if SIMGRID_VERSION >= 40000
  return zone->add_link(name, bytes_per_second)->set_latency(0.0)->seal();
#else
  return zone->create_link(name, bytes_per_second)->set_latency(0.0)->seal();
#endif
}

/// Blocks the calling actor until the communication has ended; false if it was cancelled. Not
/// `comm->wait()`: that starts a timer for each waiter and forgets all but the last one's.
inline bool wait(const simgrid::s4u::CommPtr& comm) {
  try {
#if SIMGRID_VERSION >= 40000
    simgrid::s4u::ActivitySet({comm}).wait_any();
#else
    simgrid::s4u::Comm::wait_any({comm});
#endif
  } catch (const simgrid::CancelException&) {
    return false;
  } catch (const simgrid::NetworkFailureException&) {
    return false;
  }
  return true;
}

/// Ends all actors but the calling one. Those that are returned have to be kept for as long as the
/// engine runs: what a killed one waited for still refers to it, and ends later.
[[nodiscard]] inline std::vector<simgrid::s4u::ActorPtr> kill_all() {
  std::vector<simgrid::s4u::ActorPtr> all = simgrid::s4u::Engine::get_instance()->get_all_actors();
  simgrid::s4u::Actor::kill_all();
  return all;
}

/// A zone whose route from a host is whatever was last chosen for it. SimGrid asks for the route
/// when a communication starts, so that any list of links can be a route without a table of all
/// routes ever used. Choose within `start_on`: other actors of the host may start flows at the same
/// instant.
class ChosenRouteZone final : public simgrid::kernel::routing::NetZoneImpl {
 public:
  explicit ChosenRouteZone(const std::string& name) : NetZoneImpl(name) {}

  void choose(const simgrid::s4u::Host* from, const LinkList& links) {
    const auto id = static_cast<std::size_t>(from->get_netpoint()->id());
    if (id >= chosen_.size()) chosen_.resize(id + 1, nullptr);
    chosen_[id] = &links;
  }
  /// A communication that is kept when nobody refers to it any more while it is under way, as where
  /// its actors are killed: the engine complains of one that is forgotten.
  HeldComm hold(const simgrid::s4u::CommPtr& comm) {
    return {comm.get(), [this, comm](simgrid::s4u::Comm* held) {
              if (held->get_state() == simgrid::s4u::Activity::State::STARTED) {
                forgotten_.push_back(comm);
              }
            }};
  }
  LinkList links(const std::vector<simgrid::s4u::LinkInRoute>& route) const {
    return get_link_list_impl(route, false);
  }

  void get_local_route(const simgrid::kernel::routing::NetPoint* from,
                       const simgrid::kernel::routing::NetPoint* /*to*/,
                       simgrid::kernel::routing::Route* route, double* /*latency*/) override {
    route->link_list_ = *chosen_.at(static_cast<std::size_t>(from->id()));
  }

 private:
  std::vector<const LinkList*> chosen_;
  std::vector<simgrid::s4u::CommPtr> forgotten_;
};

/// Starts a communication of so many bytes between two hosts of the zone over these links. What
/// `prepare` does, the choice, the start and what `started` does with it are one step of the
/// engine's own, between which no actor runs or is killed.
template <class Prepare, class Started>
HeldComm start_on(ChosenRouteZone& zone, const LinkList& links, simgrid::s4u::Host* from,
                  simgrid::s4u::Host* to, std::uint64_t bytes, Prepare prepare, Started started) {
  const simgrid::s4u::CommPtr comm = simgrid::s4u::Comm::sendto_init(from, to);
  comm->set_payload_size(bytes);
  HeldComm held = zone.hold(comm);
  simgrid::kernel::actor::simcall_answered([&] {
    prepare();
    zone.choose(from, links);
    comm->start();
    started(comm);
  });
  return held;
}

}  // namespace gyre::simgrid_compat
