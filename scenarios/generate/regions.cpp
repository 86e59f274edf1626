#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/error.hpp"
#include "scenarios/generate/map_parts.hpp"

namespace gyre {
namespace {

void join_hubs(TopologySpec& spec, const std::vector<std::size_t>& hubs, RegionCore core,
               const LinkFigures& figures) {
  if (core == RegionCore::kStar) {
    const std::size_t centre = add_switch(spec, "C");
    for (const std::size_t hub : hubs) add_link(spec, centre, hub, figures);
    return;
  }
  for (std::size_t a = 0; a < hubs.size(); ++a) {
    if (core == RegionCore::kRing) {
      add_link(spec, hubs[a], hubs[(a + 1) % hubs.size()], figures);
      continue;
    }
    for (std::size_t b = a + 1; b < hubs.size(); ++b) add_link(spec, hubs[a], hubs[b], figures);
  }
}

}  // namespace

GeneratedMap regions(const Regions& options, const MapFigures& figures) {
  check(options.regions >= 2 && options.islands >= 1, "regions without islands or others");
  check(options.core != RegionCore::kRing || options.regions >= 3, "a ring of two hubs");
  GeneratedMap map;
  std::vector<std::size_t> hubs;
  std::string cliques;
  for (std::size_t r = 1; r <= options.regions; ++r) {
    hubs.push_back(add_switch(map.spec, fmt::format("H{}", r)));
    for (std::size_t i = 1; i <= options.islands; ++i) {
      const std::string name = fmt::format("R{}-{}", r, i);
      const std::size_t city = add_city(map.spec, name, figures);
      add_link(map.spec, hubs.back(), city,
               {.latency = options.local, .bandwidth = figures.bandwidth});
      if (!cliques.empty()) cliques += i == 1 ? '|' : '+';
      cliques += name;
    }
  }
  join_hubs(map.spec, hubs, options.core,
            {.latency = options.remote, .bandwidth = options.core_bandwidth});
  map.comments = {"The regions as cliques, for hierarchical and static-cliques:", cliques};
  return map;
}

}  // namespace gyre
