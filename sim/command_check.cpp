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

/// What follows from the values, in sentences.
std::vector<std::string> consequences(const LoadedScenario& loaded) {
  const Scenario& scenario = loaded.scenario;
  const Topology& topology = loaded.topology;
  const Routes routes(topology);
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{} islands on {} switches, {} core arcs", topology.island_count(),
                              topology.switch_count(),
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
    const TrainingSpec training = training_of(scenario, schedule);
    for (const std::string& one :
         scenario.task->cautions(topology.island_count(), training.steps())) {
      std::string line = fmt::format("caution: {}", one);
      if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    }
  }
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
