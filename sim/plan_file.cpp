#include "sim/plan_file.hpp"

#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/error.hpp"
#include "schedules/switch_limits.hpp"
#include "schedules/switch_program.hpp"
#include "sim/manifest.hpp"
#include "sim/run_setup.hpp"
#include "sim/version.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string programs_path(const std::string& schedule) {
  return fs::path(schedule).replace_extension(".programs.json").string();
}

Json names_of(const Topology& topology, const std::vector<IslandId>& islands) {
  Json names = Json::array();
  for (const IslandId i : islands) names.push_back(topology.name(i));
  return names;
}

Json ports(const Topology& topology, const std::vector<Port>& list) {
  Json json = Json::array();
  for (const Port& port : list) {
    json.push_back({{"arc", topology.name(port.arc)}, {"label", port.label}});
  }
  return json;
}

std::string node_name(const Topology& topology, NodeId node) {
  return topology.is_switch(node) ? topology.name(topology.switch_at(node))
                                  : topology.name(topology.island_at(node));
}

std::string_view kind_of(const ProgramEntry& row) {
  if (row.in.size() > 1) return row.out.size() > 1 ? "aggregate and replicate" : "aggregate";
  return row.out.size() > 1 ? "replicate" : "forward";
}

/// One clique's part of a round, its rows gathered by switch.
Json clique_json(const Network& given, const ExchangePlan& plan) {
  // Without limits of its own a switch holds sums until it forwards them.
  static const SwitchLimits kOpenLoop;
  const Network network{given.topology, given.routes, given.capabilities,
                        given.limits != nullptr ? given.limits : &kOpenLoop};
  const Topology& topology = network.topology;
  const SwitchProgram program = compile(network, plan);
  Json json = Json::object();
  json["members"] = names_of(topology, plan.members);
  json["exchange"] = name_of(plan.exchange);
  json["payload_bytes"] = plan.payload.in_bytes();
  json["streams"] = Json::array();
  std::map<NodeId, Json> rows;
  for (std::size_t f = 0; f < plan.flows.size(); ++f) {
    const Flow& flow = plan.flows[f];
    const ProgramFlow& part = program.flows[f];
    Json stream = Json::object();
    stream["stream"] = f;
    stream["sources"] = names_of(topology, flow.stream.sources);
    std::vector<IslandId> receivers;
    receivers.reserve(flow.stream.deliveries.size());
    for (const Delivery& delivery : flow.stream.deliveries) receivers.push_back(delivery.receiver);
    stream["receivers"] = names_of(topology, receivers);
    stream["bytes"] = flow.bytes.in_bytes();
    stream["first_chunk"] = flow.chunk;
    if (flow.rate) stream["rate_bits_per_second"] = flow.rate->in_bits_per_second();
    if (!flow.after.empty()) stream["after_streams"] = flow.after;
    if (!part.launch_offsets.empty()) {
      stream["root"] = node_name(topology, part.root);
      stream["launch_offset_s"] = Json::object();
      for (const auto& [island, offset] : part.launch_offsets) {
        stream["launch_offset_s"][topology.name(island)] = offset.in_seconds();
      }
    }
    json["streams"].push_back(std::move(stream));
    for (const ProgramEntry& row : part.rows) {
      Json entry = {{"stream", f}, {"kind", kind_of(row)}};
      if (row.in.size() > 1) {
        entry["expected_inputs"] = row.in.size();
        const double rate =
            flow.rate ? flow.rate->in_bytes_per_second()
                      : plan.payload.in_bits() / 8.0 / plan.predicted.bandwidth.in_seconds();
        for (const AggregationLoad& load : aggregation_loads(network, flow.stream)) {
          if (topology.node(load.at) != row.node) continue;
          entry["state_bytes"] = std::llround(std::ceil(rate * load.hold.in_seconds()));
        }
      }
      entry["in"] = ports(topology, row.in);
      entry["out"] = ports(topology, row.out);
      rows[row.node].push_back(std::move(entry));
    }
  }
  json["switches"] = Json::object();
  json["islands"] = Json::object();
  for (auto& [node, entries] : rows) {
    json[topology.is_switch(node) ? "switches" : "islands"][node_name(topology, node)] =
        std::move(entries);
  }
  if (json["islands"].empty()) json.erase("islands");
  return json;
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
    for (const std::string& path : {schedule, programs_path(schedule)}) {
      if (fs::is_directory(path)) {
        throw InputError("--output", fmt::format("'{}' is a folder; name a file", path));
      }
      if (fs::exists(path) && !overwrite) {
        throw InputError("--output", fmt::format("'{}' exists; name another file, or replace it "
                                                 "with --overwrite",
                                                 path));
      }
    }
    const fs::path folder = fs::path(schedule).parent_path();
    if (!folder.empty() && !fs::is_directory(folder)) {
      throw InputError("--output", fmt::format("there is no folder '{}'", folder.string()));
    }
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
  Json json = Json::object();
  json["gyre"] = kVersion;
  json["kind"] = "switch programs";
  json["scenario"] = loaded.scenario.name.value;
  json["mode"] = name_of(mode.mode);
  json["routing"] = name_of(loaded.scenario.network.routing);
  json["rounds"] = Json::array();
  for (std::size_t r = 0; r < mode.plans.size(); ++r) {
    Json round = Json::object();
    round["round"] = r + 1;
    round["cliques"] = to_text(mode.result.ranked.front().rounds[r].round, loaded.topology);
    round["exchanges"] = Json::array();
    for (const ExchangePlan& plan : mode.plans[r]) {
      round["exchanges"].push_back(clique_json(network, plan));
    }
    json["rounds"].push_back(std::move(round));
  }
  return json.dump(1) + "\n";
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
