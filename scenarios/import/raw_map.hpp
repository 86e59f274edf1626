#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "models/error.hpp"
#include "models/units.hpp"
#include "scenarios/import/great_circle.hpp"

namespace gyre {

/// A node as its file describes it.
struct RawNode {
  std::string id;     ///< unique in the file
  std::string label;  ///< what people call it; empty: the id
  std::optional<GeoPoint> place;
  std::optional<Bandwidth> access;  ///< of an island there, each way
  bool internal = true;             ///< false: of another network (the Topology Zoo's `Internal` 0)
  bool site = true;                 ///< false: no place for an island (a hyperedge, a router)
  bool island = false;              ///< of an exact map: an island, on the switch it is joined to
  Where where;
};

/// What a file says about one direction of a link.
struct RawFigures {
  std::optional<Duration> latency;
  std::optional<Bandwidth> bandwidth;
};

struct RawLink {
  std::size_t from = 0;
  std::size_t to = 0;
  bool directed = false;  ///< a link that the file lists the other way round is its other direction
  RawFigures figures;
  std::optional<RawFigures>
      reverse;  ///< absent: as `figures`, unless the other direction is listed
  std::optional<Distance> distance;
  Where where;
};

/// An island that is no node: what an exact map says of it.
struct RawIsland {
  std::string name;
  std::size_t at = 0;  ///< its switch, among the nodes
  Bandwidth up;
  Bandwidth down;
  Duration latency;
  Where where;
};

/// The content of a file, before anything is decided about it.
struct RawMap {
  std::string file;    ///< its path
  std::string name;    ///< what the file calls the map, else the file's own name
  std::string origin;  ///< where the file says that its figures are from
  std::vector<RawNode> nodes;
  std::vector<RawLink> links;
  /// Written by gyre: its islands are nodes of their own, and each of its links is a fibre by
  /// itself, never merged with another one.
  bool exact = false;
  std::vector<RawIsland> islands;  ///< see `take_islands`
  std::vector<std::string> rules;  ///< how its numbers were understood, a sentence each
  std::vector<std::string> notes;  ///< what was left out or looks odd
};

}  // namespace gyre
