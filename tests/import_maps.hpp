#pragma once

// Small foreign maps, imported and read back as topology files.

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/error.hpp"
#include "scenarios/import/formats.hpp"
#include "scenarios/import/import_map.hpp"
#include "scenarios/import/node_file.hpp"
#include "scenarios/import/topology_yaml.hpp"
#include "scenarios/reader.hpp"
#include "scenarios/topology_file.hpp"
#include "scenarios/yaml.hpp"

namespace gyre {

struct Input {
  std::string file;
  std::string text;
  ImportOptions options = {};
  std::string nodes = {};  ///< text of a second file
};

/// Half of marfoq's rule: no constant. 100 km are 0.85 ms.
inline ImportOptions ruled() {
  ImportOptions options;
  options.per_km = Duration::milliseconds(0.0085);
  options.bandwidth = Bandwidth::gigabits_per_second(10);
  return options;
}

/// The options that `change` makes of `ruled`.
inline ImportOptions ruled(const std::function<void(ImportOptions&)>& change) {
  ImportOptions options = ruled();
  change(options);
  return options;
}

inline ImportedMap imported(const Input& input) {
  const SourceText source(input.text, input.file);
  RawMap raw = read_map(choose_format(std::nullopt, source), source);
  if (!input.nodes.empty()) read_node_file(raw, SourceText(input.nodes, "nodes.csv"));
  return import_map(std::move(raw), input.options);
}

inline std::string problem(const Input& input) {
  try {
    imported(input);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing is wrong";
}

/// Written as YAML and read back by the reader of topology files; then a map is made of it.
inline TopologySpec loaded(const ImportedMap& map) {
  const std::string text = topology_yaml(map.spec, {"Rules:", "- one"});
  TopologySpec spec;
  read_mapping(parse_yaml(text, "out.yaml"),
               [&spec](Fields& fields) { describe_topology_file(fields, spec); });
  NetworkSpec network;
  network.topology = spec;
  network.access.bandwidth = Bandwidth::gigabits_per_second(10);
  build_topology(network);
  return spec;
}

/// `A>B 4.5 ms 10 Gbps`, with the figures back where they differ.
inline std::vector<std::string> links_of(const TopologySpec& spec) {
  std::vector<std::string> links;
  for (const LinkSpec& link : spec.links) {
    std::string text = fmt::format("{}>{} {} {}", link.between[0].value, link.between[1].value,
                                   to_text(link.latency), to_text(link.bandwidth));
    if (link.reverse_latency || link.reverse_bandwidth) {
      text += fmt::format(" back {} {}", to_text(link.reverse_latency.value_or(link.latency)),
                          to_text(link.reverse_bandwidth.value_or(link.bandwidth)));
    }
    links.push_back(text);
  }
  return links;
}

inline std::vector<std::string> links_of(const Input& input) {
  return links_of(loaded(imported(input)));
}

inline std::vector<std::string> islands_of(const TopologySpec& spec) {
  std::vector<std::string> names;
  for (const IslandSpec& island : spec.islands) names.push_back(island.name.value);
  return names;
}

inline std::vector<std::string> switches_of(const TopologySpec& spec) {
  std::vector<std::string> names;
  for (const SwitchSpec& device : spec.switches) names.push_back(device.name.value);
  return names;
}

using Strings = std::vector<std::string>;

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline bool notes_have(const ImportedMap& map, const std::string& part) {
  return std::any_of(map.notes.begin(), map.notes.end(),
                     [&part](const std::string& note) { return has(note, part); });
}

inline std::string graphml(const std::string& graph, const std::string& edges = "undirected") {
  return R"(<?xml version="1.0"?><!-- <node id="x"/> -->
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
  <key attr.name="Latitude" attr.type="double" for="node" id="d1"/>
  <key attr.name="Longitude" attr.type="double" for="node" id="d2"/>
  <key attr.name="Internal" attr.type="boolean" for="node" id="d3"/>
  <key attr.name="hyperedge" attr.type="boolean" for="node" id="d4"/>
  <key attr.name="label" attr.type="string" for="node" id="d5"/>
  <key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="d6"/>
  <key for="node" id="d7" yfiles.type="nodegraphics"/>
  <graph edgedefault=")" +
         edges + "\">\n" + graph + "\n  </graph>\n</graphml>\n";
}

inline std::string node(const std::string& id, const std::string& data) {
  return fmt::format("<node id=\"{}\">{}</node>\n", id, data);
}

inline std::string label(const std::string& text) {
  return fmt::format("<data key=\"d5\"><![CDATA[{}]]></data>", text);
}

inline std::string placed(double longitude) {
  return fmt::format("<data key=\"d1\">0</data><data key=\"d2\">{}</data>", longitude);
}

inline std::string edge(const std::string& from, const std::string& to,
                        const std::string& data = "") {
  return fmt::format("<edge source=\"{}\" target=\"{}\">{}</edge>\n", from, to, data);
}

}  // namespace gyre
