#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/bounds.hpp"
#include "models/capabilities.hpp"
#include "models/rng.hpp"
#include "models/routing.hpp"
#include "models/topology.hpp"
#include "models/units.hpp"
#include "schedules/round.hpp"
#include "schedules/stream.hpp"

namespace gyre {

/// Three islands on one switch, of 1 Gbit/s each, as a scenario says it; further lines of its
/// `network` may follow.
inline constexpr std::string_view kThreeOnASwitch = R"(network:
  topology:
    switches: [{name: S}]
    islands: [{name: a, at: S}, {name: b, at: S}, {name: c, at: S}]
    links: []
  access: {bandwidth: 1 Gbps}
)";

/// The nine cities of the public example that comes with the DoubleZero Foundation's
/// network-shapley tool: one switch and one island a city, links of 10 Gbps. Islands in the order
/// of the reference files: SEO TYO SIN LAX NYC BAR LON AMS FRA.
Topology nine_city(Bandwidth access = Bandwidth::gigabits_per_second(10));

/// The same cities declared in another order, with a capacity for all core links.
Topology nine_city_in_order(const std::vector<std::string>& cities, Bandwidth access,
                            Bandwidth core);

/// All switches with what the mode allows.
Capabilities capabilities(const Topology& topology, Mode mode);

/// Each switch with each capability that the mode allows, or without it, by a coin.
Capabilities random_capabilities(const Topology& topology, Mode mode, Rng& stream);

struct MapSize {
  std::size_t switches = 5;
  std::size_t islands = 5;
  std::size_t extra_links = 4;  ///< beyond a spanning tree
};

/// A connected map: a random spanning tree and extra links (parallel ones may occur), islands `I0`,
/// `I1`, … on random switches `S0`, `S1`, …; capacities from 1 to 40 Gbps and latencies from 0.1 to
/// 100 ms, each direction with its own.
Topology random_topology(std::uint64_t seed, const MapSize& size);

/// A map of islands `A`, `B`, … each on a switch of its own (`a`, `b`, …) with wide, latency-free
/// access links (100 Gbps), and these links.
struct Fibre {
  char from;
  char to;
  double latency_ms = 1.0;
  std::int64_t gbps = 10;
  double reverse_latency_ms = -1.0;  ///< negative: as forward
  std::int64_t reverse_gbps = 0;     ///< 0: as forward
};
Topology lettered_map(std::size_t islands, const std::vector<Fibre>& fibres,
                      Bandwidth access = Bandwidth::gigabits_per_second(100));

/// A map together with what depends on it.
struct World {
  explicit World(Topology map, Mode mode = Mode::kNeither);
  World(Topology map, Capabilities able);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  [[nodiscard]] Network network() const { return {topology, routes, able}; }
  /// The clique `A+B+C`.
  [[nodiscard]] Clique clique(const std::string& text) const;
  [[nodiscard]] Clique everybody() const;
  [[nodiscard]] ArcId arc(const std::string& name) const;

  Topology topology;
  Routes routes;
  Bounds bounds;
  Capabilities able;
};

/// The round `A+B|C` on a topology.
Round round_of(const std::string& text, const Topology& topology);

/// A row by column name.
using CsvRow = std::map<std::string, std::string>;

/// The rows of tests/data/<file>: lines that start with `#` are comments, the first other line
/// names the columns, no field holds a comma.
std::vector<CsvRow> read_csv(const std::string& file);

}  // namespace gyre
