#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/model_mixer.hpp"
#include "sim/prepared_plan.hpp"

namespace gyre {

/// The one of both that runs.
struct Networks {
  FlowNetwork* flows = nullptr;
  PacketNetwork* packets = nullptr;
  bool eager = false;  ///< at fidelity `packet` who is ready launches its part of sums
};

/// One clique's exchange in one round: the meeting of its members and the running of its plan.
/// Starts when the last member is ready; each member leaves when it has sent and received all that
/// the plan has for it. Each method that blocks runs in the actor of the member that it names.
class CliqueExchange {
 public:
  /// `gates` holds one semaphore an island, which only that island acquires. Without propagation
  /// the deliveries' latencies count as zero.
  CliqueExchange(std::shared_ptr<const PreparedPlan> plan, Networks networks,
                 const std::vector<simgrid::s4u::SemaphorePtr>& gates, bool propagation);
  ~CliqueExchange();
  CliqueExchange(const CliqueExchange&) = delete;
  CliqueExchange& operator=(const CliqueExchange&) = delete;

  /// Blocks until all members are ready. Returns true for the one that came last, which calls
  /// `begin` and by it lets the others go on.
  bool meet(IslandId member);
  void begin(IslandId member);
  /// Plays the member's part. Blocks until it holds the result.
  void take_part(IslandId member);
  /// The member has left; true for the last one.
  bool leave();
  /// The members do without the exchange: whoever is in it leaves at this instant.
  void drop();
  [[nodiscard]] bool dropped() const { return dropped_; }
  /// It was dropped when some members had left with the result.
  [[nodiscard]] bool partly_dropped() const { return partly_; }
  /// What ran over core arcs, repeated chunks included.
  [[nodiscard]] Bytes wan_bytes() const;
  [[nodiscard]] std::int64_t retransmissions() const;
  /// Called when a flow gives up, before anybody leaves.
  std::function<void(const std::string& why)> on_give_up;

  [[nodiscard]] const PreparedPlan& prepared() const { return *plan_; }
  [[nodiscard]] std::size_t missing() const { return plan_->plan.members.size() - ready_.size(); }
  /// Members that have arrived, in order of arrival.
  [[nodiscard]] const std::vector<IslandId>& ready() const { return ready_; }
  /// Whether members may have sent before all were ready.
  [[nodiscard]] bool eager() const { return networks_.eager; }

  /// What the members make of each other's models; none where nothing is learnt.
  std::unique_ptr<ModelMixer::Mix> mix;
  double sum_error = 0.0;  ///< largest error of a parameter by the switches' numbers
  Duration compute;        ///< the longest of the members'
  Duration wait;           ///< sum over members from ready to begun
  Instant first_ready;
  Instant began_round;  ///< when the first member began the round
  Instant begun;

 private:
  void start(IslandId starter, std::size_t flow);
  /// The flow's packets, opened when first asked for.
  PacketFlow& packets(std::size_t flow);
  [[nodiscard]] bool launches_alone(std::size_t flow) const;
  /// Blocks until the flow has left; returns when `member` is done with it.
  Instant settle(std::size_t flow, IslandId member);

  std::shared_ptr<const PreparedPlan> plan_;
  Networks networks_;
  const std::vector<simgrid::s4u::SemaphorePtr>* gates_;
  bool propagation_;
  std::vector<IslandId> ready_;
  std::size_t left_ = 0;
  bool dropped_ = false;
  bool partly_ = false;
  struct FlowState {
    FlowHandle handle;
    std::shared_ptr<PacketFlow> packets;
    bool launched = false;            ///< in packets
    std::optional<IslandId> waiting;  ///< for its start
    bool accounted = false;
  };
  std::vector<FlowState> states_;
};

}  // namespace gyre
