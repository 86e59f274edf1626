#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "analysis/csv.hpp"
#include "analysis/figure_drawings.hpp"
#include "analysis/figure_plot.hpp"

namespace gyre {
namespace {

struct Place {
  double x = 0.0;
  double y = 0.0;
};

constexpr double kTurn = 360.0;

/// Degrees east of a meridian, from 0.
double east_of(double longitude, double meridian) {
  return std::fmod(std::fmod(longitude - meridian, kTurn) + kTurn, kTurn);
}

/// The longitude at which the map is cut open so that its links are drawn shortest.
double western_edge(const ResultMap& map, const std::vector<double>& longitudes) {
  double best = 0.0;
  double shortest = -1.0;
  for (const double edge : longitudes) {
    double length = 0.0;
    for (const ResultMap::Link& link : map.links) {
      length +=
          std::abs(east_of(longitudes[link.first], edge) - east_of(longitudes[link.second], edge));
    }
    if (shortest >= 0.0 && length >= shortest) continue;
    shortest = length;
    best = edge;
  }
  return best;
}

double width_of(const std::vector<Place>& places) {
  const auto [least, most] = std::minmax_element(
      places.begin(), places.end(), [](const Place& a, const Place& b) { return a.x < b.x; });
  return most->x - least->x;
}

/// Moves places apart that would be drawn over each other. Their order is by index, so that the
/// drawing is the same every time.
void spread_out(std::vector<Place>& places, double distance) {
  constexpr int kPasses = 300;
  for (int pass = 0; pass < kPasses; ++pass) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (std::size_t j = i + 1; j < places.size(); ++j) {
        double dx = places[j].x - places[i].x;
        double dy = places[j].y - places[i].y;
        double apart = std::hypot(dx, dy);
        if (apart >= distance) continue;
        if (apart < 1e-9) {
          dx = std::cos(static_cast<double>(i + j));
          dy = std::sin(static_cast<double>(i + j));
          apart = 1.0;
        }
        const double push = (distance - std::min(apart, distance)) / 2.0 + distance * 1e-3;
        places[i].x -= push * dx / apart;
        places[i].y -= push * dy / apart;
        places[j].x += push * dx / apart;
        places[j].y += push * dy / apart;
      }
    }
  }
}

/// Where the switches are drawn: by their coordinates, else on a circle.
std::vector<Place> places_of(const ResultMap& map) {
  std::vector<Place> places;
  if (map.placed()) {
    std::vector<double> longitudes;
    longitudes.reserve(map.switches.size());
    for (const ResultMap::Switch& one : map.switches) {
      longitudes.push_back(one.longitude.value_or(0.0));
    }
    const double edge = western_edge(map, longitudes);
    for (std::size_t s = 0; s < longitudes.size(); ++s) {
      places.push_back(
          {.x = east_of(longitudes[s], edge), .y = map.switches[s].latitude.value_or(0.0)});
    }
  } else {
    constexpr double kRadius = 50.0;
    for (std::size_t i = 0; i < map.switches.size(); ++i) {
      // From the left clockwise, so that two switches stand side by side.
      const double angle = std::numbers::pi - 2.0 * std::numbers::pi * static_cast<double>(i) /
                                                  static_cast<double>(map.switches.size());
      places.push_back({.x = 1.6 * kRadius * std::cos(angle), .y = kRadius * std::sin(angle)});
    }
  }
  const auto n = static_cast<double>(places.size());
  spread_out(places, std::max(width_of(places), 1.0) * std::min(0.11, 0.5 / std::sqrt(n)));
  return places;
}

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

/// In each mode the first in the ranking that sends something over the WAN.
std::vector<const RunGroup*> first_over_the_wan(const RunGroups& runs) {
  std::vector<const RunGroup*> first(runs.modes.size(), nullptr);
  for (const RunGroup& group : runs.groups) {
    const auto sends = [](const ResultRun* run) {
      return run->summary && run->summary->wan_gb.value_or(0.0) > 0.0;
    };
    if (first[group.mode] == nullptr && std::any_of(group.runs.begin(), group.runs.end(), sends)) {
      first[group.mode] = &group;
    }
  }
  std::erase(first, nullptr);
  return first;
}

// Height of a panel by its width.
constexpr double kLeastRatio = 0.4;
constexpr double kMostRatio = 1.2;

struct Frame {
  double width = 0.0;
  double from_x = 0.0, to_x = 0.0;
  double from_y = 0.0, to_y = 0.0;
};

Frame frame_of(const std::vector<Place>& places) {
  Frame frame{.from_x = 1e9, .to_x = -1e9, .from_y = 1e9, .to_y = -1e9};
  for (const Place& place : places) {
    frame.from_x = std::min(frame.from_x, place.x);
    frame.to_x = std::max(frame.to_x, place.x);
    frame.from_y = std::min(frame.from_y, place.y);
    frame.to_y = std::max(frame.to_y, place.y);
  }
  frame.width = std::max(frame.to_x - frame.from_x, 1.0);
  frame.width = std::max(frame.width, frame.to_y - frame.from_y);
  const double room = 0.1 * frame.width;
  frame.from_x -= room;
  frame.to_x += room;
  frame.from_y -= room;
  frame.to_y += room;
  // One degree is as long on both axes, and a panel neither flat nor high.
  const double width = frame.to_x - frame.from_x;
  const double height = frame.to_y - frame.from_y;
  const double more_y = std::max(kLeastRatio * width - height, 0.0) / 2.0;
  const double more_x = std::max(height / kMostRatio - width, 0.0) / 2.0;
  frame.from_x -= more_x;
  frame.to_x += more_x;
  frame.from_y -= more_y;
  frame.to_y += more_y;
  return frame;
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
      csv += csv_line(std::vector<std::string>{mode, schedule, std::move(kind), name, number(at.x),
                                               number(at.y), end ? number(end->x) : "",
                                               end ? number(end->y) : "", number(load)});
    };
    for (const ResultMap::Link& link : map_.links) {
      for (const auto& [from, to] :
           {std::pair(link.first, link.second), std::pair(link.second, link.first)}) {
        const std::string arc =
            fmt::format("{}->{}", map_.switches[from].name, map_.switches[to].name);
        const auto [begin, end] = beside(places_[from], places_[to]);
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
  /// The two directions of a link lie beside each other, each on the right as one looks along it.
  [[nodiscard]] std::pair<Place, Place> beside(Place from, Place to) const {
    const double dx = to.x - from.x;
    const double dy = to.y - from.y;
    const double length = std::max(std::hypot(dx, dy), 1e-9);
    const double shift = 0.0065 * width_;
    const double cut = std::min(0.02 * width_, length / 4.0);
    const Place right{.x = shift * dy / length, .y = -shift * dx / length};
    const Place along{.x = cut * dx / length, .y = cut * dy / length};
    return {{.x = from.x + right.x + along.x, .y = from.y + right.y + along.y},
            {.x = to.x + right.x - along.x, .y = to.y + right.y - along.y}};
  }
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
  const double ratio = (frame.to_y - frame.from_y) / (frame.to_x - frame.from_x);
  panels.cell_height = static_cast<std::size_t>(std::lround(450.0 * ratio)) + 45;
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
