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

/// A time in which something is so: until `to`, or for good.
struct Period {
  Instant from;
  std::optional<Instant> to;
};

/// When islands are away, and how fast they are.
class Churn {
 public:
  Churn(const std::vector<IslandEvent>& events, std::size_t islands, std::uint64_t seed);

  [[nodiscard]] bool any() const { return any_; }
  /// The island's first absence that is not over at that time; none if there is none. Requires that
  /// times do not go back.
  std::optional<Period> absence(IslandId island, Instant now);
  /// When `work` of local steps, begun at `now`, is done: each instant of it takes the product of
  /// the slowdowns then.
  Instant done(IslandId island, Instant now, Duration work);

 private:
  /// The periods of one event, drawn when they are asked for.
  struct Calendar {
    FaultTimes times;
    std::optional<double> slowdown;
    std::vector<Period> periods;
    bool over = false;

    /// Draws until a period ends after `now`. Returns that one, or none.
    std::optional<Period> at_or_after(Instant now);
  };
  const std::vector<IslandEvent>* events_;
  std::vector<std::vector<Calendar>> calendars_;  ///< by island
  bool any_;
};

}  // namespace gyre
