#include "tests/support.hpp"

#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {
namespace {

struct CityLink {
  const char* from;
  const char* to;
  double latency_ms;
};

// tests/private_links.csv of doublezerofoundation/network-shapley-rs (Apache-2.0), which its README
// calls illustrative; one-way latencies.
constexpr auto kCityLinks = std::to_array<CityLink>({{"SEO", "TYO", 4.50},
                                                     {"TYO", "LAX", 57.62},
                                                     {"TYO", "SIN", 44.95},
                                                     {"SIN", "LAX", 121.56},
                                                     {"SIN", "FRA", 52.42},
                                                     {"LAX", "NYC", 25.72},
                                                     {"NYC", "BAR", 55.32},
                                                     {"NYC", "LON", 45.60},
                                                     {"LON", "AMS", 1.45},
                                                     {"LON", "FRA", 4.96},
                                                     {"AMS", "FRA", 2.11}});

Bandwidth random_capacity(Rng& stream) {
  return Bandwidth::gigabits_per_second(1 + static_cast<std::int64_t>(stream.below(40)));
}

Duration random_latency(Rng& stream) {
  return Duration::seconds(1e-9 * static_cast<double>(100'000 + stream.below(99'900'000)));
}

Topology::Link random_link(std::size_t first, std::size_t second, Rng& stream) {
  return {.first = SwitchId::at(first),
          .second = SwitchId::at(second),
          .capacity = random_capacity(stream),
          .latency = random_latency(stream),
          .reverse_capacity = random_capacity(stream),
          .reverse_latency = random_latency(stream)};
}

}  // namespace

Topology nine_city(Bandwidth access) {
  return nine_city_in_order({"SEO", "TYO", "SIN", "LAX", "NYC", "BAR", "LON", "AMS", "FRA"}, access,
                            Bandwidth::gigabits_per_second(10));
}

Topology nine_city_in_order(const std::vector<std::string>& cities, Bandwidth access,
                            Bandwidth core) {
  const auto switch_of = [&cities](const std::string& name) {
    std::size_t s = 0;
    while (cities.at(s) != name) ++s;
    return SwitchId::at(s);
  };
  std::vector<Topology::Island> islands;
  for (const std::string& city : cities) {
    islands.push_back(
        {.name = city, .at = switch_of(city), .up = access, .down = access, .latency = {}});
  }
  std::vector<Topology::Link> links;
  for (const CityLink& link : kCityLinks) {
    const Duration latency = Duration::milliseconds(link.latency_ms);
    links.push_back(
        Topology::Link::both_ways(switch_of(link.from), switch_of(link.to), core, latency));
  }
  return {"nine-city", cities, islands, links};
}

Capabilities capabilities(const Topology& topology, Mode mode) {
  return capabilities_of(mode, topology.switch_count());
}

Capabilities random_capabilities(const Topology& topology, Mode mode, Rng& stream) {
  Capabilities able = capabilities(topology, mode);
  for (std::vector<bool>* switches : {&able.multicast, &able.aggregation}) {
    for (std::size_t s = 0; s < switches->size(); ++s) {
      (*switches)[s] = stream.below(2) == 1 && (*switches)[s];
    }
  }
  return able;
}

Topology random_topology(std::uint64_t seed, const MapSize& size) {
  Rng stream = Rng::stream(seed, "random-topology");
  std::vector<std::string> switches;
  std::vector<Topology::Link> links;
  for (std::size_t s = 0; s < size.switches; ++s) {
    switches.push_back(fmt::format("S{}", s));
    if (s > 0) links.push_back(random_link(s, stream.below(s), stream));
  }
  for (std::size_t l = 0; l < size.extra_links && size.switches > 1; ++l) {
    const std::size_t first = stream.below(size.switches);
    const std::size_t step = 1 + stream.below(size.switches - 1);
    links.push_back(random_link(first, (first + step) % size.switches, stream));
  }
  std::vector<Topology::Island> islands;
  for (std::size_t i = 0; i < size.islands; ++i) {
    islands.push_back({.name = fmt::format("I{}", i),
                       .at = SwitchId::at(stream.below(size.switches)),
                       .up = random_capacity(stream),
                       .down = random_capacity(stream),
                       .latency = random_latency(stream) * 0.01});
  }
  return {fmt::format("random-{}", seed), switches, islands, links};
}

Topology lettered_map(std::size_t islands, const std::vector<Fibre>& fibres, Bandwidth access) {
  std::vector<std::string> switches;
  std::vector<Topology::Island> on_them;
  for (std::size_t i = 0; i < islands; ++i) {
    switches.emplace_back(1, static_cast<char>('a' + i));
    on_them.push_back({.name = std::string(1, static_cast<char>('A' + i)),
                       .at = SwitchId::at(i),
                       .up = access,
                       .down = access,
                       .latency = {}});
  }
  std::vector<Topology::Link> links;
  for (const Fibre& fibre : fibres) {
    const double back_ms =
        fibre.reverse_latency_ms < 0.0 ? fibre.latency_ms : fibre.reverse_latency_ms;
    links.push_back({.first = SwitchId::at(static_cast<std::size_t>(fibre.from - 'A')),
                     .second = SwitchId::at(static_cast<std::size_t>(fibre.to - 'A')),
                     .capacity = Bandwidth::gigabits_per_second(fibre.gbps),
                     .latency = Duration::milliseconds(fibre.latency_ms),
                     .reverse_capacity = Bandwidth::gigabits_per_second(
                         fibre.reverse_gbps == 0 ? fibre.gbps : fibre.reverse_gbps),
                     .reverse_latency = Duration::milliseconds(back_ms)});
  }
  return {"lettered", switches, on_them, links};
}

World::World(Topology map, Mode mode)
    : topology(std::move(map)),
      routes(topology),
      bounds(topology, routes),
      able(capabilities(topology, mode)) {}

World::World(Topology map, Capabilities able_switches)
    : topology(std::move(map)),
      routes(topology),
      bounds(topology, routes),
      able(std::move(able_switches)) {}

Clique World::clique(const std::string& text) const {
  for (Clique& clique : round_of(text, topology).cliques) {
    if (clique.size() > 1) return std::move(clique);
  }
  throw std::invalid_argument("no clique in " + text);
}

Clique World::everybody() const {
  Clique all;
  for (std::size_t i = 0; i < topology.island_count(); ++i) all.push_back(IslandId::at(i));
  return all;
}

ArcId World::arc(const std::string& name) const {
  const std::optional<ArcId> found = topology.find_arc(name);
  if (!found) throw std::invalid_argument("no arc " + name);
  return *found;
}

Round round_of(const std::string& text, const Topology& topology) {
  return parse_round({.value = text, .where = {}}, topology);
}

std::vector<CsvRow> read_csv(const std::string& file) {
  std::ifstream in(std::string(GYRE_SOURCE_DIR) + "/tests/data/" + file);
  if (!in) throw std::runtime_error("cannot read tests/data/" + file);
  const auto fields_of = [](const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream parts(line);
    for (std::string field; std::getline(parts, field, ',');) fields.push_back(field);
    return fields;
  };
  std::vector<std::string> columns;
  std::vector<CsvRow> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> fields = fields_of(line);
    if (columns.empty()) {
      columns = fields;
      continue;
    }
    if (fields.size() != columns.size()) throw std::runtime_error(file + ": " + line);
    CsvRow& row = rows.emplace_back();
    for (std::size_t c = 0; c < columns.size(); ++c) row.emplace(columns[c], fields[c]);
  }
  return rows;
}

}  // namespace gyre
