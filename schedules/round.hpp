#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/fields.hpp"
#include "models/ids.hpp"
#include "models/topology.hpp"

namespace gyre {

/// Islands that exchange with each other in a round, by rank. A singleton does not exchange.
using Clique = std::vector<IslandId>;

/// A partition of the islands into cliques, each sorted, in the order of their first members.
/// Islands that its source left out are singletons.
struct Round {
  std::vector<Clique> cliques;

  bool operator==(const Round&) const = default;
};

/// The member's place in a clique. Requires that it is in it.
std::size_t rank_in(std::span<const IslandId> clique, IslandId member);

/// The round with the given cliques; islands that none names become singletons.
/// Requires disjoint cliques of existing islands.
Round make_round(std::vector<Clique> cliques, std::size_t islands);

/// Reads `SEO+TYO+SIN|LON+AMS`: members joined by `+`, cliques by `|`, islands left out do not
/// exchange. Errors: `InputError` for strangers, repeated islands and empty names.
Round parse_round(const Text& text, const Topology& topology);

/// `SEO+TYO+SIN|LON+AMS` in rank order, without singletons; `-` where nobody exchanges.
std::string to_text(const Round& round, const Topology& topology);
std::string to_text(std::span<const IslandId> clique, const Topology& topology);

}  // namespace gyre
