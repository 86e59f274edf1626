#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/units.hpp"
#include "sim/packet_tables.hpp"
#include "sim/ring_buffer.hpp"
#include "sim/simgrid_compat.hpp"

namespace gyre {

inline constexpr double kEndOfTime = std::numeric_limits<double>::infinity();

/// Instants closer than this are one: rounding of times that are sums.
inline constexpr double kSame_s = 1e-12;

/// What is known of each chunk from one on. The chunks below `base` are done with and cost nothing.
template <class T>
class ByChunk {
 public:
  [[nodiscard]] std::int64_t base() const { return base_; }
  /// The first chunk of which nothing is known yet.
  [[nodiscard]] std::int64_t end() const {
    return base_ + static_cast<std::int64_t>(items_.size());
  }
  /// Requires chunk ≥ base. May move what was got before.
  T& at(std::int64_t chunk) {
    const auto place = static_cast<std::size_t>(chunk - base_);
    while (items_.size() <= place) items_.push_back(T());
    return items_[place];
  }
  /// Lets go of the first ones for as long as `done` says so of them.
  template <class Done>
  void advance(Done done) {
    while (!items_.empty() && done(items_.front())) {
      items_.pop_front();
      ++base_;
    }
  }
  void clear() { items_.clear(); }

 private:
  std::int64_t base_ = 0;
  RingBuffer<T> items_;
};

/// Numbers of chunks that have been seen.
class ChunkSet {
 public:
  /// Returns false if it was there.
  bool insert(std::int64_t chunk);
  [[nodiscard]] bool contains(std::int64_t chunk);
  /// The first that is missing.
  [[nodiscard]] std::int64_t base() const { return seen_.base(); }

 private:
  ByChunk<std::uint8_t> seen_;  ///< flags
};

/// A chunk that waits at a port.
struct QueuedChunk {
  std::int64_t chunk = 0;
  Contributors from = 0;
  std::uint32_t hold = kNoIndex;  ///< what is free again when it has been sent
  bool resent = false;
  bool reply = false;  ///< a repeated result: only for the sources in `from`
};

struct LaneState {
  RingBuffer<QueuedChunk> queue;
  RingBuffer<double> credits_at;  ///< when the next node's word of room arrives
  std::int64_t window = 0;        ///< chunks
  std::int64_t credits = 0;       ///< of them free
  bool in_ring = false;
  bool wake_pending = false;
  RingBuffer<QueuedChunk> adding;  ///< that wait for a switch's adder
};

enum class ChunkPhase : std::uint8_t { kAbsent, kOpen, kForwarded, kPassed, kReleased };

/// What a row knows of one chunk.
struct ChunkState {
  Contributors mask = 0;
  ChunkPhase phase = ChunkPhase::kAbsent;
  bool slot = false;  ///< it takes memory of a switch
  std::uint32_t acks = 0;
  double ack_s = 0.0;
};

struct WaitingChunk {
  std::uint32_t lane = kNoIndex;
  std::int64_t chunk = 0;
  Contributors from = 0;
  bool resent = false;
};

struct RowState {
  ByChunk<ChunkState> chunks;
  std::int64_t in_use = 0;
  std::int64_t limit = 0;                         ///< slots that it may take; 0: unlimited
  std::int64_t wanted = 0;                        ///< of them, if there are so many
  std::vector<RingBuffer<WaitingChunk>> waiting;  ///< by place in `in`; empty before the first
  std::int64_t reserved_bytes = 0;
  bool draining = false;
  bool waits = false;       ///< a contribution has no slot
  bool lost_state = false;  ///< its switch was down
};

/// When a chunk that is not acknowledged will be sent again.
struct SentChunk {
  std::int64_t chunk = 0;
  double deadline_s = 0.0;
};

/// When it was sent.
struct SentRecord {
  double first_s = 0.0;
  double last_s = 0.0;
  std::uint32_t times = 0;
};

struct SourceState {
  bool launching = false;
  bool launched = false;
  bool sending = false;
  std::int64_t next = 0;           ///< chunks that it has begun to send
  RingBuffer<std::int64_t> ready;  ///< beyond the first window: whose places are free
  double reference_s = 0.0;        ///< when `reference_bytes` had been reached at the fair rate
  double reference_bytes = 0.0;
  double wake_s = kEndOfTime;   ///< of the next planned sending
  std::int64_t sends_left = 0;  ///< chunks × first lanes
  ChunkSet acked;
  ByChunk<std::uint32_t> ack_counts;  ///< of single sources
  RingBuffer<SentChunk> outstanding;
  ByChunk<SentRecord> records;  ///< of chunks that are not acknowledged
  bool timer_pending = false;
  double sent_s = 0.0;  ///< when its last chunk had left
  bool done = false;

  [[nodiscard]] bool was_sent(std::int64_t chunk, std::int64_t window) {
    if (window == 0 || chunk < window) return chunk < next;
    return acked.contains(chunk - window);
  }
};

struct ReceiverState {
  ChunkSet got;
  double end_s = 0.0;
  bool done = false;
};

/// One flow of an exchange under way, chunk by chunk. Its memory is that of the chunks under way.
struct PacketFlow {
  std::shared_ptr<const PacketTables> tables;
  std::int64_t bytes = 0;
  std::int64_t chunk_bytes = 0;
  std::int64_t chunks = 0;
  double cap_bps = kEndOfTime;
  double rate_bps = 0.0;      ///< its fair share now
  std::int64_t window = 0;    ///< chunks that a source may be ahead of its acknowledgements; 0: any
  double round_trip_s = 0.0;  ///< on an idle map
  double timeout_s = 0.0;     ///< for sending again; 0: nothing is lost
  bool fixed_timeout = false;  ///< given; otherwise it follows what round trips take
  double least_timeout_s = 0.0;
  double smooth_trip_s = 0.0;
  double trip_deviation_s = 0.0;
  /// Of sums whose time-out follows the round trips, by chunk and source: when the source sent it
  /// again last. Of chunks that some source has no answer to.
  std::map<std::pair<std::int64_t, std::uint32_t>, double> repeats;
  std::vector<double> memory_shares;  ///< by row: of its switch's memory
  bool admitted = false;              ///< it has its slots
  bool early = false;                 ///< each source launches when it is ready, and not all are
  bool acknowledges = false;

  std::vector<LaneState> lanes;
  std::vector<RowState> rows;
  std::vector<SourceState> sources;
  std::vector<ReceiverState> receivers;
  std::vector<std::uint32_t> source_of_lane;  ///< whose sendings a lane counts as, or none

  std::size_t launched = 0;
  double all_launched_s = kEndOfTime;
  std::size_t parts_left = 0;  ///< sources and receivers that are not done
  bool paced = false;          ///< has a fair share now
  bool ended = false;
  std::int64_t pending = 0;  ///< events and places in ports' rings that refer to it
  std::int64_t retransmissions = 0;
  std::int64_t lost = 0;
  std::int64_t core_bytes = 0;
  std::function<void(const std::string& why)> on_give_up;

  struct Waiter {
    IslandId island;
    simgrid::s4u::SemaphorePtr gate;
  };
  std::vector<Waiter> waiters;

  [[nodiscard]] std::int64_t size_of(std::int64_t chunk) const {
    return chunk + 1 == chunks ? bytes - chunk * chunk_bytes : chunk_bytes;
  }
  /// When the island's part (sending, receiving or both) ended, or nothing yet.
  [[nodiscard]] std::optional<Instant> ended_for(IslandId island) const;
  /// When source `s` may send `chunk` at its fair rate.
  [[nodiscard]] double due_s(std::size_t s, std::int64_t chunk) const;
};

}  // namespace gyre
