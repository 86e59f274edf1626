#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/columns.hpp"
#include "analysis/figures.hpp"
#include "analysis/map_panels.hpp"
#include "analysis/results.hpp"

namespace gyre {

/// A figure of arXiv 2608.26453, as far as its public abstract says what there is to see.
struct PaperFigure {
  std::string_view name;
  std::string_view title;
  std::string_view reproduced;  ///< what of the abstract it stands for
  std::string_view reading;     ///< what is ours, where the abstract is silent
  std::span<const Column> columns;
};

/// All of them, in the paper's order of things.
std::span<const PaperFigure> paper_figures();

/// The caption that stands beside a figure.
std::string caption(const PaperFigure& figure);

/// Where the numbers of a figure come from, for its source.
struct PaperOrigin {
  std::string scenario;
  std::string version;
};

Drawing draw_map_figure(const PaperFigure& figure, const PaperOrigin& origin,
                        const MapFigure& drawn);

/// Lines over what is varied, a panel each.
struct LineFigure {
  struct Line {
    std::string name;
    std::size_t colour = 0;  ///< lines of one colour differ in their dashes
    std::size_t dash = 0;
  };
  struct Panel {
    std::string title;
    std::string x_title;
    bool logarithmic = true;
    double from = 1.0;
    double to = 10.0;
  };
  std::vector<Line> lines;
  std::vector<Panel> panels;
  std::string y_column;
  std::string y_title;
  double y_from = 1.0;
  double y_to = 10.0;
  std::vector<std::vector<std::string>> rows;  ///< of the figure's columns
};

Drawing draw_line_figure(const PaperFigure& figure, const PaperOrigin& origin,
                         const LineFigure& drawn);

/// Time to accuracy of runs that stand for others: `mode` names their panel, `schedule` their line.
Drawing draw_accuracy_figure(const PaperFigure& figure, const Results& picked);

}  // namespace gyre
