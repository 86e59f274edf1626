#include "sim/plan_file.hpp"

#include <cmath>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "sim/manifest.hpp"
#include "sim/output_file.hpp"
#include "sim/program_file.hpp"
#include "sim/run_setup.hpp"
#include "sim/version.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;

std::string programs_path(const std::string& schedule) {
  return fs::path(schedule).replace_extension(".programs.json").string();
}

}  // namespace

std::string plan_path(const std::string& output, Mode mode, bool only_mode) {
  if (only_mode) return output;
  fs::path path(output);
  const std::string extension = path.extension().string();
  return path.replace_extension(fmt::format(".{}{}", name_of(mode), extension)).string();
}

void check_plan_output(const std::string& output, const std::vector<Mode>& modes, bool overwrite) {
  for (const Mode mode : modes) {
    const std::string schedule = plan_path(output, mode, modes.size() == 1);
    check_output_file(schedule, overwrite);
    check_output_file(programs_path(schedule), overwrite);
  }
}

std::string schedule_text(const LoadedScenario& loaded, const PlannedMode& mode) {
  const Scenario& scenario = loaded.scenario;
  const PlannedSchedule& best = mode.result.ranked.front();
  const PlanSpec& spec = scenario.plan.spec;
  std::string text = fmt::format(
      "# A schedule of cliques, planned by gyre {} for scenario {} in mode {}.\n"
      "# Run it with {{policy: explicit, exchange: {}, file: THIS-FILE}}.\n#\n"
      "# objective  {}\n# routing    {}, payload {} an island\n",
      kVersion, scenario.name.value, name_of(mode.mode), name_of(scenario.plan.exchange),
      name_of(spec.objective), name_of(scenario.network.routing),
      to_text(scenario.job.payload_bytes()));
  if (spec.objective == PlanObjective::kPairs) {
    text += fmt::format("# value      {:.6g} pairs a second\n", -best.value);
  } else {
    text += fmt::format("# value      {:.6g} s, bound {:.6g} s, gap {:.2f} %\n", best.value,
                        mode.result.bound, 100.0 * mode.gap(best));
  }
  text += fmt::format(
      "# period     {:.6g} s of communication; agreement within {:g} after {}\n",
      best.period.in_seconds(), spec.epsilon,
      std::isfinite(best.consensus.time_s)
          ? fmt::format("{:.6g} s ({} rounds)", best.consensus.time_s, best.consensus.rounds)
          : std::string("never"));
  text += "rounds:\n";
  for (const PlannedRound& round : best.rounds) {
    text += fmt::format("  # {:.6g} s, of it latency {:.6g} s\n  - {}\n", round.time.in_seconds(),
                        round.latency.in_seconds(), to_text(round.round, loaded.topology));
  }
  return text;
}

std::string programs_text(const LoadedScenario& loaded, const PlannedMode& mode) {
  const Capabilities able = capabilities_in(loaded.scenario, loaded.topology, mode.mode);
  const Routes routes(loaded.topology);
  const Network network{.topology = loaded.topology,
                        .routes = routes,
                        .capabilities = able,
                        .limits = limits_in(loaded.scenario)};
  std::vector<PlannedExchanges> rounds;
  for (std::size_t r = 0; r < mode.plans.size(); ++r) {
    rounds.push_back({mode.result.ranked.front().rounds[r].round, mode.plans[r]});
  }
  return programs_text({.scenario = loaded.scenario.name.value,
                        .mode = mode.mode,
                        .routing = loaded.scenario.network.routing},
                       network, rounds);
}

void write_plans(const std::string& output, const LoadedScenario& loaded,
                 const std::vector<PlannedMode>& modes) {
  for (const PlannedMode& mode : modes) {
    const std::string schedule = plan_path(output, mode.mode, modes.size() == 1);
    write_file(schedule, schedule_text(loaded, mode));
    if (!mode.plans.empty()) write_file(programs_path(schedule), programs_text(loaded, mode));
  }
}

}  // namespace gyre
