#pragma once

#include "analysis/figures.hpp"

namespace gyre {

// How each figure of `figures()` is drawn.
DrawnFigure draw_time_to_accuracy(const Figure& figure, const Results& results);
DrawnFigure draw_round_time(const Figure& figure, const Results& results);
DrawnFigure draw_link_utilisation(const Figure& figure, const Results& results);
DrawnFigure draw_consensus(const Figure& figure, const Results& results);
DrawnFigure draw_spread(const Figure& figure, const Results& results);
DrawnFigure draw_heard(const Figure& figure, const Results& results);
DrawnFigure draw_cliques(const Figure& figure, const Results& results);
DrawnFigure draw_map(const Figure& figure, const Results& results);

/// Accuracy, or else loss, over time; `settings` are more of the gnuplot program's.
DrawnFigure draw_accuracy(const Figure& figure, const Results& results, std::string_view settings);

}  // namespace gyre
