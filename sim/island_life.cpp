#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sim/running_simulation.hpp"
#include "sim/wall_clock.hpp"

namespace gyre {

namespace s4u = simgrid::s4u;

namespace {

/// The engine takes instants less than that apart for one: an actor may wake as much early. Who
/// leaves has left by then, and who is back is.
constexpr Duration kSameInstant = Duration::seconds(1e-9);

}  // namespace

void Simulation::live(IslandId me) {
  std::int64_t& number = islands_[me.index()].number;
  // It may have left at the very beginning.
  if (away_[me.index()] && !stay_away(me)) return;
  while (number < spec_.stop.rounds_of_one()) {
    if (!spend_round(me)) {
      if (stopped_ || !stay_away(me)) return;
      continue;
    }
    // Only now: whoever is in the middle of it still has a part in it.
    ++number;
    if (away_[me.index()] && !stay_away(me)) return;
  }
  go(me, Position::kDone);
}

bool Simulation::spend_round(IslandId me) {
  for (std::size_t f = 0; f < timing_.fragments(); ++f) {
    if (!(timing_.layered() ? train_and_send(me, f) : train_then_send(me, f))) return false;
  }
  // What is still under way belongs to the result.
  if (islands_[me.index()].number + 1 == spec_.stop.max_rounds && !merge_all(me)) return false;
  end_round(me);
  return !stopped_;
}

void Simulation::play_churn() {
  for (std::size_t i = 0; i < topology_.island_count(); ++i) {
    const IslandId me = IslandId::at(i);
    if (!churn_.absence(me, Instant())) continue;
    s4u::Actor::create("absence of " + topology_.name(me), platform_.host(me), [this, me] {
      while (const std::optional<Period> next =
                 churn_.absence(me, simulated_now() + kSameInstant)) {
        sleep_until(next->from);
        if (!goes_on()) return;
        leave(me);
        if (stopped_ || !next->to) return;
        sleep_until(*next->to);
      }
    })->daemonize();
  }
}

void Simulation::leave(IslandId me) {
  IslandState& state = islands_[me.index()];
  if (stopped_ || away_[me.index()] || state.number >= spec_.stop.rounds_of_one()) return;
  away_[me.index()] = true;
  go(me, Position::kDone);
  observer_.on_event({.time = simulated_now(),
                      .what = "leaves",
                      .subject = topology_.name(me),
                      .round = state.number,
                      .effect = ""});
  if (state.rounds == result_.rounds) --behind_;
  desk_->depart(me);
  if (gossip_ != nullptr) gossip_->depart(me);
  if (!stopped_) advance();
  if (std::erase(at_barrier_, me) > 0) barrier_gates_[me.index()]->release();
}

std::int64_t Simulation::round_to_join(IslandId island, std::int64_t round) const {
  if (!spec_.policy->overlay()) return desk_->round_to_join(island, round);
  // In an overlay nobody may have done without it in that round. Who is about to play the first one
  // since it is back, has not.
  std::int64_t join = 0;
  for (std::size_t i = 0; i < islands_.size(); ++i) {
    if (away_[i]) continue;
    const IslandState& other = islands_[i];
    const bool fresh = other.joined == other.number && other.taken_part <= other.number;
    join = std::max(join, fresh ? other.number : other.number + 1);
  }
  return gossip_->round_to_join(island, join);
}

bool Simulation::stay_away(IslandId me) {
  IslandState& state = islands_[me.index()];
  // Who was ahead of the others does not go back, nor begins a round again of which it has
  // exchanged a fragment.
  const auto join = [&](std::int64_t round) {
    state.number =
        std::max({round_to_join(me, round), result_.rounds, state.number, state.taken_part});
  };
  std::string effect;
  do {
    while (const std::optional<Period> absence =
               churn_.present_absence(me, simulated_now() + kSameInstant)) {
      if (!absence->to) return false;
      sleep_until(*absence->to);
      if (stopped_) return false;
    }
    std::vector<IslandId> there;
    for (std::size_t i = 0; i < islands_.size(); ++i) {
      if (!away_[i]) there.push_back(IslandId::at(i));
    }
    const std::optional<IslandId> source = desk_->nearest_to(me, there);
    if (!source) {
      join(state.number - 1);
      effect = "nobody is there to download a model from: it goes on with its own";
      break;
    }
    before_change(me);
    if (mixer_) mixer_->adopt(me, *source);
    go(me, Position::kExchanging);
    desk_->download(me, *source, spec_.payload);
    go(me, Position::kDone);
    if (stopped_) return false;
    join(islands_[source->index()].number);
    effect = fmt::format("it has downloaded {} from {}", to_text(spec_.payload),
                         topology_.name(*source));
    // It may have left again meanwhile.
  } while (churn_.present_absence(me, simulated_now() + kSameInstant));
  away_[me.index()] = false;
  state.joined = state.number;
  state.rounds = state.number;
  if (state.rounds == result_.rounds) ++behind_;
  if (gossip_ != nullptr) gossip_->come_back(me, state.number);
  round_models_.end_round(me, state.samples);
  observer_.on_event({.time = simulated_now(),
                      .what = "is back",
                      .subject = topology_.name(me),
                      .round = state.number,
                      .effect = std::move(effect)});
  return true;
}

bool Simulation::sleep_through(IslandId me, Duration& work) {
  if (!churn_.any()) {
    sleep_until(simulated_now() + work);
    return true;
  }
  const Instant now = simulated_now();
  const Instant done = churn_.done(me, now, work);
  const std::optional<Period> absence = churn_.absence(me, now + kSameInstant);
  if (absence && absence->from < done) {
    sleep_until(absence->from);
    leave(me);
    return false;
  }
  sleep_until(done);
  work = done - now;
  return true;
}

bool Simulation::train_then_send(IslandId me, std::size_t fragment) {
  const Instant began = simulated_now();
  return compute(me, timing_.steps(me.index(), fragment)) && send(me, fragment, began);
}

bool Simulation::send(IslandId me, std::size_t fragment, Instant began) {
  const std::vector<Instant> ready(timing_.pieces(fragment).size(), simulated_now());
  const Placement& placement = placements_.of(islands_[me.index()].number);
  const auto on_phase = [this, me](SyncPhase phase) { go(me, position_of(phase)); };
  if (!placement.round->edges.empty()) {
    // The stretch may end while the island waits.
    const std::shared_ptr<const Round> overlay = placement.round;
    islands_[me.index()].taken_part = islands_[me.index()].number + 1;
    least_[me.index()] = gossip_->exchange(me, *overlay,
                                           {.round = islands_[me.index()].number,
                                            .fragment = fragment,
                                            .began = began,
                                            .least = least_[me.index()]},
                                           on_phase);
    return !is_out(me);
  }
  std::shared_ptr<Sync> sync =
      desk_->enter(me, islands_[me.index()].number, fragment, placement, began);
  if (sync != nullptr && spec_.training.delay() > 0) {
    islands_[me.index()].pending.push_back(in_background(me, sync, ready, least_[me.index()]));
  }
  if (sync == nullptr) islands_[me.index()].taken_part = islands_[me.index()].number + 1;
  if (sync == nullptr || spec_.training.delay() > 0) return merge_due(me);
  const bool took_part = desk_->play(sync, me, ready, on_phase);
  if (is_out(me)) return false;
  if (!took_part) return come_late(me, sync);
  islands_[me.index()].taken_part = islands_[me.index()].number + 1;
  take_in(me, *sync, least_[me.index()] + least_time(*sync, me, began));
  desk_->leave(sync, me);
  return true;
}

bool Simulation::train_and_send(IslandId me, std::size_t fragment) {
  const Instant began = simulated_now();
  if (!compute(me, timing_.steps(me.index(), fragment) - 1) || !merge_due(me)) return false;
  go(me, Position::kComputing);
  const Duration step = compute_.draw(me, 1);
  const Instant start = simulated_now();
  const Duration least = least_[me.index()];
  if (!train(me, 1)) return false;
  std::vector<Instant> ready;
  for (const Piece& piece : timing_.pieces(fragment)) ready.push_back(start + step * piece.ready);
  // What was sent before counts this step; slower islands may take so few that it is not due yet.
  for (const auto& earlier : islands_[me.index()].pending) --earlier->steps_left;
  const Placement& placement = placements_.of(islands_[me.index()].number);
  std::shared_ptr<Sync> sync =
      desk_->enter(me, islands_[me.index()].number, fragment, placement, began, step);
  if (sync != nullptr) {
    const Duration first_ready = step * timing_.pieces(fragment).front().ready;
    islands_[me.index()].pending.push_back(in_background(me, sync, ready, least + first_ready));
  }
  sleep_until(start + step);
  least_[me.index()] += step;
  return spec_.training.delay() > 0 ? merge_due(me) : merge_all(me);
}

Duration Simulation::least_time(const Sync& sync, IslandId me, Instant began) const {
  if (!spec_.propagation || sync.dropped()) return {};
  const Duration bound = sync.bound_of(me);
  if (!sync.exchanges.front()->eager()) return bound;
  // What the others sent before the island was ready has had the time of its compute.
  return std::max(Duration(), bound - (sync.exchanges.front()->begun - began));
}

std::shared_ptr<PendingSync> Simulation::in_background(IslandId me,
                                                       const std::shared_ptr<Sync>& sync,
                                                       const std::vector<Instant>& ready,
                                                       Duration least_ready) {
  auto pending = std::make_shared<PendingSync>();
  pending->sync = sync;
  pending->steps_left = spec_.training.delay();
  pending->least = least_ready + (spec_.propagation ? sync->bound_of(me) : Duration());
  s4u::Actor::create(topology_.name(me) + " exchanges", platform_.host(me),
                     [this, me, pending, ready] {
                       if (stopped_) return;  // killed before it began: must not block
                       const auto on_phase = [this, me, &pending](SyncPhase phase) {
                         pending->phase = phase;
                         if (pending->is_awaited) go(me, position_of(phase));
                       };
                       desk_->play(pending->sync, me, ready, on_phase);
                       pending->is_over = true;
                       pending->over->release();
                     });
  return pending;
}

bool Simulation::merge(IslandId me) {
  const std::shared_ptr<PendingSync> due = islands_[me.index()].pending.front();
  islands_[me.index()].pending.pop_front();
  if (!due->is_over) {
    due->is_awaited = true;
    go(me, position_of(due->phase));
  }
  due->over->acquire();
  if (stopped_) return false;
  take_in(me, *due->sync, due->sync->dropped() ? Duration() : due->least);
  desk_->leave(due->sync, me);
  return true;
}

bool Simulation::merge_all(IslandId me) {
  while (!islands_[me.index()].pending.empty()) {
    if (!merge(me)) return false;
  }
  return true;
}

void Simulation::take_in(IslandId me, const Sync& sync, Duration least) {
  const WallClock clock;
  before_change(me);
  desk_->take_in(sync, me);
  result_.learning_wall_s += clock.elapsed_s();
  least_[me.index()] = std::max(least_[me.index()], least);
}

bool Simulation::come_late(IslandId me, std::shared_ptr<Sync> missed) {
  const bool drop = spec_.training.stragglers->late == StragglerSpec::Late::kDrop;
  std::int64_t& number = islands_[me.index()].number;
  while (true) {
    std::shared_ptr<Sync> next;
    if (number + 1 < spec_.stop.rounds_of_one()) {
      const Placement& placement = placements_.of(number + 1);
      next = desk_->begun(me, number + 1, placement);
    }
    if (next == nullptr) break;
    desk_->leave(missed, me);
    end_round(me);
    if (stopped_) return false;
    ++number;
    missed = next;
  }
  if (drop) {
    go(me, Position::kExchanging);
    desk_->fetch(missed, me);
    before_change(me);
    desk_->take_in(*missed, me);
  }
  desk_->leave(missed, me);
  if (drop || number + 1 == spec_.stop.rounds_of_one()) return true;
  end_round(me);
  if (stopped_) return false;
  ++number;
  return send(me, 0, simulated_now());
}

bool Simulation::compute(IslandId me, std::int64_t steps) {
  std::deque<std::shared_ptr<PendingSync>>& pending = islands_[me.index()].pending;
  while (steps > 0) {
    const std::int64_t now = pending.empty() ? steps : std::min(steps, pending.front()->steps_left);
    go(me, Position::kComputing);
    Duration time = compute_.draw(me, now);
    if (!sleep_through(me, time) || !train(me, now) || is_out(me)) return false;
    least_[me.index()] += time;
    steps -= now;
    for (const std::shared_ptr<PendingSync>& sync : pending) sync->steps_left -= now;
    // At the end of the steps the island first sends what it has made.
    if (steps > 0 && !merge_due(me)) return false;
  }
  return true;
}

bool Simulation::merge_due(IslandId me) {
  const std::deque<std::shared_ptr<PendingSync>>& pending = islands_[me.index()].pending;
  while (!pending.empty() && pending.front()->steps_left == 0) {
    if (!merge(me)) return false;
  }
  return true;
}

void Simulation::before_change(IslandId me) {
  // Before the next evaluation the island has to end its round, unless it is ahead of that.
  const std::int64_t next = std::min(
      (result_.rounds / spec_.evaluate_every + 1) * spec_.evaluate_every, spec_.stop.max_rounds);
  if (islands_[me.index()].rounds >= next) round_models_.before_change(me);
}

bool Simulation::train(IslandId me, std::int64_t steps) {
  if (spec_.task == nullptr) return true;
  constexpr std::int64_t kSlice = 4096;
  const WallClock start;
  if (steps > 0) before_change(me);
  for (std::int64_t done = 0; done < steps; done += kSlice) {
    if (interrupted_) {
      stop(RunStatus::kTruncated, "interrupted");
      return false;
    }
    spec_.task->train(me, std::min(kSlice, steps - done));
  }
  result_.learning_wall_s += start.elapsed_s();
  islands_[me.index()].samples += steps * spec_.task->samples_per_step();
  return true;
}

}  // namespace gyre
