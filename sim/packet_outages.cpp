#include "sim/packet_outages.hpp"

#include <algorithm>

namespace gyre {

PacketOutages::PacketOutages(std::span<const Fault> faults, std::size_t arcs, std::uint64_t seed)
    : of_(arcs) {
  for (std::size_t f = 0; f < faults.size(); ++f) {
    sources_.push_back({.times = FaultTimes(faults[f], seed), .drawn = {}});
    for (const ArcId arc : faults[f].arcs) of_[arc.index()].push_back(f);
  }
}

void PacketOutages::draw(Source& source, double until_s) {
  while (!source.over && (source.drawn.empty() || source.drawn.back().from_s <= until_s)) {
    const std::optional<Instant> from = source.times.next();
    const std::optional<Instant> to = from ? source.times.next() : std::nullopt;
    if (from) source.drawn.push_back({.from_s = from->in_seconds()});
    if (to) source.drawn.back().to_s = to->in_seconds();
    source.over = !to;
  }
}

bool PacketOutages::is_down_between(ArcId arc, double from_s, double to_s) {
  for (const std::size_t f : of_[arc.index()]) {
    draw(sources_[f], to_s);
    // What is asked for is near the end of what is drawn.
    const std::vector<Outage>& drawn = sources_[f].drawn;
    for (auto outage = drawn.rbegin(); outage != drawn.rend(); ++outage) {
      if (outage->from_s >= to_s) continue;
      if (outage->to_s > from_s) return true;
      break;
    }
  }
  return false;
}

bool PacketOutages::is_down(ArcId arc, double at_s) {
  for (const std::size_t f : of_[arc.index()]) {
    draw(sources_[f], at_s);
    const std::vector<Outage>& drawn = sources_[f].drawn;
    for (auto outage = drawn.rbegin(); outage != drawn.rend(); ++outage) {
      if (outage->from_s > at_s) continue;
      if (outage->to_s > at_s) return true;
      break;
    }
  }
  return false;
}

std::optional<double> PacketOutages::next(std::size_t fault, double after_s) {
  Source& source = sources_[fault];
  draw(source, after_s);
  const auto later =
      std::upper_bound(source.drawn.begin(), source.drawn.end(), after_s,
                       [](double time_s, const Outage& outage) { return time_s < outage.from_s; });
  if (later == source.drawn.end()) return std::nullopt;
  return later->from_s;
}

}  // namespace gyre
