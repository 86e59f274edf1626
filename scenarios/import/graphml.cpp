// GraphML (graphml.graphdrawing.org), with what the Topology Zoo, yEd and `gyre export` put into
// it.

#include <map>
#include <string>

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/limits.hpp"
#include "scenarios/import/attributes.hpp"
#include "scenarios/import/formats.hpp"
#include "scenarios/import/xml.hpp"

namespace gyre {
namespace {

/// The declared attributes of one kind of element (`node`, `edge`, `graph`).
struct Keys {
  std::map<std::string, std::string> names;  ///< by id
  Attributes defaults;
};

Keys keys_of(const XmlElement& graphml, std::string_view kind) {
  Keys keys;
  std::size_t count = 0;
  for (const XmlElement& key : graphml.children) {
    if (key.name != "key") continue;
    if (++count > kMostKeys) {
      throw InputError(key.where, fmt::format("more than {} <key>s in one file", kMostKeys));
    }
    const Attribute* of = find(key.attributes, "for");
    if (of != nullptr && of->value != kind && of->value != "all") continue;
    const Attribute* name = find(key.attributes, "attr.name");
    if (name == nullptr) continue;  // yEd's drawings
    keys.names.emplace(key.required("id").value, name->value);
    if (const XmlElement* text = key.child("default"); text != nullptr && !text->text.empty()) {
      keys.defaults.push_back({.key = name->value, .value = text->text, .where = text->where});
    }
  }
  return keys;
}

/// The element's data under the names that the keys give them; empty ones are as absent.
Attributes data_of(const XmlElement& element, const Keys& keys) {
  Attributes data;
  for (const XmlElement& entry : element.children) {
    if (entry.name != "data" || entry.text.empty()) continue;
    const auto name = keys.names.find(entry.required("key").value);
    if (name == keys.names.end()) continue;
    data.push_back({.key = name->second, .value = entry.text, .where = entry.where});
  }
  for (const Attribute& value : keys.defaults) {
    if (find(data, value.key) == nullptr) data.push_back(value);
  }
  return data;
}

/// yEd calls every graph directed; an edge that it draws without arrows is not.
bool is_directed(const XmlElement& edge, bool by_default) {
  if (const Attribute* directed = find(edge.attributes, "directed")) {
    return directed->value == "true";
  }
  if (const XmlElement* arrows = edge.below("Arrows")) {
    const Attribute* source = find(arrows->attributes, "source");
    const Attribute* target = find(arrows->attributes, "target");
    if (source != nullptr && target != nullptr && source->value == target->value) return false;
  }
  return by_default;
}

}  // namespace

RawMap read_graphml(const SourceText& source) {
  const XmlElement root = parse_xml(source, "graphml");
  const XmlElement* graph = root.child("graph");
  if (graph == nullptr) throw InputError(root.where, "no <graph>; GraphML has one");
  const Keys node_keys = keys_of(root, "node");
  const Keys edge_keys = keys_of(root, "edge");
  const Attribute* edge_default = find(graph->attributes, "edgedefault");
  const bool directed = edge_default != nullptr && edge_default->value == "directed";
  AttributeMap map;
  for (const XmlElement& node : graph->children) {
    if (node.name == "hyperedge" || node.child("graph") != nullptr) {
      throw InputError(node.where,
                       "a hyperedge or a graph inside a node is not read; only nodes "
                       "and edges with two ends are");
    }
    if (node.name != "node") continue;
    Attributes attributes = data_of(node, node_keys);
    const XmlElement* drawn = node.below("NodeLabel");
    if (drawn != nullptr && !drawn->text.empty() && find(attributes, "label") == nullptr) {
      attributes.push_back({.key = "label", .value = drawn->text, .where = drawn->where});
    }
    map.add_node(node.required("id").value, attributes, node.where);
  }
  for (const XmlElement& edge : graph->children) {
    if (edge.name != "edge") continue;
    map.add_link(edge.required("source"), edge.required("target"), is_directed(edge, directed),
                 data_of(edge, edge_keys), edge.where);
  }
  RawMap result = map.take();
  const Attributes about = data_of(*graph, keys_of(root, "graph"));
  if (const Attribute* name = find(about, "Network")) result.name = name->value;
  result.exact = find(about, "gyre") != nullptr;
  if (result.exact) {
    result.rules.emplace_back("written by gyre: nodes are islands and switches");
    if (const Attribute* name = find(about, "name")) result.name = name->value;
  }
  if (const Attribute* origin = find(about, "Source")) result.origin = origin->value;
  return result;
}

}  // namespace gyre
