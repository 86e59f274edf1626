#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "analysis/csv.hpp"
#include "analysis/figure_drawings.hpp"
#include "analysis/figure_plot.hpp"

namespace gyre {
namespace {

/// Taller lists than this are cut: nobody could read them on a page.
constexpr std::size_t kMostRows = 40;

struct MeanOf {
  double sum = 0.0;
  std::size_t count = 0;

  void add(std::optional<double> value) {
    if (!value) return;
    sum += *value;
    ++count;
  }
  [[nodiscard]] std::optional<double> mean() const {
    if (count == 0) return std::nullopt;
    return sum / static_cast<double>(count);
  }
};

/// One panel a mode, with a row a schedule by its place in the ranking.
struct Rows {
  Panels panels;
  std::string settings;
  std::vector<std::string> notes;
};

Rows rows_of(const RunGroups& runs, const std::vector<const RunGroup*>& drawn) {
  Rows rows;
  std::vector<std::string> names;
  std::size_t most = 0;
  for (const RunGroup* group : drawn) {
    const std::string& mode = runs.modes[group->mode];
    if (rows.panels.modes.empty() || rows.panels.modes.back() != mode) {
      rows.panels.modes.push_back(mode);
    }
    names.push_back(runs.schedules[group->schedule]);
    most = std::max(most, group->place);
  }
  const std::size_t shown = std::min(most, kMostRows);
  if (most > shown) {
    rows.notes.push_back(fmt::format(
        "shows the first {} of {} schedules in each mode; the data have all", shown, most));
  }
  rows.panels.columns = rows.panels.modes.size() > 1 ? 2U : 1U;
  rows.panels.left = text_width(names) + 20;
  rows.panels.cell_height = shown * 20 + 95;
  rows.settings = fmt::format("rows_shown = {}\nset yrange [-rows_shown - 0.6:-0.4]\n", shown) +
                  "unset ytics\nset border 1\n";
  return rows;
}

/// Of each run the mean over its islands, a round.
struct RoundParts {
  MeanOf compute;
  MeanOf communication;
  MeanOf wait;
  MeanOf round;
  MeanOf bound;
};

RoundParts parts_of(const RunGroup& group) {
  RoundParts parts;
  for (const ResultRun* run : group.runs) {
    const ResultTable islands(run->folder / "islands.csv");
    double rounds = 0.0;
    const auto sum = [&islands](std::string_view column) {
      double total = 0.0;
      for (std::size_t r = 0; r < islands.rows(); ++r) {
        total += islands.value(r, column).value_or(0.0);
      }
      return total;
    };
    rounds = sum("rounds");
    if (rounds <= 0.0 || !run->summary) continue;
    parts.compute.add(sum("compute_s") / rounds);
    parts.communication.add(sum("exchange_s") / rounds);
    parts.wait.add(sum("wait_s") / rounds);
    parts.round.add(run->summary->mean_round_s);
    parts.bound.add(run->summary->bound_round_s);
  }
  return parts;
}

constexpr std::string_view kBars = R"(    set xlabel (p + columns > |modes| ? x_title : '')
    set grid x lc rgb '#dddddd' lt 1
    if (p == 1) {
      set key at screen legend_left,legend_top left top Left reverse samplen 2
    } else { set key off }
    # A row is at minus its place: the first is on top.
    row(value) = in_mode(modes[p], column('place') <= rows_shown ? value : NaN)
    a(i) = i > 0 ? column('compute_s') : 0.
    b(i) = a(1) + (i > 0 ? column('communication_s') : 0.)
    plot \
      data using (row(a(1) / 2)):(-column('place')):(0.):(a(1)):(-column('place') - 0.36) \
        :(-column('place') + 0.36) with boxxyerror lc rgb '#0072B2' title 'compute', \
      data using (row(b(1) / 2)):(-column('place')):(a(1)):(b(1)):(-column('place') - 0.36) \
        :(-column('place') + 0.36) with boxxyerror lc rgb '#E69F00' title 'communication', \
      data using (row(b(1) / 2)):(-column('place')):(b(1)):(b(1) + column('wait_s')) \
        :(-column('place') - 0.36):(-column('place') + 0.36) with boxxyerror lc rgb '#777777' \
        fs pattern 4 title 'wait', \
      data using (row(column('round_s'))):(-column('place')) with points pt 2 ps 0.7 lw 1.5 \
        lc rgb '#000000' title 'round', \
      data using (row(column('bound_s'))):(-column('place')):(0.):(0.36) \
        with xyerrorbars pt 0 lw 2.5 lc rgb '#D55E00' title 'bound', \
      data using (row(0.)):(-column('place')):(strcol('schedule')) \
        with labels right offset -0.8,0 notitle
)";

}  // namespace

DrawnFigure draw_round_time(const Figure& figure, const Results& results) {
  const RunGroups runs = group_runs(results);
  std::vector<const RunGroup*> drawn;
  Drawing drawing{.csv = csv_header(figure.columns), .plot = {}, .notes = {}};
  double longest = 0.0;
  for (const RunGroup& group : runs.groups) {
    const RoundParts parts = parts_of(group);
    if (parts.compute.count == 0) continue;
    drawn.push_back(&group);
    std::vector<std::string> cells = runs.cells(group);
    double total = 0.0;
    for (const MeanOf& part : {parts.compute, parts.communication, parts.wait}) {
      cells.push_back(number(part.mean()));
      total += part.mean().value_or(0.0);
    }
    longest = std::max({longest, total, parts.round.mean().value_or(0.0)});
    cells.push_back(number(parts.round.mean()));
    cells.push_back(number(parts.bound.mean()));
    cells.push_back(std::to_string(parts.compute.count));
    drawing.csv += csv_line(cells);
  }
  if (drawn.empty()) return LeftOut{"no run ended a round"};
  Rows rows = rows_of(runs, drawn);
  rows.panels.cell_width = rows.panels.left + rows.panels.right + 330;
  rows.panels.legend = text_width("communication") + 60;
  drawing.notes = std::move(rows.notes);
  rows.settings += fmt::format(
      "set xrange [0:{}]\nx_title = {}\n", number(longest * 1.03),
      gnuplot_text(axis_title("time of a round", column_named(figure.columns, "round_s"))));
  drawing.plot = plot_program(figure, results, rows.panels, rows.settings, kBars);
  return drawing;
}

namespace {

constexpr std::size_t kMostArcs = 18;

struct ArcLoad {
  std::string kind;
  MeanOf mean;
  double peak = 0.0;
};

constexpr std::string_view kHeat = R"(    set xlabel ''
    # The legend's place: a strip at the right.
    if (p == 1) {
      set colorbox user origin screen legend_left + 10/width, colours_bottom \
        size screen 14/width, colours_height
    } else { unset colorbox }
    cell(value) = in_mode(modes[p], \
      column('place') <= rows_shown && column('arc_place') <= arcs_shown ? value : NaN)
    # A schedule is named once, not once an arc.
    seen = ''
    is_new(name) = name eq seen ? 0 : (seen = name, 1)
    percent = 100.
    plot \
      data using (cell(column('arc_place'))):(-column('place')):(column('arc_place') - 0.48) \
        :(column('arc_place') + 0.48):(-column('place') - 0.46):(-column('place') + 0.46) \
        :(percent * column('mean_utilisation')) with boxxyerror fc palette, \
      data using (cell(column('arc_place'))):(-column('place')) \
        :(sprintf('%.0f', percent * column('mean_utilisation'))) \
        :(column('mean_utilisation') > 0.5 ? 0xffffff : 0x000000) \
        with labels font ',9' tc rgb variable, \
      data using (is_new(strcol('mode').strcol('schedule')) ? in_mode(modes[p], 0.4) : NaN) \
        :(-column('place')):(strcol('schedule')) with labels right offset -0.8,0
)";

struct GroupLoad {
  const RunGroup* group = nullptr;
  std::vector<std::pair<std::string, ArcLoad>> arcs;  ///< in the order of links.csv
};

GroupLoad load_of(const RunGroup& group) {
  GroupLoad load{.group = &group, .arcs = {}};
  std::map<std::string, std::size_t, std::less<>> index;
  for (const ResultRun* run : group.runs) {
    const ResultTable links(run->folder / "links.csv");
    for (std::size_t r = 0; r < links.rows(); ++r) {
      const std::string arc(links.text(r, "arc"));
      const auto [entry, is_new] = index.emplace(arc, load.arcs.size());
      if (is_new)
        load.arcs.emplace_back(
            arc, ArcLoad{.kind = std::string(links.text(r, "kind")), .mean = {}, .peak = 0.0});
      ArcLoad& one = load.arcs[entry->second].second;
      one.mean.add(links.value(r, "mean_utilisation"));
      one.peak = std::max(one.peak, links.value(r, "peak_utilisation").value_or(0.0));
    }
  }
  return load;
}

/// The arcs by their highest mean utilisation; ties as first met.
std::vector<std::string> busiest_first(const std::vector<GroupLoad>& loads) {
  std::vector<std::string> arcs;
  std::map<std::string, double, std::less<>> highest;
  for (const GroupLoad& load : loads) {
    for (const auto& [arc, one] : load.arcs) {
      const auto [entry, is_new] = highest.emplace(arc, 0.0);
      if (is_new) arcs.push_back(arc);
      entry->second = std::max(entry->second, one.mean.mean().value_or(0.0));
    }
  }
  std::stable_sort(arcs.begin(), arcs.end(), [&highest](const auto& a, const auto& b) {
    return highest.at(a) > highest.at(b);
  });
  return arcs;
}

}  // namespace

DrawnFigure draw_link_utilisation(const Figure& figure, const Results& results) {
  const RunGroups runs = group_runs(results);
  std::vector<GroupLoad> loads;
  std::vector<const RunGroup*> drawn;
  for (const RunGroup& group : runs.groups) {
    GroupLoad load = load_of(group);
    if (load.arcs.empty()) continue;
    loads.push_back(std::move(load));
    drawn.push_back(&group);
  }
  if (drawn.empty()) return LeftOut{"no run has a table of its arcs"};
  std::vector<std::string> arcs = busiest_first(loads);
  std::map<std::string, std::size_t, std::less<>> places;
  for (const std::string& arc : arcs) places.emplace(arc, places.size() + 1);

  Drawing drawing{.csv = csv_header(figure.columns), .plot = {}, .notes = {}};
  for (const GroupLoad& load : loads) {
    for (const auto& [arc, one] : load.arcs) {
      std::vector<std::string> cells = runs.cells(*load.group);
      cells.insert(cells.end(),
                   {std::to_string(places.at(arc)), plottable(arc), one.kind,
                    number(one.mean.mean()), number(one.peak), std::to_string(one.mean.count)});
      drawing.csv += csv_line(cells);
    }
  }
  Rows rows = rows_of(runs, drawn);
  drawing.notes = std::move(rows.notes);
  const std::size_t shown = std::min(kMostArcs, arcs.size());
  if (arcs.size() > shown) {
    drawing.notes.push_back(
        fmt::format("shows the {} busiest of {} arcs; the data have all", shown, arcs.size()));
  }
  arcs.resize(shown);
  rows.panels.columns = 1;
  rows.panels.cell_width =
      rows.panels.left + rows.panels.right + std::max<std::size_t>(shown, 6) * 32;
  rows.panels.bottom = text_width(arcs) + 45;
  rows.panels.cell_height += rows.panels.bottom - Panels().bottom;
  rows.panels.legend = 110;
  rows.settings += fmt::format(
      "arcs_shown = {}\nset xrange [0.4:arcs_shown + 0.6]\nunset xtics\n"
      "set cbrange [0:100]\nset cblabel 'mean utilisation (%)'\nset cbtics scale 0.6\n"
      "{}",
      shown, kLightToDark);
  for (std::size_t a = 0; a < shown; ++a) {
    rows.settings +=
        fmt::format("set label {} {} at {},graph 0 rotate by 90 right offset 0,-0.5 noenhanced\n",
                    a + 1, gnuplot_text(arcs[a]), a + 1);
  }
  drawing.plot = plot_program(figure, results, rows.panels, rows.settings, kHeat);
  return drawing;
}

}  // namespace gyre
