#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/error.hpp"
#include "scenarios/generate/map_parts.hpp"

namespace gyre {

GeneratedMap torus(const Torus& options, const MapFigures& figures) {
  const std::vector<std::size_t>& sides = options.sides;
  check(!sides.empty() &&
            std::all_of(sides.begin(), sides.end(), [](std::size_t side) { return side >= 2; }),
        "a torus with a side below 2");
  const std::size_t n =
      std::accumulate(sides.begin(), sides.end(), std::size_t{1}, std::multiplies<>());
  // Cities are numbered with the last coordinate counting fastest.
  GeneratedMap map;
  std::vector<std::vector<std::size_t>> places(n);
  for (std::size_t city = 0; city < n; ++city) {
    std::size_t rest = city;
    for (std::size_t d = sides.size(); d-- > 0; rest /= sides[d]) {
      places[city].insert(places[city].begin(), rest % sides[d] + 1);
    }
    add_city(map.spec, fmt::format("T{}", fmt::join(places[city], "-")), figures);
  }
  for (std::size_t city = 0; city < n; ++city) {
    std::size_t stride = n;
    for (std::size_t d = 0; d < sides.size(); ++d) {
      stride /= sides[d];
      const bool last = places[city][d] == sides[d];
      if (last && sides[d] == 2) continue;  // the two are joined already
      add_link(map.spec, city, last ? city - (sides[d] - 1) * stride : city + stride,
               {.latency = options.per_link, .bandwidth = figures.bandwidth});
    }
  }
  return map;
}

}  // namespace gyre
