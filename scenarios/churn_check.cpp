#include "scenarios/churn_check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/error.hpp"
#include "scenarios/training_check.hpp"

namespace gyre {
namespace {

void check_schedule(const Scenario& scenario, const ScheduleSpec& schedule) {
  const ChurnSpec& churn = *scenario.churn;
  const std::string& name = schedule.label.value;
  const TrainingSpec training = training_of(scenario, schedule);
  if (training.layers) {
    throw InputError(churn.where,
                     fmt::format("is not modelled with `layers`, as '{}' has them", name));
  }
  if (!churn.takes_islands_away()) return;
  if (!without_member_of(scenario, schedule)) {
    throw InputError(churn.where,
                     fmt::format("needs `without_member`, the rule of '{}' for rounds in which a "
                                 "member is away: shrink, skip or stall",
                                 name));
  }
  if (training.delay() > 0 || training.follows(StragglerSpec::Rule::kQuorum)) {
    throw InputError(churn.where,
                     fmt::format("islands that leave are not modelled with `overlap` or a quorum, "
                                 "as '{}' has one",
                                 name));
  }
}

}  // namespace

std::optional<WithoutMember> without_member_of(const Scenario& scenario,
                                               const ScheduleSpec& schedule) {
  if (schedule.without_member) return schedule.without_member;
  return scenario.churn ? scenario.churn->without_member : std::nullopt;
}

void check_churn(const Scenario& scenario, const Topology& topology) {
  const bool away = scenario.churn && scenario.churn->takes_islands_away();
  bool stalls = false;
  for (const ScheduleSpec& schedule : scenario.schedules) {
    if (schedule.without_member && !away) {
      throw InputError(schedule.without_member_where, "has no effect where no island leaves");
    }
    stalls = stalls || without_member_of(scenario, schedule) == WithoutMember::kStall;
  }
  if (!scenario.churn) return;
  const ChurnSpec& churn = *scenario.churn;
  for (const ChurnEvent& event : churn.events) {
    if (!event.island || topology.find_island(event.island->value)) continue;
    throw InputError(event.island->where,
                     fmt::format("'{}' is no island of the map{}", event.island->value,
                                 did_you_mean(event.island->value, topology.island_names())));
  }
  if (churn.without_member && !away) {
    throw InputError(churn.rule_where, "has no effect where no island leaves");
  }
  if (stalls && !churn.deadline) {
    throw InputError(churn.where, "needs `deadline`, how long `stall` waits for a member");
  }
  if (churn.deadline && !stalls) {
    throw InputError(churn.deadline_where, "has no effect without `stall`");
  }
  for (const ScheduleSpec& schedule : scenario.schedules) {
    if (schedule.policy->exchanges() && !schedule.policy->colocated()) {
      check_schedule(scenario, schedule);
    }
  }
  if (away && scenario.network.setup_time > Duration()) {
    throw InputError(scenario.network.setup_time_where,
                     "where islands leave, each round may have other members, so that tables are "
                     "never there before; it is not modelled");
  }
}

}  // namespace gyre
