// The sending side of `PacketNetwork`: fair shares, windows, acknowledgements and time-outs.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/error.hpp"
#include "sim/packet_network.hpp"

namespace gyre {
namespace {

/// Chunks that wait at an interface before the source holds back.
constexpr std::size_t kInterfaceChunks = 4;
/// A time-out that is not given doubles for a chunk each time, up to this multiple: what is lost,
/// not late, should not wait for long.
constexpr double kMostBackOff = 4.0;
/// A time-out that is not given is no shorter than TCP's least one in Linux.
constexpr double kLeastTimeout_s = 0.2;
constexpr double kChunksInTurn = 4.0;
/// Times that are the same but for rounding.
constexpr double kAlmost = 1.0 - 1e-6;

}  // namespace

void PacketNetwork::begin_source(PacketFlow& flow, std::size_t s, double now_s) {
  SourceState& source = flow.sources[s];
  source.launched = true;
  source.reference_s = now_s;
  if (++flow.launched == flow.sources.size()) flow.all_launched_s = now_s;
  if (!flow.paced) {
    flow.paced = true;
    sharing_.push_back(&flow);
    share_out(now_s);
  } else {
    plan_fair_end(flow);
  }
  if (flow.timeout_s > 0.0 && !flow.fixed_timeout) {
    // Streams in turn: each arc may let some chunks of every other one pass first; and where a
    // window is set, a chunk may wait a round trip of each arc for its room.
    // (A flow at its own limit shares nothing.)
    const bool shares = flow.rate_bps < flow.cap_bps * (1.0 - 1e-9);
    const double turn_s =
        shares ? 8.0 * static_cast<double>(flow.chunk_bytes) / flow.rate_bps : 0.0;
    const double waiting = options_.wire.transport.window ? 2.0 : 1.0;
    flow.least_timeout_s = std::max(
        kLeastTimeout_s, 2.0 * (waiting * flow.round_trip_s +
                                kChunksInTurn * turn_s * static_cast<double>(flow.tables->hops)));
    flow.timeout_s = std::max(flow.timeout_s, flow.least_timeout_s);
  }
  rows_.contribute_own(flow, s, now_s);
  try_send(flow, s, now_s);
}

void PacketNetwork::share_out(double now_s) {
  std::vector<FairRates::Demand> demands;
  demands.reserve(sharing_.size());
  for (const PacketFlow* flow : sharing_) {
    demands.push_back({.arcs = flow->tables->arcs, .cap_bps = flow->cap_bps});
  }
  const std::vector<double> rates_bps = fair_rates_.fill(demands);
  for (std::size_t f = 0; f < sharing_.size(); ++f) {
    PacketFlow& flow = *sharing_[f];
    if (flow.rate_bps == rates_bps[f]) continue;
    for (SourceState& source : flow.sources) {
      if (!source.launched) continue;
      source.reference_bytes += (now_s - source.reference_s) * flow.rate_bps / 8.0;
      source.reference_s = now_s;
    }
    flow.rate_bps = rates_bps[f];
    plan_fair_end(flow);
    for (std::size_t s = 0; s < flow.sources.size(); ++s) {
      if (flow.sources[s].launched) try_send(flow, s, now_s);
    }
  }
}

double PacketNetwork::fair_end_s(const PacketFlow& flow) const {
  if (flow.launched < flow.sources.size()) return kEndOfTime;
  double end_s = 0.0;
  for (const SourceState& source : flow.sources) {
    const double left_bytes = static_cast<double>(flow.bytes) - source.reference_bytes;
    end_s = std::max(end_s, source.reference_s + left_bytes * 8.0 / flow.rate_bps);
  }
  return end_s;
}

void PacketNetwork::plan_fair_end(PacketFlow& flow) {
  const double end_s = fair_end_s(flow);
  if (end_s == kEndOfTime) return;
  agenda_.put(node_of(flow, 0),
              {.time_s = end_s, .kind = PacketEventKind::kFairEnd, .flow = &flow});
}

void PacketNetwork::leave_shares(PacketFlow& flow, double now_s) {
  flow.paced = false;
  std::erase(sharing_, &flow);
  share_out(now_s);
}

void PacketNetwork::try_send(PacketFlow& flow, std::size_t s, double now_s) {
  SourceState& source = flow.sources[s];
  const std::vector<std::uint32_t>& out = flow.tables->sources[s].out;
  if (!source.launched || out.empty() || source.sending) return;
  source.sending = true;
  while (const std::optional<std::int64_t> chunk = next_chunk(flow, s)) {
    const bool full = std::any_of(out.begin(), out.end(), [&flow](std::uint32_t lane) {
      return flow.lanes[lane].queue.size() >= kInterfaceChunks;
    });
    if (full) break;
    const double due_s = flow.due_s(s, source.next);
    if (due_s > now_s + kSame_s) {
      if (due_s < source.wake_s - kSame_s) {
        source.wake_s = due_s;
        agenda_.put(node_of(flow, s), {.time_s = due_s,
                                       .kind = PacketEventKind::kEmit,
                                       .index = static_cast<std::uint32_t>(s),
                                       .flow = &flow});
      }
      break;
    }
    if (flow.window > 0 && source.next >= flow.window) source.ready.pop_front();
    ++source.next;
    send(flow, s, *chunk, false, now_s);
  }
  source.sending = false;
}

/// The next chunk that the window lets a source send.
std::optional<std::int64_t> PacketNetwork::next_chunk(PacketFlow& flow, std::size_t s) const {
  SourceState& source = flow.sources[s];
  if (source.next >= flow.chunks) return std::nullopt;
  if (flow.window == 0 || source.next < flow.window) return source.next;
  if (source.ready.empty()) return std::nullopt;
  return source.ready.front();
}

void PacketNetwork::send(PacketFlow& flow, std::size_t s, std::int64_t chunk, bool again,
                         double now_s) {
  const PacketSource& source = flow.tables->sources[s];
  const Contributors mine = flow.tables->sums ? Contributors{1} << s : 0;
  for (const std::uint32_t lane : source.out) {
    ports_.put(flow, lane, {.chunk = chunk, .from = mine, .hold = kNoIndex, .resent = again},
               now_s);
  }
}

void PacketNetwork::on_sent(PacketFlow& flow, std::uint32_t lane, const QueuedChunk& chunk,
                            double now_s, double left_s) {
  rows_.sent(flow, chunk, now_s);
  const std::uint32_t s = flow.source_of_lane[lane];
  if (s == kNoIndex || flow.ended) return;
  SourceState& source = flow.sources[s];
  if (!chunk.resent) {
    if (lane == flow.tables->first_lanes(s).front()) {
      wait_for_answer(flow, s, chunk.chunk, now_s);
    }
    source.sent_s = std::max(source.sent_s, left_s);
    if (--source.sends_left == 0) {
      source.done = true;
      part_ended(flow, now_s);
      if (flow.ended) return;
    }
  }
  try_send(flow, s, now_s);
}

void PacketNetwork::acknowledge(PacketFlow& flow, std::uint32_t receiver, std::int64_t chunk,
                                double now_s) {
  const PacketReceiver& at = flow.tables->receivers[receiver];
  // A result answers its receiver's own contribution; every other source gets word.
  if (at.source != kNoIndex && flow.tables->sums) {
    acknowledged(flow, at.source, chunk, now_s);
    if (flow.ended || flow.tables->receivers.size() > 1) return;
  }
  for (std::size_t s = 0; s < flow.sources.size(); ++s) {
    if (s == at.source && flow.tables->sums) continue;
    double word_s = options_.wire.propagation ? at.ack_latency[s].in_seconds() : 0.0;
    word_s += ports_.word_delay_s(topology_->node(at.island), node_of(flow, s));
    agenda_.put(node_of(flow, s), {.time_s = now_s + word_s,
                                   .kind = PacketEventKind::kAck,
                                   .index = static_cast<std::uint32_t>(s),
                                   .flow = &flow,
                                   .chunk = chunk});
  }
}

void PacketNetwork::acknowledged(PacketFlow& flow, std::size_t s, std::int64_t chunk,
                                 double now_s) {
  SourceState& source = flow.sources[s];
  if (!flow.tables->sums && flow.receivers.size() > 1) {
    // Each receiver's word counts once: a chunk is through when all have it.
    if (++source.ack_counts.at(chunk) < flow.receivers.size()) return;
    source.ack_counts.advance(
        [&flow](std::uint32_t acks) { return acks == flow.receivers.size(); });
  }
  if (!source.acked.insert(chunk)) return;
  if (flow.window > 0 && chunk + flow.window < flow.chunks) {
    source.ready.push_back(chunk + flow.window);
  }
  measure_trip(flow, s, chunk, now_s);
  rows_.acknowledge(flow, s, chunk, now_s);
  if (!flow.ended) try_send(flow, s, now_s);
}

bool PacketNetwork::may_answer_a_repeat(const PacketFlow& flow, std::size_t s, std::int64_t chunk,
                                        double now_s) const {
  const std::vector<PacketReceiver>& receivers = flow.tables->receivers;
  const auto own = std::find_if(receivers.begin(), receivers.end(),
                                [s](const PacketReceiver& r) { return r.source == s; });
  const PacketReceiver& receiver = own != receivers.end() ? *own : receivers.front();
  const auto last = flow.repeats.lower_bound({chunk + 1, 0});
  for (auto repeat = flow.repeats.lower_bound({chunk, 0}); repeat != last; ++repeat) {
    const double way_s =
        options_.wire.propagation ? receiver.ack_latency[repeat->first.second].in_seconds() : 0.0;
    if (now_s - repeat->second >= way_s * kAlmost) return true;
  }
  return false;
}

/// A time-out that is not given follows the round trips (Jacobson 1988; RFC 6298) and is never
/// below twice the one on an idle map. An answer to a chunk that was sent again measures a round
/// trip only if it comes too soon to be one to the repeat (Karn's rule, as Eifel refines it); of a
/// sum whoever sent its part again. Else time-outs would grow by what they themselves have lasted.
void PacketNetwork::measure_trip(PacketFlow& flow, std::size_t s, std::int64_t chunk,
                                 double now_s) const {
  SourceState& source = flow.sources[s];
  if (flow.timeout_s == 0.0 || chunk < source.records.base()) return;
  const SentRecord sent = source.records.at(chunk);
  // Nobody can answer a sum before all have sent their parts.
  double sent_s = sent.first_s;
  std::int64_t answered = source.acked.base();
  if (flow.tables->sums) {
    for (SourceState& other : flow.sources) {
      answered = std::min(answered, other.acked.base());
      if (chunk < other.records.base() || chunk >= other.records.end()) continue;
      sent_s = std::max(sent_s, other.records.at(chunk).first_s);
    }
  }
  source.records.advance([&source, answered](const SentRecord& /*first*/) {
    return source.records.base() < answered;
  });
  if (flow.fixed_timeout || sent.times == 0) return;
  if (sent.times > 1 && now_s - sent.last_s >= flow.round_trip_s * kAlmost) return;
  if (flow.tables->sums && may_answer_a_repeat(flow, s, chunk, now_s)) return;
  const double sample_s = now_s - sent_s;
  if (flow.smooth_trip_s == 0.0) {
    flow.smooth_trip_s = sample_s;
    flow.trip_deviation_s = sample_s / 2.0;
  } else {
    const double off_s = std::abs(sample_s - flow.smooth_trip_s);
    flow.trip_deviation_s += (off_s - flow.trip_deviation_s) / 4.0;
    flow.smooth_trip_s += (sample_s - flow.smooth_trip_s) / 8.0;
  }
  flow.timeout_s = std::max(flow.least_timeout_s, flow.smooth_trip_s + 4.0 * flow.trip_deviation_s);
}

void PacketNetwork::wait_for_answer(PacketFlow& flow, std::size_t s, std::int64_t chunk,
                                    double now_s) {
  if (flow.timeout_s == 0.0) return;
  SourceState& source = flow.sources[s];
  if (chunk < source.records.base()) return;
  source.records.at(chunk) = {.first_s = now_s, .last_s = now_s, .times = 1};
  source.outstanding.push_back({.chunk = chunk, .deadline_s = now_s + flow.timeout_s});
  set_timer(flow, s);
}

void PacketNetwork::send_again(PacketFlow& flow, std::size_t s, std::int64_t chunk, double now_s) {
  const PacketSource& source = flow.tables->sources[s];
  if (source.out.empty()) {
    rows_.repeat(flow, source.row, chunk, Contributors{1} << s, now_s);
  } else {
    send(flow, s, chunk, true, now_s);
  }
}

void PacketNetwork::set_timer(PacketFlow& flow, std::size_t s) {
  SourceState& source = flow.sources[s];
  while (!source.outstanding.empty() && source.acked.contains(source.outstanding.front().chunk)) {
    source.outstanding.pop_front();
  }
  if (source.timer_pending || source.outstanding.empty()) return;
  source.timer_pending = true;
  agenda_.put(node_of(flow, s), {.time_s = source.outstanding.front().deadline_s,
                                 .kind = PacketEventKind::kTimeout,
                                 .index = static_cast<std::uint32_t>(s),
                                 .flow = &flow});
}

void PacketNetwork::time_out(PacketFlow& flow, std::size_t s, double now_s) {
  SourceState& source = flow.sources[s];
  source.timer_pending = false;
  while (!source.outstanding.empty() && source.outstanding.front().deadline_s <= now_s + kSame_s) {
    SentChunk waiting = source.outstanding.front();
    source.outstanding.pop_front();
    if (source.acked.contains(waiting.chunk)) continue;
    SentRecord& sent = source.records.at(waiting.chunk);
    // Nobody can answer before all have launched.
    const double earliest_s = flow.all_launched_s + flow.timeout_s;
    if (earliest_s > now_s + kSame_s) {
      sent.first_s = now_s;
      sent.last_s = now_s;
      waiting.deadline_s = earliest_s == kEndOfTime ? now_s + flow.timeout_s : earliest_s;
      source.outstanding.push_back(waiting);
      continue;
    }
    if (now_s - sent.first_s >= options_.recovery.give_up.in_seconds()) {
      give_up(flow, s, waiting.chunk, sent.first_s, now_s);
      return;
    }
    const double backed_off = std::min(kMostBackOff, std::exp2(sent.times));
    waiting.deadline_s = now_s + flow.timeout_s * (flow.fixed_timeout ? 1.0 : backed_off);
    sent.last_s = now_s;
    ++sent.times;
    source.outstanding.push_back(waiting);
    if (flow.tables->sums && !flow.fixed_timeout) note_repeat(flow, s, waiting.chunk, now_s);
    send_again(flow, s, waiting.chunk, now_s);
    if (flow.ended) return;
  }
  set_timer(flow, s);
}

void PacketNetwork::note_repeat(PacketFlow& flow, std::size_t s, std::int64_t chunk, double now_s) {
  flow.repeats[{chunk, static_cast<std::uint32_t>(s)}] = now_s;
  std::int64_t answered = chunk;
  for (const SourceState& one : flow.sources) answered = std::min(answered, one.acked.base());
  flow.repeats.erase(flow.repeats.begin(), flow.repeats.lower_bound({answered, 0}));
}

void PacketNetwork::give_up(PacketFlow& flow, std::size_t s, std::int64_t chunk, double since_s,
                            double now_s) {
  const std::string island = topology_->name(flow.tables->sources[s].island);
  std::string down;
  for (std::size_t a = 0; a < topology_->arc_count(); ++a) {
    const ArcId arc = ArcId::at(a);
    const bool used = std::any_of(flow.tables->arcs.begin(), flow.tables->arcs.end(),
                                  [arc](const ArcUse& use) { return use.arc == arc; });
    if (!used || !ports_.outages().is_down(arc, now_s)) continue;
    down += fmt::format("{}{}", down.empty() ? "" : ", ", topology_->name(arc));
  }
  const std::string why = fmt::format(
      "{} waits for an answer to its chunk {} of {} since {:.6g} s and gave up at {:.6g} s{}",
      island, chunk + 1, flow.chunks, since_s, now_s,
      down.empty() ? "" : fmt::format(" (down: {})", down));
  if (flow.on_give_up) {
    flow.on_give_up(why);
  } else {
    abort(flow);
  }
}

}  // namespace gyre
