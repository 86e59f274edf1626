#pragma once

// Rounds in ns-3, behind an interface without its headers: those are C++17, ours C++20.

#include <cstdint>
#include <vector>

namespace gyre::ns3_play {

/// A directed arc; arcs 2l and 2l + 1 are the two directions of link l.
struct Arc {
  std::uint32_t tail = 0;
  std::uint32_t head = 0;
  std::uint64_t bits_per_second = 0;
  double latency_s = 0.0;
};

/// A flow's rate from an instant on.
struct RateStep {
  double from_s = 0.0;
  double bits_per_second = 0.0;
};

struct Flow {
  std::uint32_t source = 0;
  std::vector<std::uint32_t> receivers;  ///< several: multicast
  std::vector<std::uint32_t> arcs;       ///< of its tree
  std::int64_t bytes = 0;
  std::vector<RateStep> steps;
};

struct Map {
  std::uint32_t nodes = 0;
  std::uint32_t first_access_arcs = 0;  ///< arcs below belong to islands, the even ones leave them
  std::vector<Arc> arcs;
};

inline constexpr std::uint32_t kPayloadOfPacket = 8972;  // MTU less IP and UDP headers

/// When the last receiver has all of its flows, which start together: by UDP, paced at their rates,
/// or by TCP with windows above bandwidth × delay. Negative if that does not happen within 1000 s.
/// One call a process.
double play(const Map& map, const std::vector<Flow>& flows, bool tcp);

}  // namespace gyre::ns3_play
