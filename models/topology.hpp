#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/ids.hpp"
#include "models/units.hpp"

namespace gyre {

/// One direction of a fibre or of an access link.
struct Arc {
  NodeId tail;
  NodeId head;
  Bandwidth capacity;
  Duration latency;  ///< one way
};

/// The map: switches, islands on them, and directed arcs. Nodes are the switches (0 … S−1), then
/// the islands (S … S+n−1); arcs are the access arcs (up, then down, of each island by rank), then
/// the core arcs (both directions of each link, in order of declaration). Const after `build`.
class Topology {
 public:
  struct Island {
    std::string name;
    SwitchId at;
    Bandwidth up;
    Bandwidth down;
    Duration latency;  ///< of the access link, each way
  };
  struct Link {
    SwitchId first;
    SwitchId second;
    Bandwidth capacity;          ///< first → second
    Duration latency;            ///< first → second
    Bandwidth reverse_capacity;  ///< second → first
    Duration reverse_latency;

    /// The same in both directions.
    static Link both_ways(SwitchId first, SwitchId second, Bandwidth capacity, Duration latency) {
      return {first, second, capacity, latency, capacity, latency};
    }
  };

  Topology() = default;
  /// Requires unique names, positive capacities, latencies ≥ 0, and a path between any two islands
  /// in both directions (`unreachable_pair` finds what would break that).
  Topology(std::string name, std::vector<std::string> switches, std::vector<Island> islands,
           const std::vector<Link>& links);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t switch_count() const { return switches_.size(); }
  [[nodiscard]] std::size_t island_count() const { return islands_.size(); }
  [[nodiscard]] std::size_t node_count() const { return switch_count() + island_count(); }
  [[nodiscard]] std::size_t arc_count() const { return arcs_.size(); }

  [[nodiscard]] const std::string& name(SwitchId s) const { return switches_[s.index()]; }
  [[nodiscard]] const std::string& name(IslandId i) const { return islands_[i.index()].name; }
  [[nodiscard]] const Island& island(IslandId i) const { return islands_[i.index()]; }
  [[nodiscard]] std::vector<std::string> island_names() const;
  [[nodiscard]] std::vector<std::string> switch_names() const { return switches_; }
  [[nodiscard]] std::vector<std::string> arc_names() const;
  /// Cost: O(log n), as of `find_switch`.
  [[nodiscard]] std::optional<IslandId> find_island(std::string_view name) const;
  [[nodiscard]] std::optional<SwitchId> find_switch(std::string_view name) const;
  /// By what `name` calls it; the first of several. Cost: that of finding its ends, and the arcs of
  /// its tail.
  [[nodiscard]] std::optional<ArcId> find_arc(std::string_view name) const;

  [[nodiscard]] const Arc& arc(ArcId a) const { return arcs_[a.index()]; }
  [[nodiscard]] ArcId up(IslandId i) const { return ArcId::at(2 * i.index()); }
  [[nodiscard]] ArcId down(IslandId i) const { return ArcId::at(2 * i.index() + 1); }
  [[nodiscard]] bool is_core(ArcId a) const { return a.index() >= 2 * island_count(); }
  /// `FRA->AMS` for a core arc, `FRA.up` (island to switch) or `FRA.down` for an access arc.
  [[nodiscard]] std::string name(ArcId a) const;

  [[nodiscard]] NodeId node(SwitchId s) const { return NodeId::at(s.index()); }
  [[nodiscard]] NodeId node(IslandId i) const { return NodeId::at(switch_count() + i.index()); }
  [[nodiscard]] bool is_switch(NodeId v) const { return v.index() < switch_count(); }
  [[nodiscard]] SwitchId switch_at(NodeId v) const { return SwitchId::at(v.index()); }
  [[nodiscard]] IslandId island_at(NodeId v) const {
    return IslandId::at(v.index() - switch_count());
  }
  [[nodiscard]] std::span<const ArcId> out_arcs(NodeId v) const { return out_[v.index()]; }
  [[nodiscard]] std::span<const ArcId> in_arcs(NodeId v) const { return in_[v.index()]; }

  /// By arc.
  [[nodiscard]] std::vector<Bandwidth> capacities() const;
  /// The same map with other capacities, by arc. Requires positive ones.
  [[nodiscard]] Topology with_capacities(std::span<const Bandwidth> capacities) const;

 private:
  std::string name_;
  std::vector<std::string> switches_;
  std::vector<Island> islands_;
  std::map<std::string, SwitchId, std::less<>> switch_of_;  ///< by name
  std::map<std::string, IslandId, std::less<>> island_of_;  ///< by name
  std::vector<Arc> arcs_;
  std::vector<std::vector<ArcId>> out_;
  std::vector<std::vector<ArcId>> in_;
};

/// Σ of the arcs' latencies.
Duration path_latency(const Topology& topology, std::span<const ArcId> path);

/// Two islands without a path from the first to the second, if there are any.
std::optional<std::pair<std::size_t, std::size_t>> unreachable_pair(
    std::size_t switches, const std::vector<Topology::Island>& islands,
    const std::vector<Topology::Link>& links);

}  // namespace gyre
