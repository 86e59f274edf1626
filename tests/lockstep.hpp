#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/ids.hpp"
#include "models/outer_optimizer.hpp"
#include "models/task.hpp"

namespace gyre::test {

/// W by row: island i's next model is Σ_j W[i][j] x_j.
using MixingMatrix = std::vector<std::vector<double>>;
using Cliques = std::vector<std::vector<std::size_t>>;

inline const Cliques kGridRows{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}};
inline const Cliques kGridColumns{{0, 3, 6}, {1, 4, 7}, {2, 5, 8}};
inline const Cliques kGridGlobal{{0, 1, 2, 3, 4, 5, 6, 7, 8}};

inline MixingMatrix clique_matrix(std::size_t n, const Cliques& cliques) {
  MixingMatrix w(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) w[i][i] = 1.0;
  for (const std::vector<std::size_t>& clique : cliques) {
    for (const std::size_t i : clique) {
      for (const std::size_t j : clique) w[i][j] = 1.0 / static_cast<double>(clique.size());
    }
  }
  return w;
}

/// A ring in which each island weighs itself and its two neighbours by 1/3.
inline MixingMatrix ring_matrix(std::size_t n) {
  MixingMatrix w(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::size_t j : {(i + n - 1) % n, i, (i + 1) % n}) w[i][j] += 1.0 / 3.0;
  }
  return w;
}

inline std::vector<std::string> numbered_islands(std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < n; ++i) names.push_back(fmt::format("I{}", i));
  return names;
}

/// Trains islands in lockstep, without a network: the learning of a run and nothing else.
class Lockstep {
 public:
  Lockstep(Task& task, std::size_t islands, std::uint64_t seed,
           std::optional<OuterOptimizerSpec> outer = {})
      : task_(task), islands_(islands), optimizer_(outer, start(task, islands, seed), islands) {}

  void train(std::int64_t steps) {
    for (std::size_t i = 0; i < islands_; ++i) task_.train(IslandId::at(i), steps);
  }
  void mix(const MixingMatrix& w) {
    std::vector<Model> averages(islands_);
    for (std::size_t i = 0; i < islands_; ++i) {
      std::vector<WeightedIsland> terms;
      for (std::size_t j = 0; j < islands_; ++j) {
        if (w[i][j] != 0.0) terms.push_back({.island = IslandId::at(j), .weight = w[i][j]});
      }
      averages[i] = task_.combine(terms);
    }
    for (std::size_t i = 0; i < islands_; ++i) {
      task_.assign(IslandId::at(i), optimizer_.step(IslandId::at(i), averages[i]));
    }
  }
  void round(std::int64_t steps, const MixingMatrix& w) {
    train(steps);
    mix(w);
  }
  /// The first parameter of each island: all of it for a `quadratic`.
  [[nodiscard]] std::vector<double> scalars() const {
    std::vector<double> values;
    for (std::size_t i = 0; i < islands_; ++i) {
      values.push_back(task_.model(IslandId::at(i)).front());
    }
    return values;
  }

 private:
  static const Task& start(Task& task, std::size_t islands, std::uint64_t seed) {
    task.start({.islands = numbered_islands(islands), .seed = seed});
    return task;
  }

  Task& task_;
  std::size_t islands_;
  OuterOptimizer optimizer_;
};

inline double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

inline double variance_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double sum = 0.0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size());
}

}  // namespace gyre::test
