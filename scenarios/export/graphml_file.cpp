#include "scenarios/export/graphml_file.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "scenarios/export/xml_text.hpp"

namespace gyre {
namespace {

constexpr const char* kHeader =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"\n"
    "         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
    "         xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns "
    "http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n";

std::string key(std::string_view of, std::string_view name, std::string_view type,
                std::string_view meaning) {
  return fmt::format(
      "  <key id=\"{0}_{1}\" for=\"{0}\" attr.name=\"{1}\" attr.type=\"{2}\">"
      "<desc>{3}</desc></key>\n",
      of, name, type, xml_escaped(meaning));
}

std::string data(std::string_view of, std::string_view name, std::string_view value) {
  return fmt::format("<data key=\"{}_{}\">{}</data>", of, name, xml_escaped(value));
}

std::string truth(bool value) { return value ? "true" : "false"; }

std::string clique_key(std::size_t round) { return fmt::format("round_{}", round + 1); }

/// Whether each link is the same both ways.
bool is_symmetric(const Topology& topology) {
  for (std::size_t a = 0; a < topology.arc_count(); ++a) {
    const Arc& one = topology.arc(ArcId::at(a));
    const Arc& back = topology.arc(reverse_of(topology, ArcId::at(a)));
    if (one.capacity != back.capacity || one.latency != back.latency) return false;
  }
  return true;
}

std::string keys(const ExportedMap& map, const ExportedSchedule* schedule) {
  std::string text = key("graph", "gyre", "string", "version of gyre that wrote this");
  text += key("graph", "name", "string", "name of the map");
  text += key("node", "kind", "string", "island (a site of compute) or switch");
  text += key("node", "label", "string", "name in gyre; islands and switches may share it");
  if (map.mode) {
    text += key("graph", "mode", "string", "what the switches may do");
    text += key("node", "multicast", "boolean", "whether the switch replicates in that mode");
    text += key("node", "aggregation", "boolean", "whether the switch adds in that mode");
  }
  text += key("edge", "kind", "string", "access (island and switch) or fibre (two switches)");
  text += key("edge", "capacity", "long", "bits per second, in each direction");
  text += key("edge", "latency_ms", "double", "one-way latency in milliseconds");
  if (schedule == nullptr) return text;
  text += key("graph", "schedule", "string", "name of the schedule");
  text += key("graph", "seed", "long", "seed of what is random in it");
  text += key("graph", "rounds", "long", "number of its rounds that are here");
  text += key("graph", "repeats", "boolean", "whether they begin again after the last one");
  text += key("graph", "payload_bytes", "long", "what an island contributes to one exchange");
  if (schedule->overlay()) {
    text += key("edge", "weight", "double",
                "share of the source's model that the target takes in the round; of its own it "
                "keeps the rest to 1");
    return text;
  }
  text += key("graph", "exchange", "string", "how a clique exchanges");
  for (std::size_t r = 0; r < schedule->rounds.size(); ++r) {
    text += key("node", clique_key(r), "string",
                fmt::format("islands that exchange with this one in round {}, itself included; - "
                            "where it does not exchange",
                            r + 1));
  }
  return text;
}

std::string clique_of(const Topology& topology, const Round& round, IslandId island) {
  for (const Clique& clique : round.cliques) {
    if (clique.size() < 2) continue;
    if (std::find(clique.begin(), clique.end(), island) != clique.end()) {
      return to_text(clique, topology);
    }
  }
  return "-";
}

std::string node(const ExportedMap& map, const ExportIds& ids, const ExportedSchedule* schedule,
                 NodeId at) {
  const Topology& topology = *map.topology;
  const bool is_switch = topology.is_switch(at);
  std::string text = fmt::format("    <node id=\"{}\">", xml_escaped(ids.of(at)));
  text += data("node", "kind", is_switch ? "switch" : "island");
  text += data("node", "label", node_name(topology, at));
  if (is_switch && map.mode) {
    text += data("node", "multicast", truth(map.able.replicates(topology.switch_at(at))));
    text += data("node", "aggregation", truth(map.able.adds(topology.switch_at(at))));
  }
  if (!is_switch && schedule != nullptr && !schedule->overlay()) {
    for (std::size_t r = 0; r < schedule->rounds.size(); ++r) {
      text += data("node", clique_key(r),
                   clique_of(topology, schedule->rounds[r], topology.island_at(at)));
    }
  }
  return text + "</node>\n";
}

std::string edge(const Topology& topology, const ExportIds& ids, ArcId arc) {
  const Arc& it = topology.arc(arc);
  return fmt::format("    <edge id=\"{}\" source=\"{}\" target=\"{}\">{}{}{}</edge>\n",
                     xml_escaped(ids.of(arc)), xml_escaped(ids.of(it.tail)),
                     xml_escaped(ids.of(it.head)),
                     data("edge", "kind", topology.is_core(arc) ? "fibre" : "access"),
                     data("edge", "capacity", std::to_string(it.capacity.in_bits_per_second())),
                     data("edge", "latency_ms", ms_text(it.latency)));
}

std::string about(const ExportedMap& map, const ExportedSchedule* schedule) {
  std::string text = data("graph", "gyre", map.version) + data("graph", "name", map.name);
  if (map.mode) text += data("graph", "mode", name_of(*map.mode));
  if (schedule == nullptr) return text;
  text += data("graph", "schedule", schedule->label);
  text += data("graph", "seed", std::to_string(schedule->seed));
  text += data("graph", "rounds", std::to_string(schedule->rounds.size()));
  text += data("graph", "repeats", truth(schedule->repeats));
  text += data("graph", "payload_bytes", std::to_string(schedule->payload.in_bytes()));
  if (!schedule->overlay()) text += data("graph", "exchange", schedule->exchange);
  return text;
}

/// The weighted edges of an overlay's round, with nodes of their own: ids are unique in a file.
std::string overlay_graph(const Topology& topology, const ExportIds& ids, const Round& round,
                          std::size_t number) {
  const auto id = [&](IslandId island) {
    return xml_escaped(fmt::format("{}@{}", ids.of(topology.node(island)), number));
  };
  std::string text = fmt::format("  <graph id=\"round_{}\" edgedefault=\"directed\">\n", number);
  for (std::size_t i = 0; i < topology.island_count(); ++i) {
    const IslandId island = IslandId::at(i);
    text +=
        fmt::format("    <node id=\"{}\">{}{}</node>\n", id(island), data("node", "kind", "island"),
                    data("node", "label", topology.name(island)));
  }
  for (const MixingEdge& one : round.edges) {
    text += fmt::format("    <edge source=\"{}\" target=\"{}\">{}</edge>\n", id(one.from),
                        id(one.to), data("edge", "weight", to_text(one.weight)));
  }
  return text + "  </graph>\n";
}

std::string description(const ExportedMap& map, const ExportedSchedule* schedule, bool directed) {
  std::string text = fmt::format("For {}, written by gyre {}. ", map.title, map.version);
  text += directed ? "Some links differ by direction: each edge is one direction of a link."
                   : "Every link is the same both ways: each edge is a full-duplex link.";
  if (schedule == nullptr) return text;
  text += fmt::format(" With {}.", schedule->sentence(map));
  text += schedule->overlay()
              ? " Behind the map there is a graph for each round, with its weighted edges."
              : " The cliques of each round are attributes of the islands.";
  return text;
}

}  // namespace

std::string graphml_file(const ExportedMap& map, const ExportedSchedule* schedule) {
  const Topology& topology = *map.topology;
  const ExportIds ids(map);
  const bool directed = !is_symmetric(topology);
  std::string text = kHeader;
  text += fmt::format("  <desc>{}</desc>\n", xml_escaped(description(map, schedule, directed)));
  text += keys(map, schedule);
  text += fmt::format("  <graph id=\"map\" edgedefault=\"{}\">\n",
                      directed ? "directed" : "undirected");
  text += fmt::format("    {}\n", about(map, schedule));
  for (std::size_t i = 0; i < topology.island_count(); ++i) {
    text += node(map, ids, schedule, topology.node(IslandId::at(i)));
  }
  for (std::size_t s = 0; s < topology.switch_count(); ++s) {
    text += node(map, ids, schedule, topology.node(SwitchId::at(s)));
  }
  for (std::size_t a = 0; a < topology.arc_count(); a += directed ? 1 : 2) {
    text += edge(topology, ids, ArcId::at(a));
  }
  text += "  </graph>\n";
  if (schedule != nullptr && schedule->overlay()) {
    for (std::size_t r = 0; r < schedule->rounds.size(); ++r) {
      text += overlay_graph(topology, ids, schedule->rounds[r], r + 1);
    }
  }
  return text + "</graphml>\n";
}

}  // namespace gyre
