#include "sim/arc_conditions.hpp"

#include <algorithm>
#include <cmath>

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

Bandwidth ArcConditions::capacity(ArcId arc) const {
  const State& state = arcs_[arc.index()];
  const std::int64_t left_bps = state.capacity.in_bits_per_second() - state.taken_bps;
  check(left_bps > 0, "background leaves nothing of an arc");
  return Bandwidth::bits_per_second(left_bps);
}

double OfferedCapacities::bits(std::size_t arc, double bits_per_second) const {
  const Offer& offer = offers_[arc];
  return offer.bits + bits_per_second * (simulated_now() - offer.since).in_seconds();
}

void OfferedCapacities::change(std::size_t arc, double bits_per_second) {
  offers_[arc] = {.since = simulated_now(), .bits = bits(arc, bits_per_second)};
}

std::vector<Bandwidth> OfferedCapacities::take_means(
    const std::function<double(std::size_t arc)>& bits_per_second) {
  const Instant now = simulated_now();
  const double elapsed_s = (now - from_).in_seconds();
  std::vector<Bandwidth> means;
  means.reserve(offers_.size());
  for (std::size_t a = 0; a < offers_.size(); ++a) {
    const double now_bps = bits_per_second(a);
    const double bps = elapsed_s > 0.0 ? bits(a, now_bps) / elapsed_s : now_bps;
    means.push_back(Bandwidth::bits_per_second(std::max<std::int64_t>(1, std::llround(bps))));
    offers_[a] = {.since = now, .bits = 0.0};
  }
  from_ = now;
  return means;
}

}  // namespace gyre
