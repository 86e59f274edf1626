// Figures of who exchanges with whom: heard, cliques.

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "analysis/csv.hpp"
#include "analysis/figure_drawings.hpp"
#include "analysis/figure_plot.hpp"
#include "analysis/map_panels.hpp"
#include "analysis/spread.hpp"
#include "models/routing.hpp"

namespace gyre {
namespace {

constexpr std::size_t kMostIslands = 40;  // of a matrix that can be read

constexpr std::string_view kMatrixPanel = R"(    set xlabel 'heard from'
    set ylabel (column_of(p) == 0 ? 'island' : '')
    cell(value) = in_mode(modes[p], value)
    is_known(value) = strcol('rounds') eq '-' ? NaN : cell(value)
    plot \
      data using (is_known(column('column'))):(column('row')):(column('column') - 0.5) \
        :(column('column') + 0.5):(column('row') - 0.5):(column('row') + 0.5):(column('rounds')) \
        with boxxyerror fc palette, \
      data using (cell(column('column'))):(column('row')):(strcol('rounds')) \
        :(strcol('rounds') ne '-' && column('rounds') > 0.6 * most_rounds ? 0xffffff : 0x000000) \
        with labels font ',8' tc rgb variable
)";

}  // namespace

DrawnFigure draw_heard(const Figure& figure, const Results& results) {
  const RunGroups runs = group_runs(results);
  Drawing drawing{.csv = csv_header(figure.columns), .plot = {}, .notes = {}};
  Panels panels;
  std::vector<std::string> titles;
  std::size_t most = 1;
  const std::size_t n = results.map.islands.size();
  for (const RunGroup* group : first_over_the_wan(runs)) {
    const Spread spread = spread_of(results, *group->runs.front());
    if (spread.informed.size() < 2) continue;
    const std::string& mode = runs.modes[group->mode];
    const std::string& schedule = runs.schedules[group->schedule];
    panels.modes.push_back(mode);
    titles.push_back(fmt::format("mode {}: {}", mode, schedule));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const std::optional<std::size_t>& rounds = spread.first[i][j];
        if (rounds) most = std::max(most, *rounds);
        drawing.csv += csv_line(std::vector<std::string>{
            mode, schedule, plottable(results.map.islands[i].name),
            plottable(results.map.islands[j].name), std::to_string(i + 1), std::to_string(j + 1),
            rounds ? std::to_string(*rounds) : "-"});
      }
    }
  }
  if (panels.modes.empty()) return LeftOut{"no run ended a round over the WAN"};
  if (n > kMostIslands) {
    return LeftOut{
        fmt::format("a matrix of {} islands cannot be read; up to {} can", n, kMostIslands)};
  }
  panels.columns = panels.modes.size() > 1 ? 2 : 1;
  std::vector<std::string> names;
  for (const ResultMap::Island& island : results.map.islands) names.push_back(island.name);
  panels.left = text_width(names) + 45;
  panels.bottom = text_width(names) + 50;
  const std::size_t side = std::max<std::size_t>(n * 22, 120);
  panels.cell_width = panels.left + panels.right + side;
  panels.cell_height = panels.top + panels.bottom + side;
  panels.legend = 110;
  std::string tics;
  for (std::size_t i = 0; i < n; ++i) {
    tics += fmt::format("{}{} {}", i == 0 ? "" : ", ", gnuplot_text(names[i]), i + 1);
  }
  const std::string settings =
      panel_titles(titles) +
      fmt::format(
          "most_rounds = {}\nset xrange [0.5:{}.5]\nset yrange [{}.5:0.5]\n"
          "set xtics rotate by 90 right ({})\nset ytics ({})\nunset border\n"
          "set cbrange [0:most_rounds]\nset cblabel 'rounds'\nset cbtics scale 0.6\n"
          "{}"
          "set colorbox user origin screen legend_left + 10/width, colours_bottom \\\n"
          "  size screen 14/width, colours_height\n",
          most, n, n, tics, tics, kLightToDark);
  PlotTexts texts = plot_texts(figure, results);
  drawing.plot = plot_program(texts, panels, settings, kMatrixPanel);
  return drawing;
}

namespace {

constexpr std::size_t kMostRounds = 4;
constexpr std::size_t kSeveralGroups = 7;  // colour of a switch whose islands are not together
constexpr std::size_t kColours = 6;        // for cliques; then they come again

/// The map for its routes: one way's latency stands for both, and capacities do not count.
Topology topology_of(const ResultMap& map) {
  constexpr Bandwidth kAny = Bandwidth::gigabits_per_second(1);
  std::vector<std::string> switches;
  for (const ResultMap::Switch& one : map.switches) switches.push_back(one.name);
  std::vector<Topology::Island> islands;
  for (const ResultMap::Island& island : map.islands) {
    islands.push_back({.name = island.name,
                       .at = SwitchId::at(island.at),
                       .up = kAny,
                       .down = kAny,
                       .latency = {}});
  }
  std::vector<Topology::Link> links;
  for (const ResultMap::Link& link : map.links) {
    const Duration latency = Duration::milliseconds(link.latency_ms);
    links.push_back(Topology::Link::both_ways(SwitchId::at(link.first), SwitchId::at(link.second),
                                              kAny, latency));
  }
  return {"results", std::move(switches), std::move(islands), links};
}

/// Who exchanges in a round: each group's islands, and of an overlay who takes from whom.
struct Group {
  std::vector<std::size_t> members;
  std::optional<std::size_t> receiver;

  bool operator==(const Group&) const = default;
};

/// The first rounds of a run, until the first one comes again.
std::vector<std::vector<Group>> first_rounds(const Results& results, const ResultRun& run) {
  const IslandNumbers numbers = results.map.island_numbers();
  const ResultTable table(run.folder / "rounds.csv");
  std::map<double, std::vector<Group>> rounds;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const double number = table.value(r, "round").value_or(0.0);
    if (number > static_cast<double>(kMostRounds)) continue;
    if (table.value(r, "fragment").value_or(0.0) > 0.0) continue;
    Group group{.members = members_in(table.text(r, "members"), numbers), .receiver = {}};
    const auto receiver = numbers.find(table.text(r, "receiver"));
    if (receiver != numbers.end()) group.receiver = receiver->second;
    if (group.members.size() > 1) rounds[number].push_back(std::move(group));
  }
  std::vector<std::vector<Group>> first;
  for (auto& [number, groups] : rounds) {
    std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
      return std::pair(a.members, a.receiver) < std::pair(b.members, b.receiver);
    });
    if (first.size() == kMostRounds || (!first.empty() && groups == first.front())) break;
    first.push_back(std::move(groups));
  }
  return first;
}

MapFigure::Panel panel_of(const ResultMap& map, const Topology& topology, const Routes& routes,
                          const std::vector<Group>& groups) {
  MapFigure::Panel panel;
  for (const ResultMap::Switch& one : map.switches) {
    panel.spots.push_back({.group = 0, .name = one.name, .does = {}});
  }
  std::size_t number = 0;
  for (const Group& group : groups) {
    // An overlay is one thing: its edges share a colour.
    const std::size_t colour = group.receiver ? 1 : number++ % kColours + 1;
    std::set<std::pair<std::size_t, std::size_t>> used;
    for (const std::size_t from : group.members) {
      for (const std::size_t to : group.members) {
        if (group.receiver && to != *group.receiver) continue;
        const NodeId start = topology.node(SwitchId::at(map.islands[from].at));
        const NodeId end = topology.node(SwitchId::at(map.islands[to].at));
        for (const ArcId a : routes.path(start, end)) {
          const Arc& arc = topology.arc(a);
          used.insert(std::minmax(topology.switch_at(arc.tail).index(),
                                  topology.switch_at(arc.head).index()));
        }
      }
      std::size_t& spot = panel.spots[map.islands[from].at].group;
      spot = spot == 0 || spot == colour ? colour : kSeveralGroups;
    }
    for (const auto& [first, second] : used) {
      const bool known =
          std::any_of(panel.ways.begin(), panel.ways.end(), [&](const MapFigure::Way& way) {
            return way.first == first && way.second == second && way.group == colour;
          });
      if (known) continue;
      panel.ways.push_back(
          {.first = first, .second = second, .group = colour, .copies = std::nullopt});
    }
  }
  return panel;
}

}  // namespace

DrawnFigure draw_cliques(const Figure& figure, const Results& results) {
  if (results.map.switches.empty()) return LeftOut{"the results hold no map"};
  const RunGroups runs = group_runs(results);
  const Topology topology = topology_of(results.map);
  const Routes routes(topology);
  std::vector<std::pair<const RunGroup*, std::vector<std::vector<Group>>>> shown;
  MapFigure drawn{.map = results.map, .columns = 1, .panels = {}};
  for (const RunGroup* group : first_over_the_wan(runs)) {
    std::vector<std::vector<Group>> rounds = first_rounds(results, *group->runs.front());
    if (rounds.empty()) continue;
    drawn.columns = std::max(drawn.columns, rounds.size());
    shown.emplace_back(group, std::move(rounds));
  }
  if (shown.empty()) return LeftOut{"no run tells which islands exchange with each other"};
  for (const auto& [group, rounds] : shown) {
    for (std::size_t r = 0; r < drawn.columns; ++r) {
      MapFigure::Panel& panel = drawn.panels.emplace_back();
      if (r >= rounds.size()) continue;
      panel = panel_of(results.map, topology, routes, rounds[r]);
      panel.mode = runs.modes[group->mode];
      panel.title = fmt::format("mode {}: {}{}", panel.mode, runs.schedules[group->schedule],
                                rounds.size() == 1 ? "" : fmt::format(", round {}", r));
    }
  }
  return draw_map_panels(plot_texts(figure, results), figure.columns, drawn);
}

}  // namespace gyre
