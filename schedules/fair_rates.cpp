#include "schedules/fair_rates.hpp"

#include <algorithm>
#include <numeric>

namespace gyre {
namespace {

constexpr double kEqual = 1.0 + 1e-12;

}  // namespace

FairRates::FairRates(const Topology& topology)
    : capacity_bps_(topology.arc_count()), copies_(topology.arc_count()) {
  for (const Bandwidth capacity : topology.capacities()) {
    own_bps_.push_back(static_cast<double>(capacity.in_bits_per_second()));
  }
}

void FairRates::set_capacity(ArcId arc, Bandwidth capacity) {
  own_bps_[arc.index()] = static_cast<double>(capacity.in_bits_per_second());
}

std::vector<double> FairRates::fill(std::span<const Demand> streams) {
  capacity_bps_ = own_bps_;
  std::fill(copies_.begin(), copies_.end(), 0);
  for (const Demand& stream : streams) {
    for (const ArcUse& use : stream.arcs) copies_[use.arc.index()] += use.copies;
  }
  std::vector<double> rate_bps(streams.size(), 0.0);
  std::vector<std::size_t> open(streams.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  while (!open.empty()) {
    double tightest = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < capacity_bps_.size(); ++a) {
      if (copies_[a] > 0) tightest = std::min(tightest, capacity_bps_[a] / copies_[a]);
    }
    for (const std::size_t s : open) tightest = std::min(tightest, streams[s].cap_bps);
    std::vector<std::size_t> rest;
    std::vector<std::size_t> fixed;
    for (const std::size_t s : open) {
      const std::span<const ArcUse> arcs = streams[s].arcs;
      const bool capped = streams[s].cap_bps <= tightest * kEqual;
      const bool bound = capped || std::any_of(arcs.begin(), arcs.end(), [&](const ArcUse& use) {
                           const std::size_t a = use.arc.index();
                           return capacity_bps_[a] / copies_[a] <= tightest * kEqual;
                         });
      (bound ? fixed : rest).push_back(s);
    }
    for (const std::size_t s : fixed) {
      rate_bps[s] = tightest;
      for (const ArcUse& use : streams[s].arcs) {
        capacity_bps_[use.arc.index()] -= tightest * use.copies;
        copies_[use.arc.index()] -= use.copies;
      }
    }
    open = std::move(rest);
  }
  return rate_bps;
}

}  // namespace gyre
