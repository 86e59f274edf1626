#include "sim/packet_outages.hpp"

#include <algorithm>

namespace gyre {

PacketOutages::PacketOutages(std::span<const Fault> faults, std::size_t arcs, std::uint64_t seed)
    : of_(arcs) {
  for (std::size_t f = 0; f < faults.size(); ++f) {
    periods_.emplace_back(faults[f], seed);
    for (const ArcId arc : faults[f].arcs) of_[arc.index()].push_back(f);
  }
}

bool PacketOutages::is_down_between(ArcId arc, double from_s, double to_s) {
  const Instant from = Instant::at_seconds(from_s);
  const Instant to = Instant::at_seconds(to_s);
  for (const std::size_t f : of_[arc.index()]) {
    // What is asked for is near the end of what is drawn.
    const std::vector<Period>& drawn = periods_[f].until(to);
    const auto last = std::find_if(drawn.rbegin(), drawn.rend(),
                                   [to](const Period& period) { return period.from < to; });
    if (last != drawn.rend() && !last->is_over(from)) return true;
  }
  return false;
}

bool PacketOutages::is_down(ArcId arc, double at_s) {
  const Instant at = Instant::at_seconds(at_s);
  return std::any_of(of_[arc.index()].begin(), of_[arc.index()].end(), [&](std::size_t f) {
    const std::vector<Period>& drawn = periods_[f].until(at);
    return std::any_of(drawn.begin(), drawn.end(),
                       [at](const Period& period) { return period.has(at); });
  });
}

std::optional<double> PacketOutages::next(std::size_t fault, double after_s) {
  const Instant after = Instant::at_seconds(after_s);
  const std::vector<Period>& drawn = periods_[fault].until(after);
  const auto later =
      std::upper_bound(drawn.begin(), drawn.end(), after,
                       [](Instant time, const Period& period) { return time < period.from; });
  if (later == drawn.end()) return std::nullopt;
  return later->from.in_seconds();
}

}  // namespace gyre
