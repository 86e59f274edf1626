#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/bounds.hpp"
#include "models/model_mixer.hpp"
#include "models/training.hpp"
#include "sim/faults.hpp"
#include "sim/flow_network.hpp"
#include "sim/simulation.hpp"
#include "sim/sync.hpp"

namespace gyre {

/// Rounds of overlays at fidelity `flow`. An island that has made its local steps sends its model
/// to those that its edges lead to, over its shortest-path tree where switches replicate, else one
/// by one and all at a time. It goes on when it holds what its incoming edges bring, whatever
/// others still wait for: nobody waits for the whole round. Methods that block run in the actor of
/// the island that they name.
///
/// Who is away neither sends nor is sent anything, and its share stays with those that it would
/// have sent to (`shrink`); or its neighbours exchange with nobody in that round (`skip`); or they
/// wait for it until the deadline (`stall`). What an island is sending when it leaves is lost, what
/// has arrived counts.
class Gossip {
 public:
  struct Parts {
    const RunSpec& spec;
    const Network& network;
    const Bounds& bounds;
    FlowNetwork& flows;
    const Outages& gone;  ///< what has failed for good
    const SyncTiming& timing;
    ModelMixer* mixer = nullptr;  ///< null: nothing is learnt
    std::function<void(const CliqueRow& row)> report;
    std::function<void(const EventRow& row)> tell;
    std::function<void(const std::string& why)> fail;  ///< ends the run
    std::function<bool()> is_over;                     ///< whether it has ended
    /// Whether the island is there, and has not ended that round.
    std::function<bool(IslandId island, std::int64_t round)> takes_part;
    std::function<bool(IslandId island)> is_away;
    /// Whether the island is away now, or will be.
    std::function<bool(IslandId island)> may_leave;
  };
  using OnPhase = std::function<void(SyncPhase)>;

  explicit Gossip(const Parts& parts);
  Gossip(const Gossip&) = delete;
  Gossip& operator=(const Gossip&) = delete;

  /// An island's place in a run.
  struct Turn {
    std::int64_t round = 0;
    std::size_t fragment = 0;
    Instant began;   ///< its local steps
    Duration least;  ///< no network could have let it get here sooner
  };
  /// The island's part of a round's exchange, from its sending to its taking in, or until it
  /// leaves. Returns the least time at which it could have what it takes: max over its senders u of
  /// their own least time and M / mincut(u → me) + latency(u, me).
  Duration exchange(IslandId me, const Round& overlay, const Turn& turn, const OnPhase& on_phase);

  /// Ends the run if what an island has sent stands still for good, unless the clock or somebody
  /// who leaves ends that.
  void look_for_dead_ends();

  /// The island is away from now on.
  void depart(IslandId island);
  /// The first round that it can have a part in when it comes back, if in `round` nobody has done
  /// without it yet: that one, or an earlier one in which others wait for it.
  [[nodiscard]] std::int64_t round_to_join(IslandId island, std::int64_t round) const;
  /// The island is there again: who waits for it in rounds before its own goes on.
  void come_back(IslandId island, std::int64_t round);
  /// All who are there have ended the rounds before that one.
  void forget_before(std::int64_t round);

 private:
  /// What one stream brings to its receivers.
  struct Part {
    IslandId from;
    Stream stream;
    FlowRoute route;
    Bytes bytes;
    FlowHandle handle;
    Bytes carried = Bytes();  ///< once it has ended, where islands leave
    bool launched = false;
    bool left = false;  ///< it ended before all of it had left, or is not to start
  };
  using PartPtr = std::shared_ptr<Part>;
  /// An island's part in a round.
  struct Sent {
    bool begun = false;
    Instant at;
    Duration least;                   ///< of the turn
    std::vector<IslandId> receivers;  ///< by rank
    std::vector<IslandId> senders;    ///< by rank
    std::vector<PartPtr> parts;
    std::vector<IslandId> waiting;  ///< for it to begin
    CliqueRow row;                  ///< reported when it is through and its parts have ended
    bool through = false;           ///< the island has what it takes
    bool reported = false;
    // Where islands leave:
    bool lost = false;                   ///< it left after it had begun
    bool called_off = false;             ///< it takes nothing
    bool watches = false;                ///< its deadline
    std::vector<IslandId> done_without;  ///< senders that it waits for no more
  };
  struct State {
    std::int64_t round = 0;
    std::unique_ptr<ModelMixer::Mix> mix;
    std::vector<Sent> sent;  ///< by island
    std::size_t through = 0;
  };
  using StatePtr = std::shared_ptr<State>;

  StatePtr state_of(std::int64_t number, const Round& overlay, const Turn& turn);
  void send(State& state, IslandId me, Bytes bytes);
  /// More parts of what `from` sends, which are `owner`'s to report; none starts.
  void plan_parts(Sent& owner, IslandId from, const std::vector<IslandId>& receivers, Bytes bytes);
  void launch(const PartPtr& part);
  /// Blocks until the island holds what `from` has sent it; false if it does without.
  bool receive(const StatePtr& state, IslandId me, IslandId from, Bytes bytes);
  /// The island takes nothing more; `dropped`: nor what it has got.
  void end(Sent& sent, bool dropped);
  /// Reports an island's row once it is complete.
  void report(Sent& sent);
  [[nodiscard]] Bytes wan_bytes(const Sent& sent) const;

  [[nodiscard]] bool leaves() const { return parts_.spec.takes_islands_away(); }
  [[nodiscard]] bool runs(const Part& part) const;
  /// Whether the island has no part in the round, or what it sent is lost.
  [[nodiscard]] bool is_absent(const State& state, IslandId island) const;
  [[nodiscard]] bool misses_a_neighbour(const State& state, IslandId me) const;
  /// Whether it still waits for who is away.
  [[nodiscard]] bool waits_for(const State& state, IslandId me, IslandId from) const;
  /// Whether it is worth waiting for; sets the clock where that ends by it.
  bool will_come(const StatePtr& state, IslandId me, IslandId from);
  void watch_deadline(const StatePtr& state, IslandId me);
  /// What is to be done to flows and islands, all at once.
  struct Cuts {
    std::vector<std::pair<Sent*, PartPtr>> ended;  ///< settled, to be closed
    std::vector<PartPtr> pruned;                   ///< to be launched instead
    std::vector<IslandId> woken;
  };
  /// The island takes nothing from now on.
  void call_off(State& state, IslandId me, Cuts& cuts);
  /// Nothing leads to the island any more, and it waits for nobody. Streams go on to others.
  void let_out(State& state, IslandId me, Cuts& cuts);
  void depart_from(State& state, IslandId island, Cuts& cuts);
  /// The part ends with what it has sent so far, which is returned.
  Bytes cut(Sent& owner, const PartPtr& part, Cuts& cuts);
  void carry_out(const Cuts& cuts);

  Parts parts_;
  const Topology& topology_;
  std::vector<simgrid::s4u::SemaphorePtr> gates_;  ///< by island
  std::map<std::int64_t, StatePtr> states_;        ///< by number of the exchange
};

}  // namespace gyre
