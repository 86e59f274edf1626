#include "schedules/stream_latency.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace gyre {
namespace {

/// Steps of a tree by the node at one end of theirs: the other end, and how long they take.
class Steps {
 public:
  void add(NodeId at, NodeId next, Duration time) { steps_[at].emplace_back(next, time); }
  /// The longest way over them from a node on.
  [[nodiscard]] Duration longest(NodeId from) const {
    Duration most;
    const auto found = steps_.find(from);
    if (found == steps_.end()) return most;
    for (const auto& [next, time] : found->second) most = std::max(most, time + longest(next));
    return most;
  }

 private:
  std::map<NodeId, std::vector<std::pair<NodeId, Duration>>> steps_;
};

int copies_in(std::span<const ArcUse> uses, ArcId arc) {
  for (const ArcUse& use : uses) {
    if (use.arc == arc) return use.copies;
  }
  return 0;
}

}  // namespace

std::vector<Delivery> deliveries_at(const Topology& topology, const Stream& stream,
                                    std::span<const Duration> latencies) {
  // Both ways are followed against the data: from the root to the sources, and from a receiver to
  // the root.
  Steps up;
  Steps down;
  NodeId root = topology.node(stream.sources.front());
  if (stream.shape) {
    root = stream.shape->root;
    const auto add = [&](Steps& steps, const Hop& hop) {
      Duration time;
      for (const ArcId arc : hop.path) time += latencies[arc.index()];
      steps.add(hop.to, hop.from, time);
    };
    for (const Hop& hop : stream.shape->up) add(up, hop);
    for (const Hop& hop : stream.shape->down) add(down, hop);
  } else {
    const bool gathers = stream.up.empty() && stream.sources.size() > 1;
    const std::span<const ArcUse> rising = gathers ? stream.arcs : stream.up;
    for (const ArcUse& use : stream.arcs) {
      const Arc& arc = topology.arc(use.arc);
      const Duration time = latencies[use.arc.index()];
      const int copies = copies_in(rising, use.arc);
      if (copies > 0) up.add(arc.head, arc.tail, time);
      if (copies < use.copies) down.add(arc.head, arc.tail, time);
    }
    if (gathers) root = topology.node(stream.deliveries.front().receiver);
    // The one node that what rises reaches and does not leave.
    for (const ArcUse& use : stream.up) {
      const NodeId head = topology.arc(use.arc).head;
      const bool is_left =
          std::any_of(stream.up.begin(), stream.up.end(),
                      [&](const ArcUse& other) { return topology.arc(other.arc).tail == head; });
      if (!is_left) root = head;
    }
  }
  const Duration depth = up.longest(root);
  std::vector<Delivery> deliveries;
  deliveries.reserve(stream.deliveries.size());
  for (const Delivery& delivery : stream.deliveries) {
    deliveries.push_back({.receiver = delivery.receiver,
                          .latency = depth + down.longest(topology.node(delivery.receiver))});
  }
  return deliveries;
}

}  // namespace gyre
