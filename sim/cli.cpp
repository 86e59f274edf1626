#include "sim/cli.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "models/error.hpp"
#include "sim/cli_export.hpp"
#include "sim/cli_figures.hpp"
#include "sim/cli_generate.hpp"
#include "sim/cli_import.hpp"
#include "sim/cli_report.hpp"
#include "sim/cli_reproduce.hpp"
#include "sim/cli_sweep.hpp"
#include "sim/cli_values.hpp"
#include "sim/platform.hpp"
#include "sim/version.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kFormats{"table", "csv", "json"};
const std::vector<std::string> kCommands{
    "check",      "exchange",  "plan",   "run",    "compare", "sweep",  "query",    "forecast",
    "crosscheck", "reproduce", "import", "export", "figures", "report", "generate", "list"};

constexpr const char* kDescription =
    "gyre simulates machine-learning training over islands of compute that a wide-area network\n"
    "joins, whose switches may replicate (multicast) and add (aggregation) packets. It says which\n"
    "synchronisation schedule reaches the target first, what bounds it, and how far that is from\n"
    "the least time that the wires allow.";

constexpr const char* kFooter =
    "Start with:\n"
    "  gyre check scenarios/two-islands.yaml       what a scenario says, with every default\n"
    "  gyre compare scenarios/nine-city.yaml       all schedules in all modes, ranked\n"
    "  gyre list columns                           what each column of the results means\n"
    "\n"
    "Exit status: 0 done, 1 the run failed or is incomplete, 2 the input is wrong.";

void add_running(CLI::App& command, CommonOptions& options) {
  command
      .add_option("-o,--output", options.output,
                  "Folder for the results (default: results/NAME of the scenario)")
      ->type_name("FOLDER");
  command.add_flag("--overwrite", options.overwrite,
                   "Replace results of another scenario in that folder");
  add_fidelity(command, options.fidelity);
  command.add_flag("--quiet", options.quiet, "No progress on standard error");
}

/// What the user asked for: set by the subcommand that was parsed.
using Action = std::function<int()>;

void add_check(CLI::App& app, CheckOptions& options, Action& action) {
  CLI::App* command = app.add_subcommand(
      "check", "Read and explain a scenario: every value with its unit and where it came from");
  add_scenario(*command, options.common);
  add_format(*command, options.common.format);
  command->footer("Example: gyre check scenarios/nine-city.yaml --set job.local_steps=50");
  command->callback([&] { action = [&options] { return command_check(options); }; });
}

void add_exchange(CLI::App& app, ExchangeOptions& options, Action& action) {
  CLI::App* command = app.add_subcommand(
      "exchange", "One round of exchange by itself: time, bound, ratio, what binds, bytes per arc");
  add_scenario(*command, options.common);
  command
      ->add_option("--round", options.round,
                   "Cliques: members joined by +, cliques separated by |; islands left out do\n"
                   "not exchange (default: all islands in one clique)")
      ->type_name("A+B|C+D");
  command
      ->add_option("--exchange", options.exchange,
                   "best, direct, in-network, ring, tree, hub or multi-root (default: best)")
      ->type_name("NAME");
  command
      ->add_option("--mode", options.mode,
                   "What the switches may do: neither, multicast, aggregation or both; needed\n"
                   "where the scenario has several")
      ->type_name("MODE");
  add_fidelity(*command, options.common.fidelity);
  add_format(*command, options.common.format);
  command->footer(
      "Example: gyre exchange scenarios/nine-city.yaml --mode both \\\n"
      "           --round 'SEO+TYO+SIN|LAX+NYC+BAR|LON+AMS+FRA' --exchange direct");
  command->callback([&] { action = [&options] { return command_exchange(options); }; });
}

void add_plan(CLI::App& app, PlanCommandOptions& options, Action& action) {
  CLI::App* command = app.add_subcommand(
      "plan", "The best rotating cliques for the map, the job and the switches, with bounds");
  add_scenario(*command, options.common);
  command
      ->add_option("--mode", options.mode,
                   "Plan for this mode only (default: for each of the scenario's)")
      ->type_name("MODE");
  command
      ->add_option(
          "-o,--output", options.common.output,
          "Write the schedule to FILE, for {policy: explicit, file: FILE}, and its switch\n"
          "programs beside it; with several modes one of each a mode")
      ->type_name("FILE");
  command->add_flag("--overwrite", options.common.overwrite, "Replace those files");
  command->add_flag("--quiet", options.common.quiet, "No progress on standard error");
  add_format(*command, options.common.format);
  command->footer(
      "Ctrl-C ends the search with the best so far.\n"
      "Example: gyre plan scenarios/nine-city.yaml --set plan.objective=consensus");
  command->callback([&] { action = [&options] { return command_plan(options); }; });
}

void add_run(CLI::App& app, RunOptions& options, Action& action) {
  CLI::App* command =
      app.add_subcommand("run", "One simulation: one schedule in one mode with one seed");
  add_scenario(*command, options.common);
  command
      ->add_option("--schedule", options.schedule,
                   "Name of one of the scenario's schedules; needed where it has several")
      ->type_name("NAME");
  command->add_option("--mode", options.mode, "As for 'gyre exchange'")->type_name("MODE");
  add_running(*command, options.common);
  add_format(*command, options.common.format);
  command->footer(
      "Example: gyre run scenarios/nine-city.yaml --schedule all-reduce/ring --mode neither");
  command->callback([&] { action = [&options] { return command_run(options); }; });
}

void add_compare(CLI::App& app, CompareOptions& options, Action& action) {
  CLI::App* command = app.add_subcommand(
      "compare", "All schedules in all modes with all seeds: a ranked table and a results folder");
  add_scenario(*command, options.common);
  command
      ->add_option("--jobs", options.common.jobs,
                   "Simulations at a time (default: one for each core)")
      ->type_name("N");
  add_running(*command, options.common);
  add_format(*command, options.common.format);
  command->footer(
      "Run again on the same folder, it reuses the runs that are complete.\n"
      "Example: gyre compare scenarios/nine-city.yaml -o results/nine-city --jobs 2");
  command->callback([&] { action = [&options] { return command_compare(options); }; });
}

void add_forecast(CLI::App& app, ForecastOptions& options, Action& action) {
  CLI::App* command = app.add_subcommand(
      "forecast",
      "Days, utilisation, traffic and cost of whole runs to a loss: schedules x modes x H");
  add_scenario(*command, options.common);
  add_fidelity(*command, options.common.fidelity);
  command->add_flag("--quiet", options.common.quiet, "No progress on standard error");
  add_format(*command, options.common.format);
  command->footer("Example: gyre forecast scenarios/llm-10b.yaml");
  command->callback([&] { action = [&options] { return command_forecast(options); }; });
}

void add_crosscheck(CLI::App& app, CrosscheckOptions& options, Action& action) {
  CLI::App* command = app.add_subcommand(
      "crosscheck", "Both fidelities side by side, round by round, with the difference explained");
  options.common.fidelity = name_of(Fidelity::kPacket);
  add_scenario(*command, options.common);
  command
      ->add_option("--schedule", options.schedule,
                   "Only this schedule (default: all that exchange over the network)")
      ->type_name("NAME");
  command->add_option("--mode", options.mode, "Only this mode (default: all of the scenario's)")
      ->type_name("MODE");
  command
      ->add_option("--rounds", options.rounds,
                   "First rounds of each schedule; what comes again counts once (default: 4)")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000));
  command->add_flag("--quiet", options.common.quiet, "No progress on standard error");
  add_format(*command, options.common.format);
  command->footer(
      "Example: gyre crosscheck scenarios/nine-city.yaml --mode both --set "
      "'network.transport={chunk: 2 MB}'");
  command->callback([&] { action = [&options] { return command_crosscheck(options); }; });
}

void add_list(CLI::App& app, ListOptions& options, Action& action) {
  CLI::App* command = app.add_subcommand("list", "What there is to choose from, with explanations");
  command
      ->add_option("WHAT", options.what,
                   "policies, tasks, exchanges, topologies, generators, columns, figures or\n"
                   "reproductions")
      ->required();
  add_format(*command, options.format);
  command->footer("Example: gyre list policies");
  command->callback([&] { action = [&options] { return command_list(options); }; });
}

}  // namespace

void add_scenario(CLI::App& command, CommonOptions& options) {
  command.add_option("SCENARIO", options.scenario, "Scenario file (YAML)")->required();
  command
      .add_option("--set", options.set,
                  "Override a value of the scenario, checked like one, as in\n"
                  "--set network.access.bandwidth=100Gbps; null leaves a key out;\n"
                  "may be repeated")
      ->type_name("KEY.PATH=VALUE")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--seed", options.seed, "Run with this seed instead of the scenario's")
      ->type_name("N");
}

std::size_t chosen(std::string_view option, const std::string& value,
                   const std::vector<std::string>& names) {
  const auto known = std::find(names.begin(), names.end(), value);
  if (known == names.end()) {
    throw InputError(option, fmt::format("'{}' is unknown{}; allowed: {}", value,
                                         did_you_mean(value, names), one_of(names)));
  }
  return static_cast<std::size_t>(known - names.begin());
}

Fidelity chosen_fidelity(const std::optional<std::string>& name) {
  if (!name) return Fidelity::kFlow;
  return static_cast<Fidelity>(
      chosen("--fidelity", *name, {kFidelityNames.begin(), kFidelityNames.end()}));
}

void add_format(CLI::App& command, std::string& format) {
  command
      .add_option("--format", format,
                  fmt::format("How to print: table, csv or json (default: {})", format))
      ->type_name("FORMAT");
}

void add_fidelity(CLI::App& command, std::optional<std::string>& fidelity) {
  fidelity = name_of(Fidelity::kFlow);
  command
      .add_option("--fidelity", fidelity,
                  "Network model: flow (fluid trees) or packet (switches at work, chunk by chunk;\n"
                  "see network.transport; default: flow)")
      ->type_name("MODEL");
}

Format chosen_format(const std::string& name) {
  return static_cast<Format>(chosen("--format", name, kFormats));
}

std::vector<Override> overrides_of(const CommonOptions& options) {
  std::vector<Override> overrides;
  for (const std::string& change : options.set) {
    const std::size_t equals = change.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError("--set " + change, "expected KEY.PATH=VALUE, as in job.local_steps=50");
    }
    overrides.push_back({.key_path = change.substr(0, equals), .value = change.substr(equals + 1)});
  }
  return overrides;
}

LoadedScenario load(const CommonOptions& options) {
  chosen_format(options.format);
  if (options.jobs) job_count(options.jobs);
  LoadedScenario loaded = load_scenario(options.scenario, overrides_of(options));
  if (options.fidelity) {
    loaded.fidelity = chosen_fidelity(options.fidelity);
    check_fidelity(loaded.scenario, loaded.fidelity);
  }
  if (options.seed) {
    const std::int64_t seed = whole_number("--seed", *options.seed, {.least = 0});
    loaded.scenario.seeds = {seed};
    // The printed origin has to say what decides.
    std::erase_if(loaded.resolved, [](const ResolvedValue& value) {
      return value.key_path == "seed" || value.key_path == "seeds";
    });
    loaded.resolved.push_back(
        {.key_path = "seed", .value = std::to_string(seed), .origin = "--seed"});
  }
  return loaded;
}

Mode chosen_mode(const std::optional<std::string>& name, const Scenario& scenario) {
  const std::vector<Mode>& modes = scenario.network.modes;
  std::vector<std::string> names;
  names.reserve(modes.size());
  for (const Mode mode : modes) names.emplace_back(name_of(mode));
  if (!name) {
    if (modes.size() == 1) return modes.front();
    throw InputError(
        "--mode", fmt::format("needed, since the scenario has several modes: {}", one_of(names)));
  }
  const auto known = std::find(names.begin(), names.end(), *name);
  if (known == names.end()) {
    throw InputError("--mode", fmt::format("'{}' is no mode of the scenario{}; its modes: {}",
                                           *name, did_you_mean(*name, names), one_of(names)));
  }
  return modes[static_cast<std::size_t>(known - names.begin())];
}

std::size_t chosen_schedule(const std::optional<std::string>& name, const Scenario& scenario) {
  std::vector<std::string> labels;
  labels.reserve(scenario.schedules.size());
  for (const ScheduleSpec& schedule : scenario.schedules) labels.push_back(schedule.label.value);
  if (!name) {
    if (labels.size() == 1) return 0;
    throw InputError("--schedule",
                     fmt::format("needed, since the scenario has several: {}", one_of(labels)));
  }
  for (std::size_t s = 0; s < labels.size(); ++s) {
    if (labels[s] == *name) return s;
  }
  throw InputError("--schedule",
                   fmt::format("'{}' is no schedule of the scenario{}; its schedules: {}", *name,
                               did_you_mean(*name, labels), one_of(labels)));
}

RunChoice chosen_run(const std::optional<std::string>& schedule,
                     const std::optional<std::string>& mode, const Scenario& scenario) {
  const RunChoice choice{.schedule = chosen_schedule(schedule, scenario),
                         .mode = chosen_mode(mode, scenario),
                         .seed = scenario.seeds.front()};
  for (const RunChoice& known : all_runs(scenario)) {
    if (known.schedule == choice.schedule && known.mode == choice.mode) {
      if (scenario.seeds.size() == 1) return choice;
      throw InputError("--seed", "needed, since the scenario has several seeds");
    }
  }
  throw InputError(
      "--mode", fmt::format("the schedule '{}' is not for mode {}",
                            scenario.schedules[choice.schedule].label.value, name_of(choice.mode)));
}

namespace {

/// Whether a folder is empty, holds results, or nothing but folders of results: `gyre run` puts its
/// own below that of a comparison.
bool holds_results(const fs::path& folder) {
  if (fs::exists(folder / "manifest.json")) return true;
  return std::all_of(
      fs::directory_iterator(folder), fs::directory_iterator(),
      [](const fs::directory_entry& entry) { return fs::exists(entry.path() / "manifest.json"); });
}

}  // namespace

std::string output_folder(const CommonOptions& options, const Scenario& scenario) {
  const fs::path folder =
      options.output ? fs::path(*options.output) : fs::path("results") / scenario.name.value;
  if (folder.empty()) throw InputError("--output", "is empty; expected the name of a folder");
  std::error_code error;
  if (fs::exists(folder, error)) {
    if (!fs::is_directory(folder)) throw InputError(folder.string(), "exists and is not a folder");
    if (!holds_results(folder)) {
      throw InputError(folder.string(),
                       "holds something else than results of gyre; choose another "
                       "folder with --output");
    }
  }
  fs::create_directories(folder, error);
  if (error) {
    throw InputError(folder.string(), fmt::format("cannot be made: {}", error.message()));
  }
  return folder.string();
}

std::size_t job_count(const std::optional<std::string>& jobs) {
  if (jobs) return static_cast<std::size_t>(whole_number("--jobs", *jobs, {.least = 1}));
  return std::max(1U, std::thread::hardware_concurrency());
}

int run_cli(int argc, char** argv) {
  CLI::App app(kDescription, "gyre");
  app.footer(kFooter);
  app.set_version_flag("--version",
                       fmt::format("gyre {} (SimGrid {})", kVersion, engine_version()));
  app.require_subcommand(1);
  app.get_formatter()->column_width(30);
  app.failure_message(CLI::FailureMessage::simple);

  CheckOptions check_options;
  ExchangeOptions exchange_options;
  PlanCommandOptions plan_options;
  RunOptions run_options;
  CompareOptions compare_options;
  ForecastOptions forecast_options;
  CrosscheckOptions crosscheck_options;
  ReproduceOptions reproduce_options;
  ImportCommandOptions import_options;
  ExportCommandOptions export_options;
  FiguresOptions figures_options;
  ReportOptions report_options;
  GenerateOptions generate_options;
  ListOptions list_options;
  SweepOptions sweep_options;
  QueryOptions query_options;
  Action action;
  add_check(app, check_options, action);
  add_exchange(app, exchange_options, action);
  add_plan(app, plan_options, action);
  add_run(app, run_options, action);
  add_compare(app, compare_options, action);
  add_sweep(app, sweep_options, action);
  add_query(app, query_options, action);
  add_forecast(app, forecast_options, action);
  add_crosscheck(app, crosscheck_options, action);
  add_reproduce(app, reproduce_options, action);
  add_import(app, import_options, action);
  add_export(app, export_options, action);
  add_figures(app, figures_options, action);
  add_report(app, report_options, action);
  add_generate(app, generate_options, action);
  add_list(app, list_options, action);
  if (argc > 1 && argv[1][0] != '-') chosen("gyre", argv[1], kCommands);
  if (argc > 2 && std::string_view(argv[1]) == "generate" && argv[2][0] != '-') {
    chosen("gyre generate", argv[2], generator_names());
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    return kExitBadInput;
  }
  return action();
}

}  // namespace gyre
