// SimGrid's platform files, as far as they are a map: one flat zone whose routes go over one link,
// or what `gyre export` writes, where links say which hosts they join.

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/error.hpp"
#include "scenarios/import/attributes.hpp"
#include "scenarios/import/formats.hpp"
#include "scenarios/import/xml.hpp"

namespace gyre {
namespace {

using Positions = std::map<std::string, std::size_t>;  // of nodes, by id

const std::vector<std::string> kRead{"prop", "host", "router", "link", "route"};

/// SimGrid writes `kBps`, we `KBps`; it reads a bare number as bytes per second, which we refuse.
Attribute with_our_unit(Attribute quantity) {
  const std::size_t kilo = quantity.value.find('k');
  if (kilo != std::string::npos) quantity.value[kilo] = 'K';
  return quantity;
}

const XmlElement& flat_zone(const XmlElement& platform) {
  const XmlElement* zone = nullptr;
  for (const XmlElement& child : platform.children) {
    if (child.name != "zone" && child.name != "AS") continue;
    if (zone != nullptr) throw InputError(child.where, "a second zone; one flat zone is read");
    zone = &child;
  }
  if (zone == nullptr) throw InputError(platform.where, "no <zone>; one flat zone is read");
  for (const XmlElement& child : zone->children) {
    if (std::find(kRead.begin(), kRead.end(), child.name) == kRead.end()) {
      throw InputError(child.where, fmt::format("<{}> is not read; allowed in a zone: {}",
                                                child.name, one_of(kRead)));
    }
  }
  return *zone;
}

/// The value of an element's property, or null.
const Attribute* property(const XmlElement& element, std::string_view id) {
  for (const XmlElement& child : element.children) {
    if (child.name == "prop" && child.required("id").value == id) return &child.required("value");
  }
  return nullptr;
}

Positions read_nodes(const XmlElement& zone, RawMap& map) {
  Positions positions;
  for (const XmlElement& child : zone.children) {
    if (child.name != "host" && child.name != "router") continue;
    RawNode node;
    node.id = child.required("id").value;
    node.site = child.name == "host";
    node.where = child.where;
    if (map.exact) {
      if (const Attribute* name = property(child, "name")) node.label = name->value;
      const Attribute* kind = property(child, "kind");
      node.island = kind != nullptr && kind->value == "island";
    }
    if (!positions.emplace(node.id, map.nodes.size()).second) {
      throw InputError(child.where, fmt::format("a second '{}'; each id may stand once", node.id));
    }
    add_node(map, std::move(node));
  }
  return positions;
}

RawFigures figures_of(const XmlElement& link) {
  const Attribute* latency = find(link.attributes, "latency");
  return {.latency = latency == nullptr ? Duration() : latency_of(*latency, ""),
          .bandwidth = bandwidth_of(with_our_unit(link.required("bandwidth")), "")};
}

std::map<std::string, RawFigures> read_links(const XmlElement& zone, bool& shared) {
  std::map<std::string, RawFigures> links;
  for (const XmlElement& child : zone.children) {
    if (child.name != "link") continue;
    const RawFigures figures = figures_of(child);
    const Attribute* policy = find(child.attributes, "sharing_policy");
    if (policy != nullptr && policy->value == "SHARED") shared = true;
    const std::string& id = child.required("id").value;
    if (!links.emplace(id, figures).second) {
      throw InputError(child.where, fmt::format("a second link '{}'; each id may stand once", id));
    }
  }
  return links;
}

/// The one link that a route goes over.
const std::string& link_of(const XmlElement& route) {
  const XmlElement* over = route.child("link_ctn");
  if (over == nullptr || route.children.size() != 1) {
    throw InputError(route.where,
                     fmt::format("the route from '{}' to '{}' goes over {} links; only routes over "
                                 "one link are read, and gyre finds the others itself",
                                 route.required("src").value, route.required("dst").value,
                                 route.children.size()));
  }
  return over->required("id").value;
}

std::size_t node_at(const Positions& nodes, const Attribute& end) {
  const auto found = nodes.find(end.value);
  if (found == nodes.end()) {
    throw InputError(end.where,
                     fmt::format("{} '{}' is no host or router of the zone", end.key, end.value));
  }
  return found->second;
}

/// Of gyre's own platforms: each link is a direction of a fibre or of an access link.
void read_arcs(const XmlElement& zone, const Positions& nodes, RawMap& map) {
  for (const XmlElement& child : zone.children) {
    if (child.name != "link") continue;
    RawLink link;
    for (const auto& [end, id] : {std::pair(&link.from, "from"), std::pair(&link.to, "to")}) {
      const Attribute* host = property(child, id);
      if (host == nullptr) {
        throw InputError(child.where,
                         fmt::format("link '{}' has no property '{}'; in a platform of gyre's, its "
                                     "links say which hosts they join",
                                     child.required("id").value, id));
      }
      *end = node_at(nodes, {.key = id, .value = host->value, .where = host->where});
    }
    link.directed = true;
    link.figures = figures_of(child);
    link.where = child.where;
    add_link(map, std::move(link));
  }
}

/// Of others': a route over one link is a fibre. Returns whether directions share a link.
bool read_routes(const XmlElement& zone, const Positions& nodes, RawMap& map) {
  bool shared = false;
  const std::map<std::string, RawFigures> links = read_links(zone, shared);
  for (const XmlElement& route : zone.children) {
    if (route.name != "route") continue;
    RawLink link;
    link.from = node_at(nodes, route.required("src"));
    link.to = node_at(nodes, route.required("dst"));
    const Attribute* symmetrical = find(route.attributes, "symmetrical");
    link.directed = symmetrical != nullptr && symmetrical->value != "YES" &&
                    symmetrical->value != "yes" && symmetrical->value != "true";
    link.where = route.where;
    const auto figures = links.find(link_of(route));
    if (figures == links.end()) {
      throw InputError(route.where, fmt::format("the route goes over '{}', which is no link of the "
                                                "zone",
                                                link_of(route)));
    }
    link.figures = figures->second;
    add_link(map, std::move(link));
  }
  return shared;
}

}  // namespace

RawMap read_simgrid(const SourceText& source) {
  const XmlElement platform = parse_xml(source, "platform");
  const XmlElement& zone = flat_zone(platform);
  RawMap map;
  map.exact = property(zone, "gyre") != nullptr;
  const Positions nodes = read_nodes(zone, map);
  if (map.exact) {
    if (const Attribute* name = property(zone, "name")) map.name = name->value;
    read_arcs(zone, nodes, map);
    map.rules = {"written by gyre: hosts are islands and switches, links one direction each"};
    return map;
  }
  const bool shared = read_routes(zone, nodes, map);
  if (const Attribute* id = find(zone.attributes, "id")) map.name = id->value;
  map.rules = {"a host is a switch with an island, a router a switch without",
               "a route over one link is a fibre; routes over several are refused"};
  if (shared) {
    map.notes.emplace_back("links that both directions share (SHARED) became full duplex");
  }
  return map;
}

}  // namespace gyre
