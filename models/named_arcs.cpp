#include "models/named_arcs.hpp"

#include <utility>

#include <fmt/format.h>

namespace gyre {

std::vector<NamedArcs> named_arcs(const ArcsSpec& spec, const Topology& topology) {
  const auto link_name = [&](SwitchId first, SwitchId second) {
    return fmt::format("{}-{}", topology.name(first), topology.name(second));
  };
  std::vector<NamedArcs> all;
  if (spec.arc) {
    all.push_back({spec.arc->value, {topology.find_arc(spec.arc->value).value()}});
  } else if (spec.every_link) {
    // Core arcs come in pairs, both directions of a link.
    for (std::size_t a = 2 * topology.island_count(); a < topology.arc_count(); a += 2) {
      const Arc& arc = topology.arc(ArcId::at(a));
      all.push_back({link_name(topology.switch_at(arc.tail), topology.switch_at(arc.head)),
                     {ArcId::at(a), ArcId::at(a + 1)}});
    }
  } else if (!spec.link.empty()) {
    const SwitchId first = topology.find_switch(spec.link[0].value).value();
    const SwitchId second = topology.find_switch(spec.link[1].value).value();
    NamedArcs& link = all.emplace_back(NamedArcs{link_name(first, second), {}});
    for (const auto& [tail, head] : {std::pair(first, second), std::pair(second, first)}) {
      for (const ArcId a : topology.out_arcs(topology.node(tail))) {
        if (topology.arc(a).head == topology.node(head)) link.arcs.push_back(a);
      }
    }
  }
  return all;
}

}  // namespace gyre
