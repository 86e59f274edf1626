#include "schedules/optimizer/grid_loads.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gyre {

PathTable::PathTable(const Network& network) : islands_(network.topology.island_count()) {
  const Topology& topology = network.topology;
  arcs_.resize(islands_ * islands_);
  latency_s_.resize(islands_ * islands_, 0.0);
  for (std::size_t u = 0; u < islands_; ++u) {
    for (std::size_t v = 0; v < islands_; ++v) {
      if (u == v) continue;
      const NodeId from = topology.node(IslandId::at(u));
      const NodeId to = topology.node(IslandId::at(v));
      for (const ArcId a : network.routes.path(from, to)) {
        arcs_[u * islands_ + v].push_back(static_cast<std::uint32_t>(a.index()));
      }
      latency_s_[u * islands_ + v] = network.routes.latency(from, to).in_seconds();
    }
  }
}

RoundLoads::RoundLoads(const PathTable& paths, const std::vector<double>& capacity_gbps,
                       LoadKind kind)
    : paths_(&paths), kind_(kind), load_(capacity_gbps.size(), 0) {
  per_gigabit_.reserve(capacity_gbps.size());
  for (const double gbps : capacity_gbps) per_gigabit_.push_back(1.0 / gbps);
  if (kind != LoadKind::kUnicast) behind_.resize(paths.islands() * capacity_gbps.size(), 0);
}

void RoundLoads::change(std::size_t island, const std::vector<std::size_t>& others,
                        std::int32_t by) {
  for (const std::size_t other : others) {
    if (other == island) continue;
    pair(island, other, by);
    pair(other, island, by);
  }
}

void RoundLoads::pair(std::size_t from, std::size_t to, std::int32_t by) {
  const std::vector<std::uint32_t>& arcs = paths_->arcs(from, to);
  if (kind_ == LoadKind::kUnicast) {
    for (const std::uint32_t a : arcs) load_[a] += by;
    return;
  }
  const std::size_t root = kind_ == LoadKind::kMulticast ? from : to;
  std::int32_t* behind = &behind_[root * load_.size()];
  for (const std::uint32_t a : arcs) {
    const bool used = behind[a] > 0;
    behind[a] += by;
    if (used != (behind[a] > 0)) load_[a] += by;
  }
}

double RoundLoads::most() const {
  double most = 0.0;
  for (std::size_t a = 0; a < load_.size(); ++a) most = std::max(most, load_[a] * per_gigabit_[a]);
  return most;
}

double RoundLoads::smooth() const {
  double sum = 0.0;
  for (std::size_t a = 0; a < load_.size(); ++a) {
    const double share = load_[a] * per_gigabit_[a];
    const double square = share * share;
    const double fourth = square * square;
    sum += fourth * fourth;
  }
  return std::pow(sum, 0.125);
}

}  // namespace gyre
