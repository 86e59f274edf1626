#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "models/ids.hpp"
#include "models/routing.hpp"
#include "models/topology.hpp"
#include "models/units.hpp"

namespace gyre {

/// What the wires need at least for a clique of members 1 … k with payload M each, whatever the
/// exchange.
struct CutBound {
  Duration time;       ///< max over ordered pairs (u, v) of M / mincut(u → v) + latency(u, v)
  Duration bandwidth;  ///< max over cuts S that separate members of M / c(S)
  IslandId from;       ///< the pair that gives `time`
  IslandId to;
  std::vector<ArcId> arcs;  ///< the narrowest cut's arcs
};

/// Lower bounds on the time of an exchange. Exact min cuts by push–relabel on capacities in whole
/// bits per second. Results are cached by pair of islands.
///
/// Why the pair's latency adds to its own cut: u's contribution reaches v only over paths of
/// latency ≥ d(u, v), so that the arcs of a cut between them carry it during at most T − d(u, v),
/// and M ≤ c(S)·(T − d(u, v)).
class Bounds {
 public:
  Bounds(const Topology& topology, const Routes& routes);

  /// The cut bound. Beyond 64 members the pairs with the first member stand for all cuts and the
  /// access links for the other pairs: still a bound, perhaps not the tightest.
  /// Requires k ≥ 2.
  [[nodiscard]] CutBound cut(std::span<const IslandId> clique, Bytes payload) const;
  /// The least time until `member` holds the clique's average: max over u of M / mincut(u → member)
  /// + latency(u, member).
  [[nodiscard]] Duration member(std::span<const IslandId> clique, IslandId member,
                                Bytes payload) const;

  /// Without addition in the network the members receive at least 2(k−1)·M together, without
  /// replication they send as much (one-way gossip, Harary and Schwenk 1974), else k·M:
  /// T ≥ amount / Σ access. The larger of both sides.
  [[nodiscard]] Duration islands_add(std::span<const IslandId> clique, Bytes payload,
                                     bool multicast, bool aggregation) const;
  /// `direct` without capabilities: k₁·k₂·M over every cut that splits the members k₁ | k₂.
  /// Exact up to 12 members, else over single members against the rest.
  [[nodiscard]] Duration direct_cut(std::span<const IslandId> clique, Bytes payload) const;
  /// `direct` with multicast: k₁·M from the side with k₁ members to the other (with aggregation
  /// the same towards it). Exact up to 12 members, else over single members against the rest.
  [[nodiscard]] Duration all_gather_cut(std::span<const IslandId> clique, Bytes payload) const;

 private:
  struct MinCut {
    std::int64_t bits_per_second = 0;
    std::vector<ArcId> arcs;
  };
  [[nodiscard]] MinCut min_cut(std::span<const IslandId> from, std::span<const IslandId> to) const;
  /// The min cut where one path alone carries what the narrower access link does: no search needed.
  [[nodiscard]] std::optional<MinCut> access_cut(IslandId from, IslandId to) const;
  [[nodiscard]] const MinCut& pair_cut(IslandId from, IslandId to) const;
  template <class Load>
  [[nodiscard]] Duration worst_split(std::span<const IslandId> clique, Bytes payload,
                                     Load load) const;

  const Topology* topology_;
  const Routes* routes_;
  mutable std::map<std::pair<IslandId, IslandId>, MinCut> cuts_;
};

}  // namespace gyre
