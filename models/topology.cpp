#include "models/topology.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {
namespace {

/// The switches reachable from `start` along `next`.
std::vector<bool> reach(std::size_t start, const std::vector<std::vector<std::size_t>>& next) {
  std::vector<bool> seen(next.size(), false);
  std::vector<std::size_t> stack{start};
  seen[start] = true;
  while (!stack.empty()) {
    const std::size_t at = stack.back();
    stack.pop_back();
    for (const std::size_t to : next[at]) {
      if (seen[to]) continue;
      seen[to] = true;
      stack.push_back(to);
    }
  }
  return seen;
}

}  // namespace

Topology::Topology(std::string name, std::vector<std::string> switches, std::vector<Island> islands,
                   const std::vector<Link>& links)
    : name_(std::move(name)), switches_(std::move(switches)), islands_(std::move(islands)) {
  check(!unreachable_pair(switches_.size(), islands_, links), "the topology is not connected");
  const auto add = [this](NodeId tail, NodeId head, Bandwidth capacity, Duration latency) {
    check(capacity.in_bits_per_second() > 0, "an arc needs a capacity");
    check(latency >= Duration(), "an arc's latency cannot be negative");
    const ArcId arc = ArcId::at(arcs_.size());
    arcs_.push_back({.tail = tail, .head = head, .capacity = capacity, .latency = latency});
    out_[tail.index()].push_back(arc);
    in_[head.index()].push_back(arc);
  };
  for (std::size_t s = 0; s < switches_.size(); ++s) {
    switch_of_.emplace(switches_[s], SwitchId::at(s));
  }
  for (std::size_t i = 0; i < islands_.size(); ++i) {
    island_of_.emplace(islands_[i].name, IslandId::at(i));
  }
  out_.resize(node_count());
  in_.resize(node_count());
  for (std::size_t i = 0; i < islands_.size(); ++i) {
    const Island& island = islands_[i];
    const NodeId here = node(IslandId::at(i));
    add(here, node(island.at), island.up, island.latency);
    add(node(island.at), here, island.down, island.latency);
  }
  for (const Link& link : links) {
    add(node(link.first), node(link.second), link.capacity, link.latency);
    add(node(link.second), node(link.first), link.reverse_capacity, link.reverse_latency);
  }
}

std::vector<std::string> Topology::island_names() const {
  std::vector<std::string> names;
  names.reserve(islands_.size());
  for (const Island& island : islands_) names.push_back(island.name);
  return names;
}

std::optional<IslandId> Topology::find_island(std::string_view name) const {
  const auto found = island_of_.find(name);
  return found == island_of_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<SwitchId> Topology::find_switch(std::string_view name) const {
  const auto found = switch_of_.find(name);
  return found == switch_of_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<ArcId> Topology::find_arc(std::string_view name) const {
  constexpr std::string_view kArrow = "->";
  std::optional<ArcId> first;
  const auto take = [&first](ArcId arc) { first = first ? std::min(*first, arc) : arc; };
  for (const std::string_view end : {".up", ".down"}) {
    if (!name.ends_with(end)) continue;
    const std::optional<IslandId> island = find_island(name.substr(0, name.size() - end.size()));
    if (island) take(end == ".up" ? up(*island) : down(*island));
  }
  // Names may hold arrows themselves.
  for (std::size_t at = name.find(kArrow); at != std::string_view::npos;
       at = name.find(kArrow, at + 1)) {
    const std::optional<SwitchId> tail = find_switch(name.substr(0, at));
    const std::optional<SwitchId> head = find_switch(name.substr(at + kArrow.size()));
    if (!tail || !head) continue;
    for (const ArcId arc : out_arcs(node(*tail))) {
      if (arcs_[arc.index()].head == node(*head)) take(arc);
    }
  }
  return first;
}

std::vector<std::string> Topology::arc_names() const {
  std::vector<std::string> names;
  names.reserve(arcs_.size());
  for (std::size_t a = 0; a < arcs_.size(); ++a) names.push_back(name(ArcId::at(a)));
  return names;
}

std::string Topology::name(ArcId a) const {
  const Arc& it = arc(a);
  if (!is_core(a)) {
    return is_switch(it.tail) ? fmt::format("{}.down", name(island_at(it.head)))
                              : fmt::format("{}.up", name(island_at(it.tail)));
  }
  return fmt::format("{}->{}", name(switch_at(it.tail)), name(switch_at(it.head)));
}

std::optional<std::pair<std::size_t, std::size_t>> unreachable_pair(
    std::size_t switches, const std::vector<Topology::Island>& islands,
    const std::vector<Topology::Link>& links) {
  if (islands.empty()) return std::nullopt;
  std::vector<std::vector<std::size_t>> next(switches);
  for (const Topology::Link& link : links) {
    next[link.first.index()].push_back(link.second.index());
    next[link.second.index()].push_back(link.first.index());
  }
  // Every link has both directions, so that reaching all from one island is reaching all from all.
  const std::vector<bool> seen = reach(islands.front().at.index(), next);
  for (std::size_t i = 1; i < islands.size(); ++i) {
    if (!seen[islands[i].at.index()]) return std::pair{std::size_t{0}, i};
  }
  return std::nullopt;
}

std::vector<Bandwidth> Topology::capacities() const {
  std::vector<Bandwidth> all;
  all.reserve(arcs_.size());
  for (const Arc& arc : arcs_) all.push_back(arc.capacity);
  return all;
}

Topology Topology::with_capacities(std::span<const Bandwidth> capacities) const {
  check(capacities.size() == arcs_.size(), "a capacity for each arc");
  Topology other = *this;
  for (std::size_t a = 0; a < arcs_.size(); ++a) {
    check(capacities[a] > Bandwidth(), "a capacity must be positive");
    other.arcs_[a].capacity = capacities[a];
  }
  for (std::size_t i = 0; i < islands_.size(); ++i) {
    other.islands_[i].up = capacities[up(IslandId::at(i)).index()];
    other.islands_[i].down = capacities[down(IslandId::at(i)).index()];
  }
  return other;
}

Duration path_latency(const Topology& topology, std::span<const ArcId> path) {
  Duration sum;
  for (const ArcId a : path) sum += topology.arc(a).latency;
  return sum;
}

}  // namespace gyre
