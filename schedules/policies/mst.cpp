#include <limits>

#include "models/routing.hpp"
#include "schedules/policy.hpp"

namespace gyre {
namespace {

/// The minimum spanning tree of the islands, edges as long as the mean of both ways' latencies
/// (Prim; ties: the lower ranks), with Metropolis–Hastings weights.
class Mst final : public Policy {
 public:
  void describe(Fields& /*fields*/) override {}
  void start(const PolicyContext& context) override {
    const Topology& topology = context.topology;
    const Routes routes(topology);
    const std::size_t n = topology.island_count();
    const auto length = [&](std::size_t a, std::size_t b) {
      const NodeId first = topology.node(IslandId::at(a));
      const NodeId second = topology.node(IslandId::at(b));
      return (routes.latency(first, second) + routes.latency(second, first)).in_seconds();
    };
    std::vector<double> nearest_s(n, std::numeric_limits<double>::infinity());
    std::vector<std::size_t> nearest(n, 0);
    std::vector<bool> joined(n, false);
    std::vector<std::pair<std::size_t, std::size_t>> tree;
    std::size_t last = 0;
    for (std::size_t count = 1; count < n; ++count) {
      joined[last] = true;
      std::size_t best = n;
      for (std::size_t i = 0; i < n; ++i) {
        if (joined[i]) continue;
        if (length(last, i) < nearest_s[i]) {
          nearest_s[i] = length(last, i);
          nearest[i] = last;
        }
        if (best == n || nearest_s[i] < nearest_s[best]) best = i;
      }
      tree.emplace_back(nearest[best], best);
      last = best;
    }
    round_ = make_overlay(metropolis(tree, n), n);
  }
  Round round(std::int64_t /*number*/) override { return round_; }
  [[nodiscard]] bool overlay() const override { return true; }

 private:
  Round round_;
};

}  // namespace

std::unique_ptr<Policy> make_mst() { return std::make_unique<Mst>(); }

}  // namespace gyre
