#include "sim/program_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "scenarios/export/exported_map.hpp"
#include "schedules/switch_limits.hpp"
#include "schedules/switch_program.hpp"
#include "sim/version.hpp"

namespace gyre {
namespace {

using Json = nlohmann::ordered_json;

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

/// The plan's program with labels behind those of the round's other plans, which may use the same
/// arcs.
SwitchProgram compiled_behind(const Network& network, const ExchangePlan& plan,
                              std::uint32_t labels) {
  SwitchProgram program = compile(network, plan);
  for (ProgramFlow& flow : program.flows) {
    for (ProgramEntry& row : flow.rows) {
      for (Port& port : row.in) port.label += labels;
      for (Port& port : row.out) port.label += labels;
    }
  }
  return program;
}

std::uint32_t last_label(const SwitchProgram& program) {
  std::uint32_t last = 0;
  for (const ProgramFlow& flow : program.flows) {
    for (const ProgramEntry& row : flow.rows) {
      for (const Port& port : row.in) last = std::max(last, port.label);
      for (const Port& port : row.out) last = std::max(last, port.label);
    }
  }
  return last;
}

std::string_view kind_of(const ProgramEntry& row) {
  if (row.in.size() > 1) return row.out.size() > 1 ? "aggregate and replicate" : "aggregate";
  return row.out.size() > 1 ? "replicate" : "forward";
}

/// One clique's part of a round, its rows gathered by switch.
Json clique_json(const Network& network, const ExchangePlan& plan, const SwitchProgram& program,
                 std::string_view exchange) {
  const Topology& topology = network.topology;
  Json json = Json::object();
  json["members"] = names_of(topology, plan.members);
  json["exchange"] = exchange;
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

Json weights_json(const Topology& topology, const Round& round) {
  Json weights = Json::array();
  for (const MixingEdge& edge : round.edges) {
    weights.push_back({{"from", topology.name(edge.from)},
                       {"to", topology.name(edge.to)},
                       {"weight", edge.weight}});
  }
  return weights;
}

}  // namespace

std::string programs_text(const ProgramsTitle& title, const Network& given,
                          const std::vector<PlannedExchanges>& rounds) {
  // Without limits of its own a switch holds sums until it forwards them.
  const SwitchLimits open_loop;
  const Network network{given.topology, given.routes, given.capabilities,
                        given.limits != nullptr ? given.limits : &open_loop};
  Json json = Json::object();
  json["gyre"] = kVersion;
  json["kind"] = "switch programs";
  json["scenario"] = title.scenario;
  if (title.schedule) {
    json["schedule"] = title.schedule->label;
    json["seed"] = title.schedule->seed;
  }
  json["mode"] = name_of(title.mode);
  json["routing"] = name_of(title.routing);
  if (title.schedule) json["repeats"] = title.schedule->repeats;
  json["rounds"] = Json::array();
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    const Round& its = rounds[r].round;
    const bool overlay = !its.edges.empty();
    Json round = Json::object();
    round["round"] = r + 1;
    round[overlay ? "overlay" : "cliques"] = to_text(its, network.topology);
    if (overlay) round["weights"] = weights_json(network.topology, its);
    round["exchanges"] = Json::array();
    std::uint32_t labels = 0;
    for (const ExchangePlan& plan : rounds[r].plans) {
      const SwitchProgram program = compiled_behind(network, plan, labels);
      labels = std::max(labels, last_label(program));
      round["exchanges"].push_back(
          clique_json(network, plan, program, overlay ? "overlay" : name_of(plan.exchange)));
    }
    json["rounds"].push_back(std::move(round));
  }
  return json.dump(1) + "\n";
}

std::vector<ExchangePlan> overlay_plan(const Network& network, const Round& round, Bytes payload) {
  std::map<IslandId, std::vector<IslandId>> receivers;
  std::set<IslandId> members;
  for (const MixingEdge& edge : round.edges) {
    receivers[edge.from].push_back(edge.to);
    members.insert({edge.from, edge.to});
  }
  if (receivers.empty()) return {};
  ExchangePlan plan;
  plan.members.assign(members.begin(), members.end());
  plan.payload = payload;
  plan.chunks = {payload};
  for (const auto& [from, to] : receivers) {
    for (Stream& stream : multicast_streams(network, from, to)) {
      Flow& flow = plan.flows.emplace_back();
      flow.stream = std::move(stream);
      flow.bytes = payload;
    }
  }
  return {std::move(plan)};
}

}  // namespace gyre
