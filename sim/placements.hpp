#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "schedules/policy.hpp"
#include "schedules/round.hpp"

namespace gyre {

/// Who is where in a round.
struct Placement {
  std::shared_ptr<const Round> round;  ///< outlives the placement where somebody holds it
  std::vector<std::size_t> clique_of;  ///< by island
};

/// The rounds of a policy that some island is in. Rounds begin in order: with one that an island
/// that was away comes back for, before the others are there, those before it do as well. Memory:
/// of the rounds by which some islands are ahead of others; a stretch of equal ones counts once.
class Placements {
 public:
  /// `arc_rates` tells a policy that observes what the arcs have offered since it was last asked,
  /// `coming` one that foresees what they will. `tell_change` hears of rounds from which on the
  /// policy follows another plan.
  Placements(Policy& policy, std::size_t islands, std::function<std::vector<Bandwidth>()> arc_rates,
             ComingRates coming, std::function<void(std::int64_t number)> tell_change)
      : policy_(&policy),
        islands_(islands),
        arc_rates_(std::move(arc_rates)),
        coming_(std::move(coming)),
        tell_change_(std::move(tell_change)) {}

  /// Asks the policy for the rounds up to this one where it is the first that is in it. Each round
  /// is verified: it places every island once and its mixing weights sum to 1. Valid until the next
  /// call.
  const Placement& of(std::int64_t number);
  void forget_before(std::int64_t number);

 private:
  struct Stretch {
    std::int64_t first = 0;
    std::int64_t count = 0;
    Placement placement;
  };
  void begin(std::int64_t number);

  Policy* policy_;
  std::size_t islands_;
  std::function<std::vector<Bandwidth>()> arc_rates_;
  ComingRates coming_;
  std::function<void(std::int64_t number)> tell_change_;
  std::deque<Stretch> stretches_;
  std::int64_t next_ = 0;  ///< the first round that no island has begun
};

}  // namespace gyre
