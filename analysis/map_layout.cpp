#include "analysis/map_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace gyre {
namespace {

constexpr double kTurn = 360.0;

/// Degrees east of a meridian, from 0.
double east_of(double longitude, double meridian) {
  return std::fmod(std::fmod(longitude - meridian, kTurn) + kTurn, kTurn);
}

/// The longitude at which the map is cut open so that its links are drawn shortest.
double western_edge(const ResultMap& map, const std::vector<double>& longitudes) {
  double best = 0.0;
  double shortest = -1.0;
  for (const double edge : longitudes) {
    double length = 0.0;
    for (const ResultMap::Link& link : map.links) {
      length +=
          std::abs(east_of(longitudes[link.first], edge) - east_of(longitudes[link.second], edge));
    }
    if (shortest >= 0.0 && length >= shortest) continue;
    shortest = length;
    best = edge;
  }
  return best;
}

double width_of(const std::vector<Place>& places) {
  const auto [least, most] = std::minmax_element(
      places.begin(), places.end(), [](const Place& a, const Place& b) { return a.x < b.x; });
  return most->x - least->x;
}

/// Moves places apart that would be drawn over each other. Their order is by index, so that the
/// drawing is the same every time.
void spread_out(std::vector<Place>& places, double distance) {
  constexpr int kPasses = 300;
  for (int pass = 0; pass < kPasses; ++pass) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (std::size_t j = i + 1; j < places.size(); ++j) {
        double dx = places[j].x - places[i].x;
        double dy = places[j].y - places[i].y;
        double apart = std::hypot(dx, dy);
        if (apart >= distance) continue;
        if (apart < 1e-9) {
          dx = std::cos(static_cast<double>(i + j));
          dy = std::sin(static_cast<double>(i + j));
          apart = 1.0;
        }
        const double push = (distance - std::min(apart, distance)) / 2.0 + distance * 1e-3;
        places[i].x -= push * dx / apart;
        places[i].y -= push * dy / apart;
        places[j].x += push * dx / apart;
        places[j].y += push * dy / apart;
      }
    }
  }
}

// Height of a panel by its width.
constexpr double kLeastRatio = 0.4;
constexpr double kMostRatio = 1.2;

}  // namespace

std::vector<Place> places_of(const ResultMap& map) {
  std::vector<Place> places;
  if (map.placed()) {
    std::vector<double> longitudes;
    longitudes.reserve(map.switches.size());
    for (const ResultMap::Switch& one : map.switches) {
      longitudes.push_back(one.longitude.value_or(0.0));
    }
    const double edge = western_edge(map, longitudes);
    for (std::size_t s = 0; s < longitudes.size(); ++s) {
      places.push_back(
          {.x = east_of(longitudes[s], edge), .y = map.switches[s].latitude.value_or(0.0)});
    }
  } else {
    constexpr double kRadius = 50.0;
    for (std::size_t i = 0; i < map.switches.size(); ++i) {
      // From the left clockwise, so that two switches stand side by side.
      const double angle = std::numbers::pi - 2.0 * std::numbers::pi * static_cast<double>(i) /
                                                  static_cast<double>(map.switches.size());
      places.push_back({.x = 1.6 * kRadius * std::cos(angle), .y = kRadius * std::sin(angle)});
    }
  }
  const auto n = static_cast<double>(places.size());
  spread_out(places, std::max(width_of(places), 1.0) * std::min(0.11, 0.5 / std::sqrt(n)));
  return places;
}

Frame frame_of(const std::vector<Place>& places) {
  Frame frame{.from_x = 1e9, .to_x = -1e9, .from_y = 1e9, .to_y = -1e9};
  for (const Place& place : places) {
    frame.from_x = std::min(frame.from_x, place.x);
    frame.to_x = std::max(frame.to_x, place.x);
    frame.from_y = std::min(frame.from_y, place.y);
    frame.to_y = std::max(frame.to_y, place.y);
  }
  frame.width = std::max(frame.to_x - frame.from_x, 1.0);
  frame.width = std::max(frame.width, frame.to_y - frame.from_y);
  const double room = 0.1 * frame.width;
  frame.from_x -= room;
  frame.to_x += room;
  frame.from_y -= room;
  frame.to_y += room;
  // One degree is as long on both axes, and a panel neither flat nor high.
  const double width = frame.to_x - frame.from_x;
  const double height = frame.to_y - frame.from_y;
  const double more_y = std::max(kLeastRatio * width - height, 0.0) / 2.0;
  const double more_x = std::max(height / kMostRatio - width, 0.0) / 2.0;
  frame.from_x -= more_x;
  frame.to_x += more_x;
  frame.from_y -= more_y;
  frame.to_y += more_y;
  return frame;
}

std::pair<Place, Place> beside(Place from, Place to, double shift, double cut) {
  const double dx = to.x - from.x;
  const double dy = to.y - from.y;
  const double length = std::max(std::hypot(dx, dy), 1e-9);
  const double shorter = std::min(cut, length / 4.0);
  const Place right{.x = shift * dy / length, .y = -shift * dx / length};
  const Place along{.x = shorter * dx / length, .y = shorter * dy / length};
  return {{.x = from.x + right.x + along.x, .y = from.y + right.y + along.y},
          {.x = to.x + right.x - along.x, .y = to.y + right.y - along.y}};
}

Place name_place(const ResultMap& map, const std::vector<Place>& places, std::size_t of,
                 double distance) {
  const Place at = places[of];
  // A name is wider than high: beside its switch it takes more room.
  const std::array<Place, 4> ways{Place{0.0, 1.0}, Place{0.0, -1.0}, Place{1.6, 0.0},
                                  Place{-1.6, 0.0}};
  Place best = ways.front();
  double best_room = -1.0;
  for (const Place& way : ways) {
    double room = std::numbers::pi;  // the least angle to a link
    for (const ResultMap::Link& link : map.links) {
      if (link.first != of && link.second != of) continue;
      const Place& other = places[link.first == of ? link.second : link.first];
      const double turn = std::atan2(way.y, way.x) - std::atan2(other.y - at.y, other.x - at.x);
      room = std::min(room, std::abs(std::remainder(turn, 2.0 * std::numbers::pi)));
    }
    if (room <= best_room + 0.2) continue;  // about as good: the first of them
    best_room = room;
    best = way;
  }
  return {.x = at.x + distance * best.x, .y = at.y + distance * best.y};
}

}  // namespace gyre
