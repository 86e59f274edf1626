#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "models/compute.hpp"
#include "models/error.hpp"
#include "models/limits.hpp"
#include "scenarios/churn_check.hpp"
#include "scenarios/dynamics_check.hpp"
#include "scenarios/network_trace.hpp"
#include "scenarios/overrides.hpp"
#include "scenarios/reader.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/step_trace.hpp"
#include "scenarios/topology_file.hpp"
#include "scenarios/training_check.hpp"
#include "scenarios/transport_check.hpp"
#include "scenarios/yaml.hpp"
#include "schedules/round_plan.hpp"

namespace gyre {
namespace {

constexpr const char* kTopology = "network.topology";
constexpr const char* kTraces = "network.traces";
constexpr std::string_view kFabric = "network.fabric.";
constexpr std::size_t kLongestScheduleName = 64;

/// Puts the scenario's overrides into `root` and returns those that go to the topology file, with
/// key paths inside it.
std::vector<Override> apply_overrides(YamlNode& root, const std::vector<Override>& overrides) {
  const std::string prefix = fmt::format("{}.", kTopology);
  std::vector<Override> for_file;
  for (const Override& change : overrides) {
    const YamlNode* network = root.find("network");
    const YamlNode* topology = network == nullptr ? nullptr : network->find("topology");
    const bool in_file = topology != nullptr && topology->kind == YamlNode::Kind::kScalar;
    if (in_file && change.key_path.starts_with(prefix)) {
      for_file.push_back(
          {.key_path = change.key_path.substr(prefix.size()), .value = change.value});
    } else {
      apply_override(root, change);
    }
  }
  return for_file;
}

/// Schedules may name a file of rounds, relative to the scenario: its `rounds` take the place of
/// the `file` key, and keep their own lines.
void insert_schedule_files(YamlNode& root, const std::string& scenario_path) {
  YamlNode* schedules = root.find("schedules");
  if (schedules == nullptr || schedules->kind != YamlNode::Kind::kSequence) return;
  std::size_t listed = 0;
  for (std::size_t s = 0; s < schedules->items.size(); ++s) {
    YamlNode& schedule = schedules->items[s];
    if (schedule.kind != YamlNode::Kind::kMapping) continue;
    const YamlNode* policy = schedule.find("policy");
    YamlNode* file = schedule.find("file");
    if (file == nullptr || policy == nullptr || policy->text != "explicit") continue;
    const std::string key_path = key_in(entry_in("schedules", s), "file");
    const Where where = where_of(file->place, key_path);
    if (file->kind != YamlNode::Kind::kScalar) {
      throw InputError(
          where, fmt::format("expected the name of a schedule file, found {}", file->kind_name()));
    }
    if (schedule.find("rounds") != nullptr) {
      throw InputError(where, "the rounds are given twice; allowed is either `rounds` or `file`");
    }
    const std::filesystem::path path =
        std::filesystem::path(scenario_path).parent_path() / file->text;
    YamlNode document = parse_yaml(read_text_file(path.string(), where), path.string());
    YamlNode* rounds = document.find("rounds");
    if (rounds == nullptr || document.keys.size() != 1) {
      throw InputError(where_of(document.place, ""),
                       "a schedule file has one key, `rounds`, as gyre plan writes it");
    }
    listed += rounds->items.size();
    if (listed > kMostValues) {
      throw InputError(
          where, fmt::format("more than {} rounds in the schedule files together", kMostValues));
    }
    const auto at = static_cast<std::size_t>(file - schedule.items.data());
    schedule.keys[at].text = "rounds";
    schedule.items[at] = std::move(*rounds);
  }
}

/// Errors: `InputError` for more rounds than memory is wanted for: each has a place for each
/// island.
void check_listed_rounds(const YamlNode& root, std::size_t islands) {
  const YamlNode* schedules = root.find("schedules");
  std::size_t listed = 0;
  for (std::size_t s = 0; s < schedules->items.size(); ++s) {
    const YamlNode* rounds = schedules->items[s].find("rounds");
    if (rounds == nullptr) continue;
    listed += rounds->items.size();
    if (listed <= kMostListedPlaces / islands) continue;
    throw InputError(where_of(rounds->place, key_in(entry_in("schedules", s), "rounds")),
                     fmt::format("{} rounds are listed so far for {} islands; at most {} of so "
                                 "many islands are allowed",
                                 listed, islands, kMostListedPlaces / islands));
  }
}

/// The values of a file follow the key that names it.
void insert_after(std::vector<ResolvedValue>& resolved, std::string_view key,
                  const std::vector<ResolvedValue>& added) {
  const auto named =
      std::find_if(resolved.begin(), resolved.end(),
                   [&](const ResolvedValue& value) { return value.key_path == key; });
  check(named != resolved.end(), "the file's name must have been read");
  resolved.insert(named + 1, added.begin(), added.end());
}

/// A label names a folder of results, so each part of it has to be a file name.
bool is_label(std::string_view label) {
  if (label.empty() || label.size() > kLongestScheduleName) return false;
  std::string_view rest = label;
  while (true) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return false;
    const bool allowed = std::all_of(part.begin(), part.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '.' || c == '_' || c == '-';
    });
    if (!allowed) return false;
    if (slash == std::string_view::npos) return true;
    rest.remove_prefix(slash + 1);
  }
}

void check_label(const ScheduleSpec& schedule, std::map<std::string, const ScheduleSpec*>& labels) {
  const Text& label = schedule.label;
  if (!is_label(label.value)) {
    throw InputError(
        label.where,
        fmt::format("'{}' cannot name a schedule; allowed are 1 to {} letters, digits "
                    "and . _ - in parts joined by '/', none of them empty, '.' or '..'",
                    label.value, kLongestScheduleName));
  }
  const auto [first, is_new] = labels.emplace(label.value, &schedule);
  if (!is_new) {
    throw InputError(
        label.where,
        fmt::format("a second schedule '{}', first in {}; tell them apart with `name:`",
                    label.value, first->second->where.line_text()));
  }
}

void check_modes(const ScheduleSpec& schedule, const NetworkSpec& network) {
  for (const Mode mode : schedule.modes) {
    if (std::find(network.modes.begin(), network.modes.end(), mode) != network.modes.end()) {
      continue;
    }
    std::vector<std::string> names;
    names.reserve(network.modes.size());
    for (const Mode known : network.modes) names.emplace_back(name_of(known));
    throw InputError(schedule.modes_where,
                     fmt::format("'{}' is not among the network's modes; must be {}", name_of(mode),
                                 one_of(names)));
  }
  // The fabric of one data centre has both capabilities in every mode.
  if (schedule.exchange != Exchange::kInNetwork || schedule.policy->colocated()) return;
  const std::vector<Mode>& modes = schedule.modes.empty() ? network.modes : schedule.modes;
  if (modes != std::vector<Mode>{Mode::kBoth}) {
    throw InputError(
        schedule.exchange_where,
        "'in-network' needs switches that replicate and add; write `modes: [both]` for "
        "this schedule");
  }
}

/// What only small maps can be planned for.
void check_size(const Scenario& scenario, const Topology& topology) {
  const std::size_t islands = topology.island_count();
  if (scenario.network.routing == Routing::kEngineered && islands > kMostPackedIslands) {
    throw InputError(scenario.network.routing_where,
                     fmt::format("engineered routing is planned exactly, for up to {} islands; "
                                 "this map has {}",
                                 kMostPackedIslands, islands));
  }
  for (const ScheduleSpec& schedule : scenario.schedules) {
    if (schedule.exchange != Exchange::kTree || islands <= kMostTreeIslands) continue;
    throw InputError(schedule.exchange_where,
                     fmt::format("'tree' packs trees for up to {} islands; this map has {}",
                                 kMostTreeIslands, islands));
  }
}

/// Keys of the network that no run would look at.
void check_effect(const Scenario& scenario, const std::vector<ResolvedValue>& resolved) {
  const NetworkSpec& network = scenario.network;
  const auto has_mode = [&network](Mode one) {
    return std::any_of(network.modes.begin(), network.modes.end(),
                       [one](Mode mode) { return mode == one || mode == Mode::kBoth; });
  };
  const auto check_list = [&](const std::optional<std::vector<Text>>& names, const Where& where,
                              Mode mode) {
    if (!names || has_mode(mode)) return;
    throw InputError(where,
                     fmt::format("has no effect, since no mode of the network allows {0}; leave it "
                                 "out, or add mode {0} or both",
                                 name_of(mode)));
  };
  check_list(network.capable.multicast, network.capable.multicast_where, Mode::kMulticast);
  check_list(network.capable.aggregation, network.capable.aggregation_where, Mode::kAggregation);

  if (network.aggregator && !has_mode(Mode::kAggregation)) {
    throw InputError(network.aggregator->where,
                     "has no effect, since no mode of the network allows aggregation; leave it "
                     "out, or add mode aggregation or both");
  }
  if (network.aggregator && network.routing == Routing::kEngineered) {
    throw InputError(network.routing_where,
                     "engineered routing does not know the limits of `aggregator`; allowed is "
                     "shortest");
  }

  const std::optional<double>& stated = scenario.job.bytes_per_parameter;
  if (network.aggregator && network.aggregator->numbers && stated &&
      *stated != network.aggregator->numbers->bytes_per_parameter()) {
    throw InputError(
        network.aggregator->numbers->where,
        fmt::format("switches that add {} carry {} bytes a parameter, but "
                    "`job.bytes_per_parameter` says {}",
                    kSumFormatNames[static_cast<std::size_t>(network.aggregator->numbers->format)],
                    network.aggregator->numbers->bytes_per_parameter(), *stated));
  }

  const bool gives_fabric =
      std::any_of(resolved.begin(), resolved.end(), [](const ResolvedValue& value) {
        return value.key_path.starts_with(kFabric) && value.origin != "default";
      });
  const bool colocates =
      std::any_of(scenario.schedules.begin(), scenario.schedules.end(),
                  [](const ScheduleSpec& schedule) { return schedule.policy->colocated(); });
  if (gives_fabric && !colocates) {
    throw InputError(network.fabric.where,
                     "has no effect, since no schedule is colocated; leave it out, or add "
                     "`{policy: colocated}` to the schedules");
  }
}

std::vector<bool> capable(const Topology& topology, const std::optional<std::vector<Text>>& names,
                          bool allowed) {
  std::vector<bool> result(topology.switch_count(), allowed && !names);
  if (!allowed || !names) return result;
  for (const Text& name : *names) {
    const std::optional<SwitchId> found = topology.find_switch(name.value);
    if (found) result[found->index()] = true;  // strangers were refused with the topology
  }
  return result;
}

/// Starts the schedule's policy in each of its modes, which judges its keys against the map.
void check_policy(const ScheduleSpec& schedule, const Scenario& scenario, const Topology& topology,
                  std::uint64_t seed) {
  const Routes routes(topology);
  for (const Mode mode : schedule.modes.empty() ? scenario.network.modes : schedule.modes) {
    const Capabilities able = capabilities_in(scenario, topology, mode);
    const Network network{.topology = topology,
                          .routes = routes,
                          .capabilities = able,
                          .limits = limits_in(scenario)};
    const ExchangeContext exchanges{
        .network = network,
        .exchange = schedule.exchange,
        .routing = scenario.network.routing,
        .payload = scenario.job.model_bytes(training_of(scenario, schedule)),
        .compute = {}};
    schedule.policy->start({.topology = topology, .seed = seed, .exchanges = &exchanges});
  }
}

/// Whatever reading alone cannot judge, before anything runs: names against the map, schedules
/// against each other and the network, the target against the task.
void check_meaning(const Scenario& scenario, const Topology& topology) {
  if (scenario.name.value.empty()) {
    throw InputError(scenario.name.where, "the name is empty; at least one letter is wanted");
  }
  const std::string& name = scenario.name.value;
  if (!is_label(name) || name.find('/') != std::string::npos) {
    throw InputError(scenario.name.where,
                     fmt::format("'{}' cannot name a scenario, which names a folder of results; "
                                 "allowed are 1 to {} letters, digits and . _ -",
                                 name, kLongestScheduleName));
  }
  const std::vector<std::string> islands = topology.island_names();
  const auto seed = static_cast<std::uint64_t>(scenario.seeds.front());
  static_cast<void>(ComputeModel(scenario.job.compute, islands, seed));
  scenario.task->take_job({.parameters = scenario.job.parameters,
                           .tokens_per_step = scenario.job.compute.given_tokens()});
  scenario.task->start({.islands = islands, .seed = seed});
  std::map<std::string, const ScheduleSpec*> labels;
  for (const ScheduleSpec& schedule : scenario.schedules) {
    check_label(schedule, labels);
    check_modes(schedule, scenario.network);
    check_policy(schedule, scenario, topology, seed);
  }
  if (scenario.stop.accuracy && !scenario.task->has_accuracy()) {
    throw InputError(
        scenario.stop.accuracy_where,
        fmt::format("task '{}' has no accuracy; give `loss` instead", scenario.task_name));
  }
}

}  // namespace

Capabilities capabilities_in(const Scenario& scenario, const Topology& topology, Mode mode) {
  const CapableSpec& hardware = scenario.network.capable;
  return {.multicast = capable(topology, hardware.multicast,
                               mode == Mode::kMulticast || mode == Mode::kBoth),
          .aggregation = capable(topology, hardware.aggregation,
                                 mode == Mode::kAggregation || mode == Mode::kBoth)};
}

const SwitchLimits* limits_in(const Scenario& scenario) {
  return scenario.network.aggregator ? &*scenario.network.aggregator : nullptr;
}

namespace {

/// An in-network exchange needs a switch that does both.
void check_in_network(const Scenario& scenario, const Topology& topology) {
  const Capabilities able = capabilities_in(scenario, topology, Mode::kBoth);
  for (std::size_t s = 0; s < topology.switch_count(); ++s) {
    if (able.replicates(SwitchId::at(s)) && able.adds(SwitchId::at(s))) return;
  }
  for (const ScheduleSpec& schedule : scenario.schedules) {
    if (schedule.exchange != Exchange::kInNetwork || schedule.policy->colocated()) continue;
    throw InputError(schedule.exchange_where,
                     "'in-network' needs a switch that replicates and adds; `network.capable` has "
                     "none in both of its lists");
  }
}

}  // namespace

LoadedScenario load_scenario(const std::string& path, const std::vector<Override>& overrides) {
  LoadedScenario loaded;
  loaded.text = read_text_file(path);
  YamlNode root = parse_yaml(loaded.text, path);
  const std::vector<Override> for_topology = apply_overrides(root, overrides);
  insert_schedule_files(root, path);
  Scenario& scenario = loaded.scenario;
  loaded.resolved = read_mapping(root, [&scenario](Fields& fields) { scenario.describe(fields); });
  if (scenario.job.compute.trace) read_step_trace(*scenario.job.compute.trace, path);
  NetworkSpec& network = scenario.network;
  if (network.traces) insert_after(loaded.resolved, kTraces, {read_network_trace(network, path)});
  if (network.topology_file.where.file.empty()) {
    loaded.topology = build_topology(network);
  } else {
    TopologyFile file = read_topology_file(network.topology_file, path, for_topology);
    network.topology = std::move(file.spec);
    insert_after(loaded.resolved, kTopology, file.resolved);
    loaded.topology = build_topology(network);
  }
  check_listed_rounds(root, loaded.topology.island_count());
  check_meaning(scenario, loaded.topology);
  check_effect(scenario, loaded.resolved);
  check_training(scenario, loaded.topology);
  check_transport(scenario, loaded.topology);
  check_dynamics(scenario.network, loaded.topology);
  check_churn(scenario, loaded.topology);
  check_in_network(scenario, loaded.topology);
  check_size(scenario, loaded.topology);
  return loaded;
}

bool is_topology_file(const std::string& path) {
  const YamlNode root = parse_yaml(read_text_file(path), path);
  return root.find("switches") != nullptr && root.find("network") == nullptr;
}

LoadedScenario load_topology(const std::string& path, const std::vector<Override>& overrides) {
  static const std::vector<std::string> kOfMaps{"network.access", "network.capable",
                                                "network.scale", kTopology};
  for (const Override& change : overrides) {
    const bool counts = std::any_of(kOfMaps.begin(), kOfMaps.end(), [&](const std::string& key) {
      return change.key_path.starts_with(key + '.');
    });
    if (counts) continue;
    throw InputError("--set " + change.key_path,
                     fmt::format("has no effect on a topology file by itself; allowed are keys in "
                                 "{}",
                                 one_of(kOfMaps)));
  }
  YamlNode root = parse_yaml_value("{network: {topology: FILE}}", path, "");
  root.find("network")->find("topology")->text = std::filesystem::path(path).filename().string();
  const std::vector<Override> for_topology = apply_overrides(root, overrides);
  LoadedScenario loaded;
  NetworkSpec& network = loaded.scenario.network;
  loaded.resolved = read_mapping(root, [&network](Fields& fields) {
    fields.required_object({"network", "The map by itself."}, network);
  });
  TopologyFile map = read_topology_file(network.topology_file, path, for_topology);
  network.topology = std::move(map.spec);
  insert_after(loaded.resolved, kTopology, map.resolved);
  loaded.topology = build_topology(network);
  return loaded;
}

}  // namespace gyre
