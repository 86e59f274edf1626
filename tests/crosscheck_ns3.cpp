// gyre against ns-3, packet by packet: the same rounds on the nine cities, direct exchange. Built
// and run by `./bootstrap crosscheck`, where ns-3 is installed.
//
// In ns-3 every switch and island is a node, every link a point-to-point channel with an MTU of
// 9000 B and queues that drop nothing. Unicast follows least latency by interface metrics;
// multicast has static routes. A UDP source sends a packet whenever its flow has got that far at
// the rates that flow fidelity gives (progressive filling). A second column sends by TCP with
// windows above bandwidth × delay. Prints a table of completion times and of wall-clock times; exit
// status 1 if a paced round differs by more than 2 %.

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/error.hpp"
#include "schedules/fair_rates.hpp"
#include "sim/child_process.hpp"
#include "sim/exchange_probe.hpp"
#include "sim/wall_clock.hpp"
#include "tests/ns3_play.hpp"
#include "tests/support.hpp"

namespace {

using namespace gyre;  // NOLINT: a program of its own

using ns3_play::kPayloadOfPacket;
constexpr double kTolerance = 0.02;

struct Outcome {
  double time_s = 0.0;
  double wall_s = 0.0;
};

/// The rates of flows that start together: filled anew whenever one ends.
std::vector<std::vector<ns3_play::RateStep>> fair_schedule(const Topology& topology,
                                                           const std::vector<Flow>& flows) {
  FairRates rates(topology);
  std::vector<std::vector<ns3_play::RateStep>> steps(flows.size());
  std::vector<double> left_bits;
  std::vector<std::size_t> active;
  for (std::size_t f = 0; f < flows.size(); ++f) {
    left_bits.push_back(flows[f].bytes.in_bits());
    active.push_back(f);
  }
  for (double now_s = 0.0; !active.empty();) {
    std::vector<FairRates::Demand> demands;
    for (const std::size_t f : active) demands.push_back({.arcs = flows[f].stream.arcs});
    const std::vector<double> bps = rates.fill(demands);
    double next_s = 1e300;
    for (std::size_t i = 0; i < active.size(); ++i) {
      steps[active[i]].push_back({now_s, bps[i]});
      next_s = std::min(next_s, now_s + left_bits[active[i]] / bps[i]);
    }
    std::vector<std::size_t> rest;
    for (std::size_t i = 0; i < active.size(); ++i) {
      left_bits[active[i]] -= bps[i] * (next_s - now_s);
      if (left_bits[active[i]] > 1.0) rest.push_back(active[i]);
    }
    active = std::move(rest);
    now_s = next_s;
  }
  return steps;
}

ns3_play::Map map_of(const Topology& topology) {
  ns3_play::Map map;
  map.nodes = static_cast<std::uint32_t>(topology.node_count());
  map.first_access_arcs = static_cast<std::uint32_t>(2 * topology.island_count());
  for (std::size_t a = 0; a < topology.arc_count(); ++a) {
    const Arc& arc = topology.arc(ArcId::at(a));
    map.arcs.push_back(
        {static_cast<std::uint32_t>(arc.tail.index()), static_cast<std::uint32_t>(arc.head.index()),
         static_cast<std::uint64_t>(arc.capacity.in_bits_per_second()), arc.latency.in_seconds()});
  }
  return map;
}

/// Plays flows that start together; in a process of its own.
Outcome in_ns3(const Topology& topology, const std::vector<Flow>& flows, bool tcp) {
  const std::vector<std::vector<ns3_play::RateStep>> steps = fair_schedule(topology, flows);
  std::vector<ns3_play::Flow> played;
  const auto number = [&topology](IslandId i) {
    return static_cast<std::uint32_t>(topology.node(i).index());
  };
  for (std::size_t f = 0; f < flows.size(); ++f) {
    ns3_play::Flow flow;
    flow.source = number(flows[f].stream.sources.front());
    for (const Delivery& d : flows[f].stream.deliveries)
      flow.receivers.push_back(number(d.receiver));
    for (const ArcUse& use : flows[f].stream.arcs) {
      flow.arcs.push_back(static_cast<std::uint32_t>(use.arc.index()));
    }
    flow.bytes = flows[f].bytes.in_bytes();
    flow.steps = steps[f];
    played.push_back(std::move(flow));
  }
  const WallClock clock;
  const std::string answer =
      in_child([&] { return fmt::format("{}", ns3_play::play(map_of(topology), played, tcp)); });
  return {std::stod(answer), clock.elapsed_s()};
}

Outcome in_gyre(const Topology& topology, Mode mode, Bytes payload, const Round& round,
                std::int64_t chunk) {
  ProbeOptions options{.without_propagation = false};
  if (chunk > 0) {
    options.packets.emplace();
    options.packets->transport.chunk = Bytes::count(chunk);
    options.packets->transport.packet = Bytes::count(kPayloadOfPacket);
    options.packets->transport.header = Bytes::count(30);  // IP, UDP, PPP
  }
  const WallClock clock;
  const ProbeResult result =
      probe(topology, capabilities(topology, mode), payload, Exchange::kDirect, {round}, options);
  return {result.rounds.at(0).time.in_seconds(), clock.elapsed_s()};
}

struct Totals {
  double ns3_s = 0.0;
  double flow_s = 0.0;
  double packet_s = 0.0;
  double coarse_s = 0.0;
  double worst = 0.0;
};

/// One line of the table; adds to the totals.
void compare(const Topology& topology, Mode mode, Bytes payload, const Clique& clique, bool tcp,
             bool print, Totals& totals) {
  const Routes routes(topology);
  const Capabilities able = capabilities(topology, mode);
  const Network network{.topology = topology, .routes = routes, .capabilities = able};
  const ExchangePlan plan = plan_exchange(network, clique, payload, Exchange::kDirect);
  const Round round = make_round({clique}, topology.island_count());
  const Outcome paced = in_ns3(topology, plan.flows, false);
  const Outcome by_tcp = tcp ? in_ns3(topology, plan.flows, true) : Outcome();
  const Outcome flow = in_gyre(topology, mode, payload, round, 0);
  const Outcome packet = in_gyre(topology, mode, payload, round, kPayloadOfPacket);
  const Outcome coarse =
      in_gyre(topology, mode, payload, round, std::int64_t{100} * kPayloadOfPacket);
  const double off = paced.time_s / flow.time_s - 1.0;
  const double packet_off = paced.time_s / packet.time_s - 1.0;
  totals.ns3_s += paced.wall_s;
  totals.flow_s += flow.wall_s;
  totals.packet_s += packet.wall_s;
  totals.coarse_s += coarse.wall_s;
  totals.worst = std::max({totals.worst, std::abs(off), std::abs(packet_off)});
  if (!print && std::abs(off) <= kTolerance && std::abs(packet_off) <= kTolerance) return;
  fmt::print(
      "{:<11} {:<36} {:>9.6f} {:>9.6f} {:>+7.2f} % {:>9.6f} {:>+7.2f} % {:>9} {:>8.3f} "
      "{:>8.4f} {:>8.4f} {:>8.4f}\n",
      name_of(mode), to_text(clique, topology), paced.time_s, flow.time_s, 100.0 * off,
      packet.time_s, 100.0 * packet_off,
      tcp ? fmt::format("{:.6f}", by_tcp.time_s) : std::string("-"), paced.wall_s, flow.wall_s,
      packet.wall_s, coarse.wall_s);
}

void print_speed(const char* what, const Totals& totals) {
  fmt::print(
      "wall-clock, {}: ns-3 {:.1f} s; gyre flow {:.0f} times faster, packet by packet {:.1f} "
      "times, "
      "in chunks of 100 packets {:.0f} times\n",
      what, totals.ns3_s, totals.ns3_s / totals.flow_s, totals.ns3_s / totals.packet_s,
      totals.ns3_s / totals.coarse_s);
}

}  // namespace

int main() {
  const Topology topology = nine_city();
  fmt::print(
      "direct exchange of 50 MB an island on the nine cities; seconds\n"
      "ns-3: UDP paced at fair rates, packet by packet; gyre packet: the same packets; wall: "
      "ns-3, gyre flow, gyre packet, gyre in chunks of 100 packets\n\n");
  fmt::print("{:<11} {:<36} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8}\n", "mode",
             "clique", "ns-3", "flow", "differ", "packet", "differ", "ns-3 TCP", "wall", "flow",
             "packet", "coarse");
  const Bytes payload = Bytes::count(50'000'000);
  Totals all;
  Clique everybody;
  for (std::size_t i = 0; i < 9; ++i) everybody.push_back(IslandId::at(i));
  compare(topology, Mode::kNeither, payload, everybody, true, true, all);
  compare(topology, Mode::kMulticast, payload, everybody, false, true, all);
  const Totals nine = all;
  std::size_t triples = 0;
  for (std::size_t a = 0; a < 9; ++a) {
    for (std::size_t b = a + 1; b < 9; ++b) {
      for (std::size_t c = b + 1; c < 9; ++c) {
        const Clique clique{IslandId::at(a), IslandId::at(b), IslandId::at(c)};
        const bool shown = triples++ % 12 == 0;
        compare(topology, Mode::kNeither, payload, clique, shown, shown, all);
        compare(topology, Mode::kMulticast, payload, clique, false, shown, all);
      }
    }
  }
  fmt::print(
      "\n{} cliques of three and all nine, unicast and multicast: ns-3 differs by {:.2f} % at "
      "most (allowed: {:.0f} %)\n",
      triples, 100.0 * all.worst, 100.0 * kTolerance);
  print_speed("all nine", nine);
  print_speed("all of them", all);
  return all.worst <= kTolerance ? 0 : 1;
}
