#pragma once

#include <cstdint>
#include <vector>

#include "sim/simulation.hpp"

namespace gyre {

/// What an island does.
enum class Position : std::uint8_t { kComputing, kMeeting, kExchanging, kAtBarrier, kDone };

/// Where the islands' time goes: adds it up and tells it to the observer.
class IslandTimes {
 public:
  IslandTimes(std::size_t islands, RunObserver& observer)
      : observer_(&observer), states_(islands), shares_(islands) {}

  /// The island changes what it does: the time since the last change goes to what it did.
  void go(IslandId island, Position position);
  void end_round(IslandId island) { ++shares_[island.index()].rounds; }
  [[nodiscard]] Position position(IslandId island) const {
    return states_[island.index()].position;
  }
  [[nodiscard]] const std::vector<TimeShares>& shares() const { return shares_; }

 private:
  struct State {
    Position position = Position::kDone;
    Instant since;
  };

  RunObserver* observer_;
  std::vector<State> states_;
  std::vector<TimeShares> shares_;
};

}  // namespace gyre
