#pragma once

#include <utility>
#include <vector>

#include "analysis/results.hpp"

namespace gyre {

/// A place on a drawing of a map; as far as possible in degrees.
struct Place {
  double x = 0.0;
  double y = 0.0;
};

/// Where the switches are drawn: by their coordinates, else on a circle; moved apart where they
/// would lie over each other.
std::vector<Place> places_of(const ResultMap& map);

/// What is to be seen of a map.
struct Frame {
  double width = 0.0;  ///< of the places, without the room around them
  double from_x = 0.0, to_x = 0.0;
  double from_y = 0.0, to_y = 0.0;

  /// Height of a drawing of this width.
  [[nodiscard]] double height_for(double drawn_width) const {
    return drawn_width * (to_y - from_y) / (to_x - from_x);
  }
};

Frame frame_of(const std::vector<Place>& places);

/// A line from one place to the other, moved by `shift` to the right as one looks along it (so that
/// the two directions of a link lie beside each other) and cut by `cut` at both ends.
std::pair<Place, Place> beside(Place from, Place to, double shift, double cut);

/// Where the name of a switch stands: above, below or beside it, where fewest links are in the way.
Place name_place(const ResultMap& map, const std::vector<Place>& places, std::size_t of,
                 double distance);

}  // namespace gyre
