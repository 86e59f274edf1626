#pragma once

#include <cstddef>
#include <string>

#include "scenarios/generate/generators.hpp"

namespace gyre {

/// Adds a switch with nothing on it, or a city: a switch with an island of the same name. Returns
/// its place among the switches.
std::size_t add_switch(TopologySpec& spec, std::string name);
std::size_t add_city(TopologySpec& spec, const std::string& name, const MapFigures& figures);

/// What a link is like, both ways.
struct LinkFigures {
  Duration latency;
  Bandwidth bandwidth;
};
/// Joins two switches by their places.
void add_link(TopologySpec& spec, std::size_t first, std::size_t second,
              const LinkFigures& figures);

/// To a whole number of microseconds, as a text of it reads back. Requires a finite latency.
Duration rounded_to_microseconds(Duration latency);

}  // namespace gyre
