#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/rng.hpp"
#include "scenarios/generate/map_parts.hpp"

namespace gyre {
namespace {

struct Point {
  double x_km = 0.0;
  double y_km = 0.0;
};

/// Squared: it orders as the distance does, and no root is rounded before it is compared.
double square_km2(Point a, Point b) {
  const double x_km = a.x_km - b.x_km;
  const double y_km = a.y_km - b.y_km;
  return x_km * x_km + y_km * y_km;
}

std::vector<Point> draw_points(const RandomGeometric& options) {
  Rng rng = Rng::stream(options.seed, "generate/random-geometric");
  std::vector<Point> points(options.islands);
  for (Point& point : points) {
    point.x_km = rng.uniform() * options.side.in_kilometers();
    point.y_km = rng.uniform() * options.side.in_kilometers();
  }
  return points;
}

/// A pair of cities, the lower one first; ordered by how far apart they are, then by rank.
using Pair = std::tuple<double, std::size_t, std::size_t>;
Pair pair_of(const std::vector<Point>& points, std::size_t a, std::size_t b) {
  return {square_km2(points[a], points[b]), std::min(a, b), std::max(a, b)};
}

/// The other end of the edge that joined each city to the minimum spanning tree, which grows from
/// city 0 (Prim); city 0 is its own.
std::vector<std::size_t> tree_parents(const std::vector<Point>& points) {
  const std::size_t n = points.size();
  std::vector<std::size_t> parent(n, 0);
  std::vector<bool> joined(n, false);
  joined[0] = true;
  for (std::size_t step = 1; step < n; ++step) {
    std::size_t next = 0;
    for (std::size_t b = 1; b < n; ++b) {
      if (joined[b]) continue;
      if (next == 0 || pair_of(points, parent[b], b) < pair_of(points, parent[next], next))
        next = b;
    }
    joined[next] = true;
    for (std::size_t b = 1; b < n; ++b) {
      if (joined[b]) continue;
      if (pair_of(points, next, b) < pair_of(points, parent[b], b)) parent[b] = next;
    }
  }
  return parent;
}

/// The `count` shortest pairs that the tree does not join. A heap of the best so far, so that the
/// memory is that of the links and not of all pairs.
std::vector<Pair> shortest_others(const std::vector<Point>& points,
                                  const std::vector<std::size_t>& parent, std::size_t count) {
  std::priority_queue<Pair> farthest_first;
  for (std::size_t a = 0; a < points.size() && count > 0; ++a) {
    for (std::size_t b = a + 1; b < points.size(); ++b) {
      if (parent[b] == a || (a > 0 && parent[a] == b)) continue;
      const Pair pair = pair_of(points, a, b);
      if (farthest_first.size() == count) {
        if (!(pair < farthest_first.top())) continue;
        farthest_first.pop();
      }
      farthest_first.push(pair);
    }
  }
  std::vector<Pair> pairs;
  pairs.reserve(farthest_first.size());
  for (; !farthest_first.empty(); farthest_first.pop()) pairs.push_back(farthest_first.top());
  return pairs;
}

}  // namespace

GeneratedMap random_geometric(const RandomGeometric& options, const MapFigures& figures) {
  const std::size_t n = options.islands;
  check(n >= 2 && options.links + 1 >= n && options.links <= n * (n - 1) / 2,
        "a random map with too few or too many links");
  const std::vector<Point> points = draw_points(options);
  const std::vector<std::size_t> parent = tree_parents(points);
  std::vector<Pair> pairs = shortest_others(points, parent, options.links + 1 - n);
  for (std::size_t city = 1; city < n; ++city) {
    pairs.push_back(pair_of(points, parent[city], city));
  }
  std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    return std::pair{std::get<1>(a), std::get<2>(a)} < std::pair{std::get<1>(b), std::get<2>(b)};
  });

  GeneratedMap map;
  map.length = Distance();
  for (std::size_t city = 0; city < n; ++city) {
    add_city(map.spec, fmt::format("I{}", city + 1), figures);
  }
  for (const auto& [square, a, b] : pairs) {
    const Distance length = Distance::kilometers(std::sqrt(square));
    *map.length += length;
    const Duration exact = options.per_km * length.in_kilometers() + options.per_link;
    add_link(map.spec, a, b,
             {.latency = rounded_to_microseconds(exact), .bandwidth = figures.bandwidth});
  }
  return map;
}

}  // namespace gyre
