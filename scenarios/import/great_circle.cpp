#include "scenarios/import/great_circle.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gyre {

Distance great_circle(GeoPoint from, GeoPoint to) {
  constexpr double kEarthRadius_km = 6371.0;
  constexpr double kRadians = std::numbers::pi / 180.0;
  const double north = std::sin((to.latitude_deg - from.latitude_deg) * kRadians / 2.0);
  const double east = std::sin((to.longitude_deg - from.longitude_deg) * kRadians / 2.0);
  const double chord = north * north + std::cos(from.latitude_deg * kRadians) *
                                           std::cos(to.latitude_deg * kRadians) * east * east;
  // Rounding may take the square of half a diameter just above 1.
  return Distance::kilometers(2.0 * kEarthRadius_km * std::asin(std::sqrt(std::min(chord, 1.0))));
}

}  // namespace gyre
