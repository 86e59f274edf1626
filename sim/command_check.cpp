#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/csv.hpp"
#include "analysis/table.hpp"
#include "models/bounds.hpp"
#include "sim/cli.hpp"
#include "sim/run_setup.hpp"

namespace gyre {
namespace {

using Json = nlohmann::ordered_json;

/// Core arcs on no least-latency path between two islands, by name.
std::vector<std::string> idle_arcs(const Topology& topology, const Routes& routes) {
  std::vector<bool> used(topology.arc_count(), false);
  for (std::size_t i = 0; i < topology.island_count(); ++i) {
    for (std::size_t j = 0; j < topology.island_count(); ++j) {
      if (i == j) continue;
      for (const ArcId arc :
           routes.path(topology.node(IslandId::at(i)), topology.node(IslandId::at(j)))) {
        used[arc.index()] = true;
      }
    }
  }
  std::vector<std::string> names;
  for (std::size_t a = 2 * topology.island_count(); a < topology.arc_count(); ++a) {
    if (!used[a]) names.push_back(topology.name(ArcId::at(a)));
  }
  return names;
}

/// How a schedule trains where it is not only local steps and exchanges that all wait for; else
/// empty.
std::string training_text(const LoadedScenario& loaded, const ScheduleSpec& schedule) {
  if (!schedule.policy->exchanges()) return "";
  const TrainingSpec training = training_of(loaded.scenario, schedule);
  const Bytes model = loaded.scenario.job.model_bytes(training);
  std::vector<std::string> parts;
  if (schedule.training.local_steps) {
    parts.push_back(
        fmt::format("{} local step{}", training.steps(), training.steps() == 1 ? "" : "s"));
  }
  if (training.compression) {
    parts.push_back(fmt::format("{} on the wire for the whole model", to_text(model)));
  }
  if (training.fragment_count() > 1) {
    const SyncTiming timing(training, model, {training.steps()});
    parts.push_back(fmt::format("{} fragments of {}, one every {:.4g} steps", timing.fragments(),
                                to_text(timing.bytes(0)),
                                timing.mean_steps() / static_cast<double>(timing.fragments())));
  }
  if (training.layers) {
    parts.push_back(fmt::format("{} layers sent behind the backward pass", training.layers->count));
  }
  if (training.delay() > 0) {
    parts.push_back(fmt::format("merged {} step{} late with weight {} for the island's own",
                                training.delay(), training.delay() == 1 ? "" : "s",
                                to_text(training.local_weight())));
  }
  if (training.follows(StragglerSpec::Rule::kQuorum)) {
    parts.push_back(fmt::format("goes on with {:.4g} % of a clique after {}",
                                100.0 * training.stragglers->quorum,
                                to_text(training.stragglers->deadline)));
  }
  if (training.follows(StragglerSpec::Rule::kDynamicSteps)) {
    parts.emplace_back("local steps in proportion to the islands' speed");
  }
  if (parts.empty()) return "";
  return fmt::format("schedule '{}': {}", schedule.label.value, fmt::join(parts, "; "));
}

/// What follows from the values, in sentences.
std::vector<std::string> consequences(const LoadedScenario& loaded) {
  const Scenario& scenario = loaded.scenario;
  const Topology& topology = loaded.topology;
  const Routes routes(topology);
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{} islands on {} switch{}, {} core arcs", topology.island_count(),
                              topology.switch_count(), topology.switch_count() == 1 ? "" : "es",
                              topology.arc_count() - 2 * topology.island_count()));
  lines.push_back(
      fmt::format("payload of one exchange: {} an island", to_text(scenario.job.payload_bytes())));
  lines.push_back(fmt::format("compute of a round: {} local steps of {} = {} an island (mean)",
                              scenario.job.local_steps, step_time_text(loaded, 1),
                              step_time_text(loaded, scenario.job.local_steps)));
  if (topology.island_count() >= 2) {
    Clique everybody;
    for (std::size_t i = 0; i < topology.island_count(); ++i) everybody.push_back(IslandId::at(i));
    const Bounds bounds(topology, routes);
    const CutBound bound = bounds.cut(everybody, scenario.job.payload_bytes());
    lines.push_back(fmt::format(
        "no exchange among all islands can take less than {:.6g} s ({} -> {}: {:.6g} s through the "
        "narrowest cut of any pair, and latency)",
        bound.time.in_seconds(), topology.name(bound.from), topology.name(bound.to),
        bound.bandwidth.in_seconds()));
    const std::vector<std::string> idle = idle_arcs(topology, routes);
    if (!idle.empty()) {
      lines.push_back(fmt::format("least-latency routing never uses {}",
                                  fmt::format("{}", fmt::join(idle, ", "))));
    }
  }
  for (const ScheduleSpec& schedule : scenario.schedules) {
    const std::string text = training_text(loaded, schedule);
    if (!text.empty()) lines.push_back(text);
  }
  for (const std::string& one : cautions(loaded)) lines.push_back("caution: " + one);
  const std::size_t runs = all_runs(scenario).size();
  lines.push_back(fmt::format("'gyre compare' makes {} run{}", runs, runs == 1 ? "" : "s"));
  return lines;
}

}  // namespace

int command_check(const CheckOptions& options) {
  const LoadedScenario loaded = load(options.common);
  const Format format = chosen_format(options.common.format);
  if (format == Format::kJson) {
    Json values = Json::array();
    for (const ResolvedValue& value : loaded.resolved) {
      values.push_back({{"key", value.key_path}, {"value", value.value}, {"origin", value.origin}});
    }
    fmt::print("{}\n", Json{{"scenario", loaded.scenario.name.value},
                            {"values", values},
                            {"consequences", consequences(loaded)}}
                           .dump(2));
    return kExitDone;
  }
  if (format == Format::kCsv) {
    fmt::print("key,value,origin\n");
    for (const ResolvedValue& value : loaded.resolved) {
      fmt::print("{}", csv_line(std::vector{value.key_path, value.value, value.origin}));
    }
    return kExitDone;
  }
  // The longest values stand last, where nothing has to be padded to their width.
  TextTable table({{.text = "key"}, {.text = "from"}, {.text = "value"}});
  for (const ResolvedValue& value : loaded.resolved) {
    table.row({value.key_path, value.origin, value.value});
  }
  fmt::print("{}\n", table.render());
  for (const std::string& line : consequences(loaded)) fmt::print("{}\n", line);
  return kExitDone;
}

}  // namespace gyre
