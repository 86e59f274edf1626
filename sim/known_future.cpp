#include "sim/known_future.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace gyre {

KnownFuture::KnownFuture(const RunSpec& spec) : spec_(&spec) {
  for (const Fault& fault : spec.faults) {
    played_.push_back({.fault = &fault, .outages = {fault, spec.seed}});
  }
}

std::vector<Bandwidth> KnownFuture::capacities(Instant at) const {
  ArcConditions conditions(*spec_->topology);
  for (const ArcChange& change : spec_->changes) {
    if (change.at <= at) conditions.change(change);
  }
  for (const Background& background : spec_->background) conditions.turn_on_average(background);
  std::vector<Bandwidth> all;
  for (std::size_t a = 0; a < spec_->topology->arc_count(); ++a) {
    all.push_back(conditions.capacity(ArcId::at(a)));
  }
  return all;
}

std::vector<Bandwidth> KnownFuture::rates(Instant from, Duration stretch) {
  const Instant to = from + stretch;
  // Between these instants nothing changes.
  std::set<Instant> cuts{from, to};
  const auto cut = [&](Instant at) {
    if (from < at && at < to) cuts.insert(at);
  };
  for (const ArcChange& change : spec_->changes) cut(change.at);
  for (Played& played : played_) {
    played.outages.forget(from);
    for (const Period& outage : played.outages.until(to)) {
      cut(outage.from);
      if (outage.to) cut(*outage.to);
    }
  }
  const std::size_t arcs = spec_->topology->arc_count();
  std::vector<double> bits(arcs, 0.0);
  std::vector<bool> lost(arcs, false);
  for (auto at = cuts.begin(); at != cuts.end(); ++at) {
    const auto next = std::next(at);
    if (next == cuts.end() && cuts.size() > 1) break;
    const double share = next == cuts.end() ? 1.0 : (*next - *at) / stretch;
    std::vector<Bandwidth> now = capacities(*at);
    for (Played& played : played_) {
      const std::vector<Period>& outages = played.outages.until(to);
      const bool down = std::any_of(outages.begin(), outages.end(),
                                    [at](const Period& outage) { return outage.has(*at); });
      if (!down) continue;
      for (const ArcId arc : played.fault->arcs) {
        now[arc.index()] = Bandwidth();
        lost[arc.index()] = spec_->in_flight != InFlight::kWait;
      }
    }
    for (std::size_t a = 0; a < arcs; ++a) {
      bits[a] += share * static_cast<double>(now[a].in_bits_per_second());
    }
  }
  std::vector<Bandwidth> rates;
  for (std::size_t a = 0; a < arcs; ++a) {
    rates.push_back(lost[a] ? Bandwidth() : Bandwidth::bits_per_second(std::llround(bits[a])));
  }
  return rates;
}

}  // namespace gyre
