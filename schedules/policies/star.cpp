#include <algorithm>

#include "models/error.hpp"
#include "models/routing.hpp"
#include "schedules/policy.hpp"

namespace gyre {
namespace {

/// Every island mixes with one hub, with Metropolis–Hastings weights 1/n. The hub is the island
/// whose switch carries most least-latency paths between other islands (load centrality); of equals
/// the one with the least sum of latencies, then the lowest rank. (Islands that hand their models
/// to the hub and take back the exact average are an `all-reduce`.)
class Star final : public Policy {
 public:
  void describe(Fields& fields) override {
    fields.optional({"hub", "The island in the middle; by default the one on most paths."}, hub_);
  }
  void start(const PolicyContext& context) override {
    const Topology& topology = context.topology;
    const std::size_t n = topology.island_count();
    const std::size_t hub = hub_ ? known(topology) : most_central(topology);
    std::vector<std::pair<std::size_t, std::size_t>> graph;
    for (std::size_t i = 0; i < n; ++i) {
      if (i != hub) graph.emplace_back(std::min(i, hub), std::max(i, hub));
    }
    round_ = make_overlay(metropolis(graph, n), n);
  }
  Round round(std::int64_t /*number*/) override { return round_; }
  [[nodiscard]] bool overlay() const override { return true; }

 private:
  [[nodiscard]] std::size_t known(const Topology& topology) const {
    const std::optional<IslandId> found = topology.find_island(hub_->value);
    if (found) return found->index();
    throw InputError(hub_->where, "'" + hub_->value + "' is no island of this topology" +
                                      did_you_mean(hub_->value, topology.island_names()) +
                                      "; islands: " + one_of(topology.island_names()));
  }

  static std::size_t most_central(const Topology& topology) {
    const Routes routes(topology);
    const std::size_t n = topology.island_count();
    std::vector<std::size_t> carried(topology.switch_count(), 0);
    std::vector<Duration> distance(n);
    for (std::size_t j = 0; j < n; ++j) {
      const NodeId to = topology.node(IslandId::at(j));
      const NodeId last = topology.node(topology.island(IslandId::at(j)).at);
      for (std::size_t i = 0; i < n; ++i) {
        if (i == j) continue;
        const NodeId from = topology.node(IslandId::at(i));
        distance[i] += routes.latency(from, to) + routes.latency(to, from);
        // Between the first and the last switch of the path.
        NodeId at = topology.node(topology.island(IslandId::at(i)).at);
        while (at != last) {
          at = topology.arc(routes.next_arc(at, to)).head;
          if (at != last) ++carried[at.index()];
        }
      }
    }
    std::size_t best = 0;
    const auto load = [&](std::size_t i) {
      return carried[topology.island(IslandId::at(i)).at.index()];
    };
    for (std::size_t i = 1; i < n; ++i) {
      if (load(i) > load(best) || (load(i) == load(best) && distance[i] < distance[best])) best = i;
    }
    return best;
  }

  std::optional<Text> hub_;
  Round round_;
};

}  // namespace

std::unique_ptr<Policy> make_star() { return std::make_unique<Star>(); }

}  // namespace gyre
