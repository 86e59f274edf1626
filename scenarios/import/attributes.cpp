#include "scenarios/import/attributes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/limits.hpp"
#include "scenarios/import/node_names.hpp"

namespace gyre {
namespace {

[[noreturn]] void refuse(const Attribute& attribute, std::string_view problem) {
  Where where = attribute.where;
  if (where.line > 0) where.key_path = attribute.key;
  throw InputError(where, problem);
}

bool truth(const Attribute& attribute) {
  const std::string& text = attribute.value;
  if (text == "1" || text == "true" || text == "True") return true;
  if (text == "0" || text == "false" || text == "False") return false;
  refuse(attribute, fmt::format("'{}' is no truth value; 0, 1, true or false is wanted", text));
}

/// The unit of a `LinkSpeed`, or empty.
std::string speed_unit(const Attributes& attributes) {
  const Attribute* unit = find(attributes, "LinkSpeedUnits");
  if (unit == nullptr || unit->value.size() != 1) return "";
  return std::string_view("KMGT").find(unit->value) == std::string_view::npos ? ""
                                                                              : unit->value + "bps";
}

}  // namespace

const Attribute* find(const Attributes& attributes, std::string_view key) {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [key](const Attribute& a) { return a.key == key; });
  return found == attributes.end() ? nullptr : &*found;
}

double number_of(const Attribute& attribute, std::string_view wanted) {
  const std::optional<double> number = parse_number(attribute.value);
  if (!number || !std::isfinite(*number)) {
    refuse(attribute, fmt::format("'{}' is no number; {} is wanted", attribute.value, wanted));
  }
  return *number;
}

double not_negative(const Attribute& attribute, std::string_view wanted) {
  const double number = number_of(attribute, wanted);
  if (number < 0.0) {
    refuse(attribute, fmt::format("{} is negative; {} is wanted", attribute.value, wanted));
  }
  return number;
}

Bandwidth bandwidth_of(const Attribute& attribute, std::string_view unit) {
  if (!unit.empty()) number_of(attribute, fmt::format("a positive number of {}", unit));
  const Parsed<Bandwidth> parsed =
      parse_bandwidth(unit.empty() ? attribute.value : fmt::format("{} {}", attribute.value, unit));
  if (!parsed.value) refuse(attribute, parsed.problem);
  if (*parsed.value <= Bandwidth()) {
    refuse(attribute,
           fmt::format("{} carries nothing; a positive bandwidth is wanted", attribute.value));
  }
  return *parsed.value;
}

Duration latency_of(const Attribute& attribute, std::string_view unit) {
  if (!unit.empty()) number_of(attribute, fmt::format("a number of {} from 0", unit));
  const Parsed<Duration> parsed =
      parse_duration(unit.empty() ? attribute.value : fmt::format("{} {}", attribute.value, unit));
  if (!parsed.value) refuse(attribute, parsed.problem);
  if (*parsed.value < Duration()) {
    refuse(attribute, fmt::format("{} is negative; a latency from 0 is wanted", attribute.value));
  }
  return *parsed.value;
}

GeoPoint place_of(const Attribute& latitude, const Attribute& longitude) {
  const GeoPoint place{.latitude_deg = number_of(latitude, "decimal degrees from -90 to 90"),
                       .longitude_deg = number_of(longitude, "decimal degrees from -180 to 180")};
  const auto check_range = [](const Attribute& attribute, double degrees, double most) {
    if (std::abs(degrees) <= most) return;
    refuse(attribute,
           fmt::format("{} is not on the globe; decimal degrees from {} to {} are wanted",
                       attribute.value, -most, most));
  };
  check_range(latitude, place.latitude_deg, 90.0);
  check_range(longitude, place.longitude_deg, 180.0);
  return place;
}

// An exact map's islands are nodes, with a link each, and its links may be listed by direction.
void add_node(RawMap& map, RawNode node) {
  constexpr std::size_t kMost = kMostSwitches + kMostIslands;
  if (map.nodes.size() == kMost) {
    throw InputError(node.where, fmt::format("more than {} nodes in one map", kMost));
  }
  const std::size_t longest = std::max(node.id.size(), node.label.size());
  if (longest > kLongestLabel) {
    throw InputError(node.where, fmt::format("a name or id of {} bytes; at most {} are allowed",
                                             longest, kLongestLabel));
  }
  map.nodes.push_back(std::move(node));
}

void add_link(RawMap& map, RawLink link) {
  constexpr std::size_t kMost = 2 * (kMostLinks + kMostIslands);
  if (map.links.size() == kMost) {
    throw InputError(link.where, fmt::format("more than {} links in one map", kMost));
  }
  map.links.push_back(std::move(link));
}

void add_rule(RawMap& map, std::string_view rule) {
  if (std::find(map.rules.begin(), map.rules.end(), rule) == map.rules.end()) {
    map.rules.emplace_back(rule);
  }
}

void AttributeMap::add_node(const std::string& id, const Attributes& attributes,
                            const Where& where) {
  const auto [first, is_new] = positions_.emplace(id, map_.nodes.size());
  if (!is_new) {
    throw InputError(where, fmt::format("a second node with the id '{}', first in {}; each id may "
                                        "stand once",
                                        id, map_.nodes[first->second].where.line_text()));
  }
  RawNode node;
  node.id = id;
  node.where = where;
  if (const Attribute* label = find(attributes, "label")) node.label = label->value;
  const Attribute* latitude = find(attributes, "Latitude");
  const Attribute* longitude = find(attributes, "Longitude");
  if ((latitude == nullptr) != (longitude == nullptr)) {
    refuse(latitude != nullptr ? *latitude : *longitude,
           fmt::format("has no {}; a place needs both or neither",
                       latitude != nullptr ? "Longitude" : "Latitude"));
  }
  if (latitude != nullptr) {
    node.place = place_of(*latitude, *longitude);
    add_rule(map_, "Latitude and Longitude are decimal degrees");
  }
  if (const Attribute* kind = find(attributes, "kind")) node.island = kind->value == "island";
  if (const Attribute* internal = find(attributes, "Internal")) node.internal = truth(*internal);
  if (const Attribute* hyperedge = find(attributes, "hyperedge")) {
    node.site = !truth(*hyperedge);
    if (!node.site) add_rule(map_, "a hyperedge is a switch without an island");
  }
  gyre::add_node(map_, std::move(node));
}

std::size_t AttributeMap::end_of(const Attribute& end) const {
  const auto found = positions_.find(end.value);
  if (found == positions_.end()) {
    refuse(end, fmt::format("'{}' is the id of no node; links join nodes of the file", end.value));
  }
  return found->second;
}

void AttributeMap::read_bandwidth(RawLink& link, const Attributes& attributes) {
  if (const Attribute* quantity = find(attributes, "bandwidth")) {
    link.figures.bandwidth = bandwidth_of(*quantity, "");
  } else if (const Attribute* gbps = find(attributes, "bandwidth_gbps")) {
    link.figures.bandwidth = bandwidth_of(*gbps, "Gbps");
  } else if (const Attribute* raw = find(attributes, "LinkSpeedRaw")) {
    link.figures.bandwidth = bandwidth_of(*raw, "bps");
    add_rule(map_, "LinkSpeedRaw is in bits per second");
  } else if (const Attribute* speed = find(attributes, "LinkSpeed")) {
    const std::string unit = speed_unit(attributes);
    const std::optional<double> number = parse_number(speed->value);
    if (number && *number > 0.0 && !unit.empty()) {
      link.figures.bandwidth = bandwidth_of(*speed, unit);
      add_rule(map_, "LinkSpeed counts LinkSpeedUnits (K, M, G or T bits per second)");
    } else {
      ++odd_speeds_;
    }
  } else if (const Attribute* capacity = find(attributes, "capacity")) {
    link.figures.bandwidth = bandwidth_of(*capacity, "bps");
    add_rule(map_, "capacity is in bits per second");
  }
}

void AttributeMap::add_link(const Attribute& source, const Attribute& target, bool directed,
                            const Attributes& attributes, const Where& where) {
  RawLink link;
  link.from = end_of(source);
  link.to = end_of(target);
  link.directed = directed;
  link.where = where;
  if (const Attribute* quantity = find(attributes, "latency")) {
    link.figures.latency = latency_of(*quantity, "");
  } else if (const Attribute* ms = find(attributes, "latency_ms")) {
    link.figures.latency = latency_of(*ms, "ms");
  }
  const Attribute* distance = find(attributes, "distance_km");
  if (distance == nullptr) {
    distance = find(attributes, "distance");
    if (distance != nullptr) add_rule(map_, "distance is in km");
  }
  if (distance != nullptr) {
    link.distance = Distance::kilometers(not_negative(*distance, "a number of km from 0"));
  }
  read_bandwidth(link, attributes);
  gyre::add_link(map_, std::move(link));
}

RawMap AttributeMap::take() {
  if (odd_speeds_ > 0) {
    map_.notes.push_back(
        fmt::format("LinkSpeed without LinkSpeedUnits, or no positive number, "
                    "taken as silent about capacity: {}",
                    counted(odd_speeds_, "link")));
  }
  return std::exchange(map_, {});
}

}  // namespace gyre
