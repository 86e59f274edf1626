#include "scenarios/generate/map_parts.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {

std::size_t add_switch(TopologySpec& spec, std::string name) {
  spec.switches.emplace_back().name.value = std::move(name);
  return spec.switches.size() - 1;
}

std::size_t add_city(TopologySpec& spec, const std::string& name, const MapFigures& figures) {
  IslandSpec& island = spec.islands.emplace_back();
  island.name.value = name;
  island.at.value = name;
  island.up = figures.access;
  island.down = figures.access;
  return add_switch(spec, name);
}

void add_link(TopologySpec& spec, std::size_t first, std::size_t second,
              const LinkFigures& figures) {
  LinkSpec& link = spec.links.emplace_back();
  link.between = {spec.switches[first].name, spec.switches[second].name};
  link.latency = figures.latency;
  link.bandwidth = figures.bandwidth;
}

Duration rounded_to_microseconds(Duration latency) {
  const Parsed<Duration> read = parse_duration(fmt::format("{:.3f} ms", latency.in_milliseconds()));
  check(read.value.has_value(), "a latency that cannot be rounded");
  return *read.value;
}

std::span<const GeneratorEntry> generator_table() {
  static constexpr std::array<GeneratorEntry, 3> kTable{{
      {.kind = MapKind::kRandomGeometric,
       .name = "random-geometric",
       .summary = "cities at random points of a square, joined by a minimum spanning tree and the "
                  "shortest other links"},
      {.kind = MapKind::kRegions,
       .name = "regions",
       .summary = "regions of cities around hubs, which a centre, a ring or a mesh joins"},
      {.kind = MapKind::kTorus,
       .name = "torus",
       .summary = "a grid of cities whose ends are joined, in any dimension"},
  }};
  return kTable;
}

}  // namespace gyre
