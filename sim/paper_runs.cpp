// The figures of training runs: time-to-accuracy, sensitivity.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/csv.hpp"
#include "analysis/figure_plot.hpp"
#include "models/units.hpp"
#include "sim/paper_data.hpp"

namespace gyre {
namespace {

constexpr std::string_view kAny = "any exchange";
constexpr std::string_view kDirect = "direct exchange";
constexpr std::string_view kColocated = "colocated";

/// Whether a run counts among those of a line: it goes over the WAN, by the exchanges allowed.
bool counts(const SummaryRow& row, std::string_view exchanges) {
  if (row.policy == kColocated || row.exchange.empty()) return false;
  return exchanges == kAny || row.exchange == name_of(Exchange::kDirect);
}

std::string time_text(double seconds) { return fmt::format("{:.1f} s", seconds); }

}  // namespace

std::shared_ptr<const LoadedScenario> accuracy_scenario() {
  return paper_scenario({{"seeds", "[1, 2, 3]"}});
}

namespace {

/// Of one schedule in one mode, all seeds.
struct Candidate {
  std::string schedule;
  std::vector<const ResultRun*> runs;
  double mean_s = 0.0;  ///< to the target
};

/// The first to the target on average, among those that get there with every seed.
std::optional<Candidate> first_of(const Results& results, const auto& is_candidate) {
  std::vector<Candidate> candidates;
  for (const ResultRun& run : results.runs) {
    if (!run.summary || !is_candidate(*run.summary)) continue;
    auto found = std::find_if(candidates.begin(), candidates.end(),
                              [&](const Candidate& one) { return one.schedule == run.schedule; });
    if (found == candidates.end()) {
      found = candidates.insert(candidates.end(), Candidate{.schedule = run.schedule, .runs = {}});
    }
    found->runs.push_back(&run);
  }
  std::optional<Candidate> first;
  for (Candidate& one : candidates) {
    const bool all = std::all_of(one.runs.begin(), one.runs.end(), [](const ResultRun* run) {
      return run->summary->time_to_accuracy_s.has_value();
    });
    if (!all) continue;
    for (const ResultRun* run : one.runs) {
      one.mean_s += *run->summary->time_to_accuracy_s / static_cast<double>(one.runs.size());
    }
    if (!first || one.mean_s < first->mean_s) first = one;
  }
  return first;
}

}  // namespace

PaperResult accuracy_figure(const PaperFigure& figure, const Results& results) {
  Results picked = results;
  picked.runs.clear();
  PaperResult result;
  const auto add = [&](std::string_view panel, const std::string& line, const Candidate& one) {
    for (const ResultRun* run : one.runs) {
      picked.runs.push_back(*run);
      picked.runs.back().mode = panel;
      picked.runs.back().schedule = line;
    }
  };
  const std::optional<Candidate> colocated = first_of(results, [](const SummaryRow& row) {
    return row.policy == kColocated && row.mode == name_of(Mode::kNeither);
  });
  for (const std::string_view exchanges : {kAny, kDirect}) {
    std::vector<std::optional<Candidate>> firsts;
    std::vector<std::string> names;
    for (const Mode mode : kAllModes) {
      firsts.push_back(first_of(results, [&](const SummaryRow& row) {
        return row.mode == name_of(mode) && counts(row, exchanges);
      }));
      if (!firsts.back()) continue;
      const std::string& name = firsts.back()->schedule;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    const std::string panel =
        fmt::format("{}: {}", exchanges == kAny ? "any" : "direct", fmt::join(names, "; "));
    if (colocated) add(panel, std::string(kColocated), *colocated);
    double gap_before = 0.0;
    for (std::size_t m = 0; m < kAllModes.size(); ++m) {
      const Mode mode = kAllModes.at(m);
      const std::optional<Candidate>& first = firsts[m];
      if (!first) continue;
      add(panel, std::string(name_of(mode)), *first);
      std::string finding = fmt::format("{}, {}: {} after {}", exchanges, name_of(mode),
                                        first->schedule, time_text(first->mean_s));
      if (colocated) {
        const double gap = first->mean_s - colocated->mean_s;
        if (mode == Mode::kNeither) gap_before = gap;
        finding += fmt::format(", {:.2f} x colocated ({}), {:.0f} % of the gap closed",
                               first->mean_s / colocated->mean_s, time_text(colocated->mean_s),
                               gap_before > 0.0 ? 100.0 * (1.0 - gap / gap_before) : 0.0);
      }
      const SummaryRow& row = *first->runs.front()->summary;
      if (row.ratio_to_bound) {
        finding += fmt::format("; a round takes {:.2f} x its bound", *row.ratio_to_bound);
      }
      result.findings.push_back(std::move(finding));
    }
  }
  result.drawing = draw_accuracy_figure(figure, picked);
  return result;
}

namespace {

/// What a panel varies.
struct Axis {
  std::string_view title;
  std::string_view x_title;
  bool logarithmic = true;
  std::vector<double> values;
  std::vector<Override> (*overrides)(double value) = nullptr;
};

/// The cities with most links, ties by name.
std::vector<std::string> best_linked(std::size_t count) {
  const auto loaded = paper_scenario();
  const Topology& topology = loaded->topology;
  std::vector<std::string> names = topology.switch_names();
  const auto links = [&](const std::string& name) {
    return topology.out_arcs(topology.node(topology.find_switch(name).value())).size();
  };
  std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return links(a) != links(b) ? links(a) > links(b) : a < b;
  });
  names.resize(std::min(names.size(), count));
  return names;
}

const std::vector<Axis>& axes() {
  static const std::vector<Axis> kAxes{
      {.title = "access links",
       .x_title = "access capacity (Gbit/s)",
       .values = {1.0, 2.5, 10.0, 40.0, 100.0},
       .overrides =
           [](double value) {
             return std::vector<Override>{
                 {"network.access.bandwidth", fmt::format("{:g} Gbps", value)}};
           }},
      {.title = "distances",
       .x_title = "factor on the links' latencies",
       .values = {0.25, 1.0, 4.0, 16.0},
       .overrides =
           [](double value) {
             return std::vector<Override>{{"network.scale.latency", fmt::format("{:g}", value)}};
           }},
      {.title = "payload",
       .x_title = "payload (GB)",
       .values = {0.1, 0.5, 2.0, 8.0},
       .overrides =
           [](double value) {
             return std::vector<Override>{{"job.parameters", fmt::format("{:g}", value * 5e8)}};
           }},
      {.title = "local steps",
       .x_title = "local steps (H)",
       .values = {2.0, 5.0, 10.0, 50.0, 100.0},
       .overrides =
           [](double value) {
             // An evaluation every 100 steps of an island, whatever a round has.
             return std::vector<Override>{
                 {"job.local_steps", fmt::format("{:g}", value)},
                 {"evaluate.every_rounds", fmt::format("{:g}", 100.0 / value)},
                 {"stop.max_rounds", fmt::format("{:g}", std::max(300.0, 3000.0 / value))}};
           }},
      {.title = "memory of the FPGAs",
       .x_title = "memory of a switch (MB)",
       .values = {2.0, 8.0, 32.0, 128.0, 512.0},
       .overrides =
           [](double value) {
             return std::vector<Override>{
                 {"network.aggregator", fmt::format("{{memory: {:g} MB}}", value)}};
           }},
      {.title = "capable cities",
       .x_title = "cities that replicate and add",
       .logarithmic = false,
       .values = {1.0, 3.0, 5.0, 7.0, 9.0},
       .overrides = [](double value) {
         const std::string list =
             fmt::format("[{}]", fmt::join(best_linked(static_cast<std::size_t>(value)), ", "));
         return std::vector<Override>{
             {"network.capable", fmt::format("{{multicast: {0}, aggregation: {0}}}", list)}};
       }}};
  return kAxes;
}

/// The schedules that the figure is about, in place of the scenario's.
constexpr std::string_view kSchedules =
    "[{policy: colocated, modes: [neither]}, {policy: all-reduce, exchange: best}, "
    "{policy: all-reduce, exchange: direct}, "
    "{policy: rotating-cliques, exchange: direct, objective: consensus}]";

}  // namespace

std::vector<SensitivityPoint> sensitivity_points() {
  std::vector<SensitivityPoint> points;
  for (std::size_t a = 0; a < axes().size(); ++a) {
    for (const double value : axes()[a].values) {
      std::vector<Override> overrides = axes()[a].overrides(value);
      std::string setting;
      for (const Override& one : overrides) {
        setting += fmt::format("{}{}={}", setting.empty() ? "" : " ", one.key_path, one.value);
      }
      overrides.push_back({"schedules", std::string(kSchedules)});
      points.push_back({.panel = a,
                        .value = value,
                        .setting = std::move(setting),
                        .loaded = paper_scenario(overrides)});
    }
  }
  return points;
}

PaperResult sensitivity_figure(const PaperFigure& figure,
                               const std::vector<SensitivityPoint>& points,
                               const std::vector<std::vector<SummaryRow>>& rows) {
  LineFigure drawn{.lines = {{.name = std::string(kColocated), .colour = 0, .dash = 2}},
                   .panels = {},
                   .y_column = "time_to_accuracy_s",
                   .y_title = axis_title("time to 80 % accuracy",
                                         column_named(figure.columns, "time_to_accuracy_s")),
                   .y_from = 1e9,
                   .y_to = 0.0,
                   .rows = {}};
  for (const std::string_view exchanges : {kAny, kDirect}) {
    for (std::size_t m = 0; m < kAllModes.size(); ++m) {
      drawn.lines.push_back({.name = fmt::format("{}: {}", exchanges, name_of(kAllModes.at(m))),
                             .colour = m + 1,
                             .dash = exchanges == kAny ? 0U : 1U});
    }
  }
  for (const Axis& axis : axes()) {
    drawn.panels.push_back({.title = std::string(axis.title),
                            .x_title = std::string(axis.x_title),
                            .logarithmic = axis.logarithmic,
                            .from = axis.values.front(),
                            .to = axis.values.back()});
  }
  PaperResult result;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SensitivityPoint& point = points[i];
    std::vector<SummaryRow> ranked = rows[i];
    rank(ranked);
    std::vector<std::pair<std::string, std::string>> told;  // lines that say the same, and what
    const auto add = [&](const std::string& line, const auto& is_candidate) {
      const auto first = std::find_if(ranked.begin(), ranked.end(), is_candidate);
      if (first == ranked.end()) return;
      const std::optional<double> time = first->time_to_accuracy_s;
      drawn.rows.push_back(
          {std::to_string(point.panel + 1), line, number(point.value), first->mode, first->schedule,
           number(time), first->rounds ? std::to_string(*first->rounds) : "",
           number(first->mean_round_s), number(first->bound_round_s), point.setting});
      if (time) {
        drawn.y_from = std::min(drawn.y_from, *time / 1.3);
        drawn.y_to = std::max(drawn.y_to, *time * 1.3);
      }
      std::string says =
          fmt::format("{} by {}", time ? time_text(*time) : "never", first->schedule);
      if (!told.empty() && told.back().second == says) {
        told.back().first += fmt::format(" = {}", first->mode);
      } else {
        told.emplace_back(line, std::move(says));
      }
    };
    add(std::string(kColocated), [](const SummaryRow& row) { return row.policy == kColocated; });
    for (const std::string_view exchanges : {kAny, kDirect}) {
      for (const Mode mode : kAllModes) {
        add(fmt::format("{}: {}", exchanges, name_of(mode)), [&](const SummaryRow& row) {
          return row.mode == name_of(mode) && counts(row, exchanges);
        });
      }
    }
    const std::vector<double>& values = axes()[point.panel].values;
    if (point.value != values.front() && point.value != values.back()) continue;
    std::string finding;
    for (const auto& [lines, says] : told) {
      finding += fmt::format("{}{} {}", finding.empty() ? "" : "; ", lines, says);
    }
    result.findings.push_back(
        fmt::format("{} {:g}: {}", axes()[point.panel].x_title, point.value, finding));
  }
  // A line's points follow each other, else gnuplot does not join them.
  const auto place_of = [&drawn](const std::vector<std::string>& row) {
    return std::find_if(drawn.lines.begin(), drawn.lines.end(),
                        [&row](const LineFigure::Line& line) { return line.name == row[1]; }) -
           drawn.lines.begin();
  };
  std::stable_sort(drawn.rows.begin(), drawn.rows.end(), [&](const auto& a, const auto& b) {
    return std::pair(a[0], place_of(a)) < std::pair(b[0], place_of(b));
  });
  result.drawing = draw_line_figure(figure, origin_of(*points.front().loaded), drawn);
  return result;
}

}  // namespace gyre
