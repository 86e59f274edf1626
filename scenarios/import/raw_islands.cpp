#include "scenarios/import/raw_islands.hpp"

#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "scenarios/import/fibres.hpp"

namespace gyre {
namespace {

const std::string& name_of(const RawNode& node) {
  return node.label.empty() ? node.id : node.label;
}

/// What is known of an island's access link so far.
struct Access {
  std::optional<std::size_t> at;
  std::optional<FibreFigures> up;
  std::optional<FibreFigures> down;
};

void take(Access& access, const RawNode& island, const RawLink& link, bool is_up) {
  const std::size_t at = is_up ? link.to : link.from;
  const auto put = [&](std::optional<FibreFigures>& side, const RawFigures& figures) {
    if (side || access.at.value_or(at) != at) {
      throw InputError(
          link.where,
          fmt::format("a second access link of island '{}'; one is allowed", name_of(island)));
    }
    if (figures.latency && figures.bandwidth) side = {*figures.latency, *figures.bandwidth};
  };
  put(is_up ? access.up : access.down, link.figures);
  if (!link.directed) put(is_up ? access.down : access.up, link.reverse.value_or(link.figures));
  access.at = at;
}

RawIsland island_of(const RawNode& node, const Access& access) {
  if (!access.at || !access.up || !access.down) {
    throw InputError(node.where,
                     fmt::format("island '{}' has no access link with latency and capacity both "
                                 "ways; one to its switch is wanted",
                                 name_of(node)));
  }
  if (access.up->latency != access.down->latency) {
    throw InputError(
        node.where,
        fmt::format("the access link of island '{}' takes {} up and {} down; one latency for both "
                    "is allowed",
                    name_of(node), to_text(access.up->latency), to_text(access.down->latency)));
  }
  return {.name = name_of(node),
          .at = *access.at,
          .up = access.up->bandwidth,
          .down = access.down->bandwidth,
          .latency = access.up->latency,
          .where = node.where};
}

}  // namespace

void take_islands(RawMap& map) {
  std::vector<Access> access(map.nodes.size());
  std::vector<RawLink> fibres;
  for (RawLink& link : map.links) {
    const bool up = map.nodes[link.from].island;
    const bool down = map.nodes[link.to].island;
    if (up && down) {
      throw InputError(link.where,
                       fmt::format("joins the islands '{}' and '{}'; an island is "
                                   "joined to a switch",
                                   name_of(map.nodes[link.from]), name_of(map.nodes[link.to])));
    }
    if (!up && !down) {
      fibres.push_back(std::move(link));
      continue;
    }
    const std::size_t island = up ? link.from : link.to;
    take(access[island], map.nodes[island], link, up);
  }
  std::vector<std::size_t> place(map.nodes.size());
  std::vector<RawNode> switches;
  for (std::size_t n = 0; n < map.nodes.size(); ++n) {
    if (map.nodes[n].island) {
      map.islands.push_back(island_of(map.nodes[n], access[n]));
    } else {
      place[n] = switches.size();
      switches.push_back(std::move(map.nodes[n]));
    }
  }
  std::set<std::string> names;
  for (const RawIsland& island : map.islands) {
    if (names.insert(island.name).second) continue;
    throw InputError(
        island.where,
        fmt::format("is a second island '{}'; names of islands are unique", island.name));
  }
  for (RawIsland& island : map.islands) island.at = place[island.at];
  for (RawLink& fibre : fibres) {
    fibre.from = place[fibre.from];
    fibre.to = place[fibre.to];
  }
  map.nodes = std::move(switches);
  map.links = std::move(fibres);
}

}  // namespace gyre
