#include "schedules/round.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t from = 0;
  while (true) {
    const std::size_t to = text.find(separator, from);
    parts.push_back(trimmed(text.substr(from, to == std::string_view::npos ? to : to - from)));
    if (to == std::string_view::npos) return parts;
    from = to + 1;
  }
}

}  // namespace

std::size_t rank_in(std::span<const IslandId> clique, IslandId member) {
  const auto at = std::lower_bound(clique.begin(), clique.end(), member);
  check(at != clique.end() && *at == member, "an island that is not in the clique");
  return static_cast<std::size_t>(at - clique.begin());
}

Round make_round(std::vector<Clique> cliques, std::size_t islands) {
  std::vector<bool> placed(islands, false);
  Round round;
  for (Clique& clique : cliques) {
    if (clique.empty()) continue;
    std::sort(clique.begin(), clique.end());
    for (const IslandId i : clique) {
      check(i.index() < islands && !placed[i.index()], "the cliques of a round must be disjoint");
      placed[i.index()] = true;
    }
    round.cliques.push_back(std::move(clique));
  }
  for (std::size_t i = 0; i < islands; ++i) {
    if (!placed[i]) round.cliques.push_back({IslandId::at(i)});
  }
  std::sort(round.cliques.begin(), round.cliques.end());
  return round;
}

std::size_t cliques_up_to(const Round& round, std::size_t members) {
  const auto counts = [members](const Clique& clique) {
    return clique.size() >= 2 && clique.size() <= members;
  };
  return static_cast<std::size_t>(std::ranges::count_if(round.cliques, counts));
}

Round make_overlay(std::vector<MixingEdge> edges, std::size_t islands) {
  std::sort(edges.begin(), edges.end(), [](const MixingEdge& a, const MixingEdge& b) {
    return a.to != b.to ? a.to < b.to : a.from < b.from;
  });
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const MixingEdge& edge = edges[e];
    check(edge.from != edge.to && edge.from.index() < islands && edge.to.index() < islands &&
              edge.weight > 0.0,
          "an overlay's edges join two islands with a positive weight");
    check(e == 0 || edges[e - 1].to != edge.to || edges[e - 1].from != edge.from,
          "an overlay has an edge twice");
  }
  Round round = make_round({}, islands);
  round.edges = std::move(edges);
  return round;
}

Round make_overlay(const std::vector<OverlayLink>& links, std::size_t islands) {
  std::vector<MixingEdge> edges;
  edges.reserve(2 * links.size());
  for (const OverlayLink& link : links) {
    const IslandId first = IslandId::at(link.first);
    const IslandId second = IslandId::at(link.second);
    edges.push_back({.from = first, .to = second, .weight = link.weight});
    edges.push_back({.from = second, .to = first, .weight = link.weight});
  }
  return make_overlay(std::move(edges), islands);
}

std::vector<OverlayLink> metropolis(const std::vector<std::pair<std::size_t, std::size_t>>& graph,
                                    std::size_t islands) {
  std::vector<std::size_t> degrees(islands, 0);
  for (const auto& [a, b] : graph) {
    ++degrees[a];
    ++degrees[b];
  }
  std::vector<OverlayLink> links;
  links.reserve(graph.size());
  for (const auto& [a, b] : graph) {
    const auto most = static_cast<double>(std::max(degrees[a], degrees[b]));
    links.push_back({.first = a, .second = b, .weight = 1.0 / (1.0 + most)});
  }
  return links;
}

Round parse_round(const Text& text, const Topology& topology) {
  std::vector<Clique> cliques;
  std::vector<bool> placed(topology.island_count(), false);
  if (text.value == "-") return make_round({}, topology.island_count());
  for (const std::string_view part : split(text.value, '|')) {
    Clique clique;
    for (const std::string_view name : split(part, '+')) {
      if (name.empty()) {
        throw InputError(text.where,
                         fmt::format("'{}' has an empty name; write members joined by "
                                     "'+' and cliques separated by '|', as in 'A+B|C+D'",
                                     text.value));
      }
      const std::optional<IslandId> island = topology.find_island(name);
      if (!island) {
        throw InputError(text.where,
                         fmt::format("'{}' is no island of this topology{}; islands: {}", name,
                                     did_you_mean(name, topology.island_names()),
                                     one_of(topology.island_names())));
      }
      if (placed[island->index()]) {
        throw InputError(text.where, fmt::format("island '{}' stands twice in the round '{}'; an "
                                                 "island belongs to one clique of a round",
                                                 name, text.value));
      }
      placed[island->index()] = true;
      clique.push_back(*island);
    }
    cliques.push_back(std::move(clique));
  }
  return make_round(std::move(cliques), topology.island_count());
}

std::vector<Round> parse_rounds(std::span<const Text> texts, const Topology& topology) {
  std::vector<Round> rounds;
  rounds.reserve(texts.size());
  for (const Text& text : texts) rounds.push_back(parse_round(text, topology));
  return rounds;
}

std::string to_text(std::span<const IslandId> clique, const Topology& topology) {
  std::string text;
  for (const IslandId i : clique) {
    if (!text.empty()) text += '+';
    text += topology.name(i);
  }
  return text;
}

std::string to_text(const Round& round, const Topology& topology) {
  std::string text;
  for (const MixingEdge& edge : round.edges) {
    text += fmt::format("{}{}>{}", text.empty() ? "" : "|", topology.name(edge.from),
                        topology.name(edge.to));
  }
  if (!text.empty()) return text;
  for (const Clique& clique : round.cliques) {
    if (clique.size() < 2) continue;
    if (!text.empty()) text += '|';
    text += to_text(clique, topology);
  }
  return text.empty() ? "-" : text;
}

}  // namespace gyre
