#include <algorithm>

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/routing.hpp"
#include "schedules/policy.hpp"

namespace gyre {
namespace {

/// Regions that average among themselves, and every few rounds their leaders with each other: the
/// members with the least sum of latencies to and from the islands of other regions. What leaders
/// bring home spreads with their region's next average.
class Hierarchical final : public Policy {
 public:
  void describe(Fields& fields) override {
    fields.required({"regions", "The regions as cliques: A+B+C|D+E."}, regions_);
    fields.optional({"every", "Rounds of the regions to one of their leaders."}, every_,
                    Range{.at_least = 1.0});
  }
  void start(const PolicyContext& context) override {
    const Topology& topology = context.topology;
    regional_ = parse_round(regions_, topology);
    const Routes routes(topology);
    Clique leaders;
    for (const Clique& region : regional_.cliques) {
      const auto distance = [&](IslandId member) {
        Duration sum;
        for (std::size_t i = 0; i < topology.island_count(); ++i) {
          const IslandId other = IslandId::at(i);
          if (std::binary_search(region.begin(), region.end(), other)) continue;
          sum += routes.latency(topology.node(member), topology.node(other)) +
                 routes.latency(topology.node(other), topology.node(member));
        }
        return sum;
      };
      std::vector<Duration> distances;
      for (const IslandId member : region) distances.push_back(distance(member));
      const auto least = std::min_element(distances.begin(), distances.end());
      leaders.push_back(region[static_cast<std::size_t>(least - distances.begin())]);
    }
    of_leaders_ = make_round({leaders}, topology.island_count());
  }
  Round round(std::int64_t number) override {
    return number % (every_ + 1) == every_ ? of_leaders_ : regional_;
  }
  [[nodiscard]] std::optional<std::size_t> different_cliques(std::size_t members) const override {
    return cliques_up_to(regional_, members) + cliques_up_to(of_leaders_, members);
  }

 private:
  Text regions_;
  std::int64_t every_ = 1;
  Round regional_;
  Round of_leaders_;
};

}  // namespace

std::unique_ptr<Policy> make_hierarchical() { return std::make_unique<Hierarchical>(); }

}  // namespace gyre
