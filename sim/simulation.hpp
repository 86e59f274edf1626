#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "models/capabilities.hpp"
#include "models/compute.hpp"
#include "models/task.hpp"
#include "models/topology.hpp"
#include "models/training.hpp"
#include "schedules/exchange.hpp"
#include "schedules/policy.hpp"
#include "schedules/switch_limits.hpp"
#include "sim/arc_conditions.hpp"
#include "sim/churn.hpp"
#include "sim/faults.hpp"
#include "sim/flow_network.hpp"
#include "sim/packet_network.hpp"

namespace gyre {

/// When a run ends.
struct StopRule {
  std::optional<double> accuracy;  ///< of the average model, at least
  std::optional<double> loss;      ///< of the average model, at most
  std::int64_t max_rounds = 1;
  /// Islands that have ended so many before others go on, until all have.
  bool fast_go_on = false;
  std::optional<Duration> max_time;

  /// That an island may begin.
  [[nodiscard]] std::int64_t rounds_of_one() const {
    return fast_go_on ? std::numeric_limits<std::int64_t>::max() : max_rounds;
  }
};

/// One run, resolved: everything that decides its outcome.
struct RunSpec {
  const Topology* topology = nullptr;
  Capabilities capabilities;
  const SwitchLimits* limits = nullptr;
  Policy* policy = nullptr;  ///< started by the run
  Exchange exchange = Exchange::kBest;
  Routing routing = Routing::kShortest;
  bool barrier = false;
  Bytes payload;  ///< of the whole model
  TrainingSpec training;
  ComputeSpec compute;
  Task* task = nullptr;  ///< none: nothing is learnt; started by the run
  std::uint64_t seed = 1;
  std::int64_t evaluate_every = 1;  ///< rounds
  StopRule stop;
  std::vector<ArcChange> changes;       ///< by time
  std::vector<Background> background;   ///< together less than the arcs ever have
  std::vector<Fault> faults;            ///< for packets also as `packets` has them
  std::vector<IslandEvent> churn = {};  ///< islands that leave, return, or are slow
  WithoutMember without_member = WithoutMember::kShrink;
  Duration stall_deadline;
  InFlight in_flight = InFlight::kWait;   ///< what exchanges under way do then
  Duration setup_time;                    ///< of the tables of an exchange's switches
  bool propagation = true;                ///< false: every latency counts as zero
  std::optional<PacketSettings> packets;  ///< fidelity `packet`; absent: `flow`

  /// Whether islands are away at times, not only slow.
  [[nodiscard]] bool takes_islands_away() const;
  /// Whether anything happens to its network or islands that events tell of.
  [[nodiscard]] bool has_events() const;
};

/// A row of the trace: the state at an instant when all islands had ended a round.
struct TraceRow {
  Instant time;
  std::int64_t round = 0;    ///< rounds that every island has ended
  std::int64_t steps = 0;    ///< local steps of an island by then
  std::int64_t samples = 0;  ///< of all islands
  Evaluation evaluation;
};

/// What a clique did in a round. A singleton has no exchange.
struct CliqueRow {
  std::int64_t round = 0;
  std::size_t fragment = 0;
  Clique members;
  Clique absent;                     ///< of the clique, who were late for the quorum
  std::optional<IslandId> receiver;  ///< of an overlay: who takes in what the others send
  std::optional<Exchange> exchange;
  Instant start;           ///< its first member began its local steps
  Duration compute;        ///< longest of its members
  Duration wait;           ///< mean over its members, from ready until all were
  Duration communication;  ///< from all ready until the last member held the result
  Bytes wan_bytes;
  Duration bound;  ///< least time of any exchange of this clique
  /// Payload over the common rate of its trees, where the plan sets the rates of its flows.
  std::optional<Duration> paced;
  std::string bound_by;              ///< `compute`, `latency`, `link X->Y` or `access X.up`
  bool dropped = false;              ///< it gave up: members that had no result kept their models
  bool partly = false;               ///< of a dropped one: some had the result
  Duration in_exchange;              ///< communication; launched eagerly, from the first one ready
  double sum_error = 0.0;            ///< of a parameter of the average, by the switches' numbers
  std::int64_t retransmissions = 0;  ///< chunks sent again, each arc counted
};

/// Something failed, came back or changed, or what an exchange did about it.
struct EventRow {
  Instant time;
  std::string what;     ///< fails, is back, planned anew, dropped, waits, changes, begins, ends,
                        ///< plans anew
  std::string subject;  ///< of the map, background, or the exchange's members
  std::optional<std::int64_t> round = {};
  std::string effect = {};
};

/// Where a plan that a run begins to use sends its bytes.
struct RoutesRow {
  std::int64_t round = 0;  ///< of its first exchange
  Clique members;
  Exchange exchange = Exchange::kDirect;
  std::vector<std::pair<ArcId, Bytes>> arcs;  ///< by arc: what crosses it in one exchange
};

enum class Activity : std::uint8_t { kCompute, kWait, kExchange };
struct Span {
  IslandId island;
  std::int64_t round = 0;
  Activity activity = Activity::kCompute;
  Instant from;
  Instant to;
};

/// Receives what happens, in the order of simulated events. Called from within the simulation: must
/// not throw.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void on_trace(const TraceRow& /*row*/) {}
  virtual void on_clique(const CliqueRow& /*row*/) {}
  virtual void on_span(const Span& /*span*/) {}
  virtual void on_switch(const SwitchRow& /*row*/) {}
  virtual void on_event(const EventRow& /*row*/) {}
  virtual void on_routes(const RoutesRow& /*row*/) {}
};

enum class RunStatus : std::uint8_t { kComplete, kTruncated, kFailed };
inline constexpr std::array<std::string_view, 3> kRunStatusNames{"complete", "truncated", "failed"};

/// Where an island's time went.
struct TimeShares {
  std::int64_t rounds = 0;  ///< that it ended
  Duration compute;
  Duration wait;
  Duration exchange;
};

struct RunResult {
  RunStatus status = RunStatus::kComplete;
  std::string failure;  ///< who waits for whom, or what interrupted the run
  std::optional<Instant> time_to_target;
  TraceRow last;
  std::int64_t rounds = 0;  ///< that every island ended
  /// Time at which the last of those rounds ended / rounds; none before the first.
  std::optional<Duration> mean_round;
  /// Least time a round could take: max over islands of the sum of its compute times and member
  /// bounds by then / rounds.
  std::optional<Duration> bound_round;
  std::vector<TimeShares> islands;  ///< by rank
  std::vector<ArcUsage> arcs;       ///< by arc
  std::vector<std::int64_t> lost;   ///< chunks, by arc
  std::int64_t events = 0;          ///< of packets
  std::int64_t flows = 0;           ///< that were started, at fidelity `flow`
  std::int64_t flow_arcs = 0;       ///< Σ over these flows of the arcs that each takes
  Duration simulated;
  double learning_wall_s = 0.0;  ///< wall-clock, for display only
  double total_wall_s = 0.0;
};

/// When the run's islands exchange which part of the model.
SyncTiming sync_timing(const RunSpec& spec);

/// What the run's policy sees of its exchanges.
ExchangeContext exchange_context(const RunSpec& spec, const Network& network);

/// Runs one simulation. The engine is a process-wide singleton: one call per process (see
/// `in_child`). Islands at the same instant act in the order in which the engine woke them, by rank
/// where that is equal; `interrupted` is looked at every few thousand local steps. Memory: O(map
/// and model), and the placements of the rounds by which some islands are ahead of others (a
/// stretch of equal ones counts once). Errors: `InputError` from the policy's or task's start,
/// before anything runs.
RunResult simulate(const RunSpec& spec, RunObserver& observer,
                   const std::atomic<bool>& interrupted);

}  // namespace gyre
