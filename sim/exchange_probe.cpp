#include "sim/exchange_probe.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <nlohmann/json.hpp>

#include "models/error.hpp"
#include "sim/child_process.hpp"
#include "sim/given_rounds.hpp"
#include "sim/switch_usage_json.hpp"

namespace gyre {
namespace {

using Json = nlohmann::json;

/// Plays given rounds; what every probe runs.
class Collector final : public RunObserver {
 public:
  void on_trace(const TraceRow& row) override { ends_s_.push_back(row.time.in_seconds()); }
  void on_clique(const CliqueRow& row) override {
    if (!row.exchange) return;
    Json members = Json::array();
    for (const IslandId i : row.members) members.push_back(i.index());
    cliques_.push_back({{"round", row.round},
                        {"members", members},
                        {"exchange", static_cast<int>(*row.exchange)},
                        {"communication_s", row.communication.in_seconds()},
                        {"bound_s", row.bound.in_seconds()},
                        {"wan_bytes", row.wan_bytes.in_bytes()},
                        {"bound_by", row.bound_by}});
    if (row.paced) cliques_.back()["paced_s"] = row.paced->in_seconds();
    cliques_.back()["dropped"] = row.dropped;
    cliques_.back()["retransmissions"] = row.retransmissions;
  }
  void on_switch(const SwitchRow& row) override {
    switches_[row.at] = {
        {"at", row.at.index()}, {"time_s", row.time.in_seconds()}, {"usage", row.usage}};
  }
  [[nodiscard]] Json json() const {
    Json switches = Json::array();
    for (const auto& [at, last] : switches_) switches.push_back(last);
    return {{"ends_s", ends_s_}, {"cliques", cliques_}, {"switches", switches}};
  }

 private:
  std::vector<double> ends_s_;
  Json cliques_ = Json::array();
  std::map<SwitchId, Json> switches_;  ///< as they were last reported
};

Json simulate_rounds(RunSpec spec, const std::vector<Round>& rounds, bool propagation) {
  const std::string answer = in_child([&] {
    GivenRounds policy(rounds);
    Collector collector;
    spec.policy = &policy;
    spec.propagation = propagation;
    const std::atomic<bool> never{false};
    const RunResult result = simulate(spec, collector, never);
    if (result.status != RunStatus::kComplete) return Json{{"failure", result.failure}}.dump();
    Json json = collector.json();
    for (const ArcUsage& usage : result.arcs) {
      json["arcs"].push_back({usage.bytes.in_bytes(), usage.busy.in_seconds(), usage.carried_bits,
                              usage.peak_utilisation});
    }
    json["lost"] = std::accumulate(result.lost.begin(), result.lost.end(), std::int64_t{0});
    json["events"] = result.events;
    return json.dump();
  });
  return Json::parse(answer);
}

CliqueRow clique_row(const Json& json) {
  CliqueRow row;
  row.round = json.at("round");
  for (const Json& index : json.at("members")) row.members.push_back(IslandId::at(index));
  row.exchange = static_cast<Exchange>(json.at("exchange").get<int>());
  row.communication = Duration::seconds(json.at("communication_s"));
  row.bound = Duration::seconds(json.at("bound_s"));
  row.wan_bytes = Bytes::count(json.at("wan_bytes"));
  row.bound_by = json.at("bound_by");
  row.dropped = json.at("dropped");
  row.in_exchange = row.communication;
  row.retransmissions = json.at("retransmissions");
  if (json.contains("paced_s")) row.paced = Duration::seconds(json.at("paced_s"));
  return row;
}

}  // namespace

ProbeResult probe(const Topology& topology, const Capabilities& capabilities, Bytes payload,
                  Exchange exchange, const std::vector<Round>& rounds,
                  const ProbeOptions& options) {
  RunSpec spec;
  spec.topology = &topology;
  spec.capabilities = capabilities;
  spec.exchange = exchange;
  spec.routing = options.routing;
  spec.limits = options.limits;
  spec.packets = options.packets;
  spec.faults = options.faults;
  spec.in_flight = options.in_flight;
  spec.seed = options.seed;
  spec.barrier = true;
  spec.payload = payload;
  spec.stop.max_rounds = static_cast<std::int64_t>(rounds.size());
  const Json whole = simulate_rounds(spec, rounds, true);
  ProbeResult result;
  if (whole.contains("failure")) {
    result.failure = whole.at("failure");
    return result;
  }
  // Without propagation only the sharing of the arcs is left: nothing is lost there.
  if (spec.packets) spec.packets->lose_nothing();
  spec.faults.clear();
  const Json still = options.without_propagation ? simulate_rounds(spec, rounds, false) : whole;
  check(!still.contains("failure"), "an exchange without losses did not end");
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    const auto length = [r](const Json& run) {
      return Duration::seconds(run.at("ends_s").at(r + 1).get<double>() -
                               run.at("ends_s").at(r).get<double>());
    };
    result.rounds.push_back({.time = length(whole), .bandwidth = length(still), .cliques = {}});
  }
  for (const Json& json : whole.at("cliques")) {
    CliqueRow row = clique_row(json);
    result.dropped = result.dropped || row.dropped;
    result.rounds[static_cast<std::size_t>(row.round)].cliques.push_back(std::move(row));
  }
  for (RoundCost& round : result.rounds) {
    Duration paced;
    for (const CliqueRow& row : round.cliques)
      paced = std::max(paced, row.paced.value_or(Duration()));
    if (paced > Duration()) round.bandwidth = paced;
  }
  for (const Json& json : whole.at("arcs")) {
    result.arcs.push_back({.bytes = Bytes::count(json.at(0)),
                           .busy = Duration::seconds(json.at(1)),
                           .carried_bits = json.at(2),
                           .peak_utilisation = json.at(3)});
  }
  for (const Json& json : whole.at("switches")) {
    result.switches.push_back({.time = Instant::at_seconds(json.at("time_s")),
                               .at = SwitchId::at(json.at("at")),
                               .usage = json.at("usage")});
  }
  result.lost = whole.at("lost");
  result.events = whole.at("events");
  return result;
}

}  // namespace gyre
