#pragma once

#include <optional>
#include <vector>

#include "models/churn.hpp"
#include "sim/faults.hpp"

namespace gyre {

/// A churn event of one island, resolved. Random times come from the stream `fault/absence of NAME`
/// or `fault/slowness of NAME` of the seed.
struct IslandEvent {
  IslandId island;
  std::optional<double> slowdown;  ///< none: it is away
  Fault when;
};

/// The events of a scenario, one an island each.
std::vector<IslandEvent> island_events(const std::vector<ChurnEvent>& events,
                                       const Topology& topology);

/// When islands are away, and how fast they are.
class Churn {
 public:
  Churn(const std::vector<IslandEvent>& events, std::size_t islands, std::uint64_t seed);

  [[nodiscard]] bool any() const { return any_; }
  /// The island's first absence that is not over at that time; none if there is none. Requires that
  /// times do not go back.
  std::optional<Period> absence(IslandId island, Instant now);
  /// The same if it is away at that time.
  std::optional<Period> present_absence(IslandId island, Instant now);
  /// When `work` of local steps, begun at `now`, is done: each instant of it takes the product of
  /// the slowdowns then.
  Instant done(IslandId island, Instant now, Duration work);

 private:
  struct Calendar {
    FaultPeriods periods;
    std::optional<double> slowdown;  ///< none: it is away

    /// The first period that is not over then, or none.
    std::optional<Period> next(Instant now);
  };
  /// Forgets what is over then.
  void forget(IslandId island, Instant now);

  std::vector<std::vector<Calendar>> calendars_;  ///< by island
  bool any_;
};

}  // namespace gyre
