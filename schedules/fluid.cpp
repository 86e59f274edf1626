#include "schedules/fluid.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "models/error.hpp"
#include "schedules/fair_rates.hpp"

namespace gyre {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

class FluidPlay {
 public:
  FluidPlay(const Topology& topology, std::span<const Flow> flows, bool propagation)
      : flows_(flows),
        propagation_(propagation),
        left_bits_(flows.size()),
        rate_(flows.size(), 0.0),
        ended_s_(flows.size(), kNever),
        shares_(topology) {
    for (std::size_t f = 0; f < flows.size(); ++f) left_bits_[f] = flows[f].bytes.in_bits();
  }

  double run() {
    std::vector<std::size_t> waiting(flows_.size());
    for (std::size_t f = 0; f < waiting.size(); ++f) waiting[f] = f;
    double now = 0.0;
    double last_delivery = 0.0;
    while (!waiting.empty() || !active_.empty()) {
      // The starts that are due; the earliest later one whose conditions are already known.
      double next_start = kNever;
      std::vector<std::size_t> later;
      for (const std::size_t f : waiting) {
        const double start = start_time(f);
        if (start <= now) {
          active_.push_back(f);
        } else {
          next_start = std::min(next_start, start);
          later.push_back(f);
        }
      }
      waiting = std::move(later);
      fill();
      double next_end = kNever;
      for (const std::size_t f : active_) next_end = std::min(next_end, now + time_left(f));
      const double next = std::min(next_start, next_end);
      check(next < kNever, "a flow waits for one that never starts");
      last_delivery = std::max(last_delivery, advance(now, next));
      now = next;
    }
    return last_delivery;
  }

 private:
  [[nodiscard]] double time_left(std::size_t f) const {
    return left_bits_[f] <= 0.0 ? 0.0 : left_bits_[f] / rate_[f];
  }

  /// When flow `f` has what it waits for; never, as long as one of those has not ended.
  [[nodiscard]] double start_time(std::size_t f) const {
    double start = 0.0;
    for (const std::size_t before : flows_[f].after) {
      double done = ended_s_[before];
      if (propagation_) done += latency_to(before, flows_[f].starter());
      start = std::max(start, done);
    }
    return start;
  }

  [[nodiscard]] double latency_to(std::size_t f, IslandId island) const {
    for (const Delivery& delivery : flows_[f].stream.deliveries) {
      if (delivery.receiver == island) return delivery.latency.in_seconds();
    }
    return 0.0;
  }

  /// Max–min rates of the active flows.
  void fill() {
    demands_.clear();
    for (const std::size_t f : active_) {
      const std::optional<Bandwidth>& rate = flows_[f].rate;
      demands_.push_back(
          {.arcs = flows_[f].stream.arcs,
           .cap_bps = rate ? static_cast<double>(rate->in_bits_per_second()) : kNever});
    }
    const std::vector<double> rates = shares_.fill(demands_);
    for (std::size_t i = 0; i < rates.size(); ++i) rate_[active_[i]] = rates[i];
  }

  /// Moves the active flows on to `next`; returns the last delivery of those that end by then.
  double advance(double now, double next) {
    double last_delivery = 0.0;
    std::vector<std::size_t> rest;
    for (const std::size_t f : active_) {
      if (now + time_left(f) > next * (1.0 + 1e-12)) {
        left_bits_[f] -= rate_[f] * (next - now);
        rest.push_back(f);
        continue;
      }
      ended_s_[f] = next;
      last_delivery = std::max(last_delivery, next);
      if (!propagation_) continue;
      for (const Delivery& delivery : flows_[f].stream.deliveries) {
        last_delivery = std::max(last_delivery, next + delivery.latency.in_seconds());
      }
    }
    active_ = std::move(rest);
    return last_delivery;
  }

  std::span<const Flow> flows_;
  bool propagation_;
  std::vector<std::size_t> active_;
  std::vector<double> left_bits_;
  std::vector<double> rate_;
  std::vector<double> ended_s_;
  FairRates shares_;
  std::vector<FairRates::Demand> demands_;
};

}  // namespace

Duration fluid_time(const Topology& topology, std::span<const Flow> flows, bool propagation) {
  return Duration::seconds(FluidPlay(topology, flows, propagation).run());
}

}  // namespace gyre
