#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "models/capabilities.hpp"
#include "models/topology.hpp"
#include "models/units.hpp"
#include "schedules/round.hpp"

namespace gyre {

/// A map on its way to another program.
struct ExportedMap {
  const Topology* topology = nullptr;
  std::string name;     ///< what the other program is to call it
  std::string title;    ///< of what it is the map, on one line
  std::string version;  ///< of gyre
  /// What the switches may do, where that is known.
  std::optional<Mode> mode = std::nullopt;
  Capabilities able = {};
};

/// The rounds of a schedule on that map.
struct ExportedSchedule {
  std::string label;
  std::string exchange;  ///< how a clique exchanges; of an overlay empty
  std::int64_t seed = 1;
  std::vector<Round> rounds;
  bool repeats = false;           ///< they are a period
  Bytes payload;                  ///< of one exchange
  std::size_t fragments = 1;      ///< exchanges a round
  std::vector<Duration> compute;  ///< by island: mean time of its local steps before an exchange

  [[nodiscard]] bool overlay() const { return exchange.empty(); }
  /// What it is, in a sentence without a full stop.
  [[nodiscard]] std::string sentence(const ExportedMap& map) const;
};

/// One id a node and one an arc, unique among each other and the same in every format. An island is
/// called by its name, so is its switch with `.switch` behind it, and an arc as everywhere in gyre
/// (`FRA->AMS`, `FRA.up`); what would be there twice gets a `'` more.
class ExportIds {
 public:
  explicit ExportIds(const ExportedMap& map);

  [[nodiscard]] const std::string& map() const { return map_; }
  [[nodiscard]] const std::string& of(NodeId node) const { return nodes_[node.index()]; }
  [[nodiscard]] const std::string& of(ArcId arc) const { return arcs_[arc.index()]; }

 private:
  std::vector<std::string> nodes_;
  std::vector<std::string> arcs_;
  std::string map_;
};

/// The node's name in gyre.
std::string node_name(const Topology& topology, NodeId node);

/// The arc back.
ArcId reverse_of(const Topology& topology, ArcId arc);

/// A number of ms that reads back, with that unit, as the same duration.
std::string ms_text(Duration value);

}  // namespace gyre
