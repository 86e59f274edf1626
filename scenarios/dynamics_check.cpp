#include "scenarios/dynamics_check.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "models/error.hpp"
#include "scenarios/transport_check.hpp"

namespace gyre {
namespace {

void check_changes(const NetworkSpec& network, const Topology& topology) {
  for (const ChangeSpec& change : network.changes) {
    for (const Text& name : change.arcs) {
      check_arc(name, topology);
      const Arc& own = topology.arc(topology.find_arc(name.value).value());
      if (change.bandwidth > own.capacity) {
        throw InputError(change.bandwidth_where,
                         fmt::format("is more than the {} that '{}' has on the map; must be at "
                                     "most that",
                                     to_text(own.capacity), name.value));
      }
      if (change.latency && *change.latency < own.latency) {
        throw InputError(change.latency_where,
                         fmt::format("is less than the {} that '{}' has on the map; must be at "
                                     "least that",
                                     to_text(own.latency), name.value));
      }
    }
  }
}

/// All of it may be on when the arc is at its narrowest.
void check_background(const NetworkSpec& network, const Topology& topology) {
  for (const BackgroundSpec& spec : network.background) {
    check_arcs(spec, topology);
  }
  std::vector<Bandwidth> left = topology.capacities();
  for (const ChangeSpec& change : network.changes) {
    if (!change.bandwidth) continue;
    for (const Text& name : change.arcs) {
      Bandwidth& least = left[topology.find_arc(name.value).value().index()];
      least = std::min(least, *change.bandwidth);
    }
  }
  for (const Background& background : backgrounds_of(network.background, topology)) {
    for (const auto& [arc, takes] : background.takes) {
      Bandwidth& rest = left[arc.index()];
      if (takes >= rest) {
        throw InputError(background.where,
                         fmt::format("takes {} of '{}', of which changes and other background "
                                     "leave as little as {}; must be below that",
                                     to_text(takes), topology.name(arc), to_text(rest)));
      }
      rest = Bandwidth::bits_per_second(rest.in_bits_per_second() - takes.in_bits_per_second());
    }
  }
}

}  // namespace

void check_dynamics(const NetworkSpec& network, const Topology& topology) {
  check_changes(network, topology);
  check_background(network, topology);
}

}  // namespace gyre
