#include "sim/placements.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "models/error.hpp"
#include "schedules/mixing.hpp"

namespace gyre {

const Placement& Placements::of(std::int64_t number) {
  while (next_ <= number) begin(next_);
  const auto after = std::upper_bound(
      stretches_.begin(), stretches_.end(), number,
      [](std::int64_t round, const Stretch& stretch) { return round < stretch.first; });
  check(after != stretches_.begin(), "a round was forgotten");
  return std::prev(after)->placement;
}

void Placements::begin(std::int64_t number) {
  ++next_;
  const std::int64_t changes = policy_->changes_of_plan();
  if (number > 0 && policy_->observes()) policy_->observe(number, arc_rates_());
  if (policy_->foresees()) policy_->foresee(number, coming_);
  if (policy_->changes_of_plan() != changes) tell_change_(number);
  Round round = policy_->round(number);
  if (!stretches_.empty() && *stretches_.back().placement.round == round) {
    ++stretches_.back().count;
    return;
  }
  Stretch stretch{.first = number,
                  .count = 1,
                  .placement = {.round = std::make_shared<const Round>(std::move(round)),
                                .clique_of = std::vector<std::size_t>(islands_)}};
  Placement& placement = stretch.placement;
  std::size_t placed = 0;
  for (std::size_t c = 0; c < placement.round->cliques.size(); ++c) {
    for (const IslandId i : placement.round->cliques[c]) placement.clique_of[i.index()] = c;
    placed += placement.round->cliques[c].size();
  }
  check(placed == islands_, "a round has to place every island once");
  check(keeps_the_mean(*placement.round, islands_),
        "a round's mixing weights have to sum to 1 by rows and by columns");
  stretches_.push_back(std::move(stretch));
}

void Placements::forget_before(std::int64_t number) {
  while (!stretches_.empty() && stretches_.front().first + stretches_.front().count <= number) {
    stretches_.pop_front();
  }
}

}  // namespace gyre
