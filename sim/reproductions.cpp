#include "sim/reproductions.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "models/units.hpp"
#include "schedules/optimizer/optimizer.hpp"
#include "schedules/switch_limits.hpp"
#include "sim/reproduction_tables.hpp"

namespace gyre {
namespace {

/// The nine cities of the public example that comes with the DoubleZero Foundation's
/// network-shapley tool (`scenarios/topologies/doublezero-nine-city.yaml`), access links of 10
/// Gbps.
Topology nine_cities() {
  const std::vector<std::string> cities{"SEO", "TYO", "SIN", "LAX", "NYC",
                                        "BAR", "LON", "AMS", "FRA"};
  struct Fibre {
    std::size_t from;
    std::size_t to;
    double latency_ms;
  };
  constexpr std::array<Fibre, 11> kFibres{{{0, 1, 4.50},
                                           {1, 3, 57.62},
                                           {1, 2, 44.95},
                                           {2, 3, 121.56},
                                           {2, 8, 52.42},
                                           {3, 4, 25.72},
                                           {4, 5, 55.32},
                                           {4, 6, 45.60},
                                           {6, 7, 1.45},
                                           {6, 8, 4.96},
                                           {7, 8, 2.11}}};
  const Bandwidth ten = Bandwidth::gigabits_per_second(10);
  std::vector<Topology::Island> islands;
  islands.reserve(cities.size());
  for (std::size_t i = 0; i < cities.size(); ++i) {
    islands.push_back(
        {.name = cities[i], .at = SwitchId::at(i), .up = ten, .down = ten, .latency = {}});
  }
  std::vector<Topology::Link> links;
  for (const Fibre& fibre : kFibres) {
    const Duration latency = Duration::milliseconds(fibre.latency_ms);
    links.push_back(
        Topology::Link::both_ways(SwitchId::at(fibre.from), SwitchId::at(fibre.to), ten, latency));
  }
  return {"nine cities", cities, std::move(islands), links};
}

constexpr Bytes kTwoGigabytes = Bytes::count(2'000'000'000);

struct ShiftRow {
  std::string_view name;
  Mode mode;
  Exchange exchange;
  std::array<double, 7> known;  ///< drift by compute, from the independent computation
};
constexpr std::array<double, 7> kCompute{0.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0};
// Computed independently by simulated annealing over periods of up to four rounds: upper bounds.
constexpr std::array<ShiftRow, 4> kShift{{
    {"direct, neither",
     Mode::kNeither,
     Exchange::kDirect,
     {2.1362, 3.5470, 5.5470, 9.1985, 14.7652, 20.5142, 33.8475}},
    {"direct, one capability",
     Mode::kMulticast,
     Exchange::kDirect,
     {2.1952, 3.5470, 6.2487, 9.1871, 14.6475, 19.0920, 32.4253}},
    {"islands add, neither",
     Mode::kNeither,
     Exchange::kTree,
     {1.3545, 2.2434, 3.5767, 5.7989, 10.2434, 14.6878, 28.0212}},
    {"in-network, both",
     Mode::kBoth,
     Exchange::kInNetwork,
     {0.8014, 1.6903, 3.0236, 5.2458, 9.6903, 14.1347, 27.4681}},
}};

ReproducedTable capability_shift(const ReproductionWatch& watch) {
  const Topology topology = nine_cities();
  const Routes routes(topology);
  ReproducedTable table{.columns = {"exchange", "compute_s", "published", "ours", "difference",
                                    "bound", "largest_clique", "schedule"},
                        .rows = {},
                        .findings = {}};
  std::size_t done = 0;
  std::size_t matched = 0;
  for (const ShiftRow& row : kShift) {
    const Capabilities able = capabilities_of(row.mode, topology.switch_count());
    const Network network{.topology = topology, .routes = routes, .capabilities = able};
    double global_from = -1.0;
    for (std::size_t c = 0; c < kCompute.size(); ++c) {
      const double share =
          static_cast<double>(done++) / static_cast<double>(kShift.size() * kCompute.size());
      if (!watch(share)) return table;
      const PlanResult result =
          plan_schedule({.network = &network,
                         .exchange = row.exchange,
                         .routing = Routing::kEngineered,
                         .payload = kTwoGigabytes,
                         .compute = Duration::seconds(kCompute[c])},
                        {}, [&](double, double, double) { return watch(share); });
      if (result.ranked.empty()) return table;
      const PlannedSchedule& best = result.ranked.front();
      const std::size_t largest = largest_clique(best);
      if (largest == topology.island_count() && global_from < 0.0) global_from = kCompute[c];
      if (best.drift_s <= row.known[c] + 6e-5) ++matched;
      table.rows.push_back(
          {std::string(row.name), fmt::format("{:g}", kCompute[c]),
           fmt::format("{:.4f}", row.known[c]), fmt::format("{:.4f}", best.drift_s),
           fmt::format("{:+.4f}", best.drift_s - row.known[c]), fmt::format("{:.4f}", result.bound),
           std::to_string(largest), to_text(best, topology)});
    }
    std::string finding =
        fmt::format("{}: rotating cliques are best at every compute shown", row.name);
    if (global_from == kCompute.front()) {
      finding = fmt::format("{}: the global clique is best at every compute shown", row.name);
    } else if (global_from > 0.0) {
      finding = fmt::format("{}: the global clique is best from {:g} s of compute a round on",
                            row.name, global_from);
    }
    table.findings.push_back(std::move(finding));
  }
  table.findings.push_back(fmt::format("{} of {} values matched or beaten", matched, done));
  return table;
}

ReproducedTable memory_shift(const ReproductionWatch& watch) {
  struct Discipline {
    std::string_view name;
    AggregationDiscipline discipline;
    LaunchRule launch;
  };
  constexpr std::array<Discipline, 3> kDisciplines{{
      {"ack-clocked", AggregationDiscipline::kAckClocked, LaunchRule::kTogether},
      {"open-loop", AggregationDiscipline::kOpenLoop, LaunchRule::kTogether},
      {"aligned", AggregationDiscipline::kOpenLoop, LaunchRule::kAligned},
  }};
  constexpr std::array<std::int64_t, 10> kMegabytes{2, 4, 8, 16, 32, 64, 128, 256, 512, 1000};
  const Topology topology = nine_cities();
  const Routes routes(topology);
  const Capabilities able = capabilities_of(Mode::kBoth, topology.switch_count());
  ReproducedTable table{
      .columns = {"discipline", "memory_mb", "consensus_s", "largest_clique", "rounds", "schedule"},
      .rows = {},
      .findings = {}};
  std::size_t done = 0;
  for (const Discipline& one : kDisciplines) {
    std::int64_t global_from = -1;
    for (const std::int64_t megabytes : kMegabytes) {
      const double share = static_cast<double>(done++) /
                           static_cast<double>(kDisciplines.size() * kMegabytes.size());
      if (!watch(share)) return table;
      SwitchLimits limits;
      limits.memory = Bytes::count(megabytes * 1'000'000);
      limits.discipline = one.discipline;
      limits.launch = one.launch;
      const Network network{
          .topology = topology, .routes = routes, .capabilities = able, .limits = &limits};
      PlanSpec spec;
      spec.objective = PlanObjective::kConsensus;
      const PlanResult result =
          plan_schedule({.network = &network,
                         .exchange = Exchange::kDirect,
                         .routing = Routing::kShortest,
                         .payload = kTwoGigabytes,
                         .compute = {}},
                        spec, [&](double, double, double) { return watch(share); });
      if (result.ranked.empty()) return table;
      const PlannedSchedule& best = result.ranked.front();
      const std::size_t largest = largest_clique(best);
      const bool global = largest == topology.island_count();
      if (!global) global_from = -1;
      if (global && global_from < 0) global_from = megabytes;
      table.rows.push_back({std::string(one.name), std::to_string(megabytes),
                            fmt::format("{:.4f}", best.consensus.time_s), std::to_string(largest),
                            std::to_string(best.rounds.size()), to_text(best, topology)});
    }
    std::string finding = fmt::format("{}: rotating cliques at every memory shown", one.name);
    if (global_from == kMegabytes.front()) {
      finding = fmt::format("{}: the global clique at every memory shown", one.name);
    } else if (global_from > 0) {
      finding = fmt::format("{}: rotating cliques below, the global clique from {} MB a switch on",
                            one.name, global_from);
    }
    table.findings.push_back(std::move(finding));
  }
  return table;
}

constexpr std::array kReproductions{
    Reproduction{
        "capability-shift",
        "which cliques drift least, by what the switches can do and the compute of a round",
        "computed independently of gyre (annealing: upper bounds) for the setting of "
        "arXiv 2608.26453: nine cities, 2 GB, access 10 Gbps, engineered routing",
        capability_shift},
    Reproduction{
        "cross-silo",
        "time of a round of overlays on five maps, by the published model of links of their "
        "own and with the map's links shared",
        "Do et al. 2022 (arXiv 2207.09657), table 1, after Marfoq et al. 2020 "
        "(arXiv 2010.12229)",
        cross_silo},
    Reproduction{"memory-shift",
                 "which cliques agree first with both capabilities, by the memory of the switches",
                 "a result of gyre's own: nine cities, 2 GB, access 10 Gbps, shortest paths",
                 memory_shift},
    Reproduction{"phases", "compute utilisation from published lengths of phases",
                 "INTELLECT-1 (arXiv 2412.01152), OpenDiLoCo (arXiv 2407.07852)", phases},
    Reproduction{
        "roofnet",
        "time of a round of overlays on a wireless mesh, and with multicast and addition on "
        "the way",
        "Sun, Nguyen, He 2025 (arXiv 2504.12210)", roofnet},
    Reproduction{"streaming-diloco",
                 "bandwidth in Gbit/s that a compute utilisation needs, by method",
                 "Streaming DiLoCo (arXiv 2501.18512), Table 4", streaming_diloco},
};

}  // namespace

std::span<const Reproduction> reproductions() { return kReproductions; }

}  // namespace gyre
