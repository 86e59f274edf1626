#include "sim/round_models.hpp"

#include <algorithm>
#include <utility>

#include "models/error.hpp"

namespace gyre {

void RoundModels::end_round(IslandId island, std::int64_t round, std::int64_t samples) {
  if (mixer_ == nullptr) return;
  Kept& kept = rounds_[round];
  ++kept.ended;
  kept.samples += samples;
  unkept_[island.index()].push_back(round);
}

void RoundModels::before_change(IslandId island) {
  for (const std::int64_t round : std::exchange(unkept_[island.index()], {})) {
    rounds_.at(round).slots.emplace_back(island, mixer_->keep(island));
  }
}

std::int64_t RoundModels::evaluate(std::int64_t round, const std::function<void()>& see) {
  if (mixer_ == nullptr) {
    see();
    return 0;
  }
  const auto found = rounds_.find(round);
  check(found != rounds_.end() && found->second.ended == unkept_.size(),
        "a round was evaluated before all had ended it");
  const Kept kept = std::move(found->second);
  rounds_.erase(found);
  for (std::vector<std::int64_t>& rounds : unkept_) std::erase(rounds, round);
  mixer_->look_at(kept.slots, see);
  return kept.samples;
}

}  // namespace gyre
