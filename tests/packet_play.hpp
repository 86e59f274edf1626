#pragma once

// Playing given flows in packets, without a run around them.

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "models/error.hpp"
#include "schedules/switch_program.hpp"
#include "sim/child_process.hpp"
#include "sim/packet_network.hpp"
#include "sim/switch_usage_json.hpp"
#include "tests/support.hpp"

namespace gyre {

struct Played {
  double end_s = 0.0;                  ///< when the last island had its part
  std::map<std::string, double> ends;  ///< by island
  std::map<std::string, SwitchUsage> switches;
  std::int64_t retransmissions = 0;
  std::int64_t lost = 0;
  std::int64_t events = 0;
  std::string gave_up;
  bool deadlock = false;
};

inline constexpr double kNeverLaunches = -1.0;

struct PlayOptions {
  PacketSettings settings{};
  const SwitchLimits* limits = nullptr;
  std::uint64_t seed = 1;
  std::map<std::string, double> launch_s{};  ///< by island; 0 if not given
};

inline PacketSettings chunks_of(std::int64_t bytes) {
  PacketSettings settings{};
  settings.transport.chunk = Bytes::count(bytes);
  settings.transport.packet = Bytes::count(bytes);
  return settings;
}

/// A flow of everything over one stream.
inline Flow flow_of(Stream stream, std::int64_t bytes) {
  Flow flow;
  flow.stream = std::move(stream);
  flow.bytes = Bytes::count(bytes);
  return flow;
}

/// Plays flows in a process of its own: each source launches at its time.
inline Played play(const Network& network, const std::vector<Flow>& flows,
                   const PlayOptions& options) {
  using Json = nlohmann::json;
  const std::string answer = in_child([&] {
    const Topology& topology = network.topology;
    const Platform platform(topology);
    ExchangePlan plan;
    plan.flows = flows;
    const SwitchProgram program = compile(network, plan);
    PacketNetwork packets(
        topology, platform,
        packet_options(topology, options.settings, options.limits, options.seed, true));
    packets.start();
    Json json;
    std::vector<std::shared_ptr<PacketFlow>> running;
    std::map<IslandId, std::vector<PacketFlow*>> parts;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      const auto tables =
          std::make_shared<const PacketTables>(packet_tables(network, flows[f], program.flows[f]));
      PacketPlan as_planned{.tables = tables, .rate = flows[f].rate, .memory_shares = {}};
      as_planned.memory_shares.assign(tables->rows.size(), 1.0 / static_cast<double>(flows.size()));
      running.push_back(packets.open(as_planned, flows[f].bytes));
      running.back()->on_give_up = [&, flow = running.back().get()](const std::string& why) {
        json["gave_up"] = why;
        packets.abort(*flow);
      };
      for (const IslandId i : flows[f].stream.sources) parts[i].push_back(running.back().get());
      for (const Delivery& d : flows[f].stream.deliveries) {
        parts[d.receiver].push_back(running.back().get());
      }
    }
    for (const auto& [island, mine] : parts) {
      auto gate = simgrid::s4u::Semaphore::create(0);
      simgrid::s4u::Actor::create(
          topology.name(island), platform.host(island), [&, gate, i = island, own = mine] {
            const auto at = options.launch_s.find(topology.name(i));
            const double launch_s = at == options.launch_s.end() ? 0.0 : at->second;
            sleep_until(Instant::at_seconds(launch_s));
            if (launch_s != kNeverLaunches) {
              for (PacketFlow* flow : own) packets.launch(*flow, i);
            }
            double end_s = 0.0;
            for (PacketFlow* flow : own) {
              end_s = std::max(end_s, packets.wait(*flow, i, gate).in_seconds());
            }
            json["ends"][topology.name(i)] = end_s;
          });
    }
    json["deadlock"] = !const_cast<Platform&>(platform).run([] {});
    for (std::size_t s = 0; s < topology.switch_count(); ++s) {
      json["switches"][topology.name(SwitchId::at(s))] = packets.usage(SwitchId::at(s));
    }
    json["retransmissions"] = 0;
    json["lost"] = 0;
    for (const auto& flow : running) {
      json["retransmissions"] = json["retransmissions"].get<std::int64_t>() + flow->retransmissions;
      json["lost"] = json["lost"].get<std::int64_t>() + flow->lost;
    }
    json["events"] = packets.events();
    return json.dump();
  });
  const Json json = Json::parse(answer);
  Played played;
  if (json.contains("ends")) {
    for (const auto& [island, end] : json.at("ends").items()) {
      played.ends[island] = end;
      played.end_s = std::max(played.end_s, end.get<double>());
    }
  }
  for (const auto& [name, u] : json.at("switches").items()) {
    played.switches[name] = u;
  }
  played.retransmissions = json.at("retransmissions");
  played.lost = json.at("lost");
  played.events = json.at("events");
  played.gave_up = json.value("gave_up", "");
  played.deadlock = json.at("deadlock");
  return played;
}

}  // namespace gyre
