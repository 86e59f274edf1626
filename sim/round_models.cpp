#include "sim/round_models.hpp"

#include <numeric>

namespace gyre {

void RoundModels::end_round(IslandId island, std::int64_t samples) {
  State& state = islands_[island.index()];
  state.samples = samples;
  if (state.kept) mixer_->forget(*state.kept);
  state.kept.reset();
}

void RoundModels::before_change(IslandId island) {
  State& state = islands_[island.index()];
  if (mixer_ != nullptr && !state.kept) state.kept = mixer_->keep(island);
}

std::int64_t RoundModels::evaluate(const std::vector<bool>& away,
                                   const std::function<void()>& see) {
  std::int64_t samples = 0;
  Kept kept;
  for (std::size_t i = 0; i < islands_.size(); ++i) {
    samples += islands_[i].samples;
    if (islands_[i].kept && !away[i]) kept.emplace_back(IslandId::at(i), *islands_[i].kept);
  }
  see_with(std::move(kept), away, see);
  return samples;
}

void RoundModels::evaluate_now(const std::vector<bool>& away, const std::function<void()>& see) {
  see_with({}, away, see);
}

void RoundModels::see_with(Kept kept, const std::vector<bool>& away,
                           const std::function<void()>& see) {
  std::vector<std::size_t> seen(islands_.size());
  std::iota(seen.begin(), seen.end(), std::size_t{0});
  for (const auto& [island, slot] : kept) seen[island.index()] = slot;
  std::vector<std::size_t> present;
  for (std::size_t i = 0; i < islands_.size(); ++i) {
    if (!away[i]) present.push_back(seen[i]);
  }
  std::optional<std::size_t> mean;
  if (mixer_ != nullptr && !present.empty() && present.size() < islands_.size()) {
    mean = mixer_->mean_of(present);
    for (std::size_t i = 0; i < islands_.size(); ++i) {
      if (away[i]) kept.emplace_back(IslandId::at(i), *mean);
    }
  }
  if (kept.empty()) {
    see();
  } else {
    mixer_->look_at(kept, see);
  }
  if (mean) mixer_->forget(*mean);
}

}  // namespace gyre
