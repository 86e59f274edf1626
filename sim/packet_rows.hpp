#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "schedules/switch_limits.hpp"
#include "sim/packet_agenda.hpp"
#include "sim/packet_flow.hpp"
#include "sim/packet_ports.hpp"

namespace gyre {

/// What a switch holds and did, up to an instant.
struct SwitchUsage {
  std::int64_t slots = 0;            ///< sums that it holds
  std::int64_t bytes = 0;            ///< of them
  std::int64_t peak_bytes = 0;       ///< most at any time
  double blocked_s = 0.0;            ///< time in which a contribution waited for a slot
  std::int64_t unsummed = 0;         ///< contributions passed on for want of a slot or of time
  std::int64_t timeouts = 0;         ///< partial sums sent on
  std::int64_t retransmissions = 0;  ///< chunks sent again that came by
  std::int64_t repeated = 0;         ///< contributions that it had already
};

/// The tables of all nodes at work: passing on, replicating, adding.
///
/// A sum takes a slot at a switch from its first contribution until
///   open-loop                   its result is on the wire; where chunks can be lost, until all
///                               members below are known to have the result
///   ack-clocked                 its place is taken by the chunk one window later, which says that
///                               it was received; where chunks can be lost (a second copy, as
///                               SwitchML keeps it), until that one is complete
///   best-effort                 it is on the wire; without a free slot the chunk's contributions
///                               are passed on unsummed, and the root's island finishes (ATP)
///   partial-timeout             it is on the wire, which is at the latest a time-out after the
///                               first contribution; late ones are passed on (Canary)
/// In the first two a contribution without a slot waits, and so does what is behind it. Which
/// sources are in a sum is a bitmap: what comes twice is not added twice. Sums at islands take no
/// switch's memory.
class PacketRows {
 public:
  /// A complete sum at the root island.
  using OnResult = std::function<void(PacketFlow&, std::int64_t chunk, double now_s)>;
  /// A switch's state has changed.
  using OnChange = std::function<void(SwitchId, double now_s)>;

  PacketRows(const Topology& topology, const SwitchLimits* limits, PacketAgenda& agenda,
             PacketPorts& ports);
  void on_result(OnResult callback) { on_result_ = std::move(callback); }
  void on_change(OnChange callback) { on_change_ = std::move(callback); }

  /// Gives the rows of a fresh flow their slots, at all of its switches at once; false if there are
  /// none left at one of them. A flow that not all of its sources are ready for leaves one free for
  /// those of which all are: else they, and so who is to come yet, could wait for ever. Who passes
  /// on what finds no room needs none to begin.
  [[nodiscard]] bool open(PacketFlow& flow);
  /// All of its sources are ready: it has what it left free, as far as nobody else does.
  void give_kept(PacketFlow& flow);
  /// A chunk has arrived at a node on a lane that feeds a row.
  void arrive(PacketFlow& flow, const PacketEvent& event, double now_s);
  /// The adder has taken a contribution: it takes the next one, the inputs in turn.
  void serve_adder(SwitchId at, double now_s);
  /// It is through the adder.
  void add(PacketFlow& flow, const PacketEvent& event, double now_s);
  /// The island of source `s` is ready to send its own with others'.
  void contribute_own(PacketFlow& flow, std::size_t s, double now_s);
  void flush(PacketFlow& flow, std::uint32_t row, std::int64_t chunk, double now_s);
  /// Source `s` has a result: what its acknowledgement lets go of.
  void acknowledge(PacketFlow& flow, std::size_t s, std::int64_t chunk, double now_s);
  void release(PacketFlow& flow, std::uint32_t row, std::int64_t chunk, double now_s);
  /// Sends a row's sum again if it is complete.
  void repeat(PacketFlow& flow, std::uint32_t row, std::int64_t chunk, Contributors for_whom,
              double now_s);
  /// What was held until a chunk had been sent.
  void sent(PacketFlow& flow, const QueuedChunk& chunk, double now_s);
  /// A chunk will not be sent.
  void drop(const QueuedChunk& chunk);
  /// Lets go of all that a flow holds.
  void close(PacketFlow& flow, double now_s);
  /// The switch has lost its state.
  void lose(PacketFlow& flow, SwitchId at, double now_s);

  [[nodiscard]] const SwitchUsage& usage(SwitchId s) const { return usage_[s.index()]; }

 private:
  struct Hold {
    std::uint32_t index = 0;  ///< lane, or row
    bool slot = false;
    std::int64_t chunk = 0;
    std::size_t copies = 0;
  };

  void pass_on(PacketFlow& flow, const PacketRow& row, const PacketEvent& event, double now_s);
  void contribute(PacketFlow& flow, std::uint32_t row, const WaitingChunk& got, double now_s);
  /// Whether the row has a sum of the chunk, or room to begin one.
  [[nodiscard]] bool takes(PacketFlow& flow, std::uint32_t row, std::int64_t chunk, double now_s);
  void put_in(PacketFlow& flow, std::uint32_t row, const WaitingChunk& got, double now_s);
  void begin_sum(PacketFlow& flow, std::uint32_t row, std::int64_t chunk, double now_s);
  [[nodiscard]] static Contributors own_of(const PacketFlow& flow, std::uint32_t row);
  void forward_sum(PacketFlow& flow, std::uint32_t row, std::int64_t chunk, double now_s);
  void ask_again(PacketFlow& flow, std::uint32_t row, std::int64_t chunk, Contributors there,
                 double now_s);
  void pass_unsummed(PacketFlow& flow, std::uint32_t row, const WaitingChunk& got, double now_s);
  void drain(PacketFlow& flow, std::uint32_t row, double now_s);
  static ChunkState& state(PacketFlow& flow, std::uint32_t row, std::int64_t chunk);
  void take_slot(PacketFlow& flow, std::uint32_t row, ChunkState& chunk, double now_s);
  void free_slot(PacketFlow& flow, std::uint32_t row, ChunkState& chunk, double now_s);
  void wait_for_slot(PacketFlow& flow, std::uint32_t row, double now_s);
  void stop_waiting(PacketFlow& flow, std::uint32_t row, double now_s);
  [[nodiscard]] std::uint32_t hold(const Hold& held);
  [[nodiscard]] AggregationDiscipline discipline() const;
  [[nodiscard]] bool passes_unsummed() const;
  [[nodiscard]] bool clocked() const;
  [[nodiscard]] static bool is_over(PacketFlow& flow, std::uint32_t row, std::int64_t chunk);

  const Topology* topology_;
  const SwitchLimits* limits_;
  PacketAgenda* agenda_;
  PacketPorts* ports_;
  OnResult on_result_;
  OnChange on_change_;
  std::vector<SwitchUsage> usage_;
  std::vector<std::int64_t> reserved_bytes_;  ///< by switch: of the flows under way
  struct Adder {
    bool busy = false;
    RingBuffer<std::pair<PacketFlow*, std::uint32_t>> ring;  ///< lanes with contributions, in turn
  };
  std::vector<Adder> adders_;  ///< by switch
  /// By switch: how many rows have contributions without a slot, and since when there are any.
  std::vector<int> waiting_rows_;
  std::vector<double> waiting_since_s_;
  std::vector<Hold> holds_;
  std::vector<std::uint32_t> free_holds_;
};

}  // namespace gyre
