#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/figure_plot.hpp"
#include "analysis/figures.hpp"
#include "analysis/results.hpp"

namespace gyre {

/// The map, and on it what a panel is about.
struct MapFigure {
  /// A link in use; an arc where it has copies.
  struct Way {
    std::size_t first = 0;  ///< index of a switch
    std::size_t second = 0;
    std::size_t group = 1;  ///< colour
    std::optional<int> copies;
  };
  struct Spot {
    std::size_t group = 0;  ///< colour; 0: none
    std::string name;
    std::string does;  ///< replicates, adds or both
  };
  struct Panel {
    std::string mode;
    std::string title;  ///< empty: the place stays free
    std::vector<Way> ways;
    std::vector<Spot> spots;  ///< by switch
  };
  ResultMap map;
  std::size_t columns = 2;
  std::vector<Panel> panels;  ///< row by row
};

/// Its data in the columns of `cliques_columns`, and the program.
Drawing draw_map_panels(const PlotTexts& texts, std::span<const Column> columns,
                        const MapFigure& drawn);

}  // namespace gyre
