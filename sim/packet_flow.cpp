#include "sim/packet_flow.hpp"

#include <algorithm>

namespace gyre {

bool ChunkSet::insert(std::int64_t chunk) {
  if (contains(chunk)) return false;
  seen_.at(chunk) = 1;
  seen_.advance([](std::uint8_t seen) { return seen != 0; });
  return true;
}

bool ChunkSet::contains(std::int64_t chunk) {
  return chunk < seen_.base() || (chunk < seen_.end() && seen_.at(chunk) != 0);
}

std::optional<Instant> PacketFlow::ended_for(IslandId island) const {
  double end_s = 0.0;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    if (tables->sources[s].island != island) continue;
    if (!sources[s].done) return std::nullopt;
    end_s = std::max(end_s, sources[s].sent_s);
  }
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    if (tables->receivers[r].island != island) continue;
    if (!receivers[r].done) return std::nullopt;
    end_s = std::max(end_s, receivers[r].end_s);
  }
  return Instant::at_seconds(end_s);
}

double PacketFlow::due_s(std::size_t s, std::int64_t chunk) const {
  const SourceState& source = sources[s];
  const double bytes_left = static_cast<double>(chunk * chunk_bytes) - source.reference_bytes;
  return source.reference_s + bytes_left * 8.0 / rate_bps;
}

}  // namespace gyre
