#include "models/routing.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

#include "models/error.hpp"

namespace gyre {
namespace {

std::int64_t picoseconds(Duration latency) {
  return static_cast<std::int64_t>(std::llround(latency.in_seconds() * 1e12));
}

}  // namespace

Routes::Routes(const Topology& topology, const std::vector<ArcId>& without)
    : topology_(&topology),
      without_(topology.arc_count(), false),
      in_(topology.node_count()),
      out_(topology.node_count()) {
  for (const ArcId arc : without) without_[arc.index()] = true;
}

const Routes::Tree& Routes::tree(Direction direction, NodeId root) const {
  std::optional<Tree>& slot = (direction == Direction::kIn ? in_ : out_)[root.index()];
  if (slot) return *slot;

  // Label: latency (ps), number of arcs. A node's arc is the lowest-numbered of those that give its
  // final label, whatever the order of the queue.
  using Label = std::pair<std::int64_t, int>;
  const std::size_t n = topology_->node_count();
  constexpr Label kUnseen{std::numeric_limits<std::int64_t>::max(), 0};
  std::vector<Label> label(n, kUnseen);
  std::vector<bool> settled(n, false);
  Tree tree;
  tree.arc.resize(n);
  tree.latency.resize(n);
  using Entry = std::tuple<std::int64_t, int, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  label[root.index()] = Label{0, 0};
  queue.emplace(0, 0, root.index());
  while (!queue.empty()) {
    const auto [distance, hops, at] = queue.top();
    queue.pop();
    if (settled[at]) continue;
    settled[at] = true;
    const NodeId node = NodeId::at(at);
    if (node != root && !topology_->is_switch(node)) continue;
    const auto arcs =
        direction == Direction::kIn ? topology_->in_arcs(node) : topology_->out_arcs(node);
    for (const ArcId a : arcs) {
      if (without_[a.index()]) continue;
      const Arc& arc = topology_->arc(a);
      const std::size_t to = (direction == Direction::kIn ? arc.tail : arc.head).index();
      const Label through{distance + picoseconds(arc.latency), hops + 1};
      if (settled[to] || label[to] < through) continue;
      if (label[to] == through && tree.arc[to].value_or(a) < a) continue;
      label[to] = through;
      tree.arc[to] = a;
      tree.latency[to] = tree.latency[at] + arc.latency;
      queue.emplace(through.first, through.second, to);
    }
  }
  slot = std::move(tree);
  return *slot;
}

ArcId Routes::next_arc(NodeId at, NodeId destination) const {
  const std::optional<ArcId>& arc = tree(Direction::kIn, destination).arc[at.index()];
  if (!arc) broken_invariant("no route");
  return *arc;
}

ArcId Routes::parent_arc(NodeId source, NodeId node) const {
  const std::optional<ArcId>& arc = tree(Direction::kOut, source).arc[node.index()];
  if (!arc) broken_invariant("no route");
  return *arc;
}

std::vector<ArcId> Routes::path(NodeId from, NodeId to) const {
  std::vector<ArcId> arcs;
  for (NodeId at = from; at != to; at = topology_->arc(arcs.back()).head) {
    arcs.push_back(next_arc(at, to));
  }
  return arcs;
}

bool Routes::leads(NodeId from, NodeId to) const {
  return from == to || tree(Direction::kIn, to).arc[from.index()].has_value();
}

Duration Routes::latency(NodeId from, NodeId to) const {
  return tree(Direction::kIn, to).latency[from.index()];
}

}  // namespace gyre
