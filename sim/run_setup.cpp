#include "sim/run_setup.hpp"

#include <algorithm>
#include <string>

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scenarios/churn_check.hpp"
#include "sim/version.hpp"

namespace gyre {

std::string name_uuid(const std::string& text) {
  boost::uuids::name_generator_sha1 generate(boost::uuids::ns::oid());
  return to_string(generate(text));
}

namespace {

/// Keys that no number of a run depends on.
bool is_neutral(const std::string& key_path) {
  return key_path == "name" || key_path == "description" || key_path == "seed" ||
         key_path == "network.topology" || key_path == "network.topology.name" ||
         key_path == "network.topology.source" || key_path.ends_with(".latitude") ||
         key_path.ends_with(".longitude") || key_path.starts_with("seeds") ||
         key_path.starts_with("network.modes");
}

}  // namespace

namespace {

std::vector<ArcChange> arc_changes(const Scenario& scenario, const Topology& topology) {
  std::vector<ArcChange> changes;
  for (const ChangeSpec& change : scenario.network.changes) {
    for (const Text& name : change.arcs) {
      const std::optional<ArcId> arc = topology.find_arc(name.value);
      if (!arc) broken_invariant("a change of an arc that is not there");
      changes.push_back({.at = Instant() + change.at,
                         .arc = *arc,
                         .capacity = change.bandwidth,
                         .latency = change.latency});
    }
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const ArcChange& a, const ArcChange& b) { return a.at < b.at; });
  return changes;
}

}  // namespace

std::vector<RunChoice> all_runs(const Scenario& scenario) {
  std::vector<RunChoice> runs;
  for (const Mode mode : scenario.network.modes) {
    for (std::size_t s = 0; s < scenario.schedules.size(); ++s) {
      const std::vector<Mode>& modes = scenario.schedules[s].modes;
      if (!modes.empty() && std::find(modes.begin(), modes.end(), mode) == modes.end()) continue;
      for (const std::int64_t seed : scenario.seeds) {
        runs.push_back({.schedule = s, .mode = mode, .seed = seed});
      }
    }
  }
  return runs;
}

Topology colocated_topology(const Topology& topology, const FabricSpec& fabric) {
  std::vector<Topology::Island> islands;
  for (const std::string& name : topology.island_names()) {
    islands.push_back({.name = name,
                       .at = SwitchId::at(0),
                       .up = fabric.bandwidth,
                       .down = fabric.bandwidth,
                       .latency = fabric.latency});
  }
  return {topology.name() + ", colocated", {"fabric"}, std::move(islands), {}};
}

RunSpec run_spec(const LoadedScenario& loaded, const RunChoice& choice, const Topology& fabric) {
  const Scenario& scenario = loaded.scenario;
  const ScheduleSpec& schedule = scenario.schedules[choice.schedule];
  const bool colocated = schedule.policy->colocated();
  RunSpec spec;
  spec.topology = colocated ? &fabric : &loaded.topology;
  spec.capabilities = colocated ? Capabilities{.multicast = {true}, .aggregation = {true}}
                                : capabilities_in(scenario, loaded.topology, choice.mode);
  spec.limits = colocated ? nullptr : limits_in(scenario);
  if (loaded.fidelity == Fidelity::kPacket) spec.packets = packet_settings(loaded, colocated);
  spec.policy = schedule.policy.get();
  spec.exchange = schedule.exchange;
  // One switch leaves nothing to route.
  spec.routing = colocated ? Routing::kShortest : scenario.network.routing;
  spec.barrier = schedule.barrier;
  spec.training = training_of(scenario, schedule);
  spec.payload = scenario.job.model_bytes(spec.training);
  spec.compute = scenario.job.compute;
  spec.task = scenario.task.get();
  spec.seed = static_cast<std::uint64_t>(choice.seed);
  if (!colocated) {
    spec.changes = arc_changes(scenario, loaded.topology);
    spec.background = backgrounds_of(scenario.network.background, loaded.topology);
  }
  if (!colocated) {
    spec.faults = faults_of(scenario.network.faults, loaded.topology);
    spec.in_flight = scenario.network.in_flight.value_or(InFlight::kWait);
    spec.setup_time = scenario.network.setup_time;
    if (scenario.churn) {
      const ChurnSpec& churn = *scenario.churn;
      spec.churn = island_events(churn.events, loaded.topology);
      spec.without_member = without_member_of(scenario, schedule).value_or(WithoutMember::kShrink);
      spec.stall_deadline = churn.deadline.value_or(Duration());
    }
  }
  spec.evaluate_every = scenario.evaluate_every;
  spec.stop = {.accuracy = scenario.stop.accuracy,
               .loss = scenario.stop.loss,
               .max_rounds = scenario.stop.max_rounds,
               .max_time = scenario.stop.max_time};
  return spec;
}

PacketSettings packet_settings(const LoadedScenario& loaded, bool colocated) {
  const Scenario& scenario = loaded.scenario;
  PacketSettings settings{.transport = scenario.network.transport.value_or(TransportSpec()),
                          .faults = scenario.network.faults};
  // What a switch loses loses no chunk.
  std::erase_if(settings.faults, [](const FaultSpec& fault) { return fault.loses.has_value(); });
  if (colocated) settings.lose_nothing();  // loss and faults are the WAN's
  return settings;
}

std::string step_time_text(const LoadedScenario& loaded, std::int64_t steps) {
  const ComputeModel model(loaded.scenario.job.compute, loaded.topology.island_names(), 1);
  const Duration time = model.slowest_mean_step_time() * static_cast<double>(steps);
  return to_text(Duration::seconds(std::stod(fmt::format("{:.6g}", time.in_seconds()))));
}

void add_new(std::vector<std::string>& known, std::vector<std::string> others) {
  for (std::string& one : others) {
    if (std::find(known.begin(), known.end(), one) == known.end()) known.push_back(std::move(one));
  }
}

std::vector<std::string> cautions(const LoadedScenario& loaded) {
  std::vector<std::string> all;
  for (const ScheduleSpec& schedule : loaded.scenario.schedules) {
    add_new(all, loaded.scenario.task->cautions(
                     {.islands = static_cast<double>(loaded.topology.island_count()),
                      .local_steps = training_of(loaded.scenario, schedule).steps()}));
  }
  return all;
}

void warn_of_changes(const LoadedScenario& loaded, std::string_view what) {
  const NetworkSpec& network = loaded.scenario.network;
  std::vector<std::string> keys;
  // Those of the traces come last.
  const bool own = !network.changes.empty() && !network.changes.front().where.key_path.empty();
  if (own) keys.emplace_back("`network.changes`");
  if (network.traces) keys.emplace_back("`network.traces`");
  if (!network.background.empty()) keys.emplace_back("`network.background`");
  if (!network.faults.empty() && loaded.fidelity == Fidelity::kFlow) {
    keys.emplace_back("`network.faults`");
  }
  if (keys.empty()) return;
  fmt::print(stderr, "note: {} sees the map as its file has it: {} do not strike it\n", what,
             fmt::join(keys, " and "));
}

void warn_of_late_faults(const LoadedScenario& loaded, double end_s) {
  warn_of_changes(loaded, "a round by itself");
  if (loaded.fidelity != Fidelity::kPacket) return;
  for (const FaultSpec& fault : loaded.scenario.network.faults) {
    if (fault.from.in_seconds() < end_s) continue;
    fmt::print(
        stderr,
        "note: a round by itself begins at time 0, without compute: the fault at {} does not "
        "strike it\n",
        to_text(fault.from));
  }
}

std::string run_id(const Scenario& scenario, const RunChoice& choice) {
  std::string label = scenario.schedules[choice.schedule].label.value;
  std::replace(label.begin(), label.end(), '/', '+');
  return fmt::format("{}.{}.seed{}", label, name_of(choice.mode), choice.seed);
}

std::string run_key(const LoadedScenario& loaded, const RunChoice& choice) {
  const std::string mine = fmt::format("schedules[{}].", choice.schedule);
  std::string text = fmt::format("gyre {}\nfidelity={}\n", kVersion, name_of(loaded.fidelity));
  for (const ResolvedValue& value : loaded.resolved) {
    if (is_neutral(value.key_path)) continue;
    if (value.key_path.starts_with(mine)) {
      const std::string key = value.key_path.substr(mine.size());
      if (!key.starts_with("modes")) text += fmt::format("schedule.{}={}\n", key, value.value);
    } else if (!value.key_path.starts_with("schedules[")) {
      text += fmt::format("{}={}\n", value.key_path, value.value);
    }
  }
  text += fmt::format("label={}\nmode={}\nseed={}\n",
                      loaded.scenario.schedules[choice.schedule].label.value, name_of(choice.mode),
                      choice.seed);
  return name_uuid(text);
}

std::string scenario_key(const LoadedScenario& loaded) {
  std::string text = fmt::format("gyre {}\nfidelity={}\n", kVersion, name_of(loaded.fidelity));
  for (const ResolvedValue& value : loaded.resolved) {
    text += fmt::format("{}={}\n", value.key_path, value.value);
  }
  return name_uuid(text);
}

}  // namespace gyre
