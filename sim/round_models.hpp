#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "models/ids.hpp"
#include "models/model_mixer.hpp"

namespace gyre {

/// The models that an evaluation sees: those with which each island ended the last round that it
/// has ended. An island that is in the middle of its next one has moved its model since: it is kept
/// before that, one a island at most.
class RoundModels {
 public:
  /// `mixer` null: there are no models.
  RoundModels(ModelMixer* mixer, std::size_t islands) : mixer_(mixer), islands_(islands) {}

  /// The island has ended a round, with so many samples since the start.
  void end_round(IslandId island, std::int64_t samples);
  /// The island's model is about to change, and may be evaluated before it ends its round.
  void before_change(IslandId island);
  /// Calls `see` while all islands hold the models with which they ended their last rounds; those
  /// that are away (by island) the average of the others. Returns the samples behind them.
  std::int64_t evaluate(const std::vector<bool>& away, const std::function<void()>& see);
  /// The same with the models as they are.
  void evaluate_now(const std::vector<bool>& away, const std::function<void()>& see);

 private:
  using Kept = std::vector<std::pair<IslandId, std::size_t>>;  ///< slots
  /// Calls `see` while islands hold what is kept of them, and those that are away the mean.
  void see_with(Kept kept, const std::vector<bool>& away, const std::function<void()>& see);

  struct State {
    std::int64_t samples = 0;
    std::optional<std::size_t> kept;  ///< slot; none: it still has that model
  };
  ModelMixer* mixer_;
  std::vector<State> islands_;
};

}  // namespace gyre
