#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "analysis/csv.hpp"
#include "analysis/figure_drawings.hpp"
#include "analysis/figure_plot.hpp"
#include "analysis/map_layout.hpp"

namespace gyre {
namespace {

/// Utilisation of each arc, mean over the runs.
std::map<std::string, double> loads_of(const RunGroup& group) {
  std::map<std::string, double> loads;
  for (const ResultRun* run : group.runs) {
    const ResultTable links(run->folder / "links.csv");
    for (std::size_t r = 0; r < links.rows(); ++r) {
      loads[std::string(links.text(r, "arc"))] +=
          links.value(r, "mean_utilisation").value_or(0.0) / static_cast<double>(group.runs.size());
    }
  }
  return loads;
}

class MapRows {
 public:
  MapRows(const ResultMap& map, std::vector<Place> places)
      : map_(map), places_(std::move(places)), width_(frame_of(places_).width) {}

  [[nodiscard]] std::string of(const std::string& mode, const std::string& schedule,
                               const std::map<std::string, double>& loads) const {
    std::string csv;
    const auto load_of = [&loads](const std::string& arc) {
      const auto found = loads.find(arc);
      return found == loads.end() ? 0.0 : found->second;
    };
    const auto row = [&](std::string kind, const std::string& name, Place at,
                         std::optional<Place> end, std::optional<double> load) {
      csv += csv_line(std::vector<std::string>{
          mode, schedule, std::move(kind), plottable(name), number(at.x), number(at.y),
          end ? number(end->x) : "", end ? number(end->y) : "", number(load)});
    };
    for (const ResultMap::Link& link : map_.links) {
      for (const auto& [from, to] :
           {std::pair(link.first, link.second), std::pair(link.second, link.first)}) {
        const std::string arc =
            fmt::format("{}->{}", map_.switches[from].name, map_.switches[to].name);
        const auto [begin, end] =
            beside(places_[from], places_[to], 0.0065 * width_, 0.02 * width_);
        row("core", arc, begin, end, load_of(arc));
      }
    }
    std::vector<std::size_t> islands_at(map_.switches.size(), 0);
    for (const ResultMap::Island& island : map_.islands) ++islands_at[island.at];
    for (std::size_t s = 0; s < map_.switches.size(); ++s) {
      row("switch", map_.switches[s].name, places_[s], std::nullopt, std::nullopt);
    }
    std::vector<std::size_t> drawn(map_.switches.size(), 0);
    for (const ResultMap::Island& island : map_.islands) {
      const std::size_t i = drawn[island.at]++;
      row("island", island.name, around(places_[island.at], i, islands_at[island.at]), std::nullopt,
          std::max(load_of(island.name + ".up"), load_of(island.name + ".down")));
    }
    return csv;
  }

 private:
  /// Several islands of one switch stand around it.
  [[nodiscard]] Place around(Place at, std::size_t i, std::size_t count) const {
    if (count == 1) return at;
    const double angle =
        2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count);
    const double radius = 0.022 * width_;
    return {.x = at.x + radius * std::cos(angle), .y = at.y + radius * std::sin(angle)};
  }

  const ResultMap& map_;
  std::vector<Place> places_;
  double width_;
};

constexpr std::string_view kMapPanel = R"(    if (p == 1) {
      set colorbox user origin screen legend_left + 10/width, colours_bottom \
        size screen 14/width, colours_height
    } else { unset colorbox }
    of_kind(kind, value) = in_mode(modes[p], strcol('kind') eq kind ? value : NaN)
    # A line is as wide as its arc is busy, in five classes.
    class(load) = load >= 1 ? 4 : int(5 * load)
    percent = 100.
    plot \
      for [k = 0:4] data using \
        (of_kind('core', class(column('mean_utilisation')) == k ? column('x') : NaN)) \
        :(column('y')):(column('end_x') - column('x')):(column('end_y') - column('y')) \
        :(percent * column('mean_utilisation')) \
        with vectors head filled size screen 6/width,25 lw 1 + 0.8 * k lc palette, \
      data using (of_kind('switch', column('x'))):(column('y')) \
        with points pt 5 ps 0.5 lc rgb '#555555', \
      data using (of_kind('island', column('x'))):(column('y')) \
        :(percent * column('mean_utilisation')) with points pt 7 ps 1.3 lc palette, \
      data using (of_kind('island', column('x'))):(column('y')) \
        with points pt 6 ps 1.3 lw 0.8 lc rgb '#000000'
)";

}  // namespace

DrawnFigure draw_map(const Figure& figure, const Results& results) {
  if (results.map.switches.empty()) return LeftOut{"the results hold no map"};
  const RunGroups runs = group_runs(results);
  const std::vector<const RunGroup*> first = first_over_the_wan(runs);
  if (first.empty()) return LeftOut{"no run sends anything over the WAN"};
  const std::vector<Place> places = places_of(results.map);
  const Frame frame = frame_of(places);
  const MapRows rows(results.map, places);
  Drawing drawing{.csv = csv_header(figure.columns), .plot = {}, .notes = {}};
  Panels panels;
  panels.columns = first.size() > 1 ? 2 : 1;
  std::vector<std::string> schedules;
  for (const RunGroup* group : first) {
    panels.modes.push_back(runs.modes[group->mode]);
    schedules.push_back(runs.schedules[group->schedule]);
    drawing.csv += rows.of(panels.modes.back(), schedules.back(), loads_of(*group));
  }
  panels.left = 15;
  panels.bottom = 15;
  panels.cell_width = 480;
  panels.cell_height = static_cast<std::size_t>(std::lround(frame.height_for(450.0))) + 45;
  panels.legend = 110;
  std::string settings = fmt::format(
      "set xrange [{}:{}]\nset yrange [{}:{}]\nset size ratio -1\nunset border\nunset tics\n"
      "set style textbox opaque noborder margins 0.2,0.2\n"
      "set cbrange [0:100]\nset cblabel 'mean utilisation (%)'\nset cbtics scale 0.6\n"
      "set palette defined (0 '#d9d9d9', 0.35 '#9ecae1', 0.7 '#2878b5', 1 '#08306b')\n",
      number(frame.from_x), number(frame.to_x), number(frame.from_y), number(frame.to_y));
  settings += gnuplot_array("schedules", schedules) +
              "panel_title(p) = 'mode '.modes[p].': '.schedules[p]\n";
  constexpr std::size_t kMostNames = 60;
  std::string panel(kMapPanel);
  if (results.map.switches.size() <= kMostNames) {
    panel.pop_back();
    panel +=
        ", \\\n      data using (of_kind('switch', column('x'))):(column('y')):(strcol('name')) "
        "\\\n"
        "        with labels boxed offset 0,1 font ',10'\n";
  } else {
    drawing.notes.emplace_back("the switches are too many to be named");
  }
  drawing.plot = plot_program(figure, results, panels, settings, panel);
  return drawing;
}

}  // namespace gyre
