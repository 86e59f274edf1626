#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/capabilities.hpp"
#include "models/topology.hpp"
#include "scenarios/scenario.hpp"
#include "sim/simulation.hpp"

namespace gyre {

/// One run of a scenario: which schedule, in which mode, with which seed.
struct RunChoice {
  std::size_t schedule = 0;
  Mode mode = Mode::kNeither;
  std::int64_t seed = 1;
};

/// All runs of a scenario: modes × schedules × seeds, in that order of nesting.
std::vector<RunChoice> all_runs(const Scenario& scenario);

/// The data centre of `colocated`: one switch with both capabilities, each island on it at the
/// fabric's speed.
Topology colocated_topology(const Topology& topology, const FabricSpec& fabric);

/// The run's specification. `fabric` stands in for the map where the policy is colocated; both have
/// to outlive the result.
RunSpec run_spec(const LoadedScenario& loaded, const RunChoice& choice, const Topology& fabric);

/// The run's name in file names: `all-reduce+direct.neither.seed1`.
std::string run_id(const Scenario& scenario, const RunChoice& choice);

/// A name-based UUID (RFC 4122, SHA-1).
std::string name_uuid(const std::string& text);
/// That of everything that decides the run's numbers: version,
/// resolved values other than texts and the other schedules, mode and seed.
std::string run_key(const LoadedScenario& loaded, const RunChoice& choice);
/// The same for the scenario as a whole.
std::string scenario_key(const LoadedScenario& loaded);

/// How packets travel: over the WAN, or in the fabric of a colocated schedule.
PacketSettings packet_settings(const LoadedScenario& loaded, bool colocated);

/// Mean time of `steps` local steps on the slowest island, with its unit.
std::string step_time_text(const LoadedScenario& loaded, std::int64_t steps);

/// Adds those of the sentences that are not there yet.
void add_new(std::vector<std::string>& known, std::vector<std::string> others);

/// What the scenario's schedules leave of what its task is good for, in sentences.
std::vector<std::string> cautions(const LoadedScenario& loaded);

/// Tells of `network.changes` where they have no part in what is asked for.
void warn_of_changes(const LoadedScenario& loaded, std::string_view what);
/// Says on standard error that faults of the scenario begin after `end_s`, where a round by itself,
/// which begins at time 0, has ended.
void warn_of_late_faults(const LoadedScenario& loaded, double end_s);

}  // namespace gyre
