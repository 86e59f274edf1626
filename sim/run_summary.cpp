#include "sim/run_summary.hpp"

namespace gyre {
namespace {

double share_of(Duration part, const TimeShares& all) {
  const Duration whole = all.compute + all.wait + all.exchange;
  return whole > Duration() ? part / whole : 0.0;
}

std::string busiest_arc_name(const Topology& topology, const RunResult& result) {
  std::optional<std::size_t> busiest;
  double most = 0.0;
  for (std::size_t a = 0; a < result.arcs.size(); ++a) {
    const auto capacity =
        static_cast<double>(topology.arc(ArcId::at(a)).capacity.in_bits_per_second());
    // Equal loads differ by rounding: the first of them is named.
    if (result.arcs[a].carried_bits / capacity > most * (1.0 + 1e-9)) {
      most = result.arcs[a].carried_bits / capacity;
      busiest = a;
    }
  }
  return busiest ? topology.name(ArcId::at(*busiest)) : "";
}

}  // namespace

SummaryRow named_row(const Scenario& scenario, const RunChoice& choice, RunStatus status) {
  const ScheduleSpec& schedule = scenario.schedules[choice.schedule];
  SummaryRow row;
  row.schedule = schedule.label.value;
  row.policy = schedule.policy_name;
  row.exchange = schedule.policy->exchanges() ? std::string(name_of(schedule.exchange)) : "";
  row.mode = name_of(choice.mode);
  row.seed = choice.seed;
  row.status = kRunStatusNames[static_cast<std::size_t>(status)];
  return row;
}

SummaryRow summarise(const LoadedScenario& loaded, const RunChoice& choice, const RunSpec& spec,
                     const RunResult& result, const RunTotals& totals) {
  SummaryRow row = named_row(loaded.scenario, choice, result.status);
  if (result.time_to_target) row.time_to_accuracy_s = result.time_to_target->in_seconds();
  row.final_accuracy_average = result.last.evaluation.accuracy_average;
  row.final_accuracy_worst = result.last.evaluation.accuracy_worst;
  row.final_loss_average = result.last.evaluation.loss_average;
  row.rounds = result.rounds;
  if (result.mean_round && result.bound_round) {
    row.mean_round_s = result.mean_round->in_seconds();
    row.bound_round_s = result.bound_round->in_seconds();
    if (*result.bound_round > Duration()) {
      row.ratio_to_bound = *result.mean_round / *result.bound_round;
    }
  }
  TimeShares all;
  for (const TimeShares& island : result.islands) {
    all.compute += island.compute;
    all.wait += island.wait;
    all.exchange += island.exchange;
  }
  row.communication_share = share_of(all.exchange, all);
  row.wait_share = share_of(all.wait, all);
  Bytes wan;
  for (std::size_t a = 0; a < result.arcs.size(); ++a) {
    if (spec.topology->is_core(ArcId::at(a))) wan += result.arcs[a].bytes;
  }
  row.wan_gb = wan.in_gigabytes();
  row.binding_arc = busiest_arc_name(*spec.topology, result);
  row.bound_by = totals.mostly_bound_by();
  row.mean_communication_s = totals.mean_communication().in_seconds();
  row.simulated_s = result.simulated.in_seconds();
  return row;
}

}  // namespace gyre
