#include "schedules/exchange_plan.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"
#include "schedules/ring_order.hpp"

namespace gyre {
namespace {

std::vector<IslandId> without(const Clique& clique, IslandId island) {
  std::vector<IslandId> others;
  for (const IslandId i : clique) {
    if (i != island) others.push_back(i);
  }
  return others;
}

void add_flows(ExchangePlan& plan, std::vector<Stream> streams, Carries carries) {
  for (Stream& stream : streams) {
    plan.flows.push_back({.stream = std::move(stream),
                          .bytes = plan.payload,
                          .chunk = 0,
                          .carries = carries,
                          .after = {}});
  }
}

/// All flows start together: the busiest arc sets the pace, the longest delivery ends it.
Prediction predict_one_step(const Topology& topology, std::span<const Flow> flows) {
  Prediction prediction = busiest_arc(topology, flows);
  for (const Flow& flow : flows) {
    for (const Delivery& delivery : flow.stream.deliveries) {
      prediction.latency = std::max(prediction.latency, delivery.latency);
    }
  }
  return prediction;
}

bool any(const std::vector<bool>& switches) {
  return std::find(switches.begin(), switches.end(), true) != switches.end();
}

ExchangePlan empty_plan(const Clique& clique, Bytes payload, Exchange exchange) {
  return {.exchange = exchange,
          .members = clique,
          .payload = payload,
          .chunks = {payload},
          .flows = {},
          .root = {},
          .ring_order = {},
          .predicted = {}};
}

ExchangePlan plan_direct(const Network& network, const Clique& clique, Bytes payload) {
  ExchangePlan plan = empty_plan(clique, payload, Exchange::kDirect);
  // Replication at the sources' side and addition at the receivers' side cannot both carry one
  // direct exchange; where a map has some of both, replication is used.
  const bool gather = any(network.capabilities.aggregation) && !any(network.capabilities.multicast);
  for (const IslandId i : clique) {
    const std::vector<IslandId> others = without(clique, i);
    add_flows(
        plan,
        gather ? reduction_streams(network, others, i) : multicast_streams(network, i, others),
        Carries::kContribution);
  }
  plan.predicted = predict_one_step(network.topology, plan.flows);
  return plan;
}

ExchangePlan plan_in_network(const Network& network, const Clique& clique, Bytes payload) {
  if (clique.size() == 2) {
    ExchangePlan plan = plan_direct(network, clique, payload);
    plan.exchange = Exchange::kInNetwork;
    return plan;
  }
  std::optional<ExchangePlan> best;
  for (std::size_t s = 0; s < network.topology.switch_count(); ++s) {
    const SwitchId root = SwitchId::at(s);
    if (!network.capabilities.adds(root) || !network.capabilities.replicates(root)) continue;
    ExchangePlan plan = empty_plan(clique, payload, Exchange::kInNetwork);
    plan.root = root;
    add_flows(plan, {in_network_stream(network, clique, root)}, Carries::kResult);
    plan.predicted = predict_one_step(network.topology, plan.flows);
    if (!best || plan.predicted.total() < best->predicted.total()) best = std::move(plan);
  }
  check(best.has_value(), "in-network exchange without a capable switch");
  return *std::move(best);
}

/// k chunks that differ by at most one byte.
std::vector<Bytes> even_chunks(Bytes payload, std::size_t count) {
  const auto k = static_cast<std::int64_t>(count);
  std::vector<Bytes> chunks;
  for (std::int64_t i = 0; i < k; ++i) {
    chunks.push_back(Bytes::count(payload.in_bytes() / k + (i < payload.in_bytes() % k ? 1 : 0)));
  }
  return chunks;
}

ExchangePlan plan_ring(const Network& network, const Clique& clique, Bytes payload) {
  const std::size_t k = clique.size();
  ExchangePlan plan = empty_plan(clique, payload, Exchange::kRing);
  const Ring ring = ring_order(network, clique, payload);
  plan.ring_order = ring.order;
  plan.chunks = even_chunks(payload, k);
  plan.predicted = ring.predicted;

  std::vector<Stream> hops;
  for (std::size_t i = 0; i < k; ++i) {
    const IslandId next = ring.order[(i + 1) % k];
    hops.push_back(multicast_streams(network, ring.order[i], {&next, 1}).front());
  }
  // In step s, position i passes on chunk (i − s) mod k: for k−1 steps a growing partial sum, which
  // is complete at its last receiver, then for k−1 steps the result.
  for (std::size_t step = 0; step < 2 * (k - 1); ++step) {
    for (std::size_t i = 0; i < k; ++i) {
      const std::size_t chunk = (i + 2 * k - step) % k;
      Flow flow{.stream = hops[i],
                .bytes = plan.chunks[chunk],
                .chunk = chunk,
                .carries = step < k - 1 ? Carries::kPartialSum : Carries::kResult,
                .after = {}};
      if (step > 0) flow.after = {(step - 1) * k + i, (step - 1) * k + (i + k - 1) % k};
      plan.flows.push_back(std::move(flow));
    }
  }
  return plan;
}

}  // namespace

Prediction busiest_arc(const Topology& topology, std::span<const Flow> flows) {
  std::vector<double> bits(topology.arc_count(), 0.0);
  for (const Flow& flow : flows) {
    for (const ArcUse& use : flow.stream.arcs) {
      bits[use.arc.index()] += flow.bytes.in_bits() * use.copies;
    }
  }
  Prediction busiest;
  for (std::size_t a = 0; a < bits.size(); ++a) {
    const auto rate = static_cast<double>(topology.arc(ArcId::at(a)).capacity.in_bits_per_second());
    const Duration time = Duration::seconds(bits[a] / rate);
    if (time > busiest.bandwidth) {
      busiest.bandwidth = time;
      busiest.binding_arc = ArcId::at(a);
    }
  }
  return busiest;
}

bool available(const Network& network, Exchange exchange) {
  if (exchange != Exchange::kInNetwork) return true;
  for (std::size_t s = 0; s < network.topology.switch_count(); ++s) {
    const SwitchId root = SwitchId::at(s);
    if (network.capabilities.adds(root) && network.capabilities.replicates(root)) return true;
  }
  return false;
}

ExchangePlan plan_exchange(const Network& network, const Clique& clique, Bytes payload,
                           Exchange exchange) {
  check(clique.size() >= 2, "an exchange needs two members");
  const bool in_network = available(network, Exchange::kInNetwork);
  switch (exchange) {
    case Exchange::kRing:
      return plan_ring(network, clique, payload);
    case Exchange::kInNetwork:
      return plan_in_network(network, clique, payload);
    case Exchange::kDirect:
      return in_network ? plan_in_network(network, clique, payload)
                        : plan_direct(network, clique, payload);
    case Exchange::kBest:
      break;
  }
  std::vector<ExchangePlan> candidates;
  if (in_network) candidates.push_back(plan_in_network(network, clique, payload));
  candidates.push_back(plan_direct(network, clique, payload));
  candidates.push_back(plan_ring(network, clique, payload));
  return *std::min_element(candidates.begin(), candidates.end(),
                           [](const ExchangePlan& a, const ExchangePlan& b) {
                             return a.predicted.total() < b.predicted.total();
                           });
}

std::optional<std::string> plan_fault(const Network& network, const ExchangePlan& plan) {
  const std::size_t k = plan.members.size();
  const auto rank = [&plan](IslandId i) {
    const auto at = std::lower_bound(plan.members.begin(), plan.members.end(), i);
    check(at != plan.members.end() && *at == i, "a flow touches an island outside the clique");
    return static_cast<std::size_t>(at - plan.members.begin());
  };
  Bytes total;
  for (const Bytes chunk : plan.chunks) total += chunk;
  if (total != plan.payload) return "its chunks do not add up to the payload";

  // held[v][c][u]: how often member v's value of chunk c contains member u's contribution.
  using Counts = std::vector<int>;
  std::vector<std::vector<Counts>> held(k, std::vector<Counts>(plan.chunks.size(), Counts(k, 0)));
  for (std::size_t v = 0; v < k; ++v) {
    for (Counts& counts : held[v]) counts[v] = 1;
  }
  for (std::size_t f = 0; f < plan.flows.size(); ++f) {
    const Flow& flow = plan.flows[f];
    if (auto fault = stream_fault(network, flow.stream))
      return fmt::format("flow {}: {}", f, *fault);
    if (flow.bytes != plan.chunks[flow.chunk]) return fmt::format("flow {} loses bytes", f);
    for (const std::size_t before : flow.after) {
      if (before >= f) return fmt::format("flow {} waits for a later flow", f);
    }
    Counts carried(k, 0);
    const bool relays = flow.stream.sources.size() == 1 && flow.carries != Carries::kContribution;
    if (relays) {
      carried = held[rank(flow.starter())][flow.chunk];
    } else {
      for (const IslandId source : flow.stream.sources) carried[rank(source)] += 1;
    }
    for (const Delivery& delivery : flow.stream.deliveries) {
      Counts& counts = held[rank(delivery.receiver)][flow.chunk];
      if (flow.carries == Carries::kResult) {
        counts = carried;
      } else {
        for (std::size_t u = 0; u < k; ++u) counts[u] += carried[u];
      }
    }
  }
  for (std::size_t v = 0; v < k; ++v) {
    for (std::size_t c = 0; c < plan.chunks.size(); ++c) {
      for (std::size_t u = 0; u < k; ++u) {
        if (held[v][c][u] == 1) continue;
        return fmt::format("{} ends with {}'s contribution to chunk {} {} times",
                           network.topology.name(plan.members[v]),
                           network.topology.name(plan.members[u]), c, held[v][c][u]);
      }
    }
  }
  return std::nullopt;
}

}  // namespace gyre
