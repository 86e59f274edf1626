#include "sim/prepared_plan.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"
#include "schedules/switch_program.hpp"

namespace gyre {

namespace {

PacketPlan packet_plan(const Network& network, const ExchangePlan& plan, const Flow& flow,
                       const ProgramFlow& program, bool keep_rate) {
  PacketPlan packets;
  packets.tables = std::make_shared<const PacketTables>(packet_tables(network, flow, program));
  // Where acknowledgements clock the senders, the switches' memory slows them down by itself.
  const bool clocked = network.limits != nullptr && plan.limited_by.starts_with("memory") &&
                       network.limits->discipline == AggregationDiscipline::kAckClocked;
  if (!clocked || keep_rate) packets.rate = flow.rate;
  for (const PacketRow& row : packets.tables->rows) {
    double share = 1.0;
    for (const auto& [at, part] : flow.memory_shares) {
      if (row.node == network.topology.node(at)) share = part;
    }
    packets.memory_shares.push_back(share);
  }
  return packets;
}

}  // namespace

PacketPlan packets_of(const Network& network, const Stream& stream, Bytes bytes) {
  ExchangePlan plan;
  plan.members = {stream.sources.front(), stream.deliveries.front().receiver};
  std::sort(plan.members.begin(), plan.members.end());
  plan.payload = bytes;
  plan.chunks = {bytes};
  plan.flows.push_back({.stream = stream,
                        .bytes = bytes,
                        .rate = {},
                        .carries = Carries::kResult,
                        .memory_shares = {},
                        .after = {}});
  const SwitchProgram program = compile(network, plan);
  return packet_plan(network, plan, plan.flows.front(), program.flows.front(), true);
}

bool have_same_tables(const ExchangePlan& a, const ExchangePlan& b) {
  const auto receives_same = [](const Delivery& d, const Delivery& e) {
    return d.receiver == e.receiver;
  };
  const auto same = [&](const Flow& f, const Flow& g) {
    const Stream& s = f.stream;
    const Stream& t = g.stream;
    return s.sources == t.sources && s.arcs == t.arcs && s.up == t.up && s.shape == t.shape &&
           std::equal(s.deliveries.begin(), s.deliveries.end(), t.deliveries.begin(),
                      t.deliveries.end(), receives_same);
  };
  return std::equal(a.flows.begin(), a.flows.end(), b.flows.begin(), b.flows.end(), same);
}

PreparedPlan lone_plan(const ExchangePlan& of_all, IslandId member) {
  PreparedPlan lone;
  lone.plan.exchange = of_all.exchange;
  lone.plan.members = {member};
  lone.plan.payload = of_all.payload;
  lone.starts.resize(1);
  lone.touches.resize(1);
  return lone;
}

Duration granularity(const Topology& topology, const PreparedPlan& plan,
                     const TransportSpec& transport) {
  const Bytes wire = Bytes::count(transport.wire_bytes(transport.chunk.in_bytes()));
  std::vector<Duration> late(plan.plan.flows.size());
  Duration latest;
  for (std::size_t f = 0; f < plan.plan.flows.size(); ++f) {
    for (const std::size_t before : plan.plan.flows[f].after) {
      late[f] = std::max(late[f], late[before]);
    }
    Duration slowest;
    for (const PacketLane& lane : plan.packets[f].tables->lanes) {
      slowest = std::max(slowest, wire / topology.arc(lane.arc).capacity);
    }
    const std::optional<Bandwidth>& rate = plan.plan.flows[f].rate;
    if (rate) slowest = std::max(slowest, wire / *rate);
    late[f] += slowest * static_cast<double>(plan.packets[f].tables->hops);
    latest = std::max(latest, late[f]);
  }
  return latest;
}

void check_recovery(const Topology& topology, const PreparedPlan& plan,
                    const PacketSettings& settings, const SwitchLimits* limits) {
  if (!settings.lossy()) return;
  const RecoverySpec recovery = settings.transport.recovery.value_or(RecoverySpec());
  for (std::size_t f = 0; f < plan.packets.size(); ++f) {
    const Duration trip = round_trip(topology, *plan.packets[f].tables, settings.transport, limits,
                                     plan.plan.flows[f].bytes);
    if (recovery.timeout && !recovery.force && *recovery.timeout <= trip) {
      throw InputError(
          recovery.timeout_where,
          fmt::format(
              "{} is not above the round trip of {:.6g} ms of {}, so that every chunk would "
              "be sent again; give more, or `force: true`",
              to_text(*recovery.timeout), trip.in_milliseconds(),
              to_text(plan.plan.members, topology)));
    }
    const Duration timeout = recovery.timeout.value_or(trip * 2.0);
    if (recovery.give_up <= timeout) {
      throw InputError(
          recovery.give_up_where,
          fmt::format("{} is not above the time-out of {:.6g} ms of {}, so that nothing "
                      "would ever be sent again; give more",
                      to_text(recovery.give_up), timeout.in_milliseconds(),
                      to_text(plan.plan.members, topology)));
    }
  }
}

void check_packets(const Network& network, const PlanOptions& options, Bytes payload,
                   const PacketSettings& settings, std::span<const Round> rounds) {
  // Without losses only the number of islands in a sum is judged.
  if (!settings.lossy() && network.topology.island_count() <= kMostContributors) return;
  PlanCache plans(network, nullptr, options);
  for (const Round& round : rounds) {
    for (std::size_t c = 0; c < round.cliques.size(); ++c) {
      if (round.cliques[c].size() < 2) continue;
      check_recovery(network.topology, *plans.get(round, c, payload), settings, network.limits);
    }
  }
}

PlanCache::PlanCache(const Network& network, const FlowNetwork* flows, const PlanOptions& options)
    : network_(network), flows_(flows), options_(options) {}

std::shared_ptr<const PreparedPlan> PlanCache::get(const Round& round, std::size_t clique,
                                                   Bytes payload) {
  const bool jointly = plans_jointly(network_, options_.exchange, options_.routing);
  const Clique& members = round.cliques[clique];
  const std::vector<Clique> together = jointly ? round.cliques : std::vector<Clique>{};
  const Key key{payload, together, members};
  const auto known = plans_.find(key);
  if (known != plans_.end()) return known->second;
  if (plans_.size() >= kMostPlans) plans_.clear();
  const Round planned = jointly ? round : make_round({members}, network_.topology.island_count());
  for (ExchangePlan& plan :
       plan_round(network_, planned, payload, options_.exchange, options_.routing)) {
    Key of_plan{payload, together, plan.members};
    plans_.emplace(std::move(of_plan),
                   std::make_shared<const PreparedPlan>(prepare(std::move(plan))));
  }
  return plans_.at(key);
}

PreparedPlan PlanCache::prepare(ExchangePlan plan) const {
  PreparedPlan prepared{.plan = std::move(plan),
                        .routes = {},
                        .packets = {},
                        .independent = {},
                        .starts = {},
                        .touches = {},
                        .program = {},
                        .sums_in_switches = false,
                        .wan_bytes = {}};
  const Clique& clique = prepared.plan.members;
  prepared.starts.resize(clique.size());
  prepared.touches.resize(clique.size());
  const std::optional<std::string> fault = plan_fault(network_, prepared.plan);
  check(!fault, fmt::format("unsound exchange plan: {}", fault.value_or("")));

  // What runs is what the switches are told, not the plan's own idea of its arcs.
  prepared.program = compile(network_, prepared.plan);
  const SwitchProgram& program = prepared.program;
  prepared.sums_in_switches = adds_in_switches(network_.topology, program);
  for (std::size_t f = 0; f < prepared.plan.flows.size(); ++f) {
    Flow& flow = prepared.plan.flows[f];
    std::vector<ArcUse> played = played_arcs(network_.topology, program.flows[f]);
    check(played == flow.stream.arcs, "the switch program does not follow its plan");
    flow.stream.arcs = std::move(played);
    if (flows_ != nullptr) {
      prepared.routes.push_back(flows_->route(flow.stream, flow.rate));
    } else {
      prepared.packets.push_back(
          packet_plan(network_, prepared.plan, flow, program.flows[f], options_.keep_rates));
    }
    if (flow.after.empty()) {
      prepared.independent.push_back(f);
    } else {
      prepared.starts[rank_in(clique, flow.starter())].push_back(f);
    }
    std::vector<IslandId> islands = flow.stream.sources;
    for (const Delivery& delivery : flow.stream.deliveries) islands.push_back(delivery.receiver);
    std::sort(islands.begin(), islands.end());
    islands.erase(std::unique(islands.begin(), islands.end()), islands.end());
    for (const IslandId i : islands) prepared.touches[rank_in(clique, i)].push_back(f);
    for (const ArcUse& use : flow.stream.arcs) {
      if (network_.topology.is_core(use.arc)) prepared.wan_bytes += flow.bytes * use.copies;
    }
  }
  return prepared;
}

}  // namespace gyre
