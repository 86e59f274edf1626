#include "sim/packet_flow.hpp"

#include <algorithm>

namespace gyre {

bool ChunkSet::insert(std::int64_t chunk) {
  if (chunk < base_) return false;
  if (chunk == base_ && beyond_.empty()) {
    ++base_;
    return true;
  }
  const auto place = static_cast<std::size_t>(chunk - base_);
  while (beyond_.size() <= place) beyond_.push_back(0);
  if (beyond_[place] != 0) return false;
  beyond_[place] = 1;
  while (!beyond_.empty() && beyond_.front() != 0) {
    beyond_.pop_front();
    ++base_;
  }
  return true;
}

bool ChunkSet::contains(std::int64_t chunk) {
  if (chunk < base_) return true;
  const auto place = static_cast<std::size_t>(chunk - base_);
  return place < beyond_.size() && beyond_[place] != 0;
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
