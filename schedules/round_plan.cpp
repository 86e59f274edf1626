#include "schedules/round_plan.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "models/error.hpp"
#include "schedules/fluid.hpp"
#include "schedules/optimizer/round_times.hpp"
#include "schedules/optimizer/timed_packing.hpp"
#include "schedules/switch_limits.hpp"

namespace gyre {
namespace {

Exchange exchange_of(PackingKind kind) {
  switch (kind) {
    case PackingKind::kIslands:
      return Exchange::kTree;
    case PackingKind::kInNetwork:
      return Exchange::kInNetwork;
    case PackingKind::kPairs:
    case PackingKind::kScatter:
    case PackingKind::kGather:
    case PackingKind::kAllGather:
      break;
  }
  return Exchange::kDirect;
}

Carries carries(const PackingGroup& group) {
  return group.sources == group.receivers ? Carries::kResult : Carries::kContribution;
}

/// A tree's rate in whole bits per second, never more than it has.
Bandwidth rate_of(double gbps) {
  return Bandwidth::bits_per_second(
      std::max<std::int64_t>(1, static_cast<std::int64_t>(gbps * kBitsPerGigabit)));
}

/// The slowest tree first: the last takes what rounding leaves over.
PackedGroup slowest_first(const PackedGroup& group) {
  std::vector<std::size_t> order(group.trees.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&group](std::size_t a, std::size_t b) {
    return group.gbps[a] < group.gbps[b];
  });
  PackedGroup sorted{.clique = group.clique, .group = group.group, .trees = {}, .gbps = {}};
  for (const std::size_t t : order) {
    sorted.trees.push_back(group.trees[t]);
    sorted.gbps.push_back(group.gbps[t]);
  }
  return sorted;
}

/// Where in the payload each tree of a group stops: what it moves until the end, y·(T − L).
std::vector<std::int64_t> ends_in_payload(const PackedGroup& group, Bytes payload, double end_s) {
  std::vector<std::int64_t> ends;
  std::int64_t end = 0;
  for (std::size_t t = 0; t < group.trees.size(); ++t) {
    const double sends_s = std::max(0.0, end_s - group.trees[t].latency.in_seconds());
    end += static_cast<std::int64_t>(rate_of(group.gbps[t]).in_bytes_per_second() * sends_s);
    ends.push_back(std::min(end, payload.in_bytes()));
  }
  ends.back() = payload.in_bytes();
  return ends;
}

/// The plan of one clique: each group's trees carry consecutive parts of the payload; the chunks
/// are what no group cuts any further.
ExchangePlan packed_plan(const Network& network, const TimedPacking& timed, PackingKind kind,
                         std::size_t number, const Clique& clique, Bytes payload) {
  const double end_s = timed.ends[number].in_seconds();
  std::vector<std::int64_t> cuts{0};
  std::vector<std::pair<PackedGroup, std::vector<std::int64_t>>> groups;
  for (const PackedGroup& group : timed.packing.groups) {
    if (group.clique != number) continue;
    PackedGroup sorted = slowest_first(group);
    std::vector<std::int64_t> ends = ends_in_payload(sorted, payload, end_s);
    groups.emplace_back(std::move(sorted), std::move(ends));
    cuts.insert(cuts.end(), groups.back().second.begin(), groups.back().second.end());
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  const auto chunk_at = [&cuts](std::int64_t byte) {
    return static_cast<std::size_t>(std::lower_bound(cuts.begin(), cuts.end(), byte) -
                                    cuts.begin());
  };

  const Duration bandwidth =
      Duration::seconds(payload.in_bits() / kBitsPerGigabit / timed.packing.gbps);
  ExchangePlan plan{
      .exchange = exchange_of(kind),
      .members = clique,
      .payload = payload,
      .chunks = {},
      .flows = {},
      .root = {},
      .ring_order = {},
      .limited_by = {},
      .predicted = {
          .bandwidth = bandwidth, .latency = timed.ends[number] - bandwidth, .binding_arc = {}}};
  for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
    plan.chunks.push_back(Bytes::count(cuts[c + 1] - cuts[c]));
  }
  for (const auto& [group, ends] : groups) {
    std::int64_t from = 0;
    for (std::size_t t = 0; t < group.trees.size(); ++t) {
      const std::int64_t to = ends[t];
      if (to == from) continue;
      plan.flows.push_back({.stream = to_stream(network.topology, group.trees[t], group.group),
                            .bytes = Bytes::count(to - from),
                            .chunk = chunk_at(from),
                            .chunk_count = chunk_at(to) - chunk_at(from),
                            .rate = rate_of(group.gbps[t]),
                            .carries = carries(group.group),
                            .memory_shares = {},
                            .after = {}});
      from = to;
    }
  }
  double dearest = 0.0;
  for (std::size_t a = 0; a < timed.packing.price.size(); ++a) {
    if (timed.packing.price[a] <= dearest * (1.0 + 1e-6)) continue;
    dearest = timed.packing.price[a];
    plan.predicted.binding_arc = ArcId::at(a);
  }
  return plan;
}

/// Plans whose sums would be too many for a switch together with those before them do without.
void keep_within_groups(const Network& network, std::vector<ExchangePlan>& plans,
                        Exchange exchange) {
  if (network.limits == nullptr || !network.limits->groups) return;
  const std::vector<bool> none(network.topology.switch_count(), false);
  const Capabilities unaided{.multicast = network.capabilities.multicast, .aggregation = none};
  std::vector<Flow> flows;
  for (ExchangePlan& plan : plans) {
    const std::size_t before = flows.size();
    flows.insert(flows.end(), plan.flows.begin(), plan.flows.end());
    if (within_tables(network, flows)) continue;
    flows.resize(before);
    plan = plan_exchange({network.topology, network.routes, unaided}, plan.members, plan.payload,
                         exchange == Exchange::kInNetwork ? Exchange::kDirect : exchange);
  }
}

/// Whether rounds are planned as packings.
bool packs(Exchange exchange, Routing routing) {
  return routing == Routing::kEngineered && exchange != Exchange::kRing &&
         exchange != Exchange::kHub && exchange != Exchange::kMultiRoot;
}

std::vector<ExchangePlan> packed_plans(const Network& network, const TimedPacking& timed,
                                       PackingKind kind, const Round& round, Bytes payload) {
  std::vector<ExchangePlan> plans;
  for (const Clique& clique : round.cliques) {
    if (clique.size() < 2) continue;
    plans.push_back(packed_plan(network, timed, kind, plans.size(), clique, payload));
  }
  return plans;
}

/// The packed plans, or those on shortest paths where those end sooner together: they let short
/// ways finish first, which a packing at one rate does not.
std::vector<ExchangePlan> sooner(const Network& network, std::vector<ExchangePlan> packed,
                                 Duration packed_end, std::vector<ExchangePlan> shortest) {
  const Duration end = joint_end(network.topology, shortest);
  if (!(end < packed_end * (1.0 - 1e-9))) return packed;
  for (ExchangePlan& plan : shortest) {
    plan.predicted.bandwidth = std::min(plan.predicted.bandwidth, end);
    plan.predicted.latency = end - plan.predicted.bandwidth;
  }
  return shortest;
}

}  // namespace

Duration joint_end(const Topology& topology, const std::vector<ExchangePlan>& plans) {
  std::vector<Flow> flows;
  for (const ExchangePlan& plan : plans) {
    const std::size_t first = flows.size();
    for (Flow flow : plan.flows) {
      for (std::size_t& before : flow.after) before += first;
      flows.push_back(std::move(flow));
    }
  }
  return fluid_time(topology, flows, true);
}

std::size_t most_paced_flows(const Network& network, Exchange exchange, Routing routing,
                             std::size_t small_cliques) {
  const Topology& topology = network.topology;
  const std::size_t n = topology.island_count();
  std::size_t packed = 0;
  if (exchange == Exchange::kTree || packs(exchange, routing)) {
    packed = n / 2;
  } else if (exchange == Exchange::kBest) {
    packed = small_cliques;
  }
  const std::size_t trees = packed * topology.arc_count();
  const bool pairs = routing == Routing::kEngineered || network.limits != nullptr;
  return trees + (pairs ? n * (n - 1) : 2 * packed);
}

bool plans_jointly(const Network& network, Exchange exchange, Routing routing) {
  return packs(exchange, routing) || network.limits != nullptr;
}

ExchangePlan plan_tree(const Network& network, const Clique& clique, Bytes payload) {
  const Capabilities plain = no_capabilities(network.topology.switch_count());
  const Network unaided{network.topology, network.routes, plain};
  RoundPacker packer(
      {.network = &unaided, .kind = PackingKind::kIslands, .routing = Routing::kShortest});
  const Round round = make_round({clique}, network.topology.island_count());
  return packed_plans(unaided, finish_first(packer, round, payload), PackingKind::kIslands, round,
                      payload)
      .front();
}

std::vector<ExchangePlan> plan_round(const Network& network, const Round& round, Bytes payload,
                                     Exchange exchange, Routing routing) {
  if (!packs(exchange, routing)) {
    std::vector<ExchangePlan> plans;
    for (const Clique& clique : round.cliques) {
      if (clique.size() > 1) {
        plans.push_back(plan_exchange(network, clique, payload, exchange));
      }
    }
    keep_within_groups(network, plans, exchange);
    keep_within_limits(network, plans);
    return plans;
  }
  const Capabilities plain = no_capabilities(network.topology.switch_count());
  const Network unaided{network.topology, network.routes, plain};
  std::vector<std::pair<TimedPacking, PackingKind>> ways;
  const auto add = [&](const Network& able, PackingKind kind) {
    RoundPacker packer({.network = &able, .kind = kind, .routing = routing});
    ways.emplace_back(finish_first(packer, round, payload), kind);
  };
  std::vector<PackingKind> kinds = packing_kinds(network, exchange);
  // Switches have lost what it needs: the members do without them.
  if (kinds.empty()) kinds = packing_kinds(network, Exchange::kDirect);
  for (const PackingKind kind : kinds) {
    add(network, kind);
    // Where packings are found by heuristics, what the islands do alone may end sooner.
    if (kind == PackingKind::kIslands) add(unaided, kind);
  }
  check(!ways.empty(), "no way to exchange");
  // Of equally fast ways the first.
  const auto& [timed, kind] = *std::min_element(
      ways.begin(), ways.end(),
      [](const auto& a, const auto& b) { return a.first.time < b.first.time * (1.0 - 1e-9); });
  return sooner(network, packed_plans(network, timed, kind, round, payload), timed.time,
                plan_round(network, round, payload, exchange, Routing::kShortest));
}

}  // namespace gyre
