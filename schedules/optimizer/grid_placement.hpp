#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "schedules/optimizer/grid_loads.hpp"
#include "schedules/round.hpp"

namespace gyre {

/// Islands in the cells of a grid.
class Grid {
 public:
  Grid(std::vector<std::size_t> shape, std::size_t islands) : shape_(std::move(shape)) {
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      std::size_t below = 1;
      for (std::size_t e = 0; e < d; ++e) below *= shape_[e];
      below_.push_back(below);
    }
    cliques_.resize(shape_.size());
    clique_of_.resize(shape_.size());
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      std::vector<std::vector<std::size_t>>& cliques = cliques_[d];
      std::vector<std::size_t> number(cells(), cells());
      for (std::size_t cell = 0; cell < islands; ++cell) {
        const std::size_t line = cell - coordinate(cell, d) * below_[d];
        if (number[line] == cells()) {
          number[line] = cliques.size();
          cliques.emplace_back();
        }
        cliques[number[line]].push_back(cell);
        clique_of_[d].push_back(number[line]);
      }
    }
  }

  [[nodiscard]] std::size_t dimensions() const { return shape_.size(); }
  /// The cells of each clique of a dimension's round, and the clique of each cell.
  [[nodiscard]] const std::vector<std::vector<std::size_t>>& cliques(std::size_t d) const {
    return cliques_[d];
  }
  [[nodiscard]] std::size_t clique_of(std::size_t d, std::size_t cell) const {
    return clique_of_[d][cell];
  }

 private:
  [[nodiscard]] std::size_t cells() const {
    return std::accumulate(shape_.begin(), shape_.end(), std::size_t{1}, std::multiplies<>());
  }
  [[nodiscard]] std::size_t coordinate(std::size_t cell, std::size_t d) const {
    return cell / below_[d] % shape_[d];
  }

  std::vector<std::size_t> shape_;
  std::vector<std::size_t> below_;
  std::vector<std::vector<std::vector<std::size_t>>> cliques_;
  std::vector<std::vector<std::size_t>> clique_of_;
};

/// Who sits where, with the loads of every round.
class Placement {
 public:
  Placement(const Grid& grid, const PathTable& paths, const std::vector<double>& capacity_gbps,
            LoadKind kind, std::vector<std::size_t> island_of)
      : grid_(&grid), paths_(&paths), island_of_(std::move(island_of)) {
    for (std::size_t d = 0; d < grid.dimensions(); ++d) {
      loads_.emplace_back(paths, capacity_gbps, kind);
      for (const auto& cells : grid.cliques(d)) {
        std::vector<std::size_t> there;
        for (const std::size_t cell : cells) {
          loads_.back().join(island_of_[cell], there);
          there.push_back(island_of_[cell]);
        }
      }
    }
  }

  void swap_cells(std::size_t a, std::size_t b) {
    const std::size_t x = island_of_[a];
    const std::size_t y = island_of_[b];
    for (std::size_t d = 0; d < grid_->dimensions(); ++d) {
      if (grid_->clique_of(d, a) == grid_->clique_of(d, b)) continue;
      const std::vector<std::size_t> with_x = others(d, a);
      const std::vector<std::size_t> with_y = others(d, b);
      loads_[d].leave(x, with_x);
      loads_[d].leave(y, with_y);
      loads_[d].join(y, with_x);
      loads_[d].join(x, with_y);
    }
    std::swap(island_of_[a], island_of_[b]);
  }
  [[nodiscard]] double seconds(double gigabits) const {
    double sum_s = 0.0;
    for (const RoundLoads& one : loads_) sum_s += gigabits * one.most();
    return sum_s;
  }
  /// What the annealing looks at: the time, and a little of every other arc's.
  [[nodiscard]] double energy(double gigabits) const {
    double sum_s = 0.0;
    for (const RoundLoads& one : loads_) {
      sum_s += gigabits * (0.7 * one.most() + 0.3 * one.smooth());
    }
    return sum_s;
  }
  [[nodiscard]] double latency_s(std::size_t d) const {
    double most_s = 0.0;
    for (const auto& cells : grid_->cliques(d)) {
      for (const std::size_t a : cells) {
        for (const std::size_t b : cells) {
          if (a != b) most_s = std::max(most_s, paths_->latency_s(island_of_[a], island_of_[b]));
        }
      }
    }
    return most_s;
  }
  [[nodiscard]] double bandwidth_s(std::size_t d, double gigabits) const {
    return gigabits * loads_[d].most();
  }
  [[nodiscard]] const std::vector<std::int32_t>& load(std::size_t d) const {
    return loads_[d].load();
  }
  [[nodiscard]] Round round(std::size_t d) const {
    std::vector<Clique> cliques;
    for (const auto& cells : grid_->cliques(d)) {
      Clique clique;
      for (const std::size_t cell : cells) clique.push_back(IslandId::at(island_of_[cell]));
      cliques.push_back(std::move(clique));
    }
    return make_round(std::move(cliques), island_of_.size());
  }
  [[nodiscard]] const std::vector<std::size_t>& island_of() const { return island_of_; }

 private:
  [[nodiscard]] std::vector<std::size_t> others(std::size_t d, std::size_t cell) const {
    std::vector<std::size_t> islands;
    for (const std::size_t other : grid_->cliques(d)[grid_->clique_of(d, cell)]) {
      if (other != cell) islands.push_back(island_of_[other]);
    }
    return islands;
  }

  const Grid* grid_;
  const PathTable* paths_;
  std::vector<std::size_t> island_of_;  ///< by cell
  std::vector<RoundLoads> loads_;       ///< by dimension
};

}  // namespace gyre
