#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/columns.hpp"
#include "analysis/results.hpp"

namespace gyre {

/// A figure as text: its data and the gnuplot program that draws them.
struct Drawing {
  std::string csv;   ///< NAME.csv
  std::string plot;  ///< NAME.gp: run in its folder it writes NAME.svg, NAME.pdf and NAME.png
  std::vector<std::string> notes;  ///< what the drawing leaves out
};

/// Why there is no figure: the results have nothing for it.
struct LeftOut {
  std::string reason;
};

using DrawnFigure = std::variant<Drawing, LeftOut>;

/// A figure of a results folder: the one place for its name, title, meaning and data.
struct Figure {
  std::string_view name;
  std::string_view title;
  std::string_view meaning;
  std::span<const Column> columns;  ///< of NAME.csv
  DrawnFigure (*draw)(const Figure& figure, const Results& results);
};

/// All of them, the most important first.
std::span<const Figure> figures();

}  // namespace gyre
