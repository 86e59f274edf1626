#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/import/raw_map.hpp"

namespace gyre {

/// A value of a node or an edge, as its file spells it.
struct Attribute {
  std::string key;
  std::string value;
  Where where;
};

using Attributes = std::vector<Attribute>;

/// The first attribute of that name, or null.
const Attribute* find(const Attributes& attributes, std::string_view key);

/// The nodes and links of the formats that hang freely named attributes on them (GML, GraphML).
/// What is understood:
///   node  label; Latitude and Longitude (decimal degrees); Internal; hyperedge; kind (island)
///   edge  latency (a quantity) or latency_ms; distance or distance_km (km);
///         bandwidth (a quantity) or bandwidth_gbps; LinkSpeedRaw, else LinkSpeed with
///         LinkSpeedUnits (K, M, G or T), else capacity (bits per second but for LinkSpeed)
/// Other attributes are ignored.
class AttributeMap {
 public:
  /// Errors: `InputError` for a second node of that id and for values that mean nothing.
  void add_node(const std::string& id, const Attributes& attributes, const Where& where);
  /// Errors: `InputError` for ends that are no node, and for values that mean nothing.
  void add_link(const Attribute& source, const Attribute& target, bool directed,
                const Attributes& attributes, const Where& where);
  /// The map with the rules that were applied. Leaves nothing here.
  RawMap take();

 private:
  std::size_t end_of(const Attribute& end) const;
  void read_bandwidth(RawLink& link, const Attributes& attributes);

  RawMap map_;
  std::map<std::string, std::size_t> positions_;
  std::size_t odd_speeds_ = 0;
};

/// A number. Errors: `InputError` that says what is wanted.
double number_of(const Attribute& attribute, std::string_view wanted);
/// The same, at least 0.
double not_negative(const Attribute& attribute, std::string_view wanted);
/// A number of `unit` (`Gbps`) as a positive bandwidth, or a quantity with its own unit where
/// `unit` is empty.
Bandwidth bandwidth_of(const Attribute& attribute, std::string_view unit);
/// The same for a latency of at least 0.
Duration latency_of(const Attribute& attribute, std::string_view unit);
/// Decimal degrees. Errors: `InputError` for what is on no globe.
GeoPoint place_of(const Attribute& latitude, const Attribute& longitude);

/// Adds a node. Errors: `InputError` for more nodes than a map may have.
void add_node(RawMap& map, RawNode node);
/// Adds a link. Errors: `InputError` for more links than a map may have.
void add_link(RawMap& map, RawLink link);

/// Adds a rule once.
void add_rule(RawMap& map, std::string_view rule);

}  // namespace gyre
