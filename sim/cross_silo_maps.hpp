#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace gyre {

/// A map of the cross-silo literature, with the overlays that its tables are about. Nodes are
/// numbers from 0, in the order of the source.
///
/// Source of the links' lengths: omarfoq/communication-in-cross-silo-fl (Marfoq et al. 2020,
/// arXiv 2010.12229), whose maps come from Gaia, Amazon's regions, GÉANT and Rocketfuel. The
/// overlays were recomputed from that paper's rules for iNaturalist: the tour is of Christofides'
/// kind, the matchings and their activation are MATCHA's at a budget of one half.
struct CrossSiloMap {
  struct Link {
    std::uint8_t first;
    std::uint8_t second;
    double km;
    std::uint8_t matching;  ///< of MATCHA on the map's own links
    bool in_tree;           ///< in the minimum spanning tree
  };
  using Edge = std::pair<std::uint8_t, std::uint8_t>;

  std::string_view name;
  std::size_t islands;
  std::span<const Link> links;
  std::span<const std::uint8_t> tour;
  std::span<const double> activation;  ///< by matching; empty: one half each
  std::span<const Edge> delta_mbst;    ///< empty: the same as the minimum spanning tree
};

/// Gaia, Amazon US, GÉANT, Exodus, Ebone. The hub of each star is node 0.
std::span<const CrossSiloMap> cross_silo_maps();

}  // namespace gyre
