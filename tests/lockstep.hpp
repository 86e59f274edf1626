#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/ids.hpp"
#include "models/model_mixer.hpp"
#include "models/value_task.hpp"

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
  Lockstep(Task& task, std::size_t islands, std::uint64_t seed, MixingRule rule = {})
      : task_(task), islands_(islands), mixer_(rule, start(task, islands, seed), islands) {}

  void train(std::int64_t steps) {
    for (std::size_t i = 0; i < islands_; ++i) task_.train(IslandId::at(i), steps);
  }
  /// An exchange of all, cliques by cliques.
  void mix(const Cliques& cliques, Fragment fragment = {}) {
    finish(begin(cliques, fragment), cliques);
  }
  /// The members send; what comes of it is theirs with `finish`.
  std::vector<std::unique_ptr<ModelMixer::Mix>> begin(const Cliques& cliques,
                                                      Fragment fragment = {}) {
    std::vector<std::unique_ptr<ModelMixer::Mix>> mixes;
    for (const std::vector<std::size_t>& clique : cliques) {
      std::vector<IslandId> members;
      for (const std::size_t i : clique) members.push_back(IslandId::at(i));
      mixes.push_back(mixer_.begin(members, fragment));
      for (std::size_t r = 0; r < clique.size(); ++r) mixer_.contribute(*mixes.back(), r);
      mixer_.average(*mixes.back());
    }
    return mixes;
  }
  void finish(const std::vector<std::unique_ptr<ModelMixer::Mix>>& mixes, const Cliques& cliques) {
    for (std::size_t m = 0; m < mixes.size(); ++m) {
      for (std::size_t r = 0; r < cliques[m].size(); ++r) mixer_.apply(*mixes[m], r);
    }
  }
  /// Every island takes Σ_j W[i][j] x_j, without the rule.
  void mix(const MixingMatrix& w) {
    task_.reserve(2 * islands_);
    for (std::size_t i = 0; i < islands_; ++i) {
      std::vector<Term> terms;
      for (std::size_t j = 0; j < islands_; ++j) {
        if (w[i][j] != 0.0) terms.push_back({.slot = j, .weight = w[i][j]});
      }
      task_.combine(islands_ + i, terms, {});
    }
    for (std::size_t i = 0; i < islands_; ++i) {
      task_.combine(i, std::vector<Term>{{.slot = islands_ + i, .weight = 1.0}}, {});
    }
  }
  void round(std::int64_t steps, const MixingMatrix& w) {
    train(steps);
    mix(w);
  }
  void round(std::int64_t steps, const Cliques& cliques) {
    train(steps);
    mix(cliques);
  }
  /// The first parameter of each island: all of it for a `quadratic`.
  [[nodiscard]] std::vector<double> scalars() const {
    std::vector<double> values;
    for (std::size_t i = 0; i < islands_; ++i) values.push_back(task_.values(i, {}).front());
    return values;
  }
  [[nodiscard]] ModelMixer& mixer() { return mixer_; }

 private:
  static Task& start(Task& task, std::size_t islands, std::uint64_t seed) {
    task.start({.islands = numbered_islands(islands), .seed = seed});
    return task;
  }

  Task& task_;
  std::size_t islands_;
  ModelMixer mixer_;
};

/// Σ weight·x_i.
inline Model weighted_sum(ValueTask& task, const std::vector<WeightedIsland>& islands,
                          std::size_t island_count) {
  task.reserve(island_count + 1);
  std::vector<Term> terms;
  for (const auto& [island, weight] : islands) terms.push_back({island.index(), weight});
  task.combine(island_count, terms, {});
  return task.values(island_count, {});
}

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
