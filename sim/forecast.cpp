#include "sim/forecast.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/error.hpp"
#include "sim/child_process.hpp"
#include "sim/run_setup.hpp"
#include "sim/simulation.hpp"

namespace gyre {
namespace {

using Json = nlohmann::json;

constexpr double kSecondsOfDay = 86400.0;
constexpr double kSecondsOfHour = 3600.0;

/// The state at the end of a round.
struct Snapshot {
  double time_s = 0.0;
  double trained = 0.0;     ///< tokens, of all islands
  double tokens = 0.0;      ///< that have reached a model, mean
  double computed_s = 0.0;  ///< by an island, mean
};

/// Keeps what happened at the ends of two rounds.
class Snapshots final : public RunObserver {
 public:
  Snapshots(const LossForecast& law, std::int64_t half_way) : law_(&law), half_way_(half_way) {}
  void on_trace(const TraceRow& row) override {
    if (row.round != half_way_ && row.round != 2 * half_way_) return;
    const std::vector<double> tokens = law_->tokens_reached();
    double mean = 0.0;
    for (const double one : tokens) mean += one / static_cast<double>(tokens.size());
    last = {.time_s = row.time.in_seconds(),
            .trained = law_->tokens_trained(),
            .tokens = mean,
            .computed_s = computed_s_};
    if (row.round == half_way_) half = last;
  }
  void on_span(const Span& span) override {
    if (span.activity == Activity::kCompute) computed_s_ += (span.to - span.from).in_seconds();
  }
  Snapshot half;
  Snapshot last;

 private:
  const LossForecast* law_;
  std::int64_t half_way_;
  double computed_s_ = 0.0;  ///< of all islands
};

/// What the simulation of the first rounds says.
struct Beginning {
  Snapshot half;
  Snapshot last;
  double mean_round_s = 0.0;
  double bound_round_s = 0.0;
  std::vector<double> sent_bytes;  ///< by island
  double peak_gbps = 0.0;
  std::string failure;
};

Beginning simulate_beginning(RunSpec& spec) {
  const LossForecast& law = *spec.task->forecast();
  const std::int64_t half = (spec.stop.max_rounds - 1) / 2;
  const std::string text = in_child([&] {
    const std::atomic<bool> never{false};
    Snapshots snapshots(law, half);
    const RunResult result = simulate(spec, snapshots, never);
    Json json;
    if (result.status != RunStatus::kComplete) {
      json["failure"] = result.failure;
      return json.dump();
    }
    for (const Snapshot* one : {&snapshots.half, &snapshots.last}) {
      json["ends"].push_back({one->time_s, one->trained, one->tokens, one->computed_s});
    }
    json["mean_round_s"] = result.mean_round.value_or(Duration()).in_seconds();
    json["bound_round_s"] = result.bound_round.value_or(Duration()).in_seconds();
    double peak = 0.0;
    for (std::size_t i = 0; i < spec.topology->island_count(); ++i) {
      const IslandId island = IslandId::at(i);
      const ArcId up = spec.topology->up(island);
      json["sent"].push_back(result.arcs[up.index()].bytes.in_bytes());
      for (const ArcId arc : {up, spec.topology->down(island)}) {
        peak = std::max(peak, result.arcs[arc.index()].peak_utilisation *
                                  spec.topology->arc(arc).capacity.in_gigabits_per_second());
      }
    }
    json["peak_gbps"] = peak;
    return json.dump();
  });
  const Json json = Json::parse(text);
  Beginning beginning;
  if (json.contains("failure")) {
    beginning.failure = json.at("failure");
    return beginning;
  }
  const auto snapshot = [&json](std::size_t at) {
    const Json& end = json.at("ends").at(at);
    return Snapshot{
        .time_s = end.at(0), .trained = end.at(1), .tokens = end.at(2), .computed_s = end.at(3)};
  };
  beginning.half = snapshot(0);
  beginning.last = snapshot(1);
  beginning.mean_round_s = json.at("mean_round_s");
  beginning.bound_round_s = json.at("bound_round_s");
  beginning.sent_bytes = json.at("sent").get<std::vector<double>>();
  beginning.peak_gbps = json.at("peak_gbps");
  return beginning;
}

/// What the islands' chips cost an hour, by island. Errors: `InputError` if nobody has any.
std::vector<double> hourly_costs(const LoadedScenario& loaded) {
  const ForecastBlock block = loaded.scenario.forecast.value_or(ForecastBlock());
  std::vector<double> costs(loaded.topology.island_count(), 0.0);
  if (!block.prices || !block.prices->accelerator_hour) return costs;
  const ComputeModel compute(loaded.scenario.job.compute, loaded.topology.island_names(), 1);
  bool any = false;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const std::optional<std::int64_t> chips = compute.chips(IslandId::at(i));
    any = any || chips;
    costs[i] = static_cast<double>(chips.value_or(0)) * *block.prices->accelerator_hour;
  }
  if (!any) {
    throw InputError(block.prices->accelerator_where,
                     "no island has `accelerators`; allowed with `job.compute.accelerators`");
  }
  return costs;
}

/// Follows from tokens what the law and the beginning say of the whole run.
void extrapolate(const RunSpec& spec, const LoadedScenario& loaded, const Beginning& beginning,
                 const std::vector<double>& hourly, Forecast& row) {
  const LossForecast& law = *spec.task->forecast();
  const auto n = static_cast<double>(spec.topology->island_count());
  const auto simulated = static_cast<double>(spec.stop.max_rounds);
  const double second_half = (simulated - 1.0) / 2.0;
  const Snapshot& half = beginning.half;
  const Snapshot& last = beginning.last;
  const double trained = last.trained - half.trained;
  const double time_s = last.time_s - half.time_s;
  const double share = (last.tokens - half.tokens) / trained;
  row.round_s = time_s / second_half;
  row.utilisation = (last.computed_s - half.computed_s) / n / time_s;
  row.islands = std::round(std::clamp(n * share, 1.0, n) * 1e6) / 1e6;  // of rounding
  row.peak_gbps = beginning.peak_gbps;
  row.simulated_rounds = spec.stop.max_rounds - 1;
  row.tokens = law.tokens_for(*loaded.scenario.stop.loss, row.islands);
  if (!row.tokens) return;
  const double needed = std::max(0.0, last.trained + (*row.tokens - last.tokens) / share);
  const double more = (needed - last.trained) / trained;  // in second halves
  row.rounds = std::max(0.0, (2.0 + more) * second_half);
  row.steps = needed / law.tokens_per_step();
  const double whole_s = std::max(0.0, last.time_s + more * time_s);
  row.days = whole_s / kSecondsOfDay;
  // Where rounds end in bursts, those of the second half may be shorter than the bound's.
  row.bound_days = std::min(*row.rounds * beginning.bound_round_s / kSecondsOfDay,
                            *row.days * beginning.bound_round_s / beginning.mean_round_s);
  double sent = 0.0;
  for (const double bytes : beginning.sent_bytes) sent += bytes * 1e-9 * *row.rounds / simulated;
  row.sent_gb = sent / n;
  const ForecastBlock block = loaded.scenario.forecast.value_or(ForecastBlock());
  if (!block.prices) return;
  row.cost = sent * block.prices->sent_gb.value_or(0.0);
  for (const double cost : hourly) *row.cost += cost * whole_s / kSecondsOfHour;
  row.cost_per_site = *row.cost / n;
}

void check_request(const LoadedScenario& loaded) {
  const Scenario& scenario = loaded.scenario;
  if (scenario.task->forecast() == nullptr) {
    throw InputError(
        "gyre forecast",
        fmt::format("task '{}' says nothing of longer runs; allowed with `task: {{kind: "
                    "scaling-law, …}}`",
                    scenario.task_name));
  }
  if (!scenario.stop.loss) {
    throw InputError("gyre forecast", "needs a loss to reach, `stop.loss`");
  }
  if (!loaded.scenario.network.changes.empty()) {
    throw InputError(loaded.scenario.network.changes.front().where,
                     "has no effect on a forecast, which goes on as its first rounds do; leave it "
                     "out");
  }
  for (const BackgroundSpec& background : loaded.scenario.network.background) {
    if (!background.mean_on) continue;
    throw InputError(background.where,
                     "goes on and off, and a forecast goes on as its first rounds do; allowed is "
                     "background that is on all the time");
  }
}

}  // namespace

std::vector<Forecast> forecast(const LoadedScenario& loaded,
                               const std::function<bool(double share)>& progress) {
  check_request(loaded);
  const Scenario& scenario = loaded.scenario;
  const ForecastBlock block = scenario.forecast.value_or(ForecastBlock());
  const std::vector<double> hourly = hourly_costs(loaded);
  const Topology fabric = colocated_topology(loaded.topology, scenario.network.fabric);
  std::vector<RunChoice> choices = all_runs(scenario);
  std::erase_if(choices, [&scenario](const RunChoice& choice) {
    return choice.seed != scenario.seeds.front();
  });
  std::vector<Forecast> rows;
  for (const RunChoice& choice : choices) {
    RunSpec spec = run_spec(loaded, choice, fabric);
    std::vector<std::int64_t> steps = block.local_steps;
    // A schedule's own number stands.
    const bool own = scenario.schedules[choice.schedule].training.local_steps.has_value();
    if (steps.empty() || own) steps = {spec.training.steps()};
    for (const std::int64_t local_steps : steps) {
      const auto of_choice =
          static_cast<double>(&local_steps - steps.data()) / static_cast<double>(steps.size());
      const auto done = static_cast<double>(&choice - choices.data()) + of_choice;
      if (!progress(done / static_cast<double>(choices.size()))) return rows;
      spec.training.local_steps = local_steps;
      spec.training.check_together();
      spec.stop = StopRule();
      const std::int64_t rounds =
          spec.training.follows(StragglerSpec::Rule::kQuorum) ? 10 * block.rounds : block.rounds;
      spec.stop.max_rounds = 2 * ((rounds + 1) / 2) + 1;
      spec.stop.fast_go_on = true;
      spec.evaluate_every = (spec.stop.max_rounds - 1) / 2;  // at the snapshots
      Forecast row{.schedule = scenario.schedules[choice.schedule].label.value,
                   .mode = std::string(name_of(choice.mode)),
                   .local_steps = local_steps};
      const Beginning beginning = simulate_beginning(spec);
      row.failure = beginning.failure;
      if (row.failure.empty()) extrapolate(spec, loaded, beginning, hourly, row);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::vector<std::string> forecast_cautions(const LoadedScenario& loaded,
                                           const std::vector<Forecast>& forecasts) {
  std::vector<std::string> cautions;
  for (const Forecast& row : forecasts) {
    if (!row.tokens) continue;
    add_new(cautions,
            loaded.scenario.task->cautions(
                {.islands = row.islands, .local_steps = row.local_steps, .tokens = row.tokens}));
  }
  return cautions;
}

}  // namespace gyre
