#include "sim/planned_mode.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/compute.hpp"
#include "models/error.hpp"
#include "schedules/optimizer/partitions.hpp"
#include "schedules/round_plan.hpp"

namespace gyre {
namespace {

constexpr std::size_t kMostPlannedIslands = 32;  // whose plans are written out

/// A network in one mode, with what it refers to.
struct ModeWorld {
  ModeWorld(const LoadedScenario& loaded, Mode mode)
      : routes(loaded.topology),
        able(capabilities_in(loaded.scenario, loaded.topology, mode)),
        network{.topology = loaded.topology,
                .routes = routes,
                .capabilities = able,
                .limits = limits_in(loaded.scenario)} {}
  ModeWorld(const ModeWorld&) = delete;
  ModeWorld& operator=(const ModeWorld&) = delete;

  Routes routes;
  Capabilities able;
  Network network;
};

PlanRequest request_for(const LoadedScenario& loaded, const Network& network) {
  const Scenario& scenario = loaded.scenario;
  const auto seed = static_cast<std::uint64_t>(scenario.seeds.front());
  const ComputeModel compute(scenario.job.compute, loaded.topology.island_names(), seed);
  return {.network = &network,
          .exchange = scenario.plan.exchange,
          .routing = scenario.network.routing,
          .payload = scenario.job.payload_bytes(),
          .compute = compute.slowest_mean_step_time() * scenario.job.steps_between(),
          .seed = seed};
}

/// What the limits of the switches cost: the best without them, beside the best within them.
std::string cost_of_limits(const ModeWorld& world, const PlanRequest& request,
                           const PlanBlock& plan, const PlannedMode& planned) {
  const Network unlimited{.topology = world.network.topology,
                          .routes = world.network.routes,
                          .capabilities = world.network.capabilities};
  PlanRequest without_limits = request;
  without_limits.network = &unlimited;
  const PlannedSchedule best = plan_schedule(without_limits, plan.spec).ranked.front();
  const double within = planned.result.ranked.front().value;
  if (within <= best.value + 1e-9 * std::abs(best.value)) {
    return "the limits of the switches cost nothing";
  }
  return fmt::format(
      "the limits of the switches cost {:.1f} %: without them {:.4f}, first round {}",
      100.0 * (within - best.value) / std::abs(best.value), std::abs(best.value),
      to_text(best.rounds.front().round, world.network.topology));
}

}  // namespace

double PlannedMode::gap(const PlannedSchedule& schedule) const {
  // For pairs both are negative rates: the distance still counts upwards.
  return (schedule.value - result.bound) / std::abs(result.bound);
}

void check_plan(const LoadedScenario& loaded, Mode mode) {
  const ModeWorld world(loaded, mode);
  const PlanBlock& plan = loaded.scenario.plan;
  const std::optional<std::string> fault =
      request_fault(request_for(loaded, world.network), plan.spec);
  if (!fault) return;
  if (plan.where.file.empty()) throw InputError("gyre plan", *fault);
  throw InputError(plan.where, *fault);
}

PlannedMode plan_mode(const LoadedScenario& loaded, Mode mode, const PlanWatch& watch) {
  const ModeWorld world(loaded, mode);
  const PlanBlock& plan = loaded.scenario.plan;
  const PlanRequest request = request_for(loaded, world.network);
  PlannedMode planned{.mode = mode,
                      .result = plan_schedule(request, plan.spec, watch),
                      .plans = {},
                      .simulated = {},
                      .notes = {}};
  if (planned.result.ranked.empty() && planned.result.stopped) return planned;
  if (planned.result.ranked.empty()) {
    throw InputError(plan.spec.window_where,
                     fmt::format("in mode {} no round communicates within {}, the latency between "
                                 "its members included; allow more time",
                                 name_of(mode), to_text(plan.spec.window.value_or(Duration()))));
  }
  if (world.network.limits != nullptr) {
    planned.notes.push_back(cost_of_limits(world, request, plan, planned));
  }
  if (loaded.topology.island_count() > kMostPlannedIslands) return planned;
  // Of schedules that are worth the same, the one whose plans end first.
  std::vector<PlannedSchedule>& ranked = planned.result.ranked;
  std::size_t best = 0;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    if (ranked[i].value - ranked[0].value > 1e-9 * std::abs(ranked[0].value)) break;
    std::vector<std::vector<ExchangePlan>> plans;
    Duration period;
    for (const PlannedRound& round : ranked[i].rounds) {
      plans.push_back(plan_round(world.network, round.round, request.payload, request.exchange,
                                 request.routing));
      period += joint_end(loaded.topology, plans.back());
    }
    if (planned.simulated && *planned.simulated <= period * (1.0 + 1e-9)) continue;
    planned.simulated = period;
    planned.plans = std::move(plans);
    best = i;
  }
  std::rotate(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(best),
              ranked.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  return planned;
}

}  // namespace gyre
