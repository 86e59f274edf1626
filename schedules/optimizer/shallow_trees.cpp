#include "schedules/optimizer/shallow_trees.hpp"

#include <algorithm>
#include <utility>

#include "models/error.hpp"

namespace gyre {
namespace {

class Growth {
 public:
  Growth(const Legs& legs, NodeId root, const GrowthRules& rules, Duration depth_limit)
      : legs_(legs), topology_(legs.map().topology()), rules_(rules), limit_(depth_limit) {
    points_.push_back({.node = root, .depth = Duration()});
  }

  /// Joins the terminal that is cheapest to join, and takes it out of the list.
  void join_next(std::vector<IslandId>& left) {
    Choice best;
    bool found = false;
    for (std::size_t t = 0; t < left.size(); ++t) {
      const NodeId terminal = topology_.node(left[t]);
      for (std::size_t p = 0; p < points_.size(); ++p) {
        const NodeId from = scatters() ? points_[p].node : terminal;
        const NodeId to = scatters() ? terminal : points_[p].node;
        const Choice one{.terminal = t,
                         .point = p,
                         .price = legs_.price(from, to),
                         .depth = points_[p].depth + legs_.latency(from, to)};
        if (!found || better(one, best)) best = one;
        found = true;
      }
    }
    const IslandId island = left[best.terminal];
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best.terminal));
    join(best, island);
  }

  [[nodiscard]] GrownTree finished() && { return std::move(tree_); }

 private:
  /// Where the tree may be continued.
  struct Point {
    NodeId node;
    Duration depth;
  };
  struct Choice {
    std::size_t terminal = 0;
    std::size_t point = 0;
    double price = 0.0;
    Duration depth;
  };

  [[nodiscard]] bool scatters() const { return rules_.direction == TreeDirection::kScatter; }
  [[nodiscard]] bool better(const Choice& a, const Choice& b) const {
    const bool a_fits = a.depth <= limit_;
    const bool b_fits = b.depth <= limit_;
    if (a_fits != b_fits) return a_fits;
    if (!a_fits) return a.depth < b.depth;
    return a.price != b.price ? a.price < b.price : a.depth < b.depth;
  }

  void join(const Choice& choice, IslandId island) {
    const NodeId near = points_[choice.point].node;
    const NodeId far = topology_.node(island);
    split_at(near);
    Duration depth = points_[choice.point].depth;
    // From the near end on, switches that branch are points too.
    std::vector<ArcId> path =
        scatters() ? legs_.map().path(near, far) : legs_.map().path(far, near);
    std::vector<ArcId> outwards = path;
    if (!scatters()) std::reverse(outwards.begin(), outwards.end());
    for (const ArcId a : outwards) {
      depth += topology_.arc(a).latency;
      const NodeId node = scatters() ? topology_.arc(a).head : topology_.arc(a).tail;
      if (!topology_.is_switch(node)) continue;
      const SwitchId s = topology_.switch_at(node);
      const bool branches =
          std::find(rules_.branches.begin(), rules_.branches.end(), s) != rules_.branches.end();
      const bool known = std::any_of(points_.begin(), points_.end(),
                                     [node](const Point& point) { return point.node == node; });
      if (branches && !known) points_.push_back({.node = node, .depth = depth});
    }
    if (rules_.relay) points_.push_back({.node = far, .depth = choice.depth});
    tree_.price += choice.price;
    tree_.depth = std::max(tree_.depth, choice.depth);
    tree_.hops.push_back(
        {.from = scatters() ? near : far, .to = scatters() ? far : near, .path = std::move(path)});
  }

  /// If the first way that leads through the switch only passes it, two hops meet there from now
  /// on.
  void split_at(NodeId node) {
    if (!topology_.is_switch(node) || node == points_.front().node) return;
    for (std::size_t h = 0; h < tree_.hops.size(); ++h) {
      Hop& hop = tree_.hops[h];
      if ((scatters() ? hop.to : hop.from) == node) return;
      for (std::size_t i = 0; i + 1 < hop.path.size(); ++i) {
        if (topology_.arc(hop.path[i]).head != node) continue;
        const auto cut = hop.path.begin() + static_cast<std::ptrdiff_t>(i) + 1;
        Hop rest{.from = node, .to = hop.to, .path = {cut, hop.path.end()}};
        hop.path.erase(cut, hop.path.end());
        hop.to = node;
        tree_.hops.insert(tree_.hops.begin() + static_cast<std::ptrdiff_t>(h) + 1, std::move(rest));
        return;
      }
    }
  }

  const Legs& legs_;
  const Topology& topology_;
  const GrowthRules& rules_;
  Duration limit_;
  std::vector<Point> points_;
  GrownTree tree_;
};

}  // namespace

Legs::Legs(const PricedMap& map, std::span<const NodeId> nodes)
    : map_(&map),
      nodes_(nodes.size()),
      place_(map.topology().node_count(), nodes.size()),
      price_(nodes_ * nodes_, 0.0),
      latency_(nodes_ * nodes_) {
  for (std::size_t n = 0; n < nodes_; ++n) place_[nodes[n].index()] = n;
  for (const NodeId from : nodes) {
    for (const NodeId to : nodes) {
      price_[at(from, to)] = map.cost(from, to);
      latency_[at(from, to)] = path_latency(map.topology(), map.path(from, to));
    }
  }
}

GrownTree grow_tree(const Legs& legs, NodeId root, std::span<const IslandId> terminals,
                    const GrowthRules& rules, Duration depth_limit) {
  const Topology& topology = legs.map().topology();
  std::vector<IslandId> left;
  for (const IslandId i : terminals) {
    if (topology.node(i) != root) left.push_back(i);
  }
  Growth growth(legs, root, rules, depth_limit);
  while (!left.empty()) growth.join_next(left);
  return std::move(growth).finished();
}

}  // namespace gyre
