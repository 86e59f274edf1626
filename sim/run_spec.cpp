#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/simulation.hpp"

namespace gyre {

SyncTiming sync_timing(const RunSpec& spec) {
  const TrainingSpec& training = spec.training;
  const std::vector<std::string> islands = spec.topology->island_names();
  std::vector<std::int64_t> steps(islands.size(), training.steps());
  if (training.follows(StragglerSpec::Rule::kDynamicSteps)) {
    const ComputeModel compute(spec.compute, islands, spec.seed);
    std::vector<Duration> step_times;
    for (std::size_t i = 0; i < islands.size(); ++i) {
      step_times.push_back(compute.mean_step_time(IslandId::at(i)));
    }
    steps = dynamic_steps(training.steps(), step_times, training.fragments.value_or(1));
  }
  return {training, spec.payload, std::move(steps)};
}

ExchangeContext exchange_context(const RunSpec& spec, const Network& network) {
  const ComputeModel compute(spec.compute, spec.topology->island_names(), spec.seed);
  const auto fragments = static_cast<double>(spec.training.fragment_count());
  return {.network = network,
          .exchange = spec.exchange,
          .routing = spec.routing,
          .payload = sync_timing(spec).bytes(0),
          .compute = compute.slowest_mean_step_time() *
                     (static_cast<double>(spec.training.steps()) / fragments),
          .reroutes = spec.in_flight == InFlight::kReroute};
}

}  // namespace gyre
