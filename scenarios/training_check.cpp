#include "scenarios/training_check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {
namespace {

bool adds_in_switches(Mode mode) { return mode == Mode::kAggregation || mode == Mode::kBoth; }

void check_compression(const Scenario& scenario, const ScheduleSpec& schedule,
                       const CompressionSpec& compression) {
  if (scenario.job.payload) {
    throw InputError(compression.where,
                     "needs `parameters` and `bytes_per_parameter`, from which the bytes on the "
                     "wire follow; allowed without `payload`");
  }
  if (!scenario.task->has_values()) {
    throw InputError(
        compression.where,
        fmt::format("task '{}' holds no values that could be rounded; allowed with a task that is "
                    "trained for real",
                    scenario.task_name));
  }
  if (scenario.network.aggregator && scenario.network.aggregator->numbers) {
    throw InputError(compression.where,
                     "the numbers of `network.aggregator.numbers` are what is sent; allowed is one "
                     "of both");
  }
  if (compression.of == CompressionSpec::Of::kChange && !schedule.policy->joins_all()) {
    throw InputError(
        compression.of_where.file.empty() ? compression.where : compression.of_where,
        fmt::format("changes since the last exchange add up only where all islands exchange with "
                    "each other every time, which schedule '{}' does not promise; allowed is "
                    "`of: model`",
                    schedule.label.value));
  }
  if (compression.kind != CompressionSpec::Kind::kTopK) return;
  const std::vector<Mode>& modes = schedule.modes.empty() ? scenario.network.modes : schedule.modes;
  const bool adds =
      !schedule.policy->colocated() && std::any_of(modes.begin(), modes.end(), adds_in_switches);
  if (schedule.exchange != Exchange::kDirect || adds || schedule.policy->colocated()) {
    throw InputError(
        compression.where,
        fmt::format("sums of top-k values keep more than k, so nobody may add them on "
                    "the way; schedule '{}' needs `exchange: direct` and modes without "
                    "aggregation",
                    schedule.label.value));
  }
}

/// What overlays do not know: their islands wait for their neighbours' whole models.
void check_overlay(const Scenario& scenario, const ScheduleSpec& schedule,
                   const TrainingSpec& training) {
  const auto refuse = [&schedule](const Where& where, std::string_view what) {
    throw InputError(where, fmt::format("{} is for cliques; schedule '{}' is an overlay, whose "
                                        "islands wait for their neighbours' models",
                                        what, schedule.label.value));
  };
  if (training.delay() > 0) refuse(training.overlap->where, "an overlap");
  if (training.layers) refuse(training.layers->where, "sending layer by layer");
  if (training.follows(StragglerSpec::Rule::kQuorum))
    refuse(training.stragglers->where, "a quorum");
  if (scenario.network.routing == Routing::kEngineered) {
    refuse(scenario.network.routing_where, "engineered routing");
  }
}

void check_schedule(const Scenario& scenario, const ScheduleSpec& schedule,
                    const Topology& topology) {
  const TrainingSpec training = training_of(scenario, schedule);
  training.check_together();
  const Bytes bytes = scenario.job.model_bytes(training);
  const std::int64_t pieces =
      training.layers ? training.layers->count : training.fragments.value_or(1);
  if (bytes < Bytes::count(pieces)) {
    throw InputError(scenario.job.where,
                     fmt::format("the model is {} in {} parts; a part needs at least 1 B",
                                 to_text(bytes), pieces));
  }
  if (training.fragment_count() > scenario.task->parameters()) {
    throw InputError(
        training.fragments_where,
        fmt::format("is {}, but a model of task '{}' has {} parameters; allowed is up "
                    "to that",
                    training.fragment_count(), scenario.task_name, scenario.task->parameters()));
  }
  if (schedule.policy->overlay()) check_overlay(scenario, schedule, training);
  if (training.compression) check_compression(scenario, schedule, *training.compression);
  if (!training.follows(StragglerSpec::Rule::kQuorum)) return;
  const Where& where = training.stragglers->where;
  if (schedule.barrier) {
    throw InputError(where,
                     fmt::format("a barrier waits for all, which a quorum does not; schedule "
                                 "'{}' may have one of both",
                                 schedule.label.value));
  }
  if (scenario.network.routing == Routing::kEngineered) {
    throw InputError(where,
                     "who is late is not known when a round is planned as a whole; allowed with "
                     "`routing: shortest`");
  }
  if (topology.island_count() < 2) {
    throw InputError(where, "has no effect with one island; leave it out");
  }
}

/// What the job says of training is for schedules that exchange and say nothing else; its
/// compression only for those over the WAN.
void check_used(const Scenario& scenario) {
  const TrainingSpec& job = scenario.job.training;
  const auto check_use = [&scenario](const auto& given, const auto& own, const Where& where,
                                     bool over_the_wan) {
    if (!given) return;
    const bool used = std::any_of(
        scenario.schedules.begin(), scenario.schedules.end(), [&](const ScheduleSpec& schedule) {
          return schedule.policy->exchanges() && !own(schedule.training) &&
                 !(over_the_wan && schedule.policy->colocated());
        });
    if (used) return;
    throw InputError(where, "has no effect, since no schedule takes it from the job; leave it out");
  };
  check_use(
      job.compression, [](const TrainingSpec& t) { return t.compression.has_value(); },
      job.compression ? job.compression->where : Where(), true);
  check_use(
      job.fragments, [](const TrainingSpec& t) { return t.fragments.has_value(); },
      job.fragments_where, false);
  check_use(
      job.layers, [](const TrainingSpec& t) { return t.layers.has_value(); },
      job.layers ? job.layers->where : Where(), false);
  check_use(
      job.overlap, [](const TrainingSpec& t) { return t.overlap.has_value(); },
      job.overlap ? job.overlap->where : Where(), false);
  check_use(
      job.stragglers, [](const TrainingSpec& t) { return t.stragglers.has_value(); },
      job.stragglers ? job.stragglers->where : Where(), false);
}

}  // namespace

TrainingSpec training_of(const Scenario& scenario, const ScheduleSpec& schedule) {
  TrainingSpec training = schedule.training.over(scenario.job.training);
  if (schedule.policy->colocated()) training.compression = schedule.training.compression;
  return training;
}

void check_training(const Scenario& scenario, const Topology& topology) {
  for (const ScheduleSpec& schedule : scenario.schedules) {
    if (!schedule.policy->exchanges()) continue;
    check_schedule(scenario, schedule, topology);
  }
  check_used(scenario);
  if (scenario.forecast && scenario.task->forecast() == nullptr) {
    throw InputError(scenario.forecast->where,
                     fmt::format("has no effect with task '{}', which says nothing of longer runs; "
                                 "allowed with scaling-law",
                                 scenario.task_name));
  }
  if (scenario.task->has_values()) return;
  if (scenario.network.aggregator && scenario.network.aggregator->numbers) {
    throw InputError(
        scenario.network.aggregator->numbers->where,
        fmt::format("task '{}' holds no values that switches could round; leave it out",
                    scenario.task_name));
  }
}

void check_packet_training(const Scenario& scenario) {
  for (const ScheduleSpec& schedule : scenario.schedules) {
    const TrainingSpec training = training_of(scenario, schedule);
    if (schedule.policy->overlay()) {
      throw InputError(schedule.where,
                       fmt::format("overlays such as '{}' are simulated at fidelity flow only; run "
                                   "without --fidelity packet",
                                   schedule.label.value));
    }
    if (schedule.policy->exchanges() && training.follows(StragglerSpec::Rule::kQuorum)) {
      throw InputError(
          training.stragglers->where,
          "a quorum is simulated at fidelity flow only; run without --fidelity packet");
    }
  }
}

}  // namespace gyre
