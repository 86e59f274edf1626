// The figures of what the map and the optimiser say: topology, schedules, exchange-rate.

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/csv.hpp"
#include "models/error.hpp"
#include "schedules/exchange_plan.hpp"
#include "sim/paper_data.hpp"
#include "sim/shipped.hpp"
#include "sim/version.hpp"

namespace gyre {
namespace {

/// A map with what each switch of it is called.
ResultMap result_map(const LoadedScenario& loaded) {
  const TopologySpec& spec = loaded.scenario.network.topology;
  ResultMap map;
  for (const SwitchSpec& one : spec.switches) {
    map.switches.push_back(
        {.name = one.name.value, .latitude = one.latitude, .longitude = one.longitude});
  }
  const auto index = [&](const std::string& name) {
    return loaded.topology.find_switch(name).value().index();
  };
  for (const IslandSpec& island : spec.islands) {
    map.islands.push_back({.name = island.name.value, .at = index(island.at.value)});
  }
  for (const LinkSpec& link : spec.links) {
    map.links.push_back({.first = index(link.between[0].value),
                         .second = index(link.between[1].value),
                         .latency_ms = link.latency.in_milliseconds()});
  }
  return map;
}

constexpr std::string_view kCentre = "NYC";

/// Copies of a payload by arc, outbound and inbound ones apart.
struct Copies {
  std::vector<int> out;
  std::vector<int> in;
};

Copies copies_in(const LoadedScenario& loaded, Mode mode) {
  const Topology& topology = loaded.topology;
  const Routes routes(topology);
  const Capabilities able = capabilities_of(mode, topology.switch_count());
  const Network network{.topology = topology, .routes = routes, .capabilities = able};
  Copies copies{.out = std::vector<int>(topology.arc_count(), 0),
                .in = std::vector<int>(topology.arc_count(), 0)};
  Clique all;
  for (std::size_t i = 0; i < topology.island_count(); ++i) all.push_back(IslandId::at(i));
  const auto add = [](std::vector<int>& to, const std::vector<ArcUse>& arcs) {
    for (const ArcUse& use : arcs) to[use.arc.index()] += use.copies;
  };
  if (mode == Mode::kBoth) {
    const ExchangePlan plan =
        plan_exchange(network, all, loaded.scenario.job.payload_bytes(), Exchange::kInNetwork);
    for (const Flow& flow : plan.flows) {
      add(copies.in, flow.stream.up);
      add(copies.out, flow.stream.arcs);
      for (const ArcUse& use : flow.stream.up) copies.out[use.arc.index()] -= use.copies;
    }
    return copies;
  }
  const IslandId centre = topology.find_island(kCentre).value();
  Clique others = all;
  std::erase(others, centre);
  if (mode == Mode::kAggregation) {
    for (const Stream& stream : reduction_streams(network, others, centre)) {
      add(copies.in, stream.arcs);
    }
  } else {
    for (const Stream& stream : multicast_streams(network, centre, others)) {
      add(copies.out, stream.arcs);
    }
  }
  return copies;
}

/// What a switch does to the copies that come and go.
std::string does_at(const Topology& topology, SwitchId s, const Copies& copies) {
  const NodeId node = topology.node(s);
  const auto used = [](std::span<const ArcId> arcs, const std::vector<int>& by_arc) {
    return std::count_if(arcs.begin(), arcs.end(),
                         [&](ArcId arc) { return by_arc[arc.index()] > 0; });
  };
  const auto total = [](std::span<const ArcId> arcs, const std::vector<int>& by_arc) {
    int sum = 0;
    for (const ArcId arc : arcs) sum += by_arc[arc.index()];
    return sum;
  };
  const bool replicates =
      total(topology.out_arcs(node), copies.out) > total(topology.in_arcs(node), copies.out) &&
      used(topology.out_arcs(node), copies.out) > 1;
  const bool adds =
      total(topology.in_arcs(node), copies.in) > total(topology.out_arcs(node), copies.in) &&
      used(topology.in_arcs(node), copies.in) > 1;
  if (replicates && adds) return "both";
  return replicates ? "replicates" : adds ? "adds" : "";
}

}  // namespace

std::shared_ptr<const LoadedScenario> paper_scenario(const std::vector<Override>& overrides) {
  const auto folder = shipped_scenarios();
  if (!folder) {
    throw InputError("gyre reproduce figures", "the folder of shipped scenarios is missing");
  }
  return std::make_shared<const LoadedScenario>(
      load_scenario((*folder / "nine-city.yaml").string(), overrides));
}

PaperOrigin origin_of(const LoadedScenario& loaded) {
  return {.scenario = loaded.scenario.name.value, .version = std::string(kVersion)};
}

PaperResult topology_figure(const PaperFigure& figure, const LoadedScenario& loaded) {
  const Topology& topology = loaded.topology;
  MapFigure drawn{.map = result_map(loaded), .columns = 2, .panels = {}};
  PaperResult result;
  for (const Mode mode : kAllModes) {
    const Copies copies = copies_in(loaded, mode);
    MapFigure::Panel panel{
        .mode = std::string(name_of(mode)), .title = {}, .ways = {}, .spots = {}};
    int wan = 0;
    for (std::size_t a = 0; a < topology.arc_count(); ++a) {
      const ArcId id = ArcId::at(a);
      if (!topology.is_core(id)) continue;
      const Arc& arc = topology.arc(id);
      for (const auto& [count, group] :
           {std::pair(copies.out[a], std::size_t{1}), std::pair(copies.in[a], std::size_t{2})}) {
        if (count == 0) continue;
        wan += count;
        panel.ways.push_back({.first = topology.switch_at(arc.tail).index(),
                              .second = topology.switch_at(arc.head).index(),
                              .group = group,
                              .copies = count});
      }
    }
    for (std::size_t s = 0; s < topology.switch_count(); ++s) {
      panel.spots.push_back({.group = 0,
                             .name = topology.name(SwitchId::at(s)),
                             .does = does_at(topology, SwitchId::at(s), copies)});
    }
    int most = 0;  // on an access arc
    for (std::size_t i = 0; i < topology.island_count(); ++i) {
      for (const ArcId arc : {topology.up(IslandId::at(i)), topology.down(IslandId::at(i))}) {
        most = std::max({most, copies.out[arc.index()], copies.in[arc.index()]});
      }
    }
    const std::string what = mode == Mode::kBoth          ? "all sum up and take the sum back"
                             : mode == Mode::kAggregation ? fmt::format("all send to {}", kCentre)
                                                          : fmt::format("{} sends to all", kCentre);
    panel.title = fmt::format("{}: {}", name_of(mode), what);
    result.findings.push_back(fmt::format(
        "{}: {} copies on the links, at most {} on an access link", panel.title, wan, most));
    drawn.panels.push_back(std::move(panel));
  }
  result.drawing = draw_map_figure(figure, origin_of(loaded), drawn);
  return result;
}

namespace {

std::vector<Override> direct_plan(std::string_view objective) {
  return {{.key_path = "plan.exchange", .value = "direct"},
          {.key_path = "plan.objective", .value = std::string(objective)}};
}

}  // namespace

std::vector<PlanPointRequest> schedules_requests() {
  std::vector<PlanPointRequest> requests;
  const auto loaded = paper_scenario(direct_plan("consensus"));
  for (const Mode mode : kAllModes) {
    requests.push_back(
        {.loaded = loaded, .mode = mode, .what = fmt::format("schedules, {}", name_of(mode))});
  }
  return requests;
}

PaperResult schedules_figure(const PaperFigure& figure, const LoadedScenario& loaded,
                             const std::vector<PlanPoint>& points) {
  const Topology& topology = loaded.topology;
  PaperResult result;
  std::vector<std::vector<Round>> schedules;
  std::size_t most = 1;
  for (const PlanPoint& point : points) {
    std::vector<Round>& rounds = schedules.emplace_back();
    for (std::size_t from = 0; from <= point.schedule.size();) {
      const std::size_t end = std::min(point.schedule.find(" ; ", from), point.schedule.size());
      rounds.push_back(
          parse_round({.value = point.schedule.substr(from, end - from), .where = {}}, topology));
      from = end + 3;
    }
    most = std::max(most, rounds.size());
  }
  MapFigure drawn{.map = result_map(loaded), .columns = most, .panels = {}};
  const Routes routes(topology);
  for (std::size_t m = 0; m < points.size(); ++m) {
    const std::string mode(name_of(kAllModes.at(m)));
    const Capabilities able = capabilities_of(kAllModes.at(m), topology.switch_count());
    const Network network{.topology = topology, .routes = routes, .capabilities = able};
    for (std::size_t r = 0; r < most; ++r) {
      MapFigure::Panel panel{.mode = mode, .title = {}, .ways = {}, .spots = {}};
      for (std::size_t s = 0; s < topology.switch_count(); ++s) {
        panel.spots.push_back({.group = 0, .name = topology.name(SwitchId::at(s)), .does = {}});
      }
      if (r >= schedules[m].size()) {
        drawn.panels.push_back(std::move(panel));
        continue;
      }
      Duration longest;
      std::size_t group = 0;
      for (const Clique& clique : schedules[m][r].cliques) {
        if (clique.size() < 2) continue;
        ++group;
        const ExchangePlan plan =
            plan_exchange(network, clique, loaded.scenario.job.payload_bytes(), Exchange::kDirect);
        longest = std::max(longest, plan.predicted.total());
        std::set<std::pair<std::size_t, std::size_t>> links;
        for (const Flow& flow : plan.flows) {
          for (const ArcUse& use : flow.stream.arcs) {
            if (!topology.is_core(use.arc)) continue;
            const Arc& arc = topology.arc(use.arc);
            links.insert(std::minmax(topology.switch_at(arc.tail).index(),
                                     topology.switch_at(arc.head).index()));
          }
        }
        for (const auto& [first, second] : links) {
          panel.ways.push_back(
              {.first = first, .second = second, .group = group, .copies = std::nullopt});
        }
        for (const IslandId i : clique) panel.spots[topology.island(i).at.index()].group = group;
      }
      panel.title = schedules[m].size() == 1
                        ? fmt::format("{}: the one round", mode)
                        : fmt::format("{}: round {} of {}", mode, r + 1, schedules[m].size());
      drawn.panels.push_back(std::move(panel));
    }
    result.findings.push_back(fmt::format(
        "{}: all agree after {:.2f} s of exchange, in {} round{} of cliques of up to {}: {}", mode,
        points[m].consensus_s.value_or(0.0), schedules[m].size(),
        schedules[m].size() == 1 ? "" : "s", points[m].largest, points[m].schedule));
  }
  result.drawing = draw_map_figure(figure, origin_of(loaded), drawn);
  return result;
}

namespace {

constexpr std::array kCapacities{1.0, 2.5, 10.0, 40.0, 100.0, 400.0};  // Gbit/s
constexpr std::array kWindows{1.7, 2.0, 3.0, 4.0, 8.0, 16.0, 32.0};    // s
constexpr double kMapCapacity = 10.0;                                  // Gbit/s, of every link

struct RateLine {
  std::string_view name;
  std::string_view exchange;
  Mode mode;
  std::size_t dash;
};
constexpr std::array kRateLines{
    RateLine{"direct: neither", "direct", Mode::kNeither, 0},
    RateLine{"direct: multicast", "direct", Mode::kMulticast, 1},
    RateLine{"direct: aggregation", "direct", Mode::kAggregation, 2},
    RateLine{"direct: both", "direct", Mode::kBoth, 3},
    RateLine{"islands add: neither", "tree", Mode::kNeither, 1},
};
constexpr std::string_view kBoundLine = "bound";

std::shared_ptr<const LoadedScenario> rate_scenario(std::string_view exchange, double gbps,
                                                    std::optional<double> window) {
  std::vector<Override> overrides = direct_plan(window ? "window" : "consensus");
  overrides[0].value = std::string(exchange);
  if (window) overrides.push_back({"plan.window", fmt::format("{:g} s", *window)});
  if (gbps != kMapCapacity) {
    overrides.push_back({"network.access.bandwidth", fmt::format("{:g} Gbps", gbps)});
    overrides.push_back({"network.scale.bandwidth", fmt::format("{:g}", gbps / kMapCapacity)});
  }
  return paper_scenario(overrides);
}

}  // namespace

std::vector<PlanPointRequest> exchange_rate_requests() {
  std::vector<PlanPointRequest> requests;
  for (const RateLine& line : kRateLines) {
    for (const double gbps : kCapacities) {
      requests.push_back({.loaded = rate_scenario(line.exchange, gbps, std::nullopt),
                          .mode = line.mode,
                          .what = fmt::format("exchange-rate, {}, {:g} Gbit/s", line.name, gbps)});
    }
    for (const double window : kWindows) {
      requests.push_back({.loaded = rate_scenario(line.exchange, kMapCapacity, window),
                          .mode = line.mode,
                          .what = fmt::format("exchange-rate, {}, {:g} s", line.name, window)});
    }
  }
  return requests;
}

PaperResult exchange_rate_figure(const PaperFigure& figure, const LoadedScenario& loaded,
                                 const std::vector<PlanPoint>& points) {
  LineFigure drawn{.lines = {},
                   .panels = {{.title = "agree first, over the capacity of all links",
                               .x_title = "capacity (Gbit/s)",
                               .from = kCapacities.front(),
                               .to = kCapacities.back()},
                              {.title = "drift least, rounds within a window",
                               .x_title = "window (s)",
                               .from = kWindows.front(),
                               .to = kWindows.back()}},
                   .y_column = "heard_rate",
                   .y_title = "models that an island hears (1/s)",
                   .y_from = 1e9,
                   .y_to = 0.0,
                   .rows = {}};
  PaperResult result;
  const std::size_t per_line = kCapacities.size() + kWindows.size();
  check(points.size() == per_line * kRateLines.size(), "a point for each that was asked for");
  const auto row = [&](std::size_t panel, std::string_view line, double value, std::string mode,
                       std::string exchange, std::optional<double> rate, const PlanPoint& point) {
    const bool bound = line == kBoundLine;
    drawn.rows.push_back(
        {std::to_string(panel), std::string(line), number(value), std::move(mode),
         std::move(exchange), number(rate), number(point.bound_per_s),
         bound ? "" : number(point.round_s), bound ? "" : number(point.consensus_s),
         bound ? "" : std::to_string(point.largest), bound ? "-" : point.schedule});
    if (!rate || *rate <= 0.0) return;
    drawn.y_from = std::min(drawn.y_from, *rate / 1.5);
    drawn.y_to = std::max(drawn.y_to, *rate * 1.5);
  };
  const auto each = [&](std::size_t l, const auto& take) {
    for (std::size_t i = 0; i < per_line; ++i) {
      const std::size_t panel = i < kCapacities.size() ? 1 : 2;
      take(panel, panel == 1 ? kCapacities.at(i) : kWindows.at(i - kCapacities.size()),
           points[l * per_line + i]);
    }
  };
  for (std::size_t l = 0; l < kRateLines.size(); ++l) {
    const RateLine& line = kRateLines.at(l);
    drawn.lines.push_back({.name = std::string(line.name), .colour = l + 1, .dash = line.dash});
    std::string finding;
    each(l, [&](std::size_t panel, double value, const PlanPoint& point) {
      row(panel, line.name, value, std::string(name_of(line.mode)), std::string(line.exchange),
          point.models_per_s, point);
      const bool told = panel == 1 ? value == kCapacities.front() || value == kMapCapacity ||
                                         value == kCapacities.back()
                                   : value == 2.0 || value == 8.0;
      if (!told) return;
      finding += fmt::format(
          "{}{:g} {}: {}", finding.empty() ? "" : ", ", value, panel == 1 ? "Gbit/s" : "s window",
          point.models_per_s ? fmt::format("{:.2f} ({:.2f} x the bound)", *point.models_per_s,
                                           *point.models_per_s / point.bound_per_s)
                             : "nothing fits");
    });
    result.findings.push_back(fmt::format("{}, models heard per second: {}", line.name, finding));
  }
  drawn.lines.push_back({.name = std::string(kBoundLine), .colour = 7, .dash = 0});
  each(0, [&](std::size_t panel, double value, const PlanPoint& point) {
    row(panel, kBoundLine, value, "any", "any", point.bound_per_s, point);
  });
  result.drawing = draw_line_figure(figure, origin_of(loaded), drawn);
  return result;
}

}  // namespace gyre
