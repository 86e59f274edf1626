#include <algorithm>

#include "schedules/policy.hpp"
#include "schedules/spanning_tree.hpp"

namespace gyre {
namespace {

/// A spanning tree with a bound on the degree, since an island that sends to many shares its access
/// link among them: of the trees with at most 2, 3, … neighbours that with the quickest bottleneck
/// (Marfoq et al. 2020, arXiv 2010.12229). An edge between i and j takes
///
///     latency + M · max(deg i / up i, deg j / down j),    the mean of both ways.
///
/// Metropolis–Hastings weights.
class DeltaMbst final : public Policy {
 public:
  void describe(Fields& /*fields*/) override {}
  void start(const PolicyContext& context) override {
    const std::size_t n = context.topology.island_count();
    const Bytes payload = context.exchanges == nullptr ? Bytes() : context.exchanges->payload;
    const Lengths lengths = mean_latencies(context.topology);
    Edges best;
    double best_s = 0.0;
    for (std::size_t bound = 2; bound < std::max<std::size_t>(n, 3); ++bound) {
      Edges tree = spanning_tree(lengths, bound);
      // A bound that no node has reached changes nothing, and a wider one neither.
      const bool free = most_neighbours(tree, n) < bound;
      const double slowest_s = slowest_edge(context.topology, lengths, tree, payload);
      if (bound == 2 || slowest_s < best_s) {
        best_s = slowest_s;
        best = std::move(tree);
      }
      if (free) break;
    }
    round_ = make_overlay(metropolis(best, n), n);
  }
  Round round(std::int64_t /*number*/) override { return round_; }
  [[nodiscard]] bool overlay() const override { return true; }

 private:
  using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

  static std::size_t most_neighbours(const Edges& tree, std::size_t islands) {
    std::vector<std::size_t> degrees(islands, 0);
    for (const auto& [a, b] : tree) {
      ++degrees[a];
      ++degrees[b];
    }
    return *std::ranges::max_element(degrees);
  }

  static double slowest_edge(const Topology& topology, const Lengths& lengths, const Edges& tree,
                             Bytes payload) {
    std::vector<double> degrees(topology.island_count(), 0.0);
    for (const auto& [a, b] : tree) {
      ++degrees[a];
      ++degrees[b];
    }
    const auto sending = [&](std::size_t from, std::size_t to) {
      const double up_s = (payload / topology.island(IslandId::at(from)).up).in_seconds();
      const double down_s = (payload / topology.island(IslandId::at(to)).down).in_seconds();
      return std::max(degrees[from] * up_s, degrees[to] * down_s);
    };
    double slowest_s = 0.0;
    for (const auto& [a, b] : tree) {
      slowest_s = std::max(slowest_s, lengths[a][b] + 0.5 * (sending(a, b) + sending(b, a)));
    }
    return slowest_s;
  }

  Round round_;
};

}  // namespace

std::unique_ptr<Policy> make_delta_mbst() { return std::make_unique<DeltaMbst>(); }

}  // namespace gyre
