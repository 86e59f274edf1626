#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/fields.hpp"
#include "models/ids.hpp"
#include "models/topology.hpp"

namespace gyre {

/// Islands that exchange with each other in a round, by rank. A singleton does not exchange.
using Clique = std::vector<IslandId>;

/// What `to` takes of what `from` sends it in a round of an overlay.
struct MixingEdge {
  IslandId from;
  IslandId to;
  double weight = 0.0;

  bool operator==(const MixingEdge&) const = default;
};

/// Who exchanges with whom. Either a partition of the islands into cliques, each sorted, in the
/// order of their first members, islands that its source left out being singletons; or an overlay:
/// edges sorted by receiver, then sender, each island keeping 1 − Σ of its incoming weights. All
/// cliques of an overlay are singletons.
struct Round {
  std::vector<Clique> cliques;
  std::vector<MixingEdge> edges = {};

  bool operator==(const Round&) const = default;
};

/// An overlay's round. Requires islands that exist, positive weights, and no edge twice.
Round make_overlay(std::vector<MixingEdge> edges, std::size_t islands);

/// The same weight both ways between two islands.
struct OverlayLink {
  std::size_t first = 0;
  std::size_t second = 0;
  double weight = 0.0;
};
Round make_overlay(const std::vector<OverlayLink>& links, std::size_t islands);

/// Metropolis–Hastings weights of an undirected graph: 1 / (1 + max(deg i, deg j)) on the edge
/// between i and j. Symmetric and doubly stochastic (Xiao, Boyd 2004).
std::vector<OverlayLink> metropolis(const std::vector<std::pair<std::size_t, std::size_t>>& graph,
                                    std::size_t islands);

/// The member's place in a clique. Requires that it is in it.
std::size_t rank_in(std::span<const IslandId> clique, IslandId member);

/// The round with the given cliques; islands that none names become singletons.
/// Requires disjoint cliques of existing islands.
Round make_round(std::vector<Clique> cliques, std::size_t islands);

/// How many of its cliques have two to `members` members.
std::size_t cliques_up_to(const Round& round, std::size_t members);

/// Reads `SEO+TYO+SIN|LON+AMS`: members joined by `+`, cliques by `|`, islands left out do not
/// exchange. Errors: `InputError` for strangers, repeated islands and empty names.
Round parse_round(const Text& text, const Topology& topology);
std::vector<Round> parse_rounds(std::span<const Text> texts, const Topology& topology);

/// `SEO+TYO+SIN|LON+AMS` in rank order, without singletons; `-` where nobody exchanges; of an
/// overlay `SEO>TYO|TYO>SEO`, sender before receiver.
std::string to_text(const Round& round, const Topology& topology);
std::string to_text(std::span<const IslandId> clique, const Topology& topology);

}  // namespace gyre
