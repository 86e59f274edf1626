#include "sim/packet_rows.hpp"

#include <algorithm>
#include <bit>

#include "models/error.hpp"

namespace gyre {

PacketRows::PacketRows(const Topology& topology, const SwitchLimits* limits, PacketAgenda& agenda,
                       PacketPorts& ports)
    : topology_(&topology),
      limits_(limits),
      agenda_(&agenda),
      ports_(&ports),
      usage_(topology.switch_count()),
      reserved_bytes_(topology.switch_count(), 0),
      adders_(topology.switch_count()),
      waiting_rows_(topology.switch_count(), 0),
      waiting_since_s_(topology.switch_count(), 0.0) {}

AggregationDiscipline PacketRows::discipline() const {
  return limits_ == nullptr ? AggregationDiscipline::kOpenLoop : limits_->discipline;
}

bool PacketRows::passes_unsummed() const {
  return limits_ != nullptr && limits_->passes_unsummed();
}

bool PacketRows::clocked() const { return discipline() == AggregationDiscipline::kAckClocked; }

ChunkState& PacketRows::state(PacketFlow& flow, std::uint32_t row, std::int64_t chunk) {
  return flow.rows[row].chunks.at(chunk);
}

/// Whether nothing that comes of the chunk is wanted any more.
bool PacketRows::is_over(PacketFlow& flow, std::uint32_t row, std::int64_t chunk) {
  return chunk < flow.rows[row].chunks.base() ||
         state(flow, row, chunk).phase == ChunkPhase::kReleased;
}

void PacketRows::arrive(PacketFlow& flow, const PacketEvent& event, double now_s) {
  const std::uint32_t row = flow.tables->lanes[event.index].row;
  const PacketRow& table = flow.tables->rows[row];
  if (event.resent && table.at_switch) ++usage_[table.node.index()].retransmissions;
  if (!table.adds) {
    pass_on(flow, table, event, now_s);
    return;
  }
  const bool adds_at_once =
      limits_ == nullptr || (!limits_->rate && limits_->latency == Duration());
  if (!table.at_switch || adds_at_once) {
    add(flow, event, now_s);
  } else if (limits_->rate) {
    RingBuffer<QueuedChunk>& queue = flow.lanes[event.index].adding;
    queue.push_back({.chunk = event.chunk, .from = event.from, .resent = event.resent});
    Adder& adder = adders_[table.node.index()];
    if (queue.size() == 1) {
      ++flow.pending;
      adder.ring.push_back({&flow, event.index});
    }
    if (!adder.busy) serve_adder(topology_->switch_at(table.node), now_s);
  } else {
    PacketEvent added = event;
    added.kind = PacketEventKind::kAdded;
    added.time_s = now_s + limits_->latency.in_seconds();
    agenda_->put(table.node, added);
  }
}

void PacketRows::serve_adder(SwitchId at, double now_s) {
  Adder& adder = adders_[at.index()];
  adder.busy = false;
  while (!adder.ring.empty() && !adder.busy) {
    const auto [flow, lane] = adder.ring.front();
    adder.ring.pop_front();
    --flow->pending;
    RingBuffer<QueuedChunk>& queue = flow->lanes[lane].adding;
    if (queue.empty()) continue;  // the flow has ended
    const QueuedChunk chunk = queue.front();
    queue.pop_front();
    if (!queue.empty()) {
      ++flow->pending;
      adder.ring.push_back({flow, lane});
    }
    const Duration taken =
        Bytes::count(flow->size_of(chunk.chunk)) / limits_->rate.value_or(Bandwidth());
    const double free_s = now_s + taken.in_seconds();
    agenda_->put(topology_->node(at), {.time_s = free_s + limits_->latency.in_seconds(),
                                       .kind = PacketEventKind::kAdded,
                                       .resent = chunk.resent,
                                       .index = lane,
                                       .flow = flow,
                                       .chunk = chunk.chunk,
                                       .from = chunk.from});
    agenda_->put(topology_->node(at), {.time_s = free_s, .kind = PacketEventKind::kAdderFree});
    adder.busy = true;
  }
}

void PacketRows::pass_on(PacketFlow& flow, const PacketRow& row, const PacketEvent& event,
                         double now_s) {
  const auto wanted = [&](std::uint32_t lane) {
    return !event.reply || (flow.tables->lanes[lane].reaches & event.from) != 0;
  };
  const auto copies =
      static_cast<std::size_t>(std::count_if(row.out.begin(), row.out.end(), wanted));
  if (copies == 0) {
    ports_->give_credit(flow, event.index, now_s);
    return;
  }
  const std::uint32_t held =
      hold({.index = event.index, .slot = false, .chunk = 0, .copies = copies});
  for (const std::uint32_t lane : row.out) {
    if (!wanted(lane)) continue;
    ports_->put(flow, lane,
                {.chunk = event.chunk,
                 .from = event.from,
                 .hold = held,
                 .resent = event.resent,
                 .reply = event.reply},
                now_s);
  }
}

void PacketRows::add(PacketFlow& flow, const PacketEvent& event, double now_s) {
  contribute(
      flow, flow.tables->lanes[event.index].row,
      {.lane = event.index, .chunk = event.chunk, .from = event.from, .resent = event.resent},
      now_s);
}

void PacketRows::contribute(PacketFlow& flow, std::uint32_t row, const WaitingChunk& got,
                            double now_s) {
  RowState& at = flow.rows[row];
  const PacketRow& table = flow.tables->rows[row];
  if (is_over(flow, row, got.chunk)) {
    if (table.at_switch) ++usage_[table.node.index()].repeated;
    // A switch behind may have lost what this one has let go of.
    if (got.resent && row != flow.tables->root_row && !table.out.empty()) {
      ports_->put(flow, table.out.front(),
                  {.chunk = got.chunk, .from = got.from, .hold = kNoIndex, .resent = true}, now_s);
    }
    ports_->give_credit(flow, got.lane, now_s);
    return;
  }
  if (passes_unsummed()) {
    const ChunkPhase phase = state(flow, row, got.chunk).phase;
    if (phase == ChunkPhase::kPassed || !takes(flow, row, got.chunk, now_s)) {
      pass_unsummed(flow, row, got, now_s);
      return;
    }
  } else {
    if (at.waiting.empty()) at.waiting.resize(table.in.size());
    const auto place = static_cast<std::size_t>(
        std::find(table.in.begin(), table.in.end(), got.lane) - table.in.begin());
    const bool behind = !at.waiting[place].empty() && !got.resent;
    if (behind || !takes(flow, row, got.chunk, now_s)) {
      // A repeat of what waits already would only take its lane's room.
      RingBuffer<WaitingChunk>& lane = at.waiting[place];
      for (std::size_t i = 0; got.resent && i < lane.size(); ++i) {
        if (lane[i].chunk != got.chunk || lane[i].from != got.from) continue;
        ports_->give_credit(flow, got.lane, now_s);
        return;
      }
      at.waiting[place].push_back(got);
      wait_for_slot(flow, row, now_s);
      return;
    }
  }
  ports_->give_credit(flow, got.lane, now_s);
  put_in(flow, row, got, now_s);
}

bool PacketRows::takes(PacketFlow& flow, std::uint32_t row, std::int64_t chunk, double now_s) {
  if (state(flow, row, chunk).phase != ChunkPhase::kAbsent) return true;
  const PacketRow& table = flow.tables->rows[row];
  if (!table.at_switch) return true;
  // Whoever sends a chunk has the result of the one a window before: its place is free.
  const bool reuses = clocked() && flow.window > 0 && flow.timeout_s == 0.0;
  if (reuses && chunk - flow.window >= flow.rows[row].chunks.base()) {
    check(state(flow, row, chunk - flow.window).phase == ChunkPhase::kForwarded,
          "a source ran ahead of its window");
    release(flow, row, chunk - flow.window, now_s);
  }
  const RowState& at = flow.rows[row];
  if (at.limit == 0) return true;
  if (passes_unsummed()) {
    const std::int64_t used = usage_[table.node.index()].bytes;
    return at.in_use < at.limit && used + flow.chunk_bytes <= limits_->memory->in_bytes();
  }
  return at.in_use < at.limit * (flow.timeout_s > 0.0 && clocked() ? 2 : 1);
}

void PacketRows::put_in(PacketFlow& flow, std::uint32_t row, const WaitingChunk& got,
                        double now_s) {
  const PacketRow& table = flow.tables->rows[row];
  ChunkState& chunk = state(flow, row, got.chunk);
  if (chunk.phase == ChunkPhase::kAbsent) begin_sum(flow, row, got.chunk, now_s);
  if (got.resent && flow.rows[row].lost_state && chunk.phase == ChunkPhase::kOpen) {
    ask_again(flow, row, got.chunk, chunk.mask | got.from, now_s);
  }
  const Contributors fresh = got.from & ~chunk.mask;
  if (fresh == 0) {
    if (table.at_switch) ++usage_[table.node.index()].repeated;
    if (chunk.phase == ChunkPhase::kForwarded) repeat(flow, row, got.chunk, got.from, now_s);
    return;
  }
  check(fresh == got.from, "a sum was added to one that has a part of it");
  chunk.mask |= got.from;
  if (chunk.phase == ChunkPhase::kOpen && chunk.mask == table.expects) {
    forward_sum(flow, row, got.chunk, now_s);
  }
}

void PacketRows::begin_sum(PacketFlow& flow, std::uint32_t row, std::int64_t chunk, double now_s) {
  const PacketRow& table = flow.tables->rows[row];
  ChunkState& sum = state(flow, row, chunk);
  sum.phase = ChunkPhase::kOpen;
  sum.mask = own_of(flow, row);
  if (!table.at_switch) return;
  take_slot(flow, row, sum, now_s);
  if (discipline() != AggregationDiscipline::kPartialTimeout) return;
  agenda_->put(table.node, {.time_s = now_s + limits_->timeout.in_seconds(),
                            .kind = PacketEventKind::kFlush,
                            .index = row,
                            .flow = &flow,
                            .chunk = chunk});
}

/// After a restart: the others may have the result and would not send again by themselves.
void PacketRows::ask_again(PacketFlow& flow, std::uint32_t row, std::int64_t chunk,
                           Contributors there, double now_s) {
  const PacketTables& tables = *flow.tables;
  for (std::uint32_t s = 0; s < tables.sources.size(); ++s) {
    if ((there >> s & 1U) != 0) continue;
    for (const auto& [above, latency] : tables.rows_above[s]) {
      if (above != row) continue;
      const NodeId source = topology_->node(tables.sources[s].island);
      const double word_s =
          latency.in_seconds() + ports_->word_delay_s(tables.rows[row].node, source);
      agenda_->put(source, {.time_s = now_s + word_s,
                            .kind = PacketEventKind::kAsk,
                            .index = s,
                            .flow = &flow,
                            .chunk = chunk});
    }
  }
}

/// The island's own part of a sum, once it has launched.
Contributors PacketRows::own_of(const PacketFlow& flow, std::uint32_t row) {
  const Contributors own = flow.tables->rows[row].own;
  if (own == 0) return 0;
  const auto source = static_cast<std::size_t>(std::countr_zero(own));
  return flow.sources[source].launched ? own : 0;
}

void PacketRows::contribute_own(PacketFlow& flow, std::size_t s, double now_s) {
  const std::uint32_t row = flow.tables->sources[s].row;
  if (row == kNoIndex) return;
  const PacketRow& table = flow.tables->rows[row];
  const ByChunk<ChunkState>& chunks = flow.rows[row].chunks;
  const std::int64_t end = chunks.end();
  for (std::int64_t c = chunks.base(); c < end; ++c) {
    if (c < chunks.base()) continue;
    ChunkState& chunk = state(flow, row, c);
    if (chunk.phase != ChunkPhase::kOpen) continue;
    chunk.mask |= table.own;
    if (chunk.mask == table.expects) forward_sum(flow, row, c, now_s);
  }
}

void PacketRows::forward_sum(PacketFlow& flow, std::uint32_t row, std::int64_t chunk,
                             double now_s) {
  const PacketRow& table = flow.tables->rows[row];
  ChunkState& sum = state(flow, row, chunk);
  sum.phase = ChunkPhase::kForwarded;
  const bool lossy = flow.timeout_s > 0.0;
  if (lossy && clocked() && flow.window > 0) {
    release(flow, row, chunk - flow.window, now_s);
  }
  if (table.out.empty()) {
    if (!lossy) release(flow, row, chunk, now_s);
  } else {
    const std::uint32_t held =
        hold({.index = row, .slot = true, .chunk = chunk, .copies = table.out.size()});
    for (const std::uint32_t lane : table.out) {
      ports_->put(flow, lane,
                  {.chunk = chunk,
                   .from = flow.tables->lanes[lane].full,
                   .hold = held,
                   .resent = false,
                   .reply = false},
                  now_s);
    }
  }
  if (row == flow.tables->root_row && flow.tables->root_receives != kNoIndex) {
    on_result_(flow, chunk, now_s);
  }
}

void PacketRows::repeat(PacketFlow& flow, std::uint32_t row, std::int64_t chunk,
                        Contributors for_whom, double now_s) {
  const PacketRow& table = flow.tables->rows[row];
  if (is_over(flow, row, chunk)) return;
  if (state(flow, row, chunk).phase != ChunkPhase::kForwarded) return;
  const bool root = row == flow.tables->root_row;
  for (const std::uint32_t lane : table.out) {
    const PacketLane& to = flow.tables->lanes[lane];
    if (root && (to.reaches & for_whom) == 0) continue;
    ports_->put(flow, lane,
                {.chunk = chunk,
                 .from = root ? for_whom : to.full,
                 .hold = kNoIndex,
                 .resent = true,
                 .reply = root},
                now_s);
  }
}

void PacketRows::pass_unsummed(PacketFlow& flow, std::uint32_t row, const WaitingChunk& got,
                               double now_s) {
  const PacketRow& table = flow.tables->rows[row];
  ChunkState& chunk = state(flow, row, got.chunk);
  chunk.phase = ChunkPhase::kPassed;
  check((chunk.mask & got.from) == 0, "a contribution was passed on twice");
  chunk.mask |= got.from;
  ++usage_[table.node.index()].unsummed;
  const std::uint32_t held = hold({.index = got.lane, .slot = false, .chunk = 0, .copies = 1});
  const bool last = chunk.mask == table.expects && !chunk.slot;
  ports_->put(flow, table.unsummed_way(), {.chunk = got.chunk, .from = got.from, .hold = held},
              now_s);
  if (last) release(flow, row, got.chunk, now_s);
}

void PacketRows::flush(PacketFlow& flow, std::uint32_t row, std::int64_t chunk, double now_s) {
  if (is_over(flow, row, chunk)) return;
  ChunkState& sum = state(flow, row, chunk);
  if (sum.phase != ChunkPhase::kOpen) return;
  const PacketRow& table = flow.tables->rows[row];
  sum.phase = ChunkPhase::kPassed;
  ++usage_[table.node.index()].timeouts;
  const std::uint32_t held = hold({.index = row, .slot = true, .chunk = chunk, .copies = 1});
  ports_->put(flow, table.unsummed_way(), {.chunk = chunk, .from = sum.mask, .hold = held}, now_s);
}

void PacketRows::sent(PacketFlow& flow, const QueuedChunk& chunk, double now_s) {
  if (chunk.hold == kNoIndex) return;
  Hold& held = holds_[chunk.hold];
  if (--held.copies > 0) return;
  free_holds_.push_back(chunk.hold);
  const Hold done = held;
  if (!done.slot) {
    ports_->give_credit(flow, done.index, now_s);
    return;
  }
  if (is_over(flow, done.index, done.chunk)) return;
  ChunkState& sum = state(flow, done.index, done.chunk);
  const PacketRow& table = flow.tables->rows[done.index];
  if (sum.phase == ChunkPhase::kPassed) {
    free_slot(flow, done.index, sum, now_s);
    if (sum.mask == table.expects) release(flow, done.index, done.chunk, now_s);
    drain(flow, done.index, now_s);
    return;
  }
  const bool keeps = table.at_switch && clocked();
  if (flow.timeout_s == 0.0 && !keeps) release(flow, done.index, done.chunk, now_s);
}

void PacketRows::drop(const QueuedChunk& chunk) {
  if (chunk.hold != kNoIndex && --holds_[chunk.hold].copies == 0) free_holds_.push_back(chunk.hold);
}

void PacketRows::acknowledge(PacketFlow& flow, std::size_t s, std::int64_t chunk, double now_s) {
  if (flow.timeout_s == 0.0 || discipline() != AggregationDiscipline::kOpenLoop) return;
  for (const auto& [row, latency] : flow.tables->rows_above[s]) {
    if (is_over(flow, row, chunk)) continue;
    ChunkState& sum = state(flow, row, chunk);
    double word_s = ports_->options().propagation ? latency.in_seconds() : 0.0;
    word_s += ports_->word_delay_s(topology_->node(flow.tables->sources[s].island),
                                   flow.tables->rows[row].node);
    sum.ack_s = std::max(sum.ack_s, now_s + word_s);
    const auto all = static_cast<std::uint32_t>(std::popcount(flow.tables->rows[row].expects));
    if (++sum.acks < all) continue;
    agenda_->put(flow.tables->rows[row].node, {.time_s = sum.ack_s,
                                               .kind = PacketEventKind::kRelease,
                                               .index = row,
                                               .flow = &flow,
                                               .chunk = chunk});
  }
}

std::uint32_t PacketRows::hold(const Hold& held) {
  if (free_holds_.empty()) {
    holds_.push_back(held);
    return static_cast<std::uint32_t>(holds_.size() - 1);
  }
  const std::uint32_t index = free_holds_.back();
  free_holds_.pop_back();
  holds_[index] = held;
  return index;
}

}  // namespace gyre
