#pragma once

#include <compare>

#include "models/units.hpp"

namespace gyre {

/// A length on the ground.
class Distance {
 public:
  constexpr Distance() = default;
  static constexpr Distance kilometers(double value) { return Distance(value); }
  [[nodiscard]] constexpr double in_kilometers() const { return kilometers_; }

  constexpr auto operator<=>(const Distance&) const = default;
  constexpr Distance& operator+=(Distance other) {
    kilometers_ += other.kilometers_;
    return *this;
  }

 private:
  explicit constexpr Distance(double kilometers) : kilometers_(kilometers) {}
  double kilometers_ = 0.0;
};

/// A place on the earth, in decimal degrees; north and east count positive.
struct GeoPoint {
  double latitude_deg = 0.0;   ///< -90 to 90
  double longitude_deg = 0.0;  ///< -180 to 180
};

/// The great-circle distance on a sphere of radius 6371 km, by the haversine formula:
///   2 r asin √(sin²(Δφ/2) + cos φ₁ cos φ₂ sin²(Δλ/2)).
/// The earth's flattening makes true distances differ by up to 0.5 %; cables are longer, often by
/// half, which is what the factor of a latency rule stands for.
Distance great_circle(GeoPoint from, GeoPoint to);

}  // namespace gyre
