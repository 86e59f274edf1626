#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/limits.hpp"
#include "models/units.hpp"
#include "scenarios/import/great_circle.hpp"
#include "scenarios/scenario.hpp"

namespace gyre {

/// Largest maps that are generated: their files stay within what a topology file may hold.
inline constexpr std::size_t kMostGeneratedIslands = kMostIslands;
inline constexpr std::size_t kMostGeneratedLinks = kMostLinks;

/// A generated map: each of its cities is a switch with an island of the same name.
struct GeneratedMap {
  TopologySpec spec;                  ///< its `name` and `source` are the caller's to write
  std::vector<std::string> comments;  ///< what else a reader of its file may want
  std::optional<Distance> length;     ///< of all links, where they have lengths
};

/// What the links and islands of a map are like.
struct MapFigures {
  Bandwidth bandwidth;              ///< of each link and direction
  std::optional<Bandwidth> access;  ///< of each island and direction; none: left to the scenario
};

/// A random geometric WAN: `islands` cities `I1`, `I2`, … at points that are uniform and
/// independent in a square, joined by
///   1. the minimum spanning tree of their distances, so that the map is connected, then
///   2. the shortest of the pairs that are not joined yet, until there are `links` links.
/// Latency of a link: distance · `per_km` + `per_link`, rounded to 1 µs. Equal distances: the pair
/// with the lower cities first. The points are drawn from the stream `generate/random-geometric` of
/// the seed, x then y, city by city, so that more links keep those that there were. Links stand in
/// the order of their ends. Requires 2 ≤ islands, islands − 1 ≤ links ≤ islands·(islands − 1)/2.
/// Source: Penrose, Random Geometric Graphs (2003); there pairs below a radius are joined, here the
/// radius is what gives the number of links, and the tree joins what would be apart.
/// Cost: O(n² log links) time, O(n + links) memory.
struct RandomGeometric {
  std::size_t islands = 0;
  std::size_t links = 0;
  std::uint64_t seed = 1;
  Distance side;
  Duration per_km;
  Duration per_link;
};
GeneratedMap random_geometric(const RandomGeometric& options, const MapFigures& figures);

/// How the hubs of regions are joined: each to a switch `C` in the middle, each to the next around
/// a ring, or each to each other.
enum class RegionCore : std::uint8_t { kStar, kRing, kMesh };
inline constexpr std::array<std::string_view, 3> kRegionCoreNames{"star", "ring", "mesh"};

/// Stars of regions: region r has a hub switch `H<r>`, which holds no island, and `islands` cities
/// `R<r>-1`, `R<r>-2`, …, each joined to it by a local link; the hubs are joined to each other by
/// core links. A comment holds the regions as cliques, as `hierarchical` and `static-cliques` want
/// them. Requires 2 ≤ regions, 1 ≤ islands; a ring: 3 ≤ regions.
struct Regions {
  std::size_t regions = 0;
  std::size_t islands = 0;  ///< of a region
  RegionCore core = RegionCore::kStar;
  Duration local;   ///< latency of a local link
  Duration remote;  ///< latency of a core link
  Bandwidth core_bandwidth;
};
GeneratedMap regions(const Regions& options, const MapFigures& figures);

/// A torus: cities `T<a>-<b>-…` at the points of a grid with these sides, each joined to the next
/// in each dimension, the last to the first. A side of two has one link between its two, not two.
/// Requires at least one side, each at least 2.
struct Torus {
  std::vector<std::size_t> sides;
  Duration per_link;
};
GeneratedMap torus(const Torus& options, const MapFigures& figures);

/// A kind of map that `gyre generate` knows.
enum class MapKind : std::uint8_t { kRandomGeometric, kRegions, kTorus };
struct GeneratorEntry {
  MapKind kind = MapKind::kRandomGeometric;
  std::string_view name;
  std::string_view summary;
};
/// In the order of `MapKind`.
std::span<const GeneratorEntry> generator_table();

}  // namespace gyre
