#include "sim/prepared_plan.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {

PlanCache::PlanCache(const Network& network, const Bounds& bounds, const FlowNetwork& flows,
                     Bytes payload, Exchange exchange)
    : network_(network), bounds_(&bounds), flows_(&flows), payload_(payload), exchange_(exchange) {}

std::shared_ptr<const PreparedPlan> PlanCache::get(const Clique& clique) {
  const auto known = plans_.find(clique);
  if (known != plans_.end()) return known->second;
  if (plans_.size() >= kMostPlans) plans_.clear();
  return plans_.emplace(clique, std::make_shared<const PreparedPlan>(prepare(clique)))
      .first->second;
}

PreparedPlan PlanCache::prepare(const Clique& clique) const {
  PreparedPlan prepared{.plan = plan_exchange(network_, clique, payload_, exchange_),
                        .routes = {},
                        .independent = {},
                        .starts = std::vector<std::vector<std::size_t>>(clique.size()),
                        .touches = std::vector<std::vector<std::size_t>>(clique.size()),
                        .wan_bytes = {},
                        .bound = bounds_->cut(clique, payload_),
                        .member_bounds = {}};
  const std::optional<std::string> fault = plan_fault(network_, prepared.plan);
  check(!fault, fmt::format("unsound exchange plan: {}", fault.value_or("")));

  const auto rank = [&clique](IslandId i) {
    return static_cast<std::size_t>(std::lower_bound(clique.begin(), clique.end(), i) -
                                    clique.begin());
  };
  for (std::size_t f = 0; f < prepared.plan.flows.size(); ++f) {
    const Flow& flow = prepared.plan.flows[f];
    prepared.routes.push_back(flows_->route(flow.stream));
    if (flow.after.empty()) {
      prepared.independent.push_back(f);
    } else {
      prepared.starts[rank(flow.starter())].push_back(f);
    }
    std::vector<IslandId> islands = flow.stream.sources;
    for (const Delivery& delivery : flow.stream.deliveries) islands.push_back(delivery.receiver);
    std::sort(islands.begin(), islands.end());
    islands.erase(std::unique(islands.begin(), islands.end()), islands.end());
    for (const IslandId i : islands) prepared.touches[rank(i)].push_back(f);
    for (const ArcUse& use : flow.stream.arcs) {
      if (network_.topology.is_core(use.arc)) prepared.wan_bytes += flow.bytes * use.copies;
    }
  }
  for (const IslandId i : clique) {
    prepared.member_bounds.push_back(bounds_->member(clique, i, payload_));
  }
  return prepared;
}

}  // namespace gyre
