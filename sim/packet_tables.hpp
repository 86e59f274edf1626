#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "schedules/exchange_plan.hpp"
#include "schedules/switch_program.hpp"

namespace gyre {

/// Which of a flow's sources are in a sum: a bit each.
using Contributors = std::uint64_t;
inline constexpr std::size_t kMostContributors = 64;

inline constexpr std::uint32_t kNoIndex = 0xffffffff;

/// A port of a flow's program: an arc under a label.
struct PacketLane {
  ArcId arc;
  NodeId tail;
  NodeId head;
  std::uint32_t row = kNoIndex;  ///< that takes what arrives; none where it ends
  Contributors full = 0;         ///< on the way up: the sources behind it
  Contributors reaches = 0;      ///< on the way down: the sources that receive through it
};

/// A row of a node's table.
struct PacketRow {
  NodeId node;
  std::vector<std::uint32_t> in;
  std::vector<std::uint32_t> out;
  bool adds = false;                ///< waits for all of `expects`; otherwise passes on
  bool at_switch = false;           ///< its sums take a switch's memory
  Contributors expects = 0;         ///< the sources of a complete sum, the node's own included
  Contributors own = 0;             ///< of an island that adds its own on the way
  std::uint32_t detour = kNoIndex;  ///< of the root switch: the lane to the island that finishes

  /// Where what is not summed here goes on.
  [[nodiscard]] std::uint32_t unsummed_way() const {
    return detour != kNoIndex ? detour : out.front();
  }
};

struct PacketSource {
  IslandId island;
  std::vector<std::uint32_t> out;  ///< first lanes; empty where a row sends its data with others'
  std::uint32_t row = kNoIndex;    ///< that row
  Duration launch_offset;          ///< of an aligned launch
};

struct PacketReceiver {
  IslandId island;
  std::uint32_t source = kNoIndex;    ///< the same island among the sources
  std::vector<Duration> ack_latency;  ///< of its word, by source
};

/// A compiled flow with everything looked up that running its packets needs: what to do with a
/// chunk is a matter of indices. The same tables as `ProgramFlow`, plus the ways that switches take
/// when their memory is full: from the root switch to the member nearest to it and back.
struct PacketTables {
  std::vector<PacketLane> lanes;
  std::vector<PacketRow> rows;
  std::vector<PacketSource> sources;       ///< by rank
  std::vector<PacketReceiver> receivers;   ///< by rank
  std::uint32_t root_row = kNoIndex;       ///< where sums are complete
  std::uint32_t root_receives = kNoIndex;  ///< the receiver at a root island, which that row serves
  std::vector<ArcUse> arcs;
  Contributors everybody = 0;
  bool sums = false;                ///< several sources
  Duration round_trip;              ///< from a launch to the last acknowledgement, by propagation
  std::size_t sums_on_the_way = 0;  ///< switches that add, on the way of the source with the most
  std::size_t hops = 0;             ///< arcs on the longest way from a source to a receiver
  Bandwidth line;                   ///< least capacity on its way
  /// By source: the switches' rows that hold sums with it, and how long its word takes to them.
  std::vector<std::vector<std::pair<std::uint32_t, Duration>>> rows_above;
  std::vector<std::uint32_t> ends;  ///< by lane: the receiver that it ends at, or none

  /// The lanes that a source's data leaves on, by itself or in its row's sums.
  [[nodiscard]] const std::vector<std::uint32_t>& first_lanes(std::size_t source) const {
    const PacketSource& from = sources[source];
    return from.out.empty() ? rows[from.row].out : from.out;
  }
};

/// Errors: `InputError` where a flow has more than `kMostContributors` sources.
PacketTables packet_tables(const Network& network, const Flow& flow, const ProgramFlow& program);

}  // namespace gyre
