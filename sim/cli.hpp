#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"
#include "sim/run_setup.hpp"

namespace CLI {
class App;
}

namespace gyre {

/// Exit statuses of the program.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitBadInput = 2;

enum class Format : std::uint8_t { kTable, kCsv, kJson };

/// The options that several commands share.
struct CommonOptions {
  std::string scenario;
  std::optional<std::string> output;
  std::optional<std::string> jobs;  ///< none: one for each core
  std::optional<std::string> seed;
  std::vector<std::string> set;  ///< `KEY.PATH=VALUE`
  bool quiet = false;
  bool overwrite = false;
  std::string format = "table";
  std::optional<std::string> fidelity;  ///< none where a command simulates nothing
};

struct CheckOptions {
  CommonOptions common;
};
struct ExchangeOptions {
  CommonOptions common;
  std::optional<std::string> round;
  std::string exchange = "best";
  std::optional<std::string> mode;
};
struct RunOptions {
  CommonOptions common;
  std::optional<std::string> schedule;
  std::optional<std::string> mode;
};
struct CompareOptions {
  CommonOptions common;
};
struct PlanCommandOptions {
  CommonOptions common;
  std::optional<std::string> mode;
};
struct CrosscheckOptions {
  CommonOptions common;
  std::optional<std::string> schedule;
  std::optional<std::string> mode;
  std::int64_t rounds = 4;
};
struct ForecastOptions {
  CommonOptions common;
};
struct ListOptions {
  std::string what;
  std::string format = "table";
};

// Each returns the exit status. Errors: `InputError`.
int command_check(const CheckOptions& options);
int command_exchange(const ExchangeOptions& options);
int command_plan(const PlanCommandOptions& options);
int command_run(const RunOptions& options);
int command_compare(const CompareOptions& options);
int command_crosscheck(const CrosscheckOptions& options);
int command_forecast(const ForecastOptions& options);
int command_list(const ListOptions& options);

/// The place of `value` among the allowed names. Errors: `InputError` that lists them.
std::size_t chosen(std::string_view option, const std::string& value,
                   const std::vector<std::string>& names);
/// `--format` as a value. Errors: `InputError`.
Format chosen_format(const std::string& name);
/// What `--set` says. Errors: `InputError` where that is no `KEY.PATH=VALUE`.
std::vector<Override> overrides_of(const CommonOptions& options);
/// Reads the scenario with `--set` and `--seed` applied (the latter wins over both `seed` keys).
LoadedScenario load(const CommonOptions& options);
/// `--mode` as a mode of the scenario; without it the only one.
Mode chosen_mode(const std::optional<std::string>& name, const Scenario& scenario);
/// `--schedule` as an index; without it the only one.
std::size_t chosen_schedule(const std::optional<std::string>& name, const Scenario& scenario);
/// The one run that `--schedule`, `--mode` and `--seed` leave. Errors: `InputError` for a mode that
/// is not the schedule's, and for several seeds.
RunChoice chosen_run(const std::optional<std::string>& schedule,
                     const std::optional<std::string>& mode, const Scenario& scenario);
/// `--output`, or `results/<scenario name>`. Errors: `InputError` if it is no folder of results.
std::string output_folder(const CommonOptions& options, const Scenario& scenario);
/// `--jobs`, or one for each core.
std::size_t job_count(const std::optional<std::string>& jobs);

/// `--fidelity` as a value. Errors: `InputError`.
Fidelity chosen_fidelity(const std::optional<std::string>& name);

void add_format(CLI::App& command, std::string& format);
void add_fidelity(CLI::App& command, std::optional<std::string>& fidelity);
/// Adds what says which scenario, and what to change in it.
void add_scenario(CLI::App& command, CommonOptions& options);

/// Parses the command line and runs the command.
int run_cli(int argc, char** argv);

}  // namespace gyre
