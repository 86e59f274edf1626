#include <cstdio>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"
#include "scenarios/export/exported_map.hpp"
#include "scenarios/export/graphml_file.hpp"
#include "scenarios/export/simgrid_files.hpp"
#include "scenarios/import/node_names.hpp"
#include "schedules/round_plan.hpp"
#include "sim/cli.hpp"
#include "sim/cli_export.hpp"
#include "sim/interrupt.hpp"
#include "sim/manifest.hpp"
#include "sim/output_file.hpp"
#include "sim/platform.hpp"
#include "sim/program_file.hpp"
#include "sim/run_setup.hpp"
#include "sim/schedule_rounds.hpp"
#include "sim/status_line.hpp"
#include "sim/version.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;

enum class Target : std::uint8_t { kSimgrid, kGraphml, kPrograms };
const std::vector<std::string> kTargets{"simgrid", "graphml", "programs"};

/// The longest period that is looked for: `explicit` schedules and plans are shorter.
constexpr std::int64_t kLongestPeriod = 64;

struct OutputFile {
  std::string path;  ///< empty: standard output
  std::string text;
};

/// The deployment that belongs to a platform.
std::string deployment_path(const std::string& platform) {
  return fs::path(platform).replace_extension(".deployment.xml").string();
}

bool wants_schedule(const ExportCommandOptions& options, Target target) {
  return options.schedule || target == Target::kPrograms;
}

/// Options that say something about a schedule where none goes out are mistakes.
void check_options(const ExportCommandOptions& options, Target target, bool is_topology) {
  if (is_topology) {
    const auto refuse = [](std::string_view option) {
      throw InputError(option, "needs a scenario; a topology file by itself has no schedules");
    };
    if (target == Target::kPrograms) refuse("--to programs");
    if (options.schedule) refuse("--schedule");
  }
  if (!wants_schedule(options, target)) {
    for (const auto& [option, given] : {std::pair("--rounds", options.rounds.has_value()),
                                        std::pair("--seed", options.common.seed.has_value())}) {
      if (given) throw InputError(option, "has no effect without --schedule");
    }
  }
  if (options.common.output) return;
  if (options.common.overwrite) {
    throw InputError("--overwrite", "has no effect without --output");
  }
  if (target == Target::kSimgrid && options.schedule) {
    throw InputError("--output",
                     "needed, since SimGrid wants a schedule in a file of its own beside the map");
  }
}

void check_outputs(const ExportCommandOptions& options, Target target,
                   const LoadedScenario& loaded) {
  if (!options.common.output) return;
  const fs::path scenario = options.common.scenario;
  const std::string topology = loaded.scenario.network.topology_file.value;
  const std::vector<std::string> inputs{
      scenario.string(), topology.empty() ? "" : (scenario.parent_path() / topology).string()};
  const std::string& file = *options.common.output;
  check_output_file(file, options.common.overwrite, inputs);
  if (target == Target::kSimgrid && options.schedule) {
    check_output_file(deployment_path(file), options.common.overwrite, inputs);
  }
}

/// What no map shows. Errors: `InputError`.
void check_schedule(const ScheduleSpec& schedule) {
  if (schedule.policy->colocated()) {
    throw InputError("--schedule", fmt::format("'{}' trains in one data centre, where nothing of "
                                               "the map counts; choose one that exchanges over it",
                                               schedule.label.value));
  }
  if (!schedule.policy->exchanges()) {
    throw InputError("--schedule", fmt::format("'{}' never exchanges; choose a schedule that does",
                                               schedule.label.value));
  }
}

/// Its first rounds, as many as were asked for, or a period. Nothing where it was interrupted.
ExportedSchedule schedule_of(const LoadedScenario& loaded, const RunChoice& choice,
                             const RunSpec& run, const ExportCommandOptions& options) {
  const ScheduleSpec& schedule = loaded.scenario.schedules[choice.schedule];
  const std::int64_t count = std::max(options.rounds.value_or(0), 2 * kLongestPeriod);
  ExportedSchedule result;
  {
    StatusLine line(options.common.quiet);
    result.rounds = first_rounds(run, count, [&line] {
      if (line.due()) line.draw(fmt::format("planning, {:.0f} s", line.elapsed_s()));
      return !interrupted();
    });
  }
  const std::optional<std::size_t> period = period_of(result.rounds);
  if (!period && !options.rounds) {
    throw InputError("--rounds", fmt::format("needed, since the schedule '{}' does not begin again "
                                             "within {} rounds",
                                             schedule.label.value, kLongestPeriod));
  }
  const auto wanted = static_cast<std::size_t>(options.rounds.value_or(0));
  result.rounds.resize(options.rounds ? wanted : *period);
  result.repeats = period && result.rounds.size() % *period == 0;
  result.label = schedule.label.value;
  result.exchange = schedule.policy->overlay() ? "" : name_of(schedule.exchange);
  result.seed = choice.seed;
  const SyncTiming timing = sync_timing(run);
  result.payload = timing.bytes(0);
  result.fragments = timing.fragments();
  const ComputeModel compute(run.compute, loaded.topology.island_names(), run.seed);
  for (std::size_t i = 0; i < loaded.topology.island_count(); ++i) {
    result.compute.push_back(compute.mean_step_time(IslandId::at(i)) *
                             static_cast<double>(timing.steps(i, 0)));
  }
  return result;
}

std::string programs_of(const LoadedScenario& loaded, const RunChoice& choice, const RunSpec& run,
                        const ExportedSchedule& schedule) {
  const Routes routes(loaded.topology);
  const Network network{.topology = loaded.topology,
                        .routes = routes,
                        .capabilities = run.capabilities,
                        .limits = run.limits};
  std::vector<PlannedExchanges> rounds;
  for (const Round& round : schedule.rounds) {
    if (interrupted()) break;
    rounds.push_back({round, schedule.overlay() ? overlay_plan(network, round, schedule.payload)
                                                : plan_round(network, round, schedule.payload,
                                                             run.exchange, run.routing)});
  }
  return programs_text({.scenario = loaded.scenario.name.value,
                        .mode = choice.mode,
                        .routing = run.routing,
                        .schedule = ProgramsTitle::Schedule{.label = schedule.label,
                                                            .seed = schedule.seed,
                                                            .repeats = schedule.repeats}},
                       network, rounds);
}

ExportedMap map_of(const LoadedScenario& loaded, const ExportCommandOptions& options,
                   std::optional<Mode> mode) {
  const std::string file = fs::path(options.common.scenario).filename().string();
  const std::string& scenario = loaded.scenario.name.value;
  ExportedMap map{.topology = &loaded.topology,
                  .name = printable(loaded.topology.name()),
                  .title = printable(scenario.empty() ? fmt::format("the topology file {}", file)
                                                      : fmt::format("scenario {}", scenario)),
                  .version = std::string(kVersion),
                  .mode = mode};
  if (map.name.empty()) map.name = scenario;
  if (mode) map.able = capabilities_in(loaded.scenario, loaded.topology, *mode);
  return map;
}

SimgridOptions engine_options() {
  SimgridOptions options;
  for (const ModelOption& option : model_options()) {
    options.emplace_back(option.name, option.value);
  }
  return options;
}

/// Writes the files, all of them complete.
void put(const std::vector<OutputFile>& files) {
  for (const OutputFile& file : files) {
    if (file.path.empty()) {
      fmt::print("{}", file.text);
    } else {
      write_file(file.path, file.text);
    }
  }
}

void print_summary(const ExportedMap& map, const ExportedSchedule* schedule,
                   const std::vector<OutputFile>& files) {
  const Topology& topology = *map.topology;
  fmt::print(stderr, "{}: {}, {}, {}\n", map.title, counted(topology.island_count(), "island"),
             topology.switch_count() == 1 ? "1 switch"
                                          : fmt::format("{} switches", topology.switch_count()),
             counted(topology.arc_count() / 2 - topology.island_count(), "link"));
  if (schedule != nullptr) fmt::print(stderr, "  {}\n", schedule->sentence(map));
  for (const OutputFile& file : files) {
    if (!file.path.empty()) fmt::print(stderr, "  written: {}\n", file.path);
  }
}

}  // namespace

int command_export(const ExportCommandOptions& options) {
  const auto target = static_cast<Target>(chosen("--to", options.to, kTargets));
  const bool is_topology = is_topology_file(options.common.scenario);
  check_options(options, target, is_topology);
  const LoadedScenario loaded =
      is_topology ? load_topology(options.common.scenario, overrides_of(options.common))
                  : load(options.common);
  check_outputs(options, target, loaded);
  warn_of_changes(loaded, "what is exported");

  const Scenario& scenario = loaded.scenario;
  std::optional<RunChoice> choice;
  std::optional<Mode> mode;
  if (wants_schedule(options, target)) {
    check_schedule(scenario.schedules[chosen_schedule(options.schedule, scenario)]);
    choice = chosen_run(options.schedule, options.mode, scenario);
    mode = choice->mode;
  } else if (options.mode || scenario.network.modes.size() == 1) {
    mode = chosen_mode(options.mode, scenario);
  }
  const ExportedMap map = map_of(loaded, options, mode);
  std::optional<ExportedSchedule> schedule;
  std::string programs;
  if (choice) {
    watch_interrupts();
    const RunSpec run = run_spec(loaded, *choice, loaded.topology);
    schedule = schedule_of(loaded, *choice, run, options);
    if (target == Target::kPrograms) programs = programs_of(loaded, *choice, run, *schedule);
    if (interrupted()) {
      fmt::print(stderr, "interrupted: nothing was written\n");
      return kExitFailed;
    }
  }
  const ExportedSchedule* its = schedule ? &*schedule : nullptr;
  const std::string file = options.common.output.value_or("");
  std::vector<OutputFile> files;
  switch (target) {
    case Target::kSimgrid:
      files.push_back({file, simgrid_platform(map, Routes(loaded.topology), engine_options())});
      if (its != nullptr) {
        files.push_back({deployment_path(file), simgrid_deployment(map, *its)});
      }
      break;
    case Target::kGraphml:
      files.push_back({file, graphml_file(map, its)});
      break;
    case Target::kPrograms:
      files.push_back({file, std::move(programs)});
      break;
  }
  put(files);
  if (!options.common.quiet) print_summary(map, its, files);
  return kExitDone;
}

}  // namespace gyre
