#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "analysis/csv.hpp"
#include "analysis/figure_drawings.hpp"
#include "analysis/figure_plot.hpp"
#include "analysis/spread.hpp"
#include "models/units.hpp"

namespace gyre {
namespace {

/// A run's values over time, or over rounds.
using Track = std::vector<std::pair<double, double>>;

struct Point {
  double x = 0.0;
  double mean = 0.0;
  double least = 0.0;
  double most = 0.0;
};

struct Curve {
  const RunGroup* group = nullptr;
  std::vector<Point> points;
};

/// Between two points linear; before the first and after the last the nearest one's value.
double value_at(const Track& track, double x) {
  const auto next = std::lower_bound(track.begin(), track.end(), x,
                                     [](const auto& point, double at) { return point.first < at; });
  if (next == track.end()) return track.back().second;
  if (next == track.begin() || next->first <= x) return next->second;
  const auto& [x0, y0] = *(next - 1);
  const auto& [x1, y1] = *next;
  return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

std::vector<Point> merged(const std::vector<Track>& tracks) {
  std::set<double> places;
  for (const Track& track : tracks) {
    for (const auto& [x, y] : track) places.insert(x);
  }
  std::vector<Point> points;
  for (const double x : places) {
    Point point{.x = x,
                .mean = 0.0,
                .least = std::numeric_limits<double>::infinity(),
                .most = -std::numeric_limits<double>::infinity()};
    for (const Track& track : tracks) {
      const double y = value_at(track, x);
      point.mean += y / static_cast<double>(tracks.size());
      point.least = std::min(point.least, y);
      point.most = std::max(point.most, y);
    }
    // A mean of equal numbers may be rounded to another one.
    point.mean = std::clamp(point.mean, point.least, point.most);
    points.push_back(point);
  }
  return points;
}

Track track_of(const ResultRun& run, std::string_view quantity) {
  const ResultTable trace(run.folder / "trace.csv");
  Track track;
  for (std::size_t r = 0; r < trace.rows(); ++r) {
    const std::optional<double> x = trace.value(r, "time_s");
    const std::optional<double> y = trace.value(r, quantity);
    if (!x || !y || !std::isfinite(*x) || !std::isfinite(*y)) continue;
    // Two evaluations at one time: the later one counts.
    if (!track.empty() && track.back().first >= *x) track.pop_back();
    track.emplace_back(*x, *y);
  }
  return track;
}

std::vector<Curve> curves_of(const RunGroups& runs, std::string_view quantity) {
  std::vector<Curve> curves;
  for (const RunGroup& group : runs.groups) {
    std::vector<Track> tracks;
    for (const ResultRun* run : group.runs) {
      Track track = track_of(*run, quantity);
      if (!track.empty()) tracks.push_back(std::move(track));
    }
    if (!tracks.empty()) curves.push_back({.group = &group, .points = merged(tracks)});
  }
  return curves;
}

/// An axis as all panels have it.
struct Axis {
  std::string title;
  bool logarithmic = false;
  double from = 0.0;
  double to = 1.0;

  [[nodiscard]] std::string settings(char name) const {
    std::string text = fmt::format("{0}_from = {1}\nset {0}range [{0}_from:{2}]\n", name,
                                   number(from), number(to));
    if (logarithmic) text += gyre::logarithmic(name, from, to) + "\n";
    return text + fmt::format("{}_title = {}\n", name, gnuplot_text(title));
  }
};

/// Over times that differ much in length all can only be seen on a logarithmic axis.
Axis time_axis(const std::vector<Curve>& curves, const Column& column) {
  Axis axis{.title = axis_title("simulated time", column)};
  double first_end = std::numeric_limits<double>::infinity();
  double first_start = first_end;
  for (const Curve& curve : curves) {
    axis.to = std::max(axis.to, curve.points.back().x);
    first_end = std::min(first_end, curve.points.back().x);
    for (const Point& point : curve.points) {
      if (point.x > 0.0) first_start = std::min(first_start, point.x);
    }
  }
  if (first_end > 0.0 && axis.to / first_end > 8.0) {
    axis.logarithmic = true;
    axis.from = first_start;
  }
  return axis;
}

constexpr double kRoom = 0.04;  // of the axis beyond the outermost value

/// What is to be seen of the curves.
struct Window {
  double from_x = 0.0;
  double least_y = -std::numeric_limits<double>::infinity();  ///< exclusive
};

Axis value_axis(const std::vector<Curve>& curves, std::string title, bool logarithmic,
                Window window, std::optional<double> target) {
  double least = target.value_or(std::numeric_limits<double>::infinity());
  double most = target.value_or(-least);
  for (const Curve& curve : curves) {
    for (const Point& point : curve.points) {
      if (point.x < window.from_x) continue;
      if (point.least > window.least_y) least = std::min(least, point.least);
      if (point.most > window.least_y) most = std::max(most, point.most);
    }
  }
  Axis axis{.title = std::move(title), .logarithmic = logarithmic};
  if (logarithmic) {
    const double factor = std::pow(std::max(most / least, 10.0), kRoom);
    axis.from = least / factor;
    axis.to = most * factor;
  } else {
    const double room = kRoom * std::max(most - least, 1e-9);
    axis.from = least - room;
    axis.to = most + room;
  }
  return axis;
}

/// More lines than this cannot be told apart.
constexpr std::size_t kMostLines = 24;

struct CurveFigure {
  std::vector<Curve> curves;
  Axis x;
  Axis y;
  std::string x_column;
  std::optional<double> target;
  std::string quantity;  ///< a column of its own, where the figure has one
};

std::string csv_of(const Figure& figure, const RunGroups& runs, const CurveFigure& drawn) {
  std::string csv = csv_header(figure.columns);
  for (const Curve& curve : drawn.curves) {
    for (const Point& point : curve.points) {
      std::vector<std::string> cells = runs.cells(*curve.group);
      cells.push_back(number(point.x));
      if (!drawn.quantity.empty()) cells.push_back(drawn.quantity);
      for (const double y : {point.mean, point.least, point.most}) cells.push_back(number(y));
      cells.push_back(std::to_string(curve.group->runs.size()));
      csv += csv_line(cells);
    }
  }
  return csv;
}

/// The modes and schedules that have curves.
struct Shown {
  std::vector<std::string> modes;
  std::vector<std::string> schedules;  ///< at most `kMostLines`
  std::string styles;                  ///< the line style of each
  std::size_t all_schedules = 0;
  bool bands = false;
  std::size_t interval = 1;  ///< points of a line from mark to mark
};

Shown shown_of(const RunGroups& runs, const std::vector<Curve>& curves) {
  Shown shown;
  const auto any = [&curves](const auto& of) {
    return std::any_of(curves.begin(), curves.end(),
                       [&of](const Curve& curve) { return of(*curve.group); });
  };
  for (std::size_t m = 0; m < runs.modes.size(); ++m) {
    if (any([m](const RunGroup& group) { return group.mode == m; })) {
      shown.modes.push_back(runs.modes[m]);
    }
  }
  for (std::size_t s = 0; s < runs.schedules.size(); ++s) {
    if (!any([s](const RunGroup& group) { return group.schedule == s; })) continue;
    if (++shown.all_schedules > kMostLines) continue;
    shown.schedules.push_back(runs.schedules[s]);
    shown.styles += fmt::format("{}{}", shown.styles.empty() ? "" : ", ", s + 1);
  }
  std::size_t points = 0;
  for (const Curve& curve : curves) {
    shown.bands = shown.bands || curve.group->runs.size() > 1;
    points = std::max(points, curve.points.size());
  }
  constexpr std::size_t kMarks = 10;  // on the longest line
  shown.interval = std::max<std::size_t>(points / kMarks, 1);
  return shown;
}

Panels panels_of(const Shown& shown) {
  Panels panels{.modes = shown.modes, .columns = shown.modes.size() > 1 ? 2U : 1U};
  if (panels.columns == 1) panels.cell_width = 560;
  panels.left = 90;
  panels.legend = text_width(shown.schedules) + 60;
  const std::size_t rows = (shown.modes.size() + panels.columns - 1) / panels.columns;
  // The legend must fit beside the panels.
  panels.cell_height = std::max<std::size_t>(320, (20 * (shown.schedules.size() + 2) + 30) / rows);
  return panels;
}

Drawing draw(const Figure& figure, const Results& results, const RunGroups& runs,
             const CurveFigure& drawn, std::string_view more_settings = {}) {
  Drawing drawing{.csv = csv_of(figure, runs, drawn), .plot = {}, .notes = {}};
  const Shown shown = shown_of(runs, drawn.curves);
  if (shown.all_schedules > kMostLines) {
    drawing.notes.push_back(fmt::format("shows the first {} of {} schedules; the data have all",
                                        kMostLines, shown.all_schedules));
  }
  const std::string settings =
      line_styles(runs.schedules.size()) + gnuplot_array("schedules", shown.schedules) +
      fmt::format("# The line style of each.\narray style[{}] = [{}]\n", shown.schedules.size(),
                  shown.styles) +
      "set grid lc rgb '#dddddd' lt 1\n" + drawn.x.settings('x') + drawn.y.settings('y') +
      // A band with a corner that a logarithmic axis does not have would fill half the panel.
      "# A place on the axes, or none.\n"
      "seen(x, y) = x < x_from || y < y_from ? NaN : x\n"
      "floored(y) = y < y_from ? y_from : y\n" +
      (drawn.target ? fmt::format("target = {}\n", number(*drawn.target)) : "") +
      std::string(more_settings);
  const auto points_of = [&drawn](std::string_view height) {
    return fmt::format(
        "data using \\\n        (pick(modes[p], schedules[s], seen(column('{}'), column('{}'))))",
        drawn.x_column, height);
  };
  std::string body =
      "    set xlabel (p + columns > |modes| ? x_title : '')\n"
      "    set ylabel (column_of(p) == 0 ? y_title : '')\n"
      "    # The legend stands beside all panels and is drawn once.\n"
      "    if (p == 1) {\n"
      "      set key at screen legend_left,legend_top left top Left reverse samplen 3\n"
      "    } else { set key off }\n"
      "    plot \\\n";
  if (shown.bands) {
    body += fmt::format(
        "      for [s = 1:|schedules|] {} \\\n        :(floored(column('least'))):(column('most')) "
        "\\\n"
        "        with filledcurves ls style[s] fs transparent solid 0.18 notitle, \\\n",
        points_of("most"));
  }
  body += fmt::format(
      "      for [s = 1:|schedules|] {}:(column('mean')) \\\n"
      "        with linespoints ls style[s] pointinterval -{} notitle, \\\n"
      "      for [s = 1:|schedules|] keyentry with linespoints ls style[s] title schedules[s]",
      points_of("mean"), shown.interval);
  if (drawn.target) {
    body += ", \\\n      target with lines lc rgb '#666666' lw 1 dt (4,4) title 'target'";
  }
  drawing.plot = plot_program(figure, results, panels_of(shown), settings, body + "\n");
  return drawing;
}

/// Takes out the curves that are nowhere above the least value, and names them.
std::vector<std::string> take_out(const RunGroups& runs, std::vector<Curve>& curves, double least) {
  std::vector<std::string> names;
  const auto below = [least](const Curve& curve) {
    return std::none_of(curve.points.begin(), curve.points.end(),
                        [least](const Point& point) { return point.most > least; });
  };
  for (std::size_t s = 0; s < runs.schedules.size(); ++s) {
    std::vector<std::string> modes;
    bool all = true;
    for (const Curve& curve : curves) {
      if (curve.group->schedule != s) continue;
      if (below(curve)) modes.push_back(runs.modes[curve.group->mode]);
      all = all && below(curve);
    }
    if (modes.empty()) continue;
    names.push_back(all ? runs.schedules[s]
                        : fmt::format("{} (mode {})", runs.schedules[s], fmt::join(modes, ", ")));
  }
  std::erase_if(curves, below);
  return names;
}

/// The islands' sums are rounded: less than this share of the largest distance is no distance.
constexpr double kRounding = 1e-12;

}  // namespace

DrawnFigure draw_time_to_accuracy(const Figure& figure, const Results& results) {
  return draw_accuracy(figure, results, {});
}

DrawnFigure draw_accuracy(const Figure& figure, const Results& results, std::string_view settings) {
  const RunGroups runs = group_runs(results);
  CurveFigure drawn;
  drawn.x_column = "time_s";
  drawn.quantity = "accuracy_average";
  std::string words = "test accuracy of the average model";
  drawn.curves = curves_of(runs, drawn.quantity);
  const bool losses = drawn.curves.empty();
  if (losses) {
    drawn.quantity = "loss_average";
    words = "loss of the average model";
    drawn.curves = curves_of(runs, drawn.quantity);
  }
  if (drawn.curves.empty()) return LeftOut{"no run was evaluated"};
  drawn.target = parse_number(results.value(losses ? "stop.loss" : "stop.accuracy"));
  bool positive = losses && drawn.target.value_or(1.0) > 0.0;
  for (const Curve& curve : drawn.curves) {
    for (const Point& point : curve.points) positive = positive && point.least > 0.0;
  }
  drawn.x = time_axis(drawn.curves, column_named(figure.columns, drawn.x_column));
  drawn.y =
      value_axis(drawn.curves, axis_title(words, column_named(trace_columns(), drawn.quantity)),
                 positive, {.from_x = drawn.x.from}, drawn.target);
  return draw(figure, results, runs, drawn, settings);
}

DrawnFigure draw_consensus(const Figure& figure, const Results& results) {
  const RunGroups runs = group_runs(results);
  CurveFigure drawn;
  drawn.x_column = "time_s";
  drawn.curves = curves_of(runs, "consensus_distance");
  if (drawn.curves.empty()) return LeftOut{"no run has a consensus distance"};
  const CurveFigure whole = drawn;
  double most = 0.0;
  for (const Curve& curve : drawn.curves) {
    for (const Point& point : curve.points) most = std::max(most, point.most);
  }
  const std::vector<std::string> agreed = take_out(runs, drawn.curves, kRounding * most);
  if (drawn.curves.empty()) {
    return LeftOut{"the islands' models are equal at every evaluation of every run"};
  }
  drawn.x = time_axis(drawn.curves, column_named(figure.columns, drawn.x_column));
  drawn.y = value_axis(
      drawn.curves,
      axis_title("consensus distance", column_named(trace_columns(), "consensus_distance")), true,
      {.from_x = drawn.x.from, .least_y = kRounding * most}, std::nullopt);
  Drawing drawing = draw(figure, results, runs, drawn);
  drawing.csv = csv_of(figure, runs, whole);
  if (!agreed.empty()) {
    drawing.notes.push_back(
        fmt::format("no line where the islands agree, but for rounding, at every evaluation: {}",
                    fmt::join(agreed, ", ")));
  }
  return drawing;
}

DrawnFigure draw_spread(const Figure& figure, const Results& results) {
  const RunGroups runs = group_runs(results);
  CurveFigure drawn;
  drawn.x_column = "rounds";
  std::size_t rounds = 0;
  std::vector<std::pair<const RunGroup*, std::vector<Spread>>> groups;
  for (const RunGroup& group : runs.groups) {
    std::vector<Spread> spreads;
    for (const ResultRun* run : group.runs) {
      Spread spread = spread_of(results, *run);
      if (spread.informed.size() > 1) spreads.push_back(std::move(spread));
    }
    for (const Spread& spread : spreads) {
      if (spread.informed.back() >= 1.0) rounds = std::max(rounds, spread.informed.size());
    }
    if (!spreads.empty()) groups.emplace_back(&group, std::move(spreads));
  }
  if (groups.empty()) return LeftOut{"no run ended a round"};
  // Where some have all pairs, the others are shown as far as the last of those and a round more.
  if (rounds == 0) rounds = kMostRoundsOfSpread;
  for (const auto& [group, spreads] : groups) {
    std::vector<Track> tracks;
    for (const Spread& spread : spreads) {
      Track track;
      for (std::size_t r = 0; r <= rounds; ++r) {
        if (r >= spread.informed.size() && spread.informed.back() < 1.0) break;
        track.emplace_back(static_cast<double>(r),
                           spread.informed[std::min(r, spread.informed.size() - 1)]);
      }
      tracks.push_back(std::move(track));
    }
    drawn.curves.push_back({.group = group, .points = merged(tracks)});
  }
  drawn.x = {.title = axis_title("rounds", column_named(figure.columns, "rounds"))};
  for (const Curve& curve : drawn.curves) drawn.x.to = std::max(drawn.x.to, curve.points.back().x);
  drawn.y = {.title = axis_title("share of pairs informed", column_named(figure.columns, "mean")),
             .to = 1.0 + kRoom};
  return draw(figure, results, runs, drawn);
}

}  // namespace gyre
