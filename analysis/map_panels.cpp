#include "analysis/map_panels.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "analysis/csv.hpp"
#include "analysis/map_layout.hpp"

namespace gyre {
namespace {

constexpr std::string_view kMapPanel =
    R"(    of_kind(kind, value) = column('panel') == p && strcol('kind') eq kind ? value : NaN
    in_colour(place) = colour[column(place) + 1]
    # A place of the grid may be free; then there is nothing to draw in it.
    if (titles[p] ne '') {
      plot \
        data using (of_kind('link', column('x'))):(column('y')):(column('end_x') - column('x')) \
          :(column('end_y') - column('y')) with vectors nohead lw 1 lc rgb '#c8c8c8', \
        data using (of_kind('way', column('x'))):(column('y')):(column('end_x') - column('x')) \
          :(column('end_y') - column('y')):(in_colour('group')) \
          with vectors @heads lw way_width lc rgb variable, \
        data using (of_kind('switch', column('x'))):(column('y')):(in_colour('group')) \
          with points pt 7 ps spot_size lc rgb variable, \
        data using (of_kind('switch', strcol('does') eq 'replicates' ? column('x') : NaN)) \
          :(column('y')) with points pt 4 ps 2.2 lw 1.6 lc rgb '#000000', \
        data using (of_kind('switch', strcol('does') eq 'adds' ? column('x') : NaN)) \
          :(column('y')) with points pt 8 ps 2.4 lw 1.6 lc rgb '#000000', \
        data using (of_kind('switch', strcol('does') eq 'both' ? column('x') : NaN)) \
          :(column('y')) with points pt 12 ps 2.6 lw 1.6 lc rgb '#000000', \
        data using (of_kind('way', \
          column('copies') > 0 ? (column('x') + column('end_x')) / 2 : NaN)) \
          :((column('y') + column('end_y')) / 2):(sprintf('%d', column('copies'))) \
          with labels boxed font ',9', \
        data using (of_kind('name', column('x'))):(column('y')):(strcol('name')) \
          with labels boxed font ',10'
    }
)";

}  // namespace

Drawing draw_map_panels(const PlotTexts& texts, std::span<const Column> columns,
                        const MapFigure& drawn) {
  const std::vector<Place> places = places_of(drawn.map);
  const Frame frame = frame_of(places);
  Drawing drawing{.csv = csv_header(columns), .plot = {}, .notes = {}};
  Panels panels;
  panels.columns = drawn.columns;
  bool arrows = false;
  for (std::size_t p = 0; p < drawn.panels.size(); ++p) {
    const MapFigure::Panel& panel = drawn.panels[p];
    panels.modes.push_back(panel.title);
    if (panel.title.empty()) continue;
    const auto row = [&](std::string kind, std::string name, Place at, std::optional<Place> end,
                         std::size_t group, std::optional<int> copies, std::string does) {
      drawing.csv += csv_line(std::vector<std::string>{
          std::to_string(p + 1), panel.mode, std::move(kind), plottable(name), number(at.x),
          number(at.y), end ? number(end->x) : "", end ? number(end->y) : "", std::to_string(group),
          copies ? std::to_string(*copies) : "", does.empty() ? "-" : std::move(does)});
    };
    const auto name_of = [&](std::size_t s) { return drawn.map.switches[s].name; };
    for (const ResultMap::Link& link : drawn.map.links) {
      row("link", fmt::format("{}-{}", name_of(link.first), name_of(link.second)),
          places[link.first], places[link.second], 0, std::nullopt, "");
    }
    // Cliques on one link lie beside each other; so do the two directions.
    std::map<std::pair<std::size_t, std::size_t>, double> lanes;
    for (const MapFigure::Way& way : panel.ways) lanes[std::minmax(way.first, way.second)] += 1.0;
    std::map<std::pair<std::size_t, std::size_t>, double> taken;
    for (const MapFigure::Way& way : panel.ways) {
      const bool arrow = way.copies.has_value();
      arrows = arrows || arrow;
      const auto link = std::minmax(way.first, way.second);
      const double lane = arrow ? 1.0 : taken[link]++ - (lanes[link] - 1.0) / 2.0;
      const auto [begin, end] =
          beside(places[way.first], places[way.second], frame.width * (arrow ? 0.011 : 0.01) * lane,
                 arrow ? 0.025 * frame.width : 0.0);
      row("way", fmt::format("{}{}{}", name_of(way.first), arrow ? "->" : "-", name_of(way.second)),
          begin, end, way.group, way.copies, "");
    }
    for (std::size_t s = 0; s < places.size(); ++s) {
      row("switch", name_of(s), places[s], std::nullopt, panel.spots[s].group, std::nullopt,
          panel.spots[s].does);
    }
    for (std::size_t s = 0; s < places.size(); ++s) {
      row("name", panel.spots[s].name, name_place(drawn.map, places, s, 0.045 * frame.width),
          std::nullopt, 0, std::nullopt, "");
    }
  }
  panels.left = 15;
  panels.bottom = 12;
  panels.cell_width = 480;
  panels.cell_height = static_cast<std::size_t>(std::lround(frame.height_for(450.0))) + 45;
  const std::string settings =
      fmt::format(
          "set xrange [{}:{}]\nset yrange [{}:{}]\nset size ratio -1\nunset border\n"
          "unset tics\nset style textbox opaque noborder margins 0.2,0.2\n"
          "# Colours of the groups, the first of those that belong to none.\n"
          "array colour[9] = [0x777777, 0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, \\\n"
          "  0xE69F00, 0x56B4E9, 0x000000, 0x888888]\n"
          "heads = '{}'\nway_width = {}\nspot_size = {}\n",
          number(frame.from_x), number(frame.to_x), number(frame.from_y), number(frame.to_y),
          arrows ? "head filled size screen 6/width,25" : "nohead", arrows ? 2 : 4,
          arrows ? 1.2 : 2.0) +
      panel_titles(panels.modes);
  drawing.plot = plot_program(texts, panels, settings, kMapPanel);
  return drawing;
}

}  // namespace gyre
