#include "analysis/figure_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace gyre {
namespace {

// Okabe and Ito's colours with a grey for their yellow, which white paper swallows.
constexpr std::array kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                              "#E69F00", "#56B4E9", "#000000", "#888888"};
constexpr std::array kDashes{"solid", "(9,3)", "(2,2)", "(9,3,2,3)", "(14,4)"};
constexpr std::array kPoints{7, 5, 9, 11, 13, 6, 4, 8, 10, 12, 2};

std::size_t index_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

/// Text as comment lines, broken between words.
std::string comment(std::string_view text) {
  constexpr std::size_t kWidth = 98;
  std::string out;
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    if (end > kWidth) {
      const std::size_t space = text.rfind(' ', kWidth);
      end = space == std::string_view::npos ? std::min(text.find(' '), end) : space;
    }
    out += fmt::format("# {}\n", text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return out;
}

std::string geometry(const Panels& panels) {
  const std::size_t rows = (panels.modes.size() + panels.columns - 1) / panels.columns;
  constexpr std::size_t kTitle = 44;
  return fmt::format(
      "# Sizes in pixels of the SVG file; panels are numbered row by row from 1.\n"
      "columns = {}\n"
      "rows = {}\n"
      "cell_width = {}.\n"
      "cell_height = {}.\n"
      "legend_width = {}.\n"
      "title_height = {}.\n"
      "width = columns * cell_width + legend_width\n"
      "height = rows * cell_height + title_height\n"
      "column_of(p) = (p - 1) % columns\n"
      "row_of(p) = (p - 1) / columns\n"
      "panel_left(p) = (column_of(p) * cell_width + {}) / width\n"
      "panel_right(p) = ((column_of(p) + 1) * cell_width - {}) / width\n"
      "panel_top(p) = 1 - (title_height + row_of(p) * cell_height + {}) / height\n"
      "panel_bottom(p) = 1 - (title_height + (row_of(p) + 1) * cell_height - {}) / height\n"
      "legend_left = 1 - legend_width / width\n"
      "legend_top = 1 - title_height / height\n"
      "colours_height = 160 / height\n"
      "colours_bottom = panel_top(1) - colours_height\n",
      panels.columns, rows, panels.cell_width, panels.cell_height, panels.legend, kTitle,
      panels.left, panels.right, panels.top, panels.bottom);
}

constexpr std::string_view kSettings = R"(
set encoding utf8
set datafile separator comma
set datafile columnheaders
set style fill solid 1 noborder
set border 3 lw 1
set tics nomirror out scale 0.6
set key off
# A row's value if it belongs to the mode and the schedule.
pick(mode, schedule, value) = \
  (strcol('mode') eq mode && strcol('schedule') eq schedule) ? value : NaN
in_mode(mode, value) = strcol('mode') eq mode ? value : NaN
)";

constexpr std::string_view kFormats = R"(
do for [format in 'svg pdf png'] {
  if (format eq 'svg') {
    set terminal svg size width,height font 'sans-serif,13' noenhanced background rgb 'white'
  }
  if (format eq 'pdf') {
    set terminal pdfcairo size width/96,height/96 font 'Sans,8' fontscale 1 noenhanced
  }
  if (format eq 'png') {
    set terminal pngcairo size 2*width,2*height font 'Sans,10' fontscale 2 linewidth 2 \
      pointscale 2 noenhanced
  }
  set output name.'.'.format
  set multiplot title title font ',13'
  do for [p = 1:|modes|] {
    set lmargin at screen panel_left(p)
    set rmargin at screen panel_right(p)
    set tmargin at screen panel_top(p)
    set bmargin at screen panel_bottom(p)
    set title panel_title(p) offset 0,-0.5
)";

}  // namespace

std::vector<std::string> RunGroups::cells(const RunGroup& group) const {
  return {modes[group.mode], std::to_string(group.place), schedules[group.schedule]};
}

RunGroups group_runs(const Results& results) {
  RunGroups all;
  std::vector<std::size_t> places;
  for (const ResultRun& run : results.runs) {
    const std::size_t mode = index_of(all.modes, run.mode);
    const std::size_t schedule = index_of(all.schedules, run.schedule);
    places.resize(all.modes.size());
    auto group = std::find_if(all.groups.begin(), all.groups.end(), [&](const RunGroup& known) {
      return known.mode == mode && known.schedule == schedule;
    });
    if (group == all.groups.end()) {
      all.groups.push_back(
          {.mode = mode, .schedule = schedule, .place = ++places[mode], .runs = {}});
      group = all.groups.end() - 1;
    }
    group->runs.push_back(&run);
  }
  // Runs that have no summary come last, whatever their mode.
  std::stable_sort(all.groups.begin(), all.groups.end(),
                   [](const RunGroup& a, const RunGroup& b) { return a.mode < b.mode; });
  for (RunGroup& group : all.groups) {
    const auto ended = [](const ResultRun* run) { return run->status == "complete"; };
    if (std::none_of(group.runs.begin(), group.runs.end(), ended)) continue;
    std::erase_if(group.runs, [&](const ResultRun* run) { return !ended(run); });
  }
  return all;
}

std::size_t text_width(std::string_view text) {
  const auto letters = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  });
  return static_cast<std::size_t>(letters) * 8;
}

std::size_t text_width(const std::vector<std::string>& texts) {
  std::size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, text_width(text));
  return width;
}

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

std::string logarithmic(char axis, double from, double to) {
  std::string text = fmt::format("set logscale {0}; set format {0} '%h'; set {0}tics ", axis);
  if (!(from > 0.0) || !(to < 100.0 * from)) return text + "autofreq";
  std::string tics;
  for (double decade = std::pow(10.0, std::floor(std::log10(from))); decade <= to; decade *= 10.0) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double at = digit * decade;
      if (at < from || at > to) continue;
      tics += fmt::format("{}{:g}", tics.empty() ? "" : ", ", at);
    }
  }
  return tics.empty() ? text + "autofreq" : fmt::format("{}({})", text, tics);
}

std::string plottable(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), ',', ';');
  std::replace(out.begin(), out.end(), '"', '\'');
  return out;
}

std::string gnuplot_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

std::string gnuplot_array(std::string_view name, const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) {
    list += (list.empty() ? "" : ", \\\n  ") + gnuplot_text(text);
  }
  return fmt::format("array {}[{}] = [ \\\n  {}]\n", name, texts.size(), list);
}

std::string panel_titles(const std::vector<std::string>& titles) {
  return gnuplot_array("titles", titles) + "panel_title(p) = titles[p]\n";
}

std::string axis_title(std::string_view words, const Column& column) {
  if (column.unit == "-" || column.unit == "1") return std::string(words);
  return fmt::format("{} ({})", words, column.unit);
}

std::string line_styles(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format("set style line {} lc rgb '{}' lw 1.6 dt {} pt {} ps 0.55\n", i + 1,
                        kColours[i % kColours.size()], kDashes[i % kDashes.size()],
                        kPoints[i % kPoints.size()]);
  }
  return text;
}

PlotTexts plot_texts(const Figure& figure, const Results& results) {
  return {.name = std::string(figure.name),
          .title = fmt::format("{}: {}", results.scenario, figure.title),
          .meaning = std::string(figure.meaning),
          .origin = fmt::format("Scenario {}, simulated by gyre {} at fidelity {}.",
                                results.scenario, results.version, results.fidelity)};
}

std::string plot_program(const PlotTexts& texts, const Panels& panels, std::string_view settings,
                         std::string_view panel) {
  return comment(fmt::format("{}: {}", texts.name, texts.meaning)) + "#\n" +
         comment(fmt::format("{} The data are in {}.csv; `gyre list columns` says what its columns "
                             "mean.",
                             texts.origin, texts.name)) +
         comment(fmt::format("Change what you like and run in this folder: gnuplot {}.gp",
                             texts.name)) +
         fmt::format("\nname = {}\ndata = {}\ntitle = {}\n", gnuplot_text(texts.name),
                     gnuplot_text(fmt::format("{}.csv", texts.name)), gnuplot_text(texts.title)) +
         gnuplot_array("modes", panels.modes) + "panel_title(p) = 'mode '.modes[p]\n" +
         geometry(panels) + std::string(kSettings) + std::string(settings) + std::string(kFormats) +
         std::string(panel) + "  }\n  unset multiplot\n  unset output\n}\n";
}

std::string plot_program(const Figure& figure, const Results& results, const Panels& panels,
                         std::string_view settings, std::string_view panel) {
  return plot_program(plot_texts(figure, results), panels, settings, panel);
}

}  // namespace gyre
