#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/figures.hpp"

namespace gyre {

/// The runs of one schedule in one mode: its seeds. Those that did not end count only where none
/// did.
struct RunGroup {
  std::size_t mode = 0;      ///< index in `RunGroups::modes`
  std::size_t schedule = 0;  ///< index in `RunGroups::schedules`: its line style in all figures
  std::size_t place = 1;     ///< in the ranking of its mode
  std::vector<const ResultRun*> runs;
};

struct RunGroups {
  std::vector<std::string> modes;      ///< in the order of the ranking
  std::vector<std::string> schedules;  ///< likewise, as first met
  std::vector<RunGroup> groups;
  /// The cells with which a figure's row begins: mode, place, schedule.
  [[nodiscard]] std::vector<std::string> cells(const RunGroup& group) const;
};

RunGroups group_runs(const Results& results);

/// In each mode the first in the ranking that sends something over the WAN.
std::vector<const RunGroup*> first_over_the_wan(const RunGroups& runs);

/// Panels side by side, one a mode. Lengths in pixels of the SVG file.
struct Panels {
  std::vector<std::string> modes;
  std::size_t columns = 1;
  std::size_t cell_width = 400;
  std::size_t cell_height = 333;
  // Inside of its cell a panel leaves this much for tics and titles.
  std::size_t left = 75;
  std::size_t right = 15;
  std::size_t top = 30;
  std::size_t bottom = 68;
  std::size_t legend = 0;  ///< width of the strip at the right
};

/// Width of a text in the figures' font, a little more rather than less.
std::size_t text_width(std::string_view text);
std::size_t text_width(const std::vector<std::string>& texts);

/// The text without what gnuplot does not read in a CSV file even where it is quoted: commas become
/// semicolons, quotes apostrophes.
std::string plottable(std::string_view text);

/// A logarithmic axis, `x` or `y`; over less than two decades with the values 1, 2 and 5 of each.
std::string logarithmic(char axis, double from, double to);

/// A gnuplot string.
std::string gnuplot_text(std::string_view text);
/// Shades for cells from nothing to full: they survive grey print.
inline constexpr std::string_view kLightToDark =
    "set palette defined (0 '#f7f7f7', 0.35 '#9ecae1', 0.7 '#2878b5', 1 '#08306b')\n";

/// Titles of panels instead of `mode …`, by panel.
std::string panel_titles(const std::vector<std::string>& titles);
/// `array NAME[…] = […]`.
std::string gnuplot_array(std::string_view name, const std::vector<std::string>& texts);
/// The words of an axis with the unit that the column declares.
std::string axis_title(std::string_view words, const Column& column);
/// The line styles 1 to `count`, which differ in colour (safe for colour-blind readers) and, in
/// print, in dashes and points.
std::string line_styles(std::size_t count);

/// What a figure says of itself.
struct PlotTexts {
  std::string name;     ///< of its files
  std::string title;    ///< above it
  std::string meaning;  ///< what it shows
  std::string origin;   ///< where the data come from
};
PlotTexts plot_texts(const Figure& figure, const Results& results);

/// The whole gnuplot program: `settings` come once, `panel` once a panel `p` (from 1) and format.
/// What `panel` sets for one panel it has to unset for the next.
std::string plot_program(const PlotTexts& texts, const Panels& panels, std::string_view settings,
                         std::string_view panel);
std::string plot_program(const Figure& figure, const Results& results, const Panels& panels,
                         std::string_view settings, std::string_view panel);

}  // namespace gyre
