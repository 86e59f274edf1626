#include "scenarios/export/exported_map.hpp"

#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"
#include "scenarios/import/node_names.hpp"

namespace gyre {

std::string ExportedSchedule::sentence(const ExportedMap& map) const {
  std::string text = fmt::format("schedule {}", label);
  if (map.mode) text += fmt::format(" in mode {}", name_of(*map.mode));
  text += fmt::format(" with seed {}: ", seed);
  if (!repeats) return text + fmt::format("its first {}", counted(rounds.size(), "round"));
  if (rounds.size() == 1) return text + "its one round, which repeats";
  return text + fmt::format("its {} rounds, which then begin again", rounds.size());
}

ExportIds::ExportIds(const ExportedMap& map) {
  const Topology& topology = *map.topology;
  std::set<std::string> used;
  const auto unique = [&used](std::string id) {
    while (!used.insert(id).second) id += '\'';
    return id;
  };
  nodes_.resize(topology.node_count());
  // Islands come first: nothing else takes their names.
  for (std::size_t i = 0; i < topology.island_count(); ++i) {
    const IslandId island = IslandId::at(i);
    nodes_[topology.node(island).index()] = unique(topology.name(island));
  }
  for (std::size_t s = 0; s < topology.switch_count(); ++s) {
    nodes_[s] = unique(topology.name(SwitchId::at(s)) + ".switch");
  }
  arcs_.reserve(topology.arc_count());
  for (std::string& name : topology.arc_names()) arcs_.push_back(unique(std::move(name)));
  map_ = unique(map.name.empty() ? "map" : map.name);
}

std::string node_name(const Topology& topology, NodeId node) {
  return topology.is_switch(node) ? topology.name(topology.switch_at(node))
                                  : topology.name(topology.island_at(node));
}

ArcId reverse_of(const Topology& topology, ArcId arc) {
  // Both directions of an access link and of a fibre stand beside each other.
  check(topology.arc_count() % 2 == 0, "an arc without its reverse");
  return ArcId::at(arc.index() ^ 1U);
}

std::string ms_text(Duration value) {
  for (const int digits : {15, 16, 17}) {
    const std::optional<double> ms =
        parse_number(fmt::format("{:.{}g}", value.in_milliseconds(), digits));
    if (!ms) continue;
    std::string text = to_text(*ms);
    if (parse_duration(text + " ms").value == value) return text;
  }
  // The digits in seconds, three places on.
  const std::string text = to_text(value.in_seconds());
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text + "e3";
  return fmt::format("{}e{}", text.substr(0, exponent), std::stoi(text.substr(exponent + 1)) + 3);
}

}  // namespace gyre
