#include "sim/arc_conditions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/error.hpp"
#include "sim/platform.hpp"

namespace gyre {

ArcConditions::ArcConditions(const Topology& topology) {
  for (std::size_t a = 0; a < topology.arc_count(); ++a) {
    const Arc& arc = topology.arc(ArcId::at(a));
    arcs_.push_back({.capacity = arc.capacity, .latency = arc.latency});
  }
}

void ArcConditions::change(const ArcChange& change) {
  State& state = arcs_[change.arc.index()];
  state.capacity = change.capacity.value_or(state.capacity);
  state.latency = change.latency.value_or(state.latency);
}

void ArcConditions::turn(const Background& background, bool on) {
  for (const auto& [arc, takes] : background.takes) {
    arcs_[arc.index()].taken_bps += (on ? 1 : -1) * takes.in_bits_per_second();
  }
}

void ArcConditions::turn_on_average(const Background& background) {
  for (const auto& [arc, takes] : background.takes) {
    arcs_[arc.index()].taken_bps +=
        std::llround(background.share_on() * static_cast<double>(takes.in_bits_per_second()));
  }
}

Bandwidth ArcConditions::capacity(ArcId arc) const {
  const State& state = arcs_[arc.index()];
  const std::int64_t left_bps = state.capacity.in_bits_per_second() - state.taken_bps;
  check(left_bps > 0, "background leaves nothing of an arc");
  return Bandwidth::bits_per_second(left_bps);
}

OfferedCapacities::Offer OfferedCapacities::until_now(std::size_t arc,
                                                      double bits_per_second) const {
  Offer offer = offers_[arc];
  const Duration elapsed = simulated_now() - std::exchange(offer.since, simulated_now());
  if (offer.down) return offer;
  offer.bits += bits_per_second * elapsed.in_seconds();
  offer.time += elapsed;
  return offer;
}

void OfferedCapacities::change(std::size_t arc, double bits_per_second, bool down) {
  offers_[arc] = until_now(arc, bits_per_second);
  offers_[arc].down = down;
}

std::vector<Bandwidth> OfferedCapacities::take_means(
    const std::function<double(std::size_t arc)>& bits_per_second) {
  std::vector<Bandwidth> means;
  means.reserve(offers_.size());
  for (std::size_t a = 0; a < offers_.size(); ++a) {
    const double now_bps = bits_per_second(a);
    const Offer offer = until_now(a, now_bps);
    const double bps = offer.time > Duration() ? offer.bits / offer.time.in_seconds() : now_bps;
    means.push_back(Bandwidth::bits_per_second(std::max<std::int64_t>(1, std::llround(bps))));
    offers_[a] = {.since = offer.since, .bits = 0.0, .time = {}, .down = offer.down};
  }
  return means;
}

}  // namespace gyre
