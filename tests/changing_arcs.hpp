#pragma once

// Arcs whose capacity changes, and who plans for it.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tests/policies.hpp"
#include "tests/run_log.hpp"

namespace gyre {

inline Bandwidth gbps(double value) {
  return Bandwidth::bits_per_second(static_cast<std::int64_t>(value * 1e9));
}

inline ArcChange narrower(const Topology& map, double at_s, const std::string& arc,
                          double to_gbps) {
  return {.at = Instant::at_seconds(at_s),
          .arc = *map.find_arc(arc),
          .capacity = gbps(to_gbps),
          .latency = {}};
}

/// Rounds that a policy of cliques of up to three gets through in 600 s, under what `disturb` adds.
inline double rounds_in_ten_minutes(const World& world, const std::string& policy_name,
                                    const std::function<void(RunSpec&)>& disturb) {
  const std::unique_ptr<Policy> policy =
      make(policy_name, "{objective: consensus, max_clique: 3, max_period: 2}");
  RunSpec spec = pair_spec(world.topology, *policy);
  spec.capabilities = world.able;
  spec.payload = Bytes::count(2'000'000'000);
  spec.compute.step_time = Duration::seconds(1.2);
  disturb(spec);
  spec.stop.max_rounds = 10'000;
  spec.stop.max_time = Duration::seconds(600.0);
  return field(run_log(spec).back(), 3);
}

}  // namespace gyre
