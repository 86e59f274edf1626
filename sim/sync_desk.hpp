#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/bounds.hpp"
#include "models/model_mixer.hpp"
#include "models/training.hpp"
#include "sim/faults.hpp"
#include "sim/island_times.hpp"
#include "sim/placements.hpp"
#include "sim/prepared_plan.hpp"
#include "sim/simulation.hpp"
#include "sim/sync.hpp"

namespace gyre {

/// Where islands meet and exchange: it makes the syncs of every round and clique, plays an island's
/// part in them, and lets the models take in what comes of it. Methods that block run in an actor
/// of the island that they name.
class SyncDesk {
 public:
  struct Hooks {
    std::function<void(const std::string& why)> fail;  ///< ends the run
    std::function<bool()> is_over;                     ///< whether it has ended
    std::function<void(const CliqueRow& row)> report;
    std::function<void(const EventRow& row)> tell;
    std::function<void(const RoutesRow& row)> route;
    /// Whether the island is there, and has a part in that round.
    std::function<bool(IslandId island, std::int64_t round)> takes_part;
    /// Whether the island is away now, or will be.
    std::function<bool(IslandId island)> may_leave;
  };
  /// The parts of a run that it works with, which outlive it.
  struct Parts {
    const RunSpec& spec;
    const Network& network;
    const Bounds& bounds;
    const Platform& platform;
    FlowNetwork* flows = nullptr;  ///< one of both
    PacketNetwork* packets = nullptr;
    const Outages& outages;
    const Outages& gone;  ///< those of them that never end
    const SyncTiming& timing;
    ModelMixer* mixer = nullptr;  ///< null: nothing is learnt
  };
  using OnPhase = std::function<void(SyncPhase)>;

  SyncDesk(const Parts& parts, Hooks hooks);
  SyncDesk(const SyncDesk&) = delete;
  SyncDesk& operator=(const SyncDesk&) = delete;

  /// The island's sync of a fragment in a round, to which it gives its model now; null where it is
  /// alone in its clique. `began` is when its local steps began, and `still` what is left of the
  /// last one. Without the model where the sync has begun without it. A plan that is refused ends
  /// the run.
  std::shared_ptr<Sync> enter(IslandId me, std::int64_t round, std::size_t fragment,
                              const Placement& placement, Instant began, Duration still = {});
  /// The island's sync of a round that has begun without it, or null.
  [[nodiscard]] std::shared_ptr<Sync> begun(IslandId me, std::int64_t round,
                                            const Placement& placement) const;
  /// Plays the island's part, piece by piece, none before its instant. Returns false where the sync
  /// began without it.
  bool play(const std::shared_ptr<Sync>& sync, IslandId me, const std::vector<Instant>& ready,
            const OnPhase& on_phase);
  /// A latecomer fetches the result of a sync that has begun, from the nearest of its members.
  void fetch(const std::shared_ptr<Sync>& sync, IslandId me);
  /// The island takes the result in.
  void take_in(const Sync& sync, IslandId me) const;
  /// The island is through with the sync; the last one reports it.
  void leave(const std::shared_ptr<Sync>& sync, IslandId me);

  /// Something has failed or is back: exchanges under way follow the run's rule.
  void follow_outages();

  /// The island is away from now on: its exchanges follow `RunSpec::without_member`.
  void depart(IslandId island);
  /// The first round that it can have a part in when it comes back, if islands there are in
  /// `round`.
  [[nodiscard]] std::int64_t round_to_join(IslandId island, std::int64_t round) const;
  /// Of the others the one with the least latency to the island, of several the first.
  [[nodiscard]] std::optional<IslandId> nearest_to(IslandId island,
                                                   std::span<const IslandId> others) const;
  /// The island gets so much of another one's model. Blocks until it has it.
  void download(IslandId island, IslandId from, Bytes bytes);

  /// Who waits for whom, for the report of a deadlock.
  [[nodiscard]] std::string who_waits(const IslandTimes& times) const;
  /// What blocks an island that is in no sync's background.
  [[nodiscard]] const simgrid::s4u::SemaphorePtr& gate(IslandId island) const {
    return gates_.front()[island.index()];
  }

 private:
  using Key = std::pair<std::int64_t, std::size_t>;  ///< number of the sync, place of the clique
  /// A latecomer gets the result of a round from one of its members.
  struct Fetch {
    std::int64_t round = 0;
    IslandId to;
    IslandId from;
  };

  std::shared_ptr<const CliqueBounds> bounds_of(const Clique& clique, Bytes payload);
  std::shared_ptr<CliqueExchange> exchange(const std::shared_ptr<Sync>& sync, std::size_t piece);
  std::shared_ptr<const PreparedPlan> plan(const Round& round, std::size_t clique, Bytes payload,
                                           std::int64_t number);
  /// Meets for a piece and waits until it has begun. False where it began without the island.
  bool meet(const std::shared_ptr<Sync>& sync, std::size_t piece, IslandId me);
  void begin(const std::shared_ptr<Sync>& sync, std::size_t piece, IslandId starter, bool by_clock);
  void watch_deadline(const std::shared_ptr<Sync>& sync);
  /// Where islands are away: lets the sync begin, or calls it off, if nobody else is to come.
  void consider(const std::shared_ptr<Sync>& sync);
  void lose_member(const std::shared_ptr<Sync>& sync, IslandId island);
  void goes_without(Sync& sync, IslandId island);
  /// The plan of those of the sync's members; of one nothing is sent.
  std::shared_ptr<const PreparedPlan> plan_of(const Sync& sync, const Clique& present);
  void take_bounds_of(Sync& sync, const Clique& present);
  /// Reports and forgets the sync if all are through that come to it.
  void close(const std::shared_ptr<Sync>& sync);
  [[nodiscard]] bool enough(const Sync& sync) const;
  void go_without_the_absent(Sync& sync);
  void average(Sync& sync);
  [[nodiscard]] std::string waiting_for(IslandId me) const;
  void give_up(const Sync& sync, CliqueExchange& exchange, const std::string& why);
  struct Reduced;
  /// The network as it is now, for these members: null for the whole one, where they cannot all
  /// reach each other, or wait for what is away.
  Reduced* reduced_for(std::span<const IslandId> members);
  /// Whether something that the exchange still needs is away.
  [[nodiscard]] bool lacks_arcs(const CliqueExchange& exchange) const;
  [[nodiscard]] bool lacks_capabilities(const CliqueExchange& exchange) const;
  /// What the rule makes of an exchange that cannot go on.
  void follow_rule(const Sync& sync, const std::shared_ptr<CliqueExchange>& stopped);
  /// Ends the run if the exchange can never end, since what it needs has failed for good, and
  /// neither the clock nor a member that leaves will ever cut it off.
  void look_for_dead_end(const Sync& sync, const CliqueExchange& exchange);
  /// The same for what latecomers fetch.
  void look_for_dead_fetches();
  /// Why the exchange can never end: who waits for whom. Nothing if it can.
  [[nodiscard]] std::optional<std::string> dead_end(const CliqueExchange& exchange) const;
  /// Until the tables are there that the plan needs, if they are not yet.
  Duration setup_of(const std::shared_ptr<const PreparedPlan>& plan);
  /// Tells the routes of a plan that is not the last one of its clique.
  void tell_routes(const std::shared_ptr<const PreparedPlan>& plan, std::int64_t round);
  void tell(const Sync& sync, const CliqueExchange& exchange, std::string_view what,
            std::string effect);

  /// Ends the run.
  void fail(const std::string& why);

  Parts parts_;
  Hooks hooks_;
  bool failed_ = false;
  const Topology& topology_;
  PlanOptions plan_options_;
  PlanCache plans_;
  struct Reduced {
    Reduced(const Network& whole, const Outages& outages, const FlowNetwork* flows,
            const PlanOptions& options)
        : network(whole, outages), plans(network.network(), flows, options) {}
    ReducedNetwork network;
    PlanCache plans;
  };
  static constexpr std::size_t kMostReduced = 64;            ///< that are kept, as plans are
  std::map<std::string, std::unique_ptr<Reduced>> reduced_;  ///< by `Outages::key`
  /// By clique: the plans whose tables the switches have.
  std::map<Clique, std::vector<std::shared_ptr<const PreparedPlan>>> installed_;
  static constexpr std::size_t kMostRouted = 4096;  ///< cliques of which the last plan is known
  std::map<std::pair<Bytes, Clique>, std::shared_ptr<const PreparedPlan>> routed_;
  static constexpr std::size_t kMostBounds = 1024;  ///< that are kept, as plans are
  std::map<std::pair<Bytes, Clique>, std::shared_ptr<const CliqueBounds>> bounds_;
  /// By exchanges that may be under way at a time, by island: what it blocks on.
  std::vector<std::vector<simgrid::s4u::SemaphorePtr>> gates_;
  std::vector<Fetch> fetches_;        ///< under way
  std::vector<std::int64_t> passed_;  ///< by island: rounds whose exchange went without it
  std::map<Key, std::shared_ptr<Sync>> syncs_;  ///< that not all members are through with
};

}  // namespace gyre
