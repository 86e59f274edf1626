#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "models/topology.hpp"
#include "sim/packet_flow.hpp"
#include "sim/platform.hpp"

namespace gyre {

enum class PacketEventKind : std::uint8_t {
  kArrive,  ///< a chunk, at the end of lane `index`
  kAdded,   ///< a chunk, behind the adder
  kAdderFree,
  kPortFree,  ///< port of arc `index`
  kCredit,    ///< room behind lane `index`
  kLaunch,    ///< source `index`
  kEmit,      ///< source `index`
  kFairEnd,   ///< the flow would have left at its fair share
  kAck,       ///< of `chunk`, to source `index`
  kAsk,       ///< source `index` for `chunk` again
  kTimeout,   ///< of the chunk that source `index` has waited for longest
  kFlush,     ///< row `index` sends its partial sum of `chunk`
  kRelease,   ///< row `index` needs `chunk` no longer
  kDown,      ///< the switch loses what it holds
};

struct PacketEvent {
  double time_s = 0.0;
  PacketEventKind kind = PacketEventKind::kArrive;
  bool resent = false;
  bool reply = false;
  std::uint32_t index = 0;
  PacketFlow* flow = nullptr;
  std::int64_t chunk = 0;
  Contributors from = 0;
};

/// What each node has to do and when: an actor a node, a switch or an island's interface, that
/// sleeps until its next event and handles all that are due, at equal times in the order in which
/// they were put in.
class PacketAgenda {
 public:
  using Handler = std::function<void(NodeId, const PacketEvent&)>;

  PacketAgenda(const Topology& topology, const Platform& platform);
  /// Starts the nodes' actors, which live until no other actor does.
  void start(Handler handler);
  void put(NodeId node, const PacketEvent& event);
  /// Wakes whoever waits at a gate when the present event has been handled: waking lets other
  /// actors run at once, which must not see half of it.
  void wake(const simgrid::s4u::SemaphorePtr& gate) { to_wake_.push_back(gate); }
  /// Wakes them now. Whoever is no node and has put events in calls it when it is done.
  void flush();
  [[nodiscard]] std::int64_t handled() const { return handled_; }
  /// No node acts any more.
  void stop() { stopped_ = true; }

 private:
  struct Entry {
    PacketEvent event;
    std::uint64_t order = 0;
  };
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const {
      return a.event.time_s != b.event.time_s ? a.event.time_s > b.event.time_s : a.order > b.order;
    }
  };
  struct Node {
    std::priority_queue<Entry, std::vector<Entry>, Later> entries;
    simgrid::s4u::SemaphorePtr gate;
    std::uint64_t next_order = 0;
    double armed_s = 0.0;  ///< until when it sleeps; 0 while it acts
  };
  void live(NodeId node);

  const Topology* topology_;
  const Platform* platform_;
  Handler handler_;
  std::vector<Node> nodes_;
  std::vector<simgrid::s4u::SemaphorePtr> to_wake_;
  std::int64_t handled_ = 0;
  bool stopped_ = false;
};

}  // namespace gyre
