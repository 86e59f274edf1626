#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "models/task.hpp"
#include "sim/prepared_plan.hpp"

namespace gyre {

/// One clique's exchange in one round: the meeting of its members and the running of its plan.
/// Starts when the last member is ready; each member leaves when it has sent and received all that
/// the plan has for it. Each method that blocks runs in the actor of the member that it names.
class CliqueExchange {
 public:
  /// `gates` holds one semaphore an island, which only that island acquires. Without propagation
  /// the deliveries' latencies count as zero.
  CliqueExchange(std::shared_ptr<const PreparedPlan> plan, FlowNetwork& flows,
                 const std::vector<simgrid::s4u::SemaphorePtr>& gates, bool propagation);

  /// Blocks until all members are ready. Returns true for the one that came last, which calls
  /// `begin` and by it lets the others go on.
  bool meet(IslandId member);
  void begin(IslandId member);
  /// Plays the member's part. Blocks until it holds the result.
  void take_part(IslandId member);
  /// The member has left; true for the last one.
  bool leave();

  [[nodiscard]] const PreparedPlan& prepared() const { return *plan_; }
  [[nodiscard]] std::size_t missing() const { return plan_->plan.members.size() - ready_.size(); }
  /// Members that have arrived, in order of arrival.
  [[nodiscard]] const std::vector<IslandId>& ready() const { return ready_; }

  Model average;        ///< of the members, taken at `begun`
  Duration compute;     ///< the longest of the members'
  Duration wait;        ///< sum over members from ready to begun
  Instant began_round;  ///< when the first member began the round
  Instant begun;

 private:
  void start(IslandId starter, std::size_t flow);
  /// Blocks until the flow has left; returns when `member` is done with it.
  Instant settle(std::size_t flow, IslandId member);

  std::shared_ptr<const PreparedPlan> plan_;
  FlowNetwork* flows_;
  const std::vector<simgrid::s4u::SemaphorePtr>* gates_;
  bool propagation_;
  std::vector<IslandId> ready_;
  std::size_t left_ = 0;
  struct FlowState {
    FlowHandle handle;
    std::optional<IslandId> waiting;  ///< for its start
    bool accounted = false;
  };
  std::vector<FlowState> states_;
};

}  // namespace gyre
