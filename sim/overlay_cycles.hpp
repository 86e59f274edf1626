#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/routing.hpp"
#include "models/topology.hpp"
#include "schedules/round.hpp"
#include "sim/cross_silo_maps.hpp"

// How long a round of an overlay takes, by two models. The published one (Marfoq et al. 2020, arXiv
// 2010.12229, equation 3) gives each edge of an overlay the network for itself:
//
//     d(i, j) = T_c + 0.0085 ms/km · km(i, j) + 4 ms + M / min(A / out(i), A / in(j), C / hops(i,
//     j))
//
// with the access rate A shared evenly among an island's edges, and the core rate C divided by the
// number of links on the way (`core_model: hops`). In the other the edges' flows share the map's
// links, each of rate C, and the access links.

namespace gyre {

/// Directed edges, by island.
using OverlayEdges = std::vector<std::pair<std::size_t, std::size_t>>;
OverlayEdges both_ways(const OverlayEdges& edges);
/// A round of the overlay, every edge with the same weight.
Round overlay_of(const OverlayEdges& directed, std::size_t islands);

struct OverlayJob {
  std::string_view name;
  Bytes payload;     ///< M
  Duration compute;  ///< T_c
};

/// A = 10 Gbps and C = 1 Gbps.
inline constexpr Bandwidth kAccessRate = Bandwidth::gigabits_per_second(10);
inline constexpr Bandwidth kCoreRate = Bandwidth::gigabits_per_second(1);

/// The map with its links, on which the flows of an overlay meet.
Topology shared_map(const CrossSiloMap& map);

/// What the published model gives an edge of an overlay.
struct PrivateLink {
  Bandwidth rate;
  Duration latency;
};

class PublishedModel {
 public:
  /// Of the shared map, which has to outlive it.
  explicit PublishedModel(const Topology& shared) : shared_(&shared), routes_(shared) {}

  /// The links of directed edges that are active together.
  [[nodiscard]] std::vector<PrivateLink> links(const OverlayEdges& edges) const;
  /// A map on which each edge is a link with the delay that the model gives it. Rates are without
  /// limit, since the model lets what consecutive rounds send through one link pass at full rate.
  [[nodiscard]] Topology map(const OverlayEdges& edges, Bytes payload) const;
  /// Lengths in ms of rounds whose edges have such links, all islands waiting for all.
  [[nodiscard]] std::vector<double> round_lengths_ms(const OverlayJob& job,
                                                     const std::vector<OverlayEdges>& rounds) const;

 private:
  const Topology* shared_;
  Routes routes_;
};

/// Time of a round, and the least that it could take on that map.
struct Cycle {
  double time_ms = 0.0;
  double bound_ms = 0.0;
  double error_ms = 0.0;  ///< standard error, where rounds are drawn at random
};

/// Which rounds of a simulation count.
struct CycleSpan {
  std::int64_t from = 0;
  std::int64_t to = 1;
  bool barrier = false;  ///< all islands wait for the whole round
};

/// Mean length of the rounds in the span, simulated on a map. A clique exchanges through a hub.
Cycle simulated_cycle(const Topology& topology, const OverlayJob& job, std::vector<Round> rounds,
                      const CycleSpan& span);

/// All into node 0, then out of it to all, over the map's shortest paths.
Cycle shared_star(const Topology& shared, const OverlayJob& job);

}  // namespace gyre
