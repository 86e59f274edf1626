#include "sim/known_future.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace gyre {

KnownFuture::KnownFuture(const RunSpec& spec) : spec_(&spec) {
  for (const Fault& fault : spec.faults) {
    played_.push_back({.fault = &fault, .times = {fault, spec.seed}, .outages = {}});
  }
}

void KnownFuture::play(Played& played, Instant until) {
  while (!played.over && (played.outages.empty() || played.outages.back().from <= until)) {
    const std::optional<Instant> from = played.times.next();
    played.over = !from;
    if (!from) return;
    played.outages.push_back({.from = *from, .to = played.times.next()});
    played.over = !played.outages.back().to;
  }
}

bool KnownFuture::is_down(const Played& played, Instant at) {
  return std::any_of(played.outages.begin(), played.outages.end(), [at](const Outage& outage) {
    return outage.from <= at && (!outage.to || at < *outage.to);
  });
}

std::vector<Bandwidth> KnownFuture::capacities(Instant at) const {
  std::vector<Bandwidth> all = spec_->topology->capacities();
  for (const ArcChange& change : spec_->changes) {
    if (change.at <= at && change.capacity) all[change.arc.index()] = *change.capacity;
  }
  for (const Background& background : spec_->background) {
    for (const auto& [arc, takes] : background.takes) {
      Bandwidth& left = all[arc.index()];
      const double taken = background.share_on() * static_cast<double>(takes.in_bits_per_second());
      left = Bandwidth::bits_per_second(left.in_bits_per_second() - std::llround(taken));
    }
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
    play(played, to);
    std::erase_if(played.outages,
                  [from](const Outage& outage) { return outage.to && *outage.to <= from; });
    for (const Outage& outage : played.outages) {
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
    for (const Played& played : played_) {
      if (!is_down(played, *at)) continue;
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
