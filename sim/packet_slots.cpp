// The memory of `PacketRows`: slots, who waits for one, and when they are free again.

#include <algorithm>
#include <utility>
#include <vector>

#include "models/error.hpp"
#include "sim/packet_rows.hpp"

namespace gyre {

std::optional<std::int64_t> PacketRows::slots(std::int64_t chunk_bytes, bool copies) const {
  if (limits_ == nullptr || !limits_->memory) return std::nullopt;
  const bool two = copies && discipline() == AggregationDiscipline::kAckClocked;
  return limits_->memory->in_bytes() / (two ? 2 * chunk_bytes : chunk_bytes);
}

bool PacketRows::open(PacketFlow& flow) {
  const bool copies = flow.timeout_s > 0.0;
  const std::optional<std::int64_t> all = slots(flow.chunk_bytes, copies);
  if (!all) return true;
  const std::int64_t slot_bytes = limits_->memory.value_or(Bytes()).in_bytes() / *all;
  std::vector<std::uint32_t> rows;
  std::vector<std::int64_t> needs(topology_->switch_count(), 0);
  for (std::uint32_t r = 0; r < flow.rows.size(); ++r) {
    const PacketRow& row = flow.tables->rows[r];
    if (!row.adds || !row.at_switch) continue;
    rows.push_back(r);
    const std::size_t at = row.node.index();
    needs[at] += slot_bytes;
    if (reserved_bytes_[at] + needs[at] > limits_->memory.value_or(Bytes()).in_bytes())
      return false;
  }
  for (const std::uint32_t r : rows) {
    const std::size_t at = flow.tables->rows[r].node.index();
    const double share = r < flow.memory_shares.size() ? flow.memory_shares[r] : 1.0;
    const auto wanted = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(static_cast<double>(*all) * share + 1e-9));
    needs[at] -= slot_bytes;
    const std::int64_t free =
        (limits_->memory.value_or(Bytes()).in_bytes() - reserved_bytes_[at] - needs[at]) /
        slot_bytes;
    flow.rows[r].limit = std::min(wanted, free);
    reserved_bytes_[at] += flow.rows[r].limit * slot_bytes;
    flow.rows[r].reserved_bytes = flow.rows[r].limit * slot_bytes;
  }
  return true;
}

void PacketRows::release(PacketFlow& flow, std::uint32_t row, std::int64_t chunk, double now_s) {
  RowState& at = flow.rows[row];
  if (chunk < at.base) return;
  ChunkState& sum = state(flow, row, chunk);
  if (sum.phase == ChunkPhase::kReleased) return;
  if (sum.slot) free_slot(flow, row, sum, now_s);
  sum.phase = ChunkPhase::kReleased;
  while (!at.chunks.empty() && at.chunks.front().phase == ChunkPhase::kReleased) {
    at.chunks.pop_front();
    ++at.base;
  }
  drain(flow, row, now_s);
}

/// Lets what waits for a slot in, as far as there are some.
void PacketRows::drain(PacketFlow& flow, std::uint32_t row, double now_s) {
  RowState& at = flow.rows[row];
  if (at.draining || at.waiting.empty()) return;
  at.draining = true;
  for (bool moved = true; moved;) {
    moved = false;
    for (RingBuffer<WaitingChunk>& lane : at.waiting) {
      // What is lost and repeated may stand behind what waits for its slot: look at all.
      const std::size_t count = lane.size();
      for (std::size_t place = 0; place < count; ++place) {
        const WaitingChunk got = lane.front();
        lane.pop_front();
        const bool stale =
            got.chunk < at.base || state(flow, row, got.chunk).phase == ChunkPhase::kReleased;
        if (!stale && !takes(flow, row, got.chunk, now_s)) {
          lane.push_back(got);
          continue;
        }
        ports_->give_credit(flow, got.lane, now_s);
        if (!stale) put_in(flow, row, got, now_s);
        moved = true;
      }
    }
  }
  at.draining = false;
  const bool waits = std::any_of(at.waiting.begin(), at.waiting.end(),
                                 [](const auto& lane) { return !lane.empty(); });
  if (!waits) stop_waiting(flow, row, now_s);
}

void PacketRows::take_slot(PacketFlow& flow, std::uint32_t row, ChunkState& chunk, double now_s) {
  chunk.slot = true;
  ++flow.rows[row].in_use;
  SwitchUsage& used = usage_[flow.tables->rows[row].node.index()];
  ++used.slots;
  used.bytes += flow.chunk_bytes;
  used.peak_bytes = std::max(used.peak_bytes, used.bytes);
  on_change_(topology_->switch_at(flow.tables->rows[row].node), now_s);
}

void PacketRows::free_slot(PacketFlow& flow, std::uint32_t row, ChunkState& chunk, double now_s) {
  chunk.slot = false;
  --flow.rows[row].in_use;
  const std::size_t at = flow.tables->rows[row].node.index();
  --usage_[at].slots;
  usage_[at].bytes -= flow.chunk_bytes;
  on_change_(SwitchId::at(at), now_s);
  // Another exchange's sums may have waited for the switch's memory.
  const std::vector<std::pair<PacketFlow*, std::uint32_t>> others = waiting_rows_[at];
  for (const auto& [other, its_row] : others) {
    if (other != &flow || its_row != row) drain(*other, its_row, now_s);
  }
}

void PacketRows::wait_for_slot(PacketFlow& flow, std::uint32_t row, double now_s) {
  const std::size_t at = flow.tables->rows[row].node.index();
  const std::pair<PacketFlow*, std::uint32_t> mine{&flow, row};
  auto& rows = waiting_rows_[at];
  if (std::find(rows.begin(), rows.end(), mine) != rows.end()) return;
  if (rows.empty()) waiting_since_s_[at] = now_s;
  rows.push_back(mine);
  on_change_(SwitchId::at(at), now_s);
}

void PacketRows::stop_waiting(PacketFlow& flow, std::uint32_t row, double now_s) {
  if (!flow.tables->rows[row].at_switch) return;
  const std::size_t at = flow.tables->rows[row].node.index();
  auto& rows = waiting_rows_[at];
  const auto mine = std::find(rows.begin(), rows.end(), std::pair{&flow, row});
  if (mine == rows.end()) return;
  rows.erase(mine);
  if (rows.empty()) usage_[at].blocked_s += now_s - waiting_since_s_[at];
}

void PacketRows::close(PacketFlow& flow, double now_s) {
  for (std::uint32_t r = 0; r < flow.rows.size(); ++r) {
    RowState& at = flow.rows[r];
    for (RingBuffer<WaitingChunk>& lane : at.waiting) lane.clear();
    stop_waiting(flow, r, now_s);
    for (std::size_t place = 0; place < at.chunks.size(); ++place) {
      if (at.chunks[place].slot) free_slot(flow, r, at.chunks[place], now_s);
    }
    at.chunks.clear();
    if (flow.tables->rows[r].at_switch) {
      reserved_bytes_[flow.tables->rows[r].node.index()] -= std::exchange(at.reserved_bytes, 0);
    }
  }
  for (LaneState& lane : flow.lanes) lane.adding.clear();
}

void PacketRows::lose(PacketFlow& flow, SwitchId at, double now_s) {
  const NodeId node = topology_->node(at);
  for (std::uint32_t r = 0; r < flow.rows.size(); ++r) {
    if (flow.tables->rows[r].node != node) continue;
    RowState& row = flow.rows[r];
    row.lost_state = true;
    for (const std::uint32_t l : flow.tables->rows[r].in) {
      RingBuffer<QueuedChunk>& adding = flow.lanes[l].adding;
      for (; !adding.empty(); adding.pop_front()) ports_->give_credit(flow, l, now_s);
    }
    for (RingBuffer<WaitingChunk>& lane : row.waiting) {
      while (!lane.empty()) {
        ports_->give_credit(flow, lane.front().lane, now_s);
        lane.pop_front();
      }
    }
    stop_waiting(flow, r, now_s);
    for (std::size_t place = 0; place < row.chunks.size(); ++place) {
      ChunkState& chunk = row.chunks[place];
      if (chunk.slot) free_slot(flow, r, chunk, now_s);
      if (chunk.phase == ChunkPhase::kReleased) continue;
      chunk.phase = ChunkPhase::kAbsent;
      chunk.mask = 0;
    }
  }
}

}  // namespace gyre
