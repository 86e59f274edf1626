// The memory of `PacketRows`: slots, who waits for one, and when they are free again.

#include <algorithm>
#include <utility>
#include <vector>

#include "models/error.hpp"
#include "sim/packet_rows.hpp"

namespace gyre {

bool PacketRows::open(PacketFlow& flow) {
  if (limits_ == nullptr || !limits_->memory) return true;
  const std::int64_t memory = limits_->memory->in_bytes();
  const std::int64_t copies = clocked() && flow.timeout_s > 0.0 ? 2 : 1;
  const std::int64_t all = memory / (copies * flow.chunk_bytes);
  const std::int64_t slot_bytes = memory / all;
  const std::int64_t all_largest = memory / (copies * ports_->options().transport.chunk.in_bytes());
  const std::int64_t kept = !flow.early ? 0 : all_largest > 0 ? memory / all_largest : memory;
  std::vector<std::uint32_t> rows;
  std::vector<std::int64_t> needs(topology_->switch_count(), 0);
  for (std::uint32_t r = 0; r < flow.rows.size(); ++r) {
    const PacketRow& row = flow.tables->rows[r];
    if (!row.adds || !row.at_switch) continue;
    const double share = r < flow.memory_shares.size() ? flow.memory_shares[r] : 1.0;
    flow.rows[r].wanted = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(static_cast<double>(all) * share + 1e-9));
    if (passes_unsummed()) {
      flow.rows[r].limit = flow.rows[r].wanted;
      continue;
    }
    rows.push_back(r);
    const std::size_t at = row.node.index();
    needs[at] += slot_bytes;
    if (reserved_bytes_[at] + needs[at] + kept > memory) return false;
  }
  for (const std::uint32_t r : rows) {
    const std::size_t at = flow.tables->rows[r].node.index();
    needs[at] -= slot_bytes;
    const std::int64_t free = (memory - reserved_bytes_[at] - needs[at] - kept) / slot_bytes;
    flow.rows[r].limit = std::min(flow.rows[r].wanted, free);
    reserved_bytes_[at] += flow.rows[r].limit * slot_bytes;
    flow.rows[r].reserved_bytes = flow.rows[r].limit * slot_bytes;
  }
  return true;
}

void PacketRows::give_kept(PacketFlow& flow) {
  for (std::uint32_t r = 0; r < flow.rows.size(); ++r) {
    RowState& row = flow.rows[r];
    if (row.reserved_bytes == 0 || row.limit == row.wanted) continue;
    const std::int64_t slot_bytes = row.reserved_bytes / row.limit;
    std::int64_t& reserved = reserved_bytes_[flow.tables->rows[r].node.index()];
    const std::int64_t free = (limits_->memory->in_bytes() - reserved) / slot_bytes;
    const std::int64_t more = std::min(row.wanted - row.limit, free);
    row.limit += more;
    row.reserved_bytes += more * slot_bytes;
    reserved += more * slot_bytes;
  }
}

void PacketRows::release(PacketFlow& flow, std::uint32_t row, std::int64_t chunk, double now_s) {
  if (is_over(flow, row, chunk)) return;
  ChunkState& sum = state(flow, row, chunk);
  if (sum.slot) free_slot(flow, row, sum, now_s);
  sum.phase = ChunkPhase::kReleased;
  flow.rows[row].chunks.advance(
      [](const ChunkState& first) { return first.phase == ChunkPhase::kReleased; });
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
        const bool stale = is_over(flow, row, got.chunk);
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
}

void PacketRows::wait_for_slot(PacketFlow& flow, std::uint32_t row, double now_s) {
  if (std::exchange(flow.rows[row].waits, true)) return;
  const std::size_t at = flow.tables->rows[row].node.index();
  if (waiting_rows_[at]++ == 0) waiting_since_s_[at] = now_s;
  on_change_(SwitchId::at(at), now_s);
}

void PacketRows::stop_waiting(PacketFlow& flow, std::uint32_t row, double now_s) {
  if (!std::exchange(flow.rows[row].waits, false)) return;
  const std::size_t at = flow.tables->rows[row].node.index();
  if (--waiting_rows_[at] == 0) usage_[at].blocked_s += now_s - waiting_since_s_[at];
}

void PacketRows::close(PacketFlow& flow, double now_s) {
  for (std::uint32_t r = 0; r < flow.rows.size(); ++r) {
    RowState& at = flow.rows[r];
    for (RingBuffer<WaitingChunk>& lane : at.waiting) lane.clear();
    stop_waiting(flow, r, now_s);
    for (std::int64_t c = at.chunks.base(); c < at.chunks.end(); ++c) {
      if (at.chunks.at(c).slot) free_slot(flow, r, at.chunks.at(c), now_s);
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
    for (std::int64_t c = row.chunks.base(); c < row.chunks.end(); ++c) {
      ChunkState& chunk = row.chunks.at(c);
      if (chunk.slot) free_slot(flow, r, chunk, now_s);
      if (chunk.phase == ChunkPhase::kReleased) continue;
      chunk.phase = ChunkPhase::kAbsent;
      chunk.mask = 0;
    }
  }
}

}  // namespace gyre
