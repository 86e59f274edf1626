#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/bounds.hpp"
#include "sim/gossip.hpp"
#include "sim/island_times.hpp"
#include "sim/known_future.hpp"
#include "sim/placements.hpp"
#include "sim/round_models.hpp"
#include "sim/simulation.hpp"
#include "sim/sync_desk.hpp"

namespace gyre {

/// A run under way. What an island does from round to round is in `island_life.cpp`; how a run
/// begins, is evaluated and ends in `simulation.cpp`.
class Simulation {
 public:
  Simulation(const RunSpec& spec, RunObserver& observer, const std::atomic<bool>& interrupted);

  RunResult run();

 private:
  /// Returns how many flows with a rate of their own its rounds can have under way at once.
  std::size_t start_policy();
  void live(IslandId me);
  /// False if the run ended, or the island left, before it had ended its round.
  bool spend_round(IslandId me);
  /// The steps before a fragment's exchange, then the exchange.
  bool train_then_send(IslandId me, std::size_t fragment);
  /// The exchange of a fragment whose steps, which began then, are done; false if the run ended.
  bool send(IslandId me, std::size_t fragment, Instant began);
  /// The steps before a fragment's exchange, whose pieces are sent behind the last one's backward
  /// pass. That step counts from its start, so that its result can be sent before its end.
  bool train_and_send(IslandId me, std::size_t fragment);
  /// The least time from now until the island holds the sync's result.
  Duration least_time(const Sync& sync, IslandId me, Instant began) const;
  /// The island's part in the sync, by an actor of its own. `least_ready`: the least time at which
  /// it could have begun to send.
  std::shared_ptr<PendingSync> in_background(IslandId me, const std::shared_ptr<Sync>& sync,
                                             const std::vector<Instant>& ready,
                                             Duration least_ready);
  /// The island waits for the sync that is due and takes it in; false if the run ended.
  bool merge(IslandId me);
  bool merge_all(IslandId me);
  void take_in(IslandId me, const Sync& sync, Duration least);
  /// The clique has begun without the island. It goes on with the first exchange that is open:
  /// with its model (`merge`), or with the result of the last one that began, and new steps.
  bool come_late(IslandId me, std::shared_ptr<Sync> missed);
  /// An island leaves: what it computes, or is about to exchange, is lost.
  void leave(IslandId me);
  /// Until the island is back, has a model, and knows its next round; false if it never is, or the
  /// run ended.
  bool stay_away(IslandId me);
  [[nodiscard]] bool takes_part(IslandId island, std::int64_t round) const {
    return !away_[island.index()] && islands_[island.index()].number <= round;
  }
  [[nodiscard]] bool may_leave(IslandId island) {
    return churn_.absence(island, simulated_now()).has_value();
  }
  /// The first round that it can have a part in when it comes back, if who it has its model from is
  /// in `round`.
  [[nodiscard]] std::int64_t round_to_join(IslandId island, std::int64_t round) const;
  /// Whether the island's present round is over for it: the run has ended, or it has left.
  [[nodiscard]] bool is_out(IslandId me) const { return stopped_ || away_[me.index()]; }
  /// Sleeps for so much work, or until the island leaves; false if it did.
  bool sleep_through(IslandId me, Duration& work);
  void play_churn();
  /// Ends the rounds that all islands that are there have ended. Returns whether there was one.
  bool advance();
  void go(IslandId me, Position position) { times_.go(me, position); }

  static Position position_of(SyncPhase phase) {
    return phase == SyncPhase::kMeeting ? Position::kMeeting : Position::kExchanging;
  }

  /// Local steps, with what is due between them; false if the run ended.
  bool compute(IslandId me, std::int64_t steps);
  bool merge_due(IslandId me);
  /// Local steps of the task, in slices between which an interrupt is seen; false if it was.
  bool train(IslandId me, std::int64_t steps);
  void end_round(IslandId me);
  /// By how many rounds the island may be ahead of the last one; then it waits at the barrier.
  std::int64_t may_be_ahead(IslandId me);
  /// The island's model is about to change.
  void before_change(IslandId me);
  enum class Models : std::uint8_t {
    kAsTheyAre,
    kOfRounds,  ///< with which the islands ended their last rounds
  };
  void evaluate(Models models);
  /// Ends the run at this instant, whatever is under way.
  void stop(RunStatus status, std::string why);
  void watch_time();
  [[nodiscard]] std::string offer_of(ArcId arc) const;
  void play_changes();
  void play_background();
  /// The network has what `conditions_` says of the arc.
  void set_arc(ArcId arc);
  void play_faults();
  /// Whether the run goes on, for an actor that wakes up by the clock: an interrupt ends it.
  bool goes_on();
  /// What each arc has offered since the last call, on average; nothing where it is down now.
  std::vector<Bandwidth> arc_rates();
  void report_deadlock();
  void finish();
  struct IslandState {
    std::int64_t number = 0;                           ///< of the round that it is in
    std::int64_t rounds = 0;                           ///< that it has ended
    std::int64_t taken_part = 0;                       ///< first round of which it has done nothing
    std::int64_t joined = -1;                          ///< round with which it was back last
    std::int64_t samples = 0;                          ///< that it has trained on
    std::deque<std::shared_ptr<PendingSync>> pending;  ///< in the order in which they are due
  };

  const RunSpec& spec_;
  RunObserver& observer_;
  const std::atomic<bool>& interrupted_;
  const Topology& topology_;
  Routes routes_;
  Bounds bounds_;
  Network network_;
  ComputeModel compute_;
  SyncTiming timing_;
  Platform platform_;
  std::unique_ptr<FlowNetwork> flows_;  ///< one of both
  std::unique_ptr<PacketNetwork> packets_;
  std::optional<ModelMixer> mixer_;  ///< before the syncs, which give their slots back to it
  RoundModels round_models_;
  ArcConditions conditions_;
  Outages outages_;
  Outages gone_;  ///< those of them that never end
  Churn churn_;
  std::vector<bool> away_;  ///< by island
  KnownFuture future_;
  Placements placements_;
  std::size_t behind_ = 0;  ///< islands that have ended no more rounds than all have
  std::vector<IslandId> at_barrier_;
  /// By island. Not the gates of exchanges, for which the island may wait in the background.
  std::vector<simgrid::s4u::SemaphorePtr> barrier_gates_;
  bool stopped_ = false;
  std::vector<simgrid::s4u::ActorPtr> killed_;  ///< when it stopped
  std::optional<Instant> ended_;
  IslandTimes times_;
  std::vector<Duration> least_;  ///< by island: Σ compute + member bound
  std::vector<IslandState> islands_;
  std::unique_ptr<SyncDesk> desk_;
  std::unique_ptr<Gossip> gossip_;  ///< at fidelity `flow`
  RunResult result_;
};

}  // namespace gyre
