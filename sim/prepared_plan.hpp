#pragma once

#include <map>
#include <memory>
#include <vector>

#include "models/bounds.hpp"
#include "schedules/exchange_plan.hpp"
#include "sim/flow_network.hpp"

namespace gyre {

/// A verified plan with everything that running it needs.
struct PreparedPlan {
  ExchangePlan plan;
  std::vector<FlowRoute> routes;                  ///< by flow
  std::vector<std::size_t> independent;           ///< flows that wait for none
  std::vector<std::vector<std::size_t>> starts;   ///< by member rank: its other flows, in order
  std::vector<std::vector<std::size_t>> touches;  ///< by member rank: flows it sends or receives
  Bytes wan_bytes;                                ///< over core arcs, copies included
  CutBound bound;
  std::vector<Duration> member_bounds;  ///< by member rank
};

/// Plans, verifies and prepares cliques' exchanges, keeping those that come again. Bounded: emptied
/// when it holds `kMostPlans`.
class PlanCache {
 public:
  PlanCache(const Network& network, const Bounds& bounds, const FlowNetwork& flows, Bytes payload,
            Exchange exchange);
  std::shared_ptr<const PreparedPlan> get(const Clique& clique);

 private:
  static constexpr std::size_t kMostPlans = 1024;

  [[nodiscard]] PreparedPlan prepare(const Clique& clique) const;

  Network network_;
  const Bounds* bounds_;
  const FlowNetwork* flows_;
  Bytes payload_;
  Exchange exchange_;
  std::map<Clique, std::shared_ptr<const PreparedPlan>> plans_;
};

}  // namespace gyre
