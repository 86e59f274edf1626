#include "sim/overlay_cycles.hpp"

#include <algorithm>
#include <atomic>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/bounds.hpp"
#include "models/error.hpp"
#include "sim/child_process.hpp"
#include "sim/flow_rounds.hpp"
#include "sim/given_rounds.hpp"
#include "sim/round_ends.hpp"

namespace gyre {
namespace {

using Json = nlohmann::json;

constexpr Bandwidth kUnlimited = Bandwidth::gigabits_per_second(1'000'000);
constexpr Duration kPathLatency = Duration::milliseconds(4.0);
constexpr double kMillisecondsPerKm = 0.0085;

}  // namespace

Topology shared_map(const CrossSiloMap& map) {
  std::vector<std::string> switches;
  std::vector<Topology::Island> islands;
  for (std::size_t i = 0; i < map.islands; ++i) {
    switches.push_back(fmt::format("s{}", i));
    islands.push_back({.name = std::to_string(i),
                       .at = SwitchId::at(i),
                       .up = kAccessRate,
                       .down = kAccessRate,
                       .latency = kPathLatency * 0.5});
  }
  std::vector<Topology::Link> links;
  for (const CrossSiloMap::Link& link : map.links) {
    const Duration latency = Duration::milliseconds(kMillisecondsPerKm * link.km);
    links.push_back(Topology::Link::both_ways(SwitchId::at(link.first), SwitchId::at(link.second),
                                              kCoreRate, latency));
  }
  return {std::string(map.name), switches, std::move(islands), links};
}

std::vector<PrivateLink> PublishedModel::links(const OverlayEdges& edges) const {
  std::vector<std::int64_t> out(shared_->island_count(), 0);
  std::vector<std::int64_t> in(shared_->island_count(), 0);
  for (const auto& [from, to] : edges) {
    ++out[from];
    ++in[to];
  }
  std::vector<PrivateLink> links;
  links.reserve(edges.size());
  for (const auto& [from, to] : edges) {
    const NodeId tail = shared_->node(IslandId::at(from));
    const NodeId head = shared_->node(IslandId::at(to));
    const auto hops = static_cast<std::int64_t>(routes_.path(tail, head).size()) - 2;
    links.push_back({.rate = Bandwidth::bits_per_second(
                         std::min(kAccessRate.in_bits_per_second() / std::max(out[from], in[to]),
                                  kCoreRate.in_bits_per_second() / hops)),
                     .latency = routes_.latency(tail, head)});
  }
  return links;
}

Topology PublishedModel::map(const OverlayEdges& edges, Bytes payload) const {
  std::vector<std::string> switches;
  std::vector<Topology::Island> islands;
  for (std::size_t i = 0; i < shared_->island_count(); ++i) {
    switches.push_back(fmt::format("s{}", i));
    islands.push_back({.name = std::to_string(i),
                       .at = SwitchId::at(i),
                       .up = kUnlimited,
                       .down = kUnlimited,
                       .latency = {}});
  }
  const std::vector<PrivateLink> own = links(edges);
  std::vector<Topology::Link> fibres;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const Duration delay = own[e].latency + payload / own[e].rate;
    fibres.push_back(Topology::Link::both_ways(SwitchId::at(edges[e].first),
                                               SwitchId::at(edges[e].second), kUnlimited, delay));
  }
  return {shared_->name(), switches, std::move(islands), fibres};
}

std::vector<double> PublishedModel::round_lengths_ms(
    const OverlayJob& job, const std::vector<OverlayEdges>& rounds) const {
  std::vector<std::vector<GivenFlow>> flows;
  for (const OverlayEdges& edges : rounds) {
    std::vector<GivenFlow>& round = flows.emplace_back();
    for (const PrivateLink& link : links(edges)) {
      round.push_back({.stream = {}, .rate = link.rate, .latency = link.latency});
    }
  }
  std::vector<double> lengths_ms;
  for (const Duration length : lengths_of_rounds(*shared_, job.payload, job.compute, flows)) {
    lengths_ms.push_back(1e3 * length.in_seconds());
  }
  return lengths_ms;
}

Round overlay_of(const OverlayEdges& directed, std::size_t islands) {
  std::vector<MixingEdge> edges;
  edges.reserve(directed.size());
  const double weight = 1.0 / static_cast<double>(islands);
  for (const auto& [from, to] : directed) {
    edges.push_back({.from = IslandId::at(from), .to = IslandId::at(to), .weight = weight});
  }
  return make_overlay(std::move(edges), islands);
}

OverlayEdges both_ways(const OverlayEdges& edges) {
  OverlayEdges both = edges;
  for (const auto& [a, b] : edges) both.emplace_back(b, a);
  return both;
}

Cycle simulated_cycle(const Topology& topology, const OverlayJob& job, std::vector<Round> rounds,
                      const CycleSpan& span) {
  const std::string text = in_child([&] {
    GivenRounds policy(std::move(rounds));
    RunSpec spec;
    spec.topology = &topology;
    spec.capabilities = capabilities_of(Mode::kNeither, topology.switch_count());
    spec.policy = &policy;
    spec.exchange = Exchange::kHub;  // of the star, the one clique here
    spec.barrier = span.barrier;
    spec.payload = job.payload;
    spec.compute.step_time = job.compute;
    spec.stop.max_rounds = span.to;
    RoundEnds ends;
    const std::atomic<bool> never{false};
    const RunResult result = simulate(spec, ends, never);
    check(result.status == RunStatus::kComplete, "an overlay did not end its rounds");
    const auto end_s = [&ends](std::int64_t round) {
      return ends.at_s.at(static_cast<std::size_t>(round));
    };
    return Json{
        {"time_s", (end_s(span.to) - end_s(span.from)) / static_cast<double>(span.to - span.from)},
        {"bound_s", result.bound_round->in_seconds()}}
        .dump();
  });
  const Json json = Json::parse(text);
  return {.time_ms = 1e3 * json.at("time_s").get<double>(),
          .bound_ms = 1e3 * json.at("bound_s").get<double>()};
}

Cycle shared_star(const Topology& shared, const OverlayJob& job) {
  const Routes routes(shared);
  const Capabilities none = no_capabilities(shared.switch_count());
  const Network network{shared, routes, none};
  const IslandId hub = IslandId::at(0);
  Clique all{hub};
  Clique others;
  for (std::size_t i = 1; i < shared.island_count(); ++i) others.push_back(IslandId::at(i));
  all.insert(all.end(), others.begin(), others.end());
  const auto length_ms = [&](std::vector<Stream> streams, Duration compute) {
    std::vector<GivenFlow> flows;
    for (Stream& stream : streams) {
      const Duration latency = stream.deliveries.front().latency;
      flows.push_back({.stream = std::move(stream), .rate = {}, .latency = latency});
    }
    return 1e3 *
           lengths_of_rounds(shared, job.payload, compute, {std::move(flows)}).front().in_seconds();
  };
  const Duration bound = job.compute + Bounds(shared, routes).cut(all, job.payload).time;
  return {.time_ms = length_ms(reduction_streams(network, others, hub), job.compute) +
                     length_ms(multicast_streams(network, hub, others), {}),
          .bound_ms = 1e3 * bound.in_seconds()};
}

}  // namespace gyre
