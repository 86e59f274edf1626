#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "models/ids.hpp"
#include "models/model_mixer.hpp"

namespace gyre {

/// The models with which the islands ended a round, for its evaluation. Islands that ended it early
/// go on meanwhile: the model of each is kept when it is about to change. Memory: a model for each
/// evaluated round that an island is ahead of the last one.
class RoundModels {
 public:
  /// `mixer` null: there are no models.
  RoundModels(ModelMixer* mixer, std::size_t islands) : mixer_(mixer), unkept_(islands) {}

  /// The island has ended a round that will be evaluated, with so many samples since the start.
  void end_round(IslandId island, std::int64_t round, std::int64_t samples);
  /// The island's model is about to change.
  void before_change(IslandId island);
  /// Calls `see` while all islands hold the models with which they ended the round, and forgets
  /// these. Returns the samples behind them. Requires that all islands have ended it.
  std::int64_t evaluate(std::int64_t round, const std::function<void()>& see);

 private:
  struct Kept {
    std::size_t ended = 0;
    std::int64_t samples = 0;
    std::vector<std::pair<IslandId, std::size_t>> slots;  ///< of those that have changed since
  };
  ModelMixer* mixer_;
  std::map<std::int64_t, Kept> rounds_;            ///< those under way
  std::vector<std::vector<std::int64_t>> unkept_;  ///< by island: rounds ended with its model
};

}  // namespace gyre
