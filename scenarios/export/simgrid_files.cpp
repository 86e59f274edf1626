#include "scenarios/export/simgrid_files.hpp"

#include <algorithm>
#include <map>
#include <span>

#include <fmt/format.h>

#include "scenarios/export/xml_text.hpp"

namespace gyre {
namespace {

constexpr const char* kHeader =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n";

/// SimGrid wants no blank before the unit, and writes `kbps`.
std::string simgrid_text(std::string quantity) {
  std::erase(quantity, ' ');
  std::replace(quantity.begin(), quantity.end(), 'K', 'k');
  return quantity;
}

std::string property(std::string_view name, std::string_view value) {
  return fmt::format(R"(<prop id="{}" value="{}"/>)", name, xml_escaped(value));
}

std::string host(const ExportedMap& map, const ExportIds& ids, NodeId node) {
  const Topology& topology = *map.topology;
  const bool is_switch = topology.is_switch(node);
  std::string text = fmt::format(R"(    <host id="{}" speed="1Gf">{}{})", xml_escaped(ids.of(node)),
                                 property("kind", is_switch ? "switch" : "island"),
                                 property("name", node_name(topology, node)));
  if (is_switch && map.mode) {
    const SwitchId at = topology.switch_at(node);
    text += property("multicast", map.able.replicates(at) ? "true" : "false");
    text += property("aggregation", map.able.adds(at) ? "true" : "false");
  }
  return text + "</host>\n";
}

std::string link(const Topology& topology, const ExportIds& ids, ArcId arc) {
  const Arc& it = topology.arc(arc);
  return fmt::format(
      "    <link id=\"{}\" bandwidth=\"{}\" latency=\"{}\" sharing_policy=\"SHARED\">{}{}</link>\n",
      xml_escaped(ids.of(arc)), simgrid_text(to_text(it.capacity)),
      simgrid_text(to_text(it.latency)), property("from", ids.of(it.tail)),
      property("to", ids.of(it.head)));
}

std::string route(const ExportIds& ids, NodeId from, NodeId to, std::span<const ArcId> path) {
  std::string text = fmt::format(R"(    <route src="{}" dst="{}" symmetrical="NO">)",
                                 xml_escaped(ids.of(from)), xml_escaped(ids.of(to)));
  for (const ArcId arc : path) {
    text += fmt::format(R"(<link_ctn id="{}"/>)", xml_escaped(ids.of(arc)));
  }
  return text + "</route>\n";
}

/// The arcs between neighbours; of several fibres the one with the least latency, as routes do.
std::vector<ArcId> neighbours(const Topology& topology) {
  std::map<std::pair<NodeId, NodeId>, ArcId> first;
  for (std::size_t a = 0; a < topology.arc_count(); ++a) {
    const ArcId arc = ArcId::at(a);
    const auto [known, is_new] =
        first.emplace(std::pair(topology.arc(arc).tail, topology.arc(arc).head), arc);
    if (!is_new && topology.arc(arc).latency < topology.arc(known->second).latency) {
      known->second = arc;
    }
  }
  std::vector<ArcId> arcs;
  arcs.reserve(first.size());
  for (const auto& [ends, arc] : first) arcs.push_back(arc);
  std::sort(arcs.begin(), arcs.end());
  return arcs;
}

/// What an island does in a round: whom it exchanges with, and in an overlay what it takes of whom.
std::vector<std::string> round_arguments(const ExportIds& ids, const Topology& topology,
                                         const ExportedSchedule& schedule, const Round& round,
                                         IslandId me) {
  const auto add = [&](std::string& list, const std::string& prefix, IslandId one) {
    list += fmt::format("{}{}{}", list.empty() ? "" : "+", prefix, ids.of(topology.node(one)));
  };
  const auto or_nobody = [](const std::string& list) { return list.empty() ? "-" : list; };
  std::string with;
  if (!schedule.overlay()) {
    for (const Clique& clique : round.cliques) {
      if (clique.size() < 2 || std::find(clique.begin(), clique.end(), me) == clique.end()) {
        continue;
      }
      for (const IslandId member : clique) add(with, "", member);
    }
    return {"round=" + or_nobody(with)};
  }
  std::string take;
  for (const MixingEdge& edge : round.edges) {
    if (edge.from == me) add(with, "", edge.to);
    if (edge.to == me) add(take, to_text(edge.weight) + " ", edge.from);
  }
  return {"round=" + or_nobody(with), "take=" + or_nobody(take)};
}

std::vector<std::string> deployment_comment(const ExportedMap& map,
                                            const ExportedSchedule& schedule) {
  std::vector<std::string> lines{
      fmt::format("For {}, written by gyre {}:", map.title, map.version),
      schedule.sentence(map) + ".",
      "The hosts are those of the platform file that was written with this one.",
      "",
      "Each island is an actor that runs the function `island`, which is yours to write: local",
      "steps, then an exchange, round by round. Its arguments, behind the function's name:",
      "  compute_s=S        mean seconds of its local steps before an exchange",
      "  payload_bytes=M    what it contributes to an exchange",
  };
  if (schedule.overlay()) {
    lines.insert(
        lines.end(),
        {"  round=A+B          to whom it sends its model in this round; - if to nobody",
         "  take=0.25 A+0.5 B  what it then takes of whose model; of its own the rest to 1",
         "The last two follow each other once a round."});
  } else {
    lines.insert(lines.end(),
                 {"  round=A+B+C        its clique, itself included; - if it does not exchange",
                  "The last one is there once a round.",
                  fmt::format("A clique exchanges by '{}' here; which streams that are, and what "
                              "the switches do",
                              schedule.exchange),
                  "with them, say the switch programs (programs of gyre export)."});
  }
  if (schedule.fragments > 1) {
    lines.push_back(fmt::format(
        "A round exchanges {} fragments in turn, each after its share of the local steps; the",
        schedule.fragments));
    lines.emplace_back("first two arguments are those of the first fragment.");
  }
  return lines;
}

}  // namespace

std::string simgrid_platform(const ExportedMap& map, const Routes& routes,
                             const SimgridOptions& options) {
  const Topology& topology = *map.topology;
  const ExportIds ids(map);
  std::string text = kHeader;
  text += xml_comment({
      fmt::format("For {}, written by gyre {}; for SimGrid 3.32 or later.", map.title, map.version),
      "",
      "Hosts are the islands and the switches, with their names in gyre as properties. Local steps",
      "take the time that gyre states: the hosts' speed means nothing.",
      "Each link is one direction: a fibre is two of them, and both can be full at once. There are",
      "routes between islands, over the least-latency paths, and between neighbours.",
      "",
      "SimGrid's defaults would cut long links to a fraction of their capacity. The options below",
      "are those that gyre simulates with; they win over those of the command line.",
      "",
      "What the options leave: flows that meet on a link share it in inverse proportion to the",
      "latencies of their routes; in gyre they have equal shares. To have those, set every link's",
      "latency to 0, and let who receives sleep for that of the route.",
  });
  text += "<platform version=\"4.1\">\n  <config>\n";
  for (const auto& [name, value] : options) text += "    " + property(name, value) + "\n";
  text += "  </config>\n";
  text += fmt::format("  <zone id=\"{}\" routing=\"Full\">\n", xml_escaped(ids.map()));
  text += fmt::format("    {}\n", property("gyre", map.version));
  text += fmt::format("    {}\n", property("name", map.name));
  for (std::size_t i = 0; i < topology.island_count(); ++i) {
    text += host(map, ids, topology.node(IslandId::at(i)));
  }
  for (std::size_t s = 0; s < topology.switch_count(); ++s) {
    text += host(map, ids, topology.node(SwitchId::at(s)));
  }
  for (std::size_t a = 0; a < topology.arc_count(); ++a) {
    text += link(topology, ids, ArcId::at(a));
  }
  for (const ArcId arc : neighbours(topology)) {
    text += route(ids, topology.arc(arc).tail, topology.arc(arc).head, std::span(&arc, 1));
  }
  for (std::size_t i = 0; i < topology.island_count(); ++i) {
    for (std::size_t j = 0; j < topology.island_count(); ++j) {
      if (i == j) continue;
      const NodeId from = topology.node(IslandId::at(i));
      const NodeId to = topology.node(IslandId::at(j));
      text += route(ids, from, to, routes.path(from, to));
    }
  }
  return text + "  </zone>\n</platform>\n";
}

std::string simgrid_deployment(const ExportedMap& map, const ExportedSchedule& schedule) {
  const Topology& topology = *map.topology;
  const ExportIds ids(map);
  std::string text = kHeader + xml_comment(deployment_comment(map, schedule));
  text += "<platform version=\"4.1\">\n";
  const auto argument = [&text](const std::string& value) {
    text += fmt::format("    <argument value=\"{}\"/>\n", xml_escaped(value));
  };
  for (std::size_t i = 0; i < topology.island_count(); ++i) {
    const IslandId me = IslandId::at(i);
    text += fmt::format("  <actor host=\"{}\" function=\"island\">\n",
                        xml_escaped(ids.of(topology.node(me))));
    argument("compute_s=" + to_text(schedule.compute[i].in_seconds()));
    argument(fmt::format("payload_bytes={}", schedule.payload.in_bytes()));
    for (const Round& round : schedule.rounds) {
      for (const std::string& one : round_arguments(ids, topology, schedule, round, me)) {
        argument(one);
      }
    }
    text += "  </actor>\n";
  }
  return text + "</platform>\n";
}

}  // namespace gyre
