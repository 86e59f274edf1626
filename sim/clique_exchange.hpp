#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/prepared_plan.hpp"

namespace gyre {

/// The one of both that runs.
struct Networks {
  const Topology* topology = nullptr;
  const Platform* platform = nullptr;
  FlowNetwork* flows = nullptr;
  PacketNetwork* packets = nullptr;
  bool eager = false;  ///< at fidelity `packet` who is ready launches its part of sums
};

/// One clique's exchange in one round: the meeting of its members and the running of its plan.
/// Starts when the last member is ready; each member leaves when it has sent and received all that
/// the plan has for it. Each method that blocks runs in the actor of the member that it names.
/// Shared: whoever sends again for a member that has left may outlast the others' parts.
class CliqueExchange : public std::enable_shared_from_this<CliqueExchange> {
 public:
  /// `gates` holds one semaphore an island, which only that island acquires. Without propagation
  /// the deliveries' latencies count as zero.
  CliqueExchange(std::shared_ptr<const PreparedPlan> plan, Networks networks,
                 const std::vector<simgrid::s4u::SemaphorePtr>& gates, bool propagation);
  ~CliqueExchange();
  CliqueExchange(const CliqueExchange&) = delete;
  CliqueExchange& operator=(const CliqueExchange&) = delete;

  /// The member is ready. True for the one that comes last, which calls `begin` and by it lets the
  /// others go on, who block in `await`.
  bool meet(IslandId member);
  void await(IslandId member);
  /// `starter` is one of the members; the calling actor may be another's.
  /// After `setup`, in which the switches get their tables.
  void begin(IslandId starter, bool let_starter_go = false, Duration setup = {});
  /// Plays the member's part. Blocks until it holds the result.
  void take_part(IslandId member);
  /// The member has all that it gets.
  void leave(IslandId member) { left_.push_back(member); }
  [[nodiscard]] const std::vector<IslandId>& left() const { return left_; }
  [[nodiscard]] bool has_left(IslandId member) const;
  /// A member that is ready leaves before it has begun: what was sent early is lost.
  void withdraw(IslandId member);
  /// It does not begin: whoever waits for that goes on without it.
  void call_off();
  [[nodiscard]] bool called_off() const { return called_off_; }
  /// Lets a member go that waits for it to begin; false if it does not.
  bool let_go(IslandId member);
  /// The members do without the exchange: whoever is in it leaves at this instant;
  /// where a packet's event is being handled, at its end.
  void drop(bool in_event = false);
  [[nodiscard]] bool dropped() const { return dropped_; }
  /// All that are to have the result hold it: what is still under way is for nobody.
  void finish();
  /// It was dropped when some members had left with the result.
  [[nodiscard]] bool partly_dropped() const { return partly_; }
  /// What ran over core arcs, repeated chunks included.
  [[nodiscard]] Bytes wan_bytes() const;
  [[nodiscard]] std::int64_t retransmissions() const;
  /// Called when a flow gives up, before anybody leaves.
  std::function<void(const std::string& why)> on_give_up;

  [[nodiscard]] const PreparedPlan& prepared() const { return *attempt_->plan; }
  [[nodiscard]] const std::shared_ptr<const PreparedPlan>& shared_plan() const {
    return attempt_->plan;
  }
  [[nodiscard]] std::size_t missing() const { return plan().plan.members.size() - ready_.size(); }
  /// Members that have arrived, in order of arrival.
  [[nodiscard]] const std::vector<IslandId>& ready() const { return ready_; }
  /// Whether members may have sent before all were ready.
  [[nodiscard]] bool eager() const { return networks_.eager; }

  /// Starts again with another plan of the same members: what was under way is lost. Those that
  /// have left with the result send what they have to by actors of their own. With `hold` it does
  /// so only at `go_on`. Where it has not begun, what was sent early is lost.
  void restart(std::shared_ptr<const PreparedPlan> plan, bool hold = false);
  void go_on();
  [[nodiscard]] bool is_held() const { return held_; }
  /// Whether a flow that it still needs is affected.
  [[nodiscard]] bool is_held_up(const std::function<bool(const Stream& stream)>& is_affected) const;
  /// Goes on with these members alone, who are those that are ready. Requires that it has not
  /// begun.
  void reduce(std::shared_ptr<const PreparedPlan> plan);
  /// Whether all who take part were ready, so that nobody can join any more.
  [[nodiscard]] bool has_begun() const { return has_begun_; }

  Instant begun;

 private:
  struct FlowState {
    FlowHandle handle;
    std::shared_ptr<PacketFlow> packets;
    bool launched = false;                            ///< in packets
    std::vector<simgrid::s4u::SemaphorePtr> waiting;  ///< for its start
  };
  /// A plan under way. A restart leaves it and begins another one.
  struct Attempt {
    std::shared_ptr<const PreparedPlan> plan;
    std::vector<FlowState> states;
    bool left = false;
  };
  using Gate = simgrid::s4u::SemaphorePtr;

  /// The flows that wait for none.
  void start_independent(Attempt& attempt, IslandId starter);
  void start(Attempt& attempt, IslandId starter, std::size_t flow);
  /// The flow's packets, opened when first asked for.
  PacketFlow& packets(Attempt& attempt, std::size_t flow);
  [[nodiscard]] bool under_way(const FlowState& state) const;
  [[nodiscard]] bool launches_alone(std::size_t flow) const;
  /// Plays the member's part in an attempt; false if that was left.
  bool play(const std::shared_ptr<Attempt>& attempt, IslandId member, const Gate& gate);
  /// Blocks until the flow has left; returns when `member` is done with it.
  Instant settle(Attempt& attempt, std::size_t flow, IslandId member, const Gate& gate);
  void leave_attempt(Attempt& attempt);
  /// Counts a flow of an attempt that has been left with what it has sent.
  void settle_lost(Attempt& attempt, std::size_t flow);
  /// Ends its packets, and wakes who waits for them when the present event is over.
  void abort_packets(Attempt& attempt);
  [[nodiscard]] const PreparedPlan& plan() const { return *attempt_->plan; }

  Networks networks_;
  const std::vector<simgrid::s4u::SemaphorePtr>* gates_;
  bool propagation_;
  std::vector<IslandId> ready_;
  std::vector<IslandId> left_;
  std::vector<IslandId> awaiting_;  ///< its beginning
  std::vector<IslandId> expected_;  ///< have not come to await it before it began
  bool dropped_ = false;
  bool partly_ = false;
  bool has_begun_ = false;
  bool called_off_ = false;
  bool finished_ = false;
  bool held_ = false;
  std::shared_ptr<Attempt> attempt_;
  Bytes lost_wan_bytes_;  ///< of attempts that were left
  std::int64_t lost_retransmissions_ = 0;
};

}  // namespace gyre
