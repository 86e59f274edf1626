#include "analysis/paper_figures.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "analysis/csv.hpp"
#include "analysis/figure_drawings.hpp"
#include "analysis/figure_plot.hpp"
#include "analysis/map_panels.hpp"

namespace gyre {
namespace {

PlotTexts texts_of(const PaperFigure& figure, const PaperOrigin& origin) {
  return {.name = std::string(figure.name),
          .title = std::string(figure.title),
          .meaning = caption(figure),
          .origin = fmt::format("Scenario {}, by gyre {}.", origin.scenario, origin.version)};
}

}  // namespace

std::span<const PaperFigure> paper_figures() {
  static const std::array kFigures{
      PaperFigure{
          "topology", "Nine cities, and what the two technologies do to a payload",
          "the nine-city map modelled on the DoubleZero network, with multicast (which eases "
          "egress) and in-line aggregation (which eases ingress)",
          "links and latencies are those of the public example of the DoubleZero Foundation's "
          "network-shapley tool. The numbers are copies of one payload that cross an arc: NYC "
          "sends "
          "its own to all (neither, multicast), all send theirs to NYC (aggregation), or all sum "
          "up "
          "at a switch and take the sum back (both). Squares replicate, triangles add, diamonds do "
          "both",
          cliques_columns()},
      PaperFigure{
          "schedules", "The cliques that agree first, by what the switches can do",
          "the framework that makes rotating cliques of islands around the topology and the two "
          "technologies, and that its best schedule shifts with the network's capabilities",
          "islands exchange directly (each member's model to each other member); best is what "
          "makes "
          "all islands agree first, which the optimiser proves for up to ten islands. A colour is "
          "a "
          "clique on the links that it uses. Where islands add for each other the global clique is "
          "best in every mode: see the figures that follow",
          cliques_columns()},
      PaperFigure{
          "exchange-rate", "Information exchange per second",
          "that the cliques maximise information exchange within what the network gives",
          "information is what an island hears: models of others taken in per second, of the "
          "schedule that agrees first (left, over the capacity of all links) and of the one that "
          "drifts least among those whose rounds fit a window (right). The bound holds for any "
          "exchange",
          exchange_rate_columns()},
      PaperFigure{
          "time-to-accuracy", "Time to accuracy of the best schedule in each mode",
          "that both technologies together narrow the gap to colocated training",
          "the islands learn Fashion-MNIST with two labels each while they exchange 2 GB; best is "
          "the schedule of scenarios/nine-city.yaml that first holds 80 % on average over the "
          "seeds, of all (left) or of those that exchange directly (right). Modes whose lines lie "
          "on each other gain nothing from the capability",
          time_to_accuracy_columns()},
      PaperFigure{
          "sensitivity", "What moves the time to accuracy",
          "that the best schedule depends on the network and the job",
          "each panel varies one thing of scenarios/nine-city.yaml. A line is the first in the "
          "ranking of all-reduce (best and direct) and of the rotating cliques that agree first: "
          "of "
          "all, or of those that exchange directly. The cities that can replicate and add are "
          "those "
          "with most links first",
          sensitivity_columns()}};
  return kFigures;
}

std::string caption(const PaperFigure& figure) {
  return fmt::format("{}. Reproduced: {}. Our reading: {}.", figure.title, figure.reproduced,
                     figure.reading);
}

Drawing draw_map_figure(const PaperFigure& figure, const PaperOrigin& origin,
                        const MapFigure& drawn) {
  return draw_map_panels(texts_of(figure, origin), figure.columns, drawn);
}

Drawing draw_line_figure(const PaperFigure& figure, const PaperOrigin& origin,
                         const LineFigure& drawn) {
  Drawing drawing{.csv = csv_header(figure.columns), .plot = {}, .notes = {}};
  for (const std::vector<std::string>& row : drawn.rows) drawing.csv += csv_line(row);
  Panels panels;
  panels.columns = std::min<std::size_t>(drawn.panels.size(), 3);
  std::vector<std::string> x_titles;
  std::string ranges;
  for (std::size_t p = 0; p < drawn.panels.size(); ++p) {
    const LineFigure::Panel& panel = drawn.panels[p];
    panels.modes.push_back(panel.title);
    x_titles.push_back(panel.x_title);
    ranges += fmt::format("    if (p == {}) {{ set xrange [{}:{}]; {} }}\n", p + 1,
                          number(panel.from), number(panel.to),
                          panel.logarithmic ? logarithmic('x', panel.from, panel.to)
                                            : "unset logscale x; set xtics autofreq");
  }
  std::vector<std::string> names;
  std::string styles;
  constexpr std::array kColours{"#000000", "#0072B2", "#D55E00", "#009E73",
                                "#CC79A7", "#E69F00", "#56B4E9", "#888888"};
  constexpr std::array kDashes{"solid", "(7,4)", "(2,2)", "(9,3,2,3)"};
  constexpr std::array kPoints{7, 6, 5, 4};
  for (std::size_t l = 0; l < drawn.lines.size(); ++l) {
    const LineFigure::Line& line = drawn.lines[l];
    names.push_back(line.name);
    styles +=
        fmt::format("set style line {} lc rgb '{}' lw 1.8 dt {} pt {} ps {}\n", l + 1,
                    kColours[line.colour % kColours.size()], kDashes[line.dash % kDashes.size()],
                    kPoints[line.dash % kPoints.size()], line.dash == 0 ? 0.5 : 0.9);
  }
  panels.cell_width = 380;
  panels.cell_height = 330;
  panels.left = 80;
  panels.legend = text_width(names) + 70;
  const std::string settings = styles + gnuplot_array("lines", names) +
                               gnuplot_array("x_titles", x_titles) + panel_titles(panels.modes) +
                               fmt::format(
                                   "set grid lc rgb '#dddddd' lt 1\nset format '%h'\n{}\n"
                                   "set yrange [{}:{}]\ny_title = {}\n",
                                   logarithmic('y', drawn.y_from, drawn.y_to), number(drawn.y_from),
                                   number(drawn.y_to), gnuplot_text(drawn.y_title));
  const std::string panel =
      ranges +
      fmt::format(
          "    set xlabel x_titles[p]\n"
          "    set ylabel (column_of(p) == 0 ? y_title : '')\n"
          "    if (p == 1) {{\n"
          "      set key at screen legend_left,legend_top left top Left reverse samplen 3\n"
          "    }} else {{ set key off }}\n"
          "    plot \\\n"
          "      for [l = 1:|lines|] data using \\\n"
          "        (column('panel') == p && strcol('line') eq lines[l] ? column('value') : "
          "NaN) \\\n"
          "        :(column('{}')) with linespoints ls l notitle, \\\n"
          "      for [l = 1:|lines|] keyentry with linespoints ls l title lines[l]\n",
          drawn.y_column);
  drawing.plot = plot_program(texts_of(figure, origin), panels, settings, panel);
  return drawing;
}

Drawing draw_accuracy_figure(const PaperFigure& figure, const Results& picked) {
  const Figure drawn{.name = figure.name,
                     .title = figure.title,
                     .meaning = figure.reading,
                     .columns = figure.columns,
                     .draw = nullptr};
  return std::get<Drawing>(draw_accuracy(drawn, picked, "panel_title(p) = modes[p]\n"));
}

}  // namespace gyre
