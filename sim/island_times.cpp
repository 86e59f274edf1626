#include "sim/island_times.hpp"

#include "sim/platform.hpp"

namespace gyre {
namespace {

Activity activity(Position position) {
  if (position == Position::kComputing) return Activity::kCompute;
  return position == Position::kExchanging ? Activity::kExchange : Activity::kWait;
}

}  // namespace

void IslandTimes::go(IslandId island, Position position) {
  State& state = states_[island.index()];
  TimeShares& shares = shares_[island.index()];
  const Instant now = simulated_now();
  const Duration spent = now - state.since;
  if (state.position == Position::kComputing) shares.compute += spent;
  if (state.position == Position::kExchanging) shares.exchange += spent;
  if (state.position == Position::kMeeting || state.position == Position::kAtBarrier) {
    shares.wait += spent;
  }
  if (spent > Duration() && state.position != Position::kDone) {
    // Who waits at a barrier has already counted the round.
    const std::int64_t round = shares.rounds - (state.position == Position::kAtBarrier ? 1 : 0);
    observer_->on_span({island, round, activity(state.position), state.since, now});
  }
  state.position = position;
  state.since = now;
}

}  // namespace gyre
