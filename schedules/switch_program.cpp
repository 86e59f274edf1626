#include "schedules/switch_program.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "models/error.hpp"

namespace gyre {
namespace {

/// One direction of a stream without a shape, seen from its root.
class Unfolding {
 public:
  Unfolding(const Network& network, const std::vector<ArcUse>& arcs, bool from_root)
      : topology_(network.topology), from_root_(from_root) {
    for (const ArcUse& use : arcs) {
      children_[near(use.arc)].push_back(use.arc);
      copies_[use.arc] = use.copies;
    }
  }

  std::vector<Hop> hops(NodeId root) {
    for (const ArcId arc : children_[root]) walk(root, {}, arc);
    return std::move(hops_);
  }

 private:
  [[nodiscard]] NodeId near(ArcId a) const {
    return from_root_ ? topology_.arc(a).tail : topology_.arc(a).head;
  }
  [[nodiscard]] NodeId far(ArcId a) const {
    return from_root_ ? topology_.arc(a).head : topology_.arc(a).tail;
  }

  void walk(NodeId begin, std::vector<ArcId> path, ArcId next) {
    path.push_back(next);
    const NodeId at = far(next);
    const std::vector<ArcId>& onward = children_[at];
    int copies_onward = 0;
    for (const ArcId arc : onward) copies_onward += copies_.at(arc);
    // Only a capable switch sends more copies on than it got.
    const bool branches = copies_onward > copies_.at(next);
    if (topology_.is_switch(at) && !branches) {
      for (const ArcId arc : onward) walk(begin, path, arc);
      return;
    }
    if (!from_root_) std::reverse(path.begin(), path.end());
    hops_.push_back(
        {.from = from_root_ ? begin : at, .to = from_root_ ? at : begin, .path = std::move(path)});
    if (!topology_.is_switch(at)) return;
    for (const ArcId arc : onward) walk(at, {}, arc);
  }

  const Topology& topology_;
  bool from_root_;
  std::map<NodeId, std::vector<ArcId>> children_;
  std::map<ArcId, int> copies_;
  std::vector<Hop> hops_;
};

/// The node where the ways up of a stream end.
NodeId end_of(const Topology& topology, const std::vector<ArcUse>& up) {
  std::set<NodeId> leaves;
  for (const ArcUse& use : up) leaves.insert(topology.arc(use.arc).tail);
  for (const ArcUse& use : up) {
    if (!leaves.contains(topology.arc(use.arc).head)) return topology.arc(use.arc).head;
  }
  broken_invariant("a way up without an end");
}

std::vector<ArcUse> without(const std::vector<ArcUse>& all, const std::vector<ArcUse>& part) {
  std::map<ArcId, int> copies;
  for (const ArcUse& use : all) copies[use.arc] += use.copies;
  for (const ArcUse& use : part) copies[use.arc] -= use.copies;
  std::vector<ArcUse> rest;
  for (const auto& [arc, count] : copies) {
    if (count > 0) rest.push_back({.arc = arc, .copies = count});
  }
  return rest;
}

/// Depth of the nodes on the way up, from the root.
std::map<NodeId, Duration> depths_up(const Topology& topology, const TreeShape& shape) {
  std::map<NodeId, Duration> depth{{shape.root, Duration()}};
  for (bool changed = true; changed;) {
    changed = false;
    for (const Hop& hop : shape.up) {
      if (!depth.contains(hop.to) || depth.contains(hop.from)) continue;
      depth[hop.from] = depth.at(hop.to) + path_latency(topology, hop.path);
      changed = true;
    }
  }
  return depth;
}

class Compiler {
 public:
  Compiler(const Network& network, const ExchangePlan& plan)
      : network_(network), topology_(network.topology), plan_(plan) {}

  SwitchProgram run() {
    SwitchProgram program;
    for (const Flow& flow : plan_.flows) program.flows.push_back(compiled(flow.stream));
    return program;
  }

 private:
  ProgramFlow compiled(const Stream& stream) {
    const TreeShape shape = shape_of(network_, stream);
    ProgramFlow flow;
    flow.root = shape.root;
    std::map<NodeId, ProgramEntry> meeting;  // where hops end and begin, on the way up and down
    std::map<NodeId, ProgramEntry> branching;
    std::map<NodeId, std::vector<Port>> first;  // of each source
    for (const Hop& hop : shape.up) {
      const auto [begin, end] = forward(flow, hop);
      meeting[hop.to].in.push_back(end);
      if (hop.from != shape.root) first[hop.from].push_back(begin);
    }
    for (const Hop& hop : shape.down) {
      const auto [begin, end] = forward(flow, hop);
      branching[hop.from].out.push_back(begin);
      branching[hop.to].in.push_back(end);
    }
    // On the way up a node sends what has met there, together with its own.
    for (auto& [node, entry] : meeting) {
      if (node == shape.root) continue;
      entry.out = first.at(node);
      add(flow, node, entry);
    }
    // At the root the sums turn round.
    ProgramEntry turn{.node = shape.root, .in = {}, .out = {}};
    if (meeting.contains(shape.root)) turn.in = meeting.at(shape.root).in;
    if (branching.contains(shape.root)) turn.out = branching.at(shape.root).out;
    if (!turn.in.empty() && !turn.out.empty()) add(flow, shape.root, turn);
    if (!turn.in.empty() && turn.out.empty()) flow.ends = turn.in;
    if (turn.in.empty()) first[shape.root] = turn.out;
    for (auto& [node, entry] : branching) {
      if (node == shape.root) continue;
      if (!topology_.is_switch(node)) {
        flow.ends.insert(flow.ends.end(), entry.in.begin(), entry.in.end());
      }
      if (!entry.out.empty()) add(flow, node, entry);
    }
    const std::map<NodeId, Duration> depth = depths_up(topology_, shape);
    Duration deepest;
    for (const auto& [node, time] : depth) deepest = std::max(deepest, time);
    for (const IslandId source : stream.sources) {
      const NodeId node = topology_.node(source);
      // Who waits for others sends with them.
      if (!meeting.contains(node) && first.contains(node)) {
        flow.starts.emplace_back(source, first.at(node));
      }
      if (!shape.up.empty()) flow.launch_offsets.emplace_back(source, deepest - depth.at(node));
    }
    return flow;
  }

  /// Rows of the switches that a hop passes; its first and last port.
  std::pair<Port, Port> forward(ProgramFlow& flow, const Hop& hop) {
    const std::uint32_t label = next_label_++;
    for (std::size_t i = 0; i + 1 < hop.path.size(); ++i) {
      flow.rows.push_back({.node = topology_.arc(hop.path[i]).head,
                           .in = {{hop.path[i], label}},
                           .out = {{hop.path[i + 1], label}}});
    }
    return {{hop.path.front(), label}, {hop.path.back(), label}};
  }
  static void add(ProgramFlow& flow, NodeId node, ProgramEntry entry) {
    entry.node = node;
    flow.rows.push_back(std::move(entry));
  }

  const Network& network_;
  const Topology& topology_;
  const ExchangePlan& plan_;
  std::uint32_t next_label_ = 1;
};

}  // namespace

TreeShape shape_of(const Network& network, const Stream& stream) {
  if (stream.shape) return *stream.shape;
  const Topology& topology = network.topology;
  TreeShape shape;
  if (!stream.up.empty()) {
    shape.root = end_of(topology, stream.up);
    shape.up = Unfolding(network, stream.up, false).hops(shape.root);
    shape.down = Unfolding(network, without(stream.arcs, stream.up), true).hops(shape.root);
  } else if (stream.sources.size() == 1) {
    shape.root = topology.node(stream.sources.front());
    shape.down = Unfolding(network, stream.arcs, true).hops(shape.root);
  } else {
    shape.root = topology.node(stream.deliveries.front().receiver);
    shape.up = Unfolding(network, stream.arcs, false).hops(shape.root);
  }
  return shape;
}

SwitchProgram compile(const Network& network, const ExchangePlan& plan) {
  return Compiler(network, plan).run();
}

std::vector<ArcUse> played_arcs(const Topology& topology, const ProgramFlow& flow) {
  const std::vector<ProgramEntry>& rows = flow.rows;
  std::map<Port, std::size_t> row_of;  // by the port that feeds it
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const Port& port : rows[r].in) row_of[port] = r;
  }
  std::vector<std::size_t> arrived(rows.size(), 0);
  std::vector<Port> under_way;
  for (const auto& [island, ports] : flow.starts) {
    under_way.insert(under_way.end(), ports.begin(), ports.end());
  }
  std::map<ArcId, int> copies;
  std::size_t ended = 0;
  while (!under_way.empty()) {
    const Port port = under_way.back();
    under_way.pop_back();
    ++copies[port.arc];
    check(copies.size() <= topology.arc_count(), "a packet left the map");
    if (std::find(flow.ends.begin(), flow.ends.end(), port) != flow.ends.end()) ++ended;
    const auto row = row_of.find(port);
    if (row == row_of.end()) continue;
    if (++arrived[row->second] < rows[row->second].in.size()) continue;
    const std::vector<Port>& out = rows[row->second].out;
    under_way.insert(under_way.end(), out.begin(), out.end());
  }
  check(ended == flow.ends.size(), "a switch program does not deliver");
  std::vector<ArcUse> arcs;
  arcs.reserve(copies.size());
  for (const auto& [arc, count] : copies) arcs.push_back({.arc = arc, .copies = count});
  return arcs;
}

std::vector<SwitchDemand> demands(const Topology& topology,
                                  const std::vector<SwitchProgram>& programs) {
  std::vector<SwitchDemand> all(topology.switch_count());
  for (const SwitchProgram& program : programs) {
    for (const ProgramFlow& flow : program.flows) {
      for (const ProgramEntry& entry : flow.rows) {
        if (!topology.is_switch(entry.node)) continue;
        SwitchDemand& demand = all[entry.node.index()];
        ++demand.rows;
        if (entry.in.size() > 1) ++demand.groups;
        demand.fan_in = std::max(demand.fan_in, entry.in.size());
        if (entry.out.size() > 1) ++demand.replications;
      }
    }
  }
  return all;
}

}  // namespace gyre
