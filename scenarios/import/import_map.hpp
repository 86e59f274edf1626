#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "models/units.hpp"
#include "scenarios/import/raw_map.hpp"
#include "scenarios/scenario.hpp"

namespace gyre {

/// What the user decides where a file is silent or odd.
struct ImportOptions {
  std::optional<std::string> name;
  std::optional<std::string> islands;  ///< names of nodes, between commas; absent: every site
  std::optional<Bandwidth> bandwidth;  ///< of each link that the file gives none
  bool force_bandwidth = false;        ///< of each link
  std::optional<Duration> per_km;      ///< latency by length
  std::optional<Duration> per_link;    ///< and a constant
  bool drop_unplaced = false;
  bool largest_component = false;
  bool internal_only = false;
};

struct ImportedMap {
  TopologySpec spec;               ///< its `source` is the caller's to write
  std::vector<std::string> rules;  ///< that were applied, a sentence each
  std::vector<std::string> notes;  ///< what was dropped or changed
  Distance length;                 ///< of the links whose length is known
  std::size_t measured_links = 0;
};

/// Makes a map that loads from what a file says, by these rules:
///   latency    the file's own; else its distance by the rule per km and link; else the great
///              circle between its ends' coordinates by that rule; rounded to 1 us where derived
///   capacity   the file's own, else `bandwidth`; with `force_bandwidth` always that
///   self loops are dropped
///   directions in a directed file, a link listed the other way round is the other direction of the
///              same fibre; where only one is listed, its figures hold both ways
///   duplicates links of one pair with the same latencies become one fibre with their capacities
///              added (parallel fibres to one another's relief); with other latencies they remain
///              two fibres
///   islands    one at each site, named like its switch
/// Errors: `InputError` for a rule that is needed and missing or given and without effect, nodes
/// without coordinates, a map in several parts, and islands that are no nodes.
ImportedMap import_map(RawMap raw, const ImportOptions& options);

}  // namespace gyre
