#include "schedules/exchange_plan.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"
#include "schedules/fluid.hpp"
#include "schedules/multi_root.hpp"
#include "schedules/ring_order.hpp"
#include "schedules/round_plan.hpp"
#include "schedules/switch_limits.hpp"

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
                          .chunk_count = 1,
                          .rate = {},
                          .carries = carries,
                          .memory_shares = {},
                          .after = {}});
  }
}

ExchangePlan empty_plan(const Clique& clique, Bytes payload, Exchange exchange) {
  return {.exchange = exchange,
          .members = clique,
          .payload = payload,
          .chunks = {payload},
          .flows = {},
          .root = {},
          .ring_order = {},
          .limited_by = {},
          .predicted = {}};
}

/// The faster of two plans as they would play out alone; the first where they are equal.
ExchangePlan faster(const Topology& topology, ExchangePlan a, ExchangePlan b) {
  const Duration time_a = fluid_time(topology, a.flows, true);
  const Duration time_b = fluid_time(topology, b.flows, true);
  return time_b < time_a * (1.0 - 1e-9) ? std::move(b) : std::move(a);
}

/// k trees out, as far as the switches replicate.
ExchangePlan plan_scatter(const Network& network, const Clique& clique, Bytes payload) {
  ExchangePlan plan = empty_plan(clique, payload, Exchange::kDirect);
  for (const IslandId i : clique) {
    add_flows(plan, multicast_streams(network, i, without(clique, i)), Carries::kContribution);
  }
  plan.predicted = predict_one_step(network.topology, plan.flows);
  return plan;
}

/// The plan, slowed down to what the switches can hold and add for it alone.
ExchangePlan within_limits(const Network& network, ExchangePlan plan) {
  if (network.limits == nullptr) return plan;
  std::vector<ExchangePlan> alone{std::move(plan)};
  keep_within_limits(network, alone);
  return std::move(alone.front());
}

/// k reduction trees in, as far as the switches add.
ExchangePlan plan_gather(const Network& network, const Clique& clique, Bytes payload) {
  ExchangePlan plan = empty_plan(clique, payload, Exchange::kDirect);
  for (const IslandId i : clique) {
    add_flows(plan, reduction_streams(network, without(clique, i), i), Carries::kContribution);
  }
  plan.predicted = predict_one_step(network.topology, plan.flows);
  return within_limits(network, std::move(plan));
}

ExchangePlan plan_direct(const Network& network, const Clique& clique, Bytes payload) {
  const Capabilities none = no_capabilities(network.topology.switch_count());
  std::vector<ExchangePlan> plans;
  if (any_of_them(network.capabilities.multicast))
    plans.push_back(plan_scatter(network, clique, payload));
  if (any_of_them(network.capabilities.aggregation)) {
    ExchangePlan gather = plan_gather(network, clique, payload);
    if (within_tables(network, gather.flows)) plans.push_back(std::move(gather));
  }
  // A tree goes at the pace of its slowest receiver, which unicasts do not.
  plans.push_back(plan_scatter({network.topology, network.routes, none}, clique, payload));
  ExchangePlan best = std::move(plans.front());
  for (std::size_t p = 1; p < plans.size(); ++p) {
    best = faster(network.topology, std::move(best), std::move(plans[p]));
  }
  return best;
}

/// The least that an in-network exchange with this root can take: the widest access link's time at
/// the slowest member, and the way up and down. Never more than the plan's own prediction, to the
/// last bit.
Duration in_network_least(const Network& network, const Clique& clique, Bytes payload,
                          SwitchId root) {
  const Topology& topology = network.topology;
  Prediction least;
  Duration up;
  Duration down;
  for (const IslandId i : clique) {
    for (const ArcId arc : {topology.up(i), topology.down(i)}) {
      const auto rate = static_cast<double>(topology.arc(arc).capacity.in_bits_per_second());
      least.bandwidth = std::max(least.bandwidth, Duration::seconds(payload.in_bits() / rate));
    }
    up = std::max(up, network.routes.latency(topology.node(i), topology.node(root)));
    down = std::max(down, tree_latency(network, topology.node(root), topology.node(i)));
  }
  least.latency = up + down;
  return least.total();
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
    if (!can_be_root(network, clique, root)) continue;
    if (best && in_network_least(network, clique, payload, root) >= best->predicted.total()) {
      continue;
    }
    ExchangePlan plan = empty_plan(clique, payload, Exchange::kInNetwork);
    plan.root = root;
    add_flows(plan, {in_network_stream(network, clique, root)}, Carries::kResult);
    plan.predicted = predict_one_step(network.topology, plan.flows);
    if (!within_tables(network, plan.flows)) continue;
    plan = within_limits(network, std::move(plan));
    if (!best || plan.predicted.total() < best->predicted.total()) best = std::move(plan);
  }
  if (!best) {
    // No root is in reach and keeps to the tables, or switches have lost what they could: the
    // members do without their sums.
    return plan_direct(network, clique, payload);
  }
  return std::move(*best);
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
                .chunk_count = 1,
                .rate = {},
                .carries = step < k - 1 ? Carries::kPartialSum : Carries::kResult,
                .memory_shares = {},
                .after = {}};
      if (step > 0) flow.after = {(step - 1) * k + i, (step - 1) * k + (i + k - 1) % k};
      plan.flows.push_back(std::move(flow));
    }
  }
  return plan;
}

/// With the given member in the middle.
ExchangePlan plan_hub(const Network& network, const Clique& clique, Bytes payload, IslandId hub) {
  ExchangePlan plan = empty_plan(clique, payload, Exchange::kHub);
  const std::vector<IslandId> others = without(clique, hub);
  add_flows(plan, reduction_streams(network, others, hub), Carries::kContribution);
  const std::size_t inward = plan.flows.size();
  const Prediction in = predict_one_step(network.topology, plan.flows);
  add_flows(plan, multicast_streams(network, hub, others), Carries::kResult);
  const Prediction out = predict_one_step(network.topology, std::span(plan.flows).subspan(inward));
  for (std::size_t f = inward; f < plan.flows.size(); ++f) {
    for (std::size_t before = 0; before < inward; ++before) plan.flows[f].after.push_back(before);
  }
  plan.predicted = {
      .bandwidth = in.bandwidth + out.bandwidth,
      .latency = in.latency + out.latency,
      .binding_arc = in.bandwidth >= out.bandwidth ? in.binding_arc : out.binding_arc};
  return within_limits(network, std::move(plan));
}

ExchangePlan plan_best_hub(const Network& network, const Clique& clique, Bytes payload) {
  std::optional<ExchangePlan> best;
  for (const IslandId hub : clique) {
    ExchangePlan plan = plan_hub(network, clique, payload, hub);
    if (!within_tables(network, plan.flows)) {
      const Capabilities none = no_capabilities(network.topology.switch_count());
      plan = plan_hub({network.topology, network.routes, none}, clique, payload, hub);
    }
    if (!best || plan.predicted.total() < best->predicted.total() * (1.0 - 1e-9)) {
      best = std::move(plan);
    }
  }
  return std::move(*best);
}

}  // namespace

std::vector<Bytes> even_chunks(Bytes payload, std::size_t count) {
  const auto k = static_cast<std::int64_t>(count);
  std::vector<Bytes> chunks;
  chunks.reserve(count);
  for (std::int64_t i = 0; i < k; ++i) {
    chunks.push_back(Bytes::count(payload.in_bytes() / k + (i < payload.in_bytes() % k ? 1 : 0)));
  }
  return chunks;
}

Prediction predict_one_step(const Topology& topology, std::span<const Flow> flows) {
  Prediction prediction = busiest_arc(topology, flows);
  for (const Flow& flow : flows) {
    for (const Delivery& delivery : flow.stream.deliveries) {
      prediction.latency = std::max(prediction.latency, delivery.latency);
    }
  }
  return prediction;
}

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
  switch (exchange) {
    case Exchange::kRing:
      return plan_ring(network, clique, payload);
    case Exchange::kInNetwork:
      return plan_in_network(network, clique, payload);
    case Exchange::kDirect: {
      ExchangePlan direct = plan_direct(network, clique, payload);
      if (!available(network, Exchange::kInNetwork)) return direct;
      return faster(network.topology, plan_in_network(network, clique, payload), std::move(direct));
    }
    case Exchange::kTree:
      return plan_tree(network, clique, payload);
    case Exchange::kHub:
      return plan_best_hub(network, clique, payload);
    case Exchange::kMultiRoot:
      return plan_multi_root(network, clique, payload);
    case Exchange::kBest:
      break;
  }
  ExchangePlan best =
      faster(network.topology, plan_exchange(network, clique, payload, Exchange::kDirect),
             plan_ring(network, clique, payload));
  if (clique.size() > kMostPackedIslands) return best;
  return faster(network.topology, std::move(best), plan_tree(network, clique, payload));
}

namespace {

/// Follows the contributions of every chunk through the flows of a plan.
class PlanCheck {
 public:
  explicit PlanCheck(const ExchangePlan& plan)
      : plan_(&plan),
        k_(plan.members.size()),
        held_(k_, std::vector<Value>(plan.chunks.size(),
                                     Value{.counts = Counts(k_, 0), .changed_by = {}})) {
    for (std::size_t v = 0; v < k_; ++v) {
      for (Value& value : held_[v]) value.counts[v] = 1;
    }
  }

  /// Applies flow `f`; returns what is wrong with it.
  std::optional<std::string> follow(std::size_t f) {
    const Flow& flow = plan_->flows[f];
    if (flow.chunk_count == 0 || flow.chunk + flow.chunk_count > plan_->chunks.size()) {
      return "moves a chunk that is not there";
    }
    Bytes bytes;
    for (std::size_t c = 0; c < flow.chunk_count; ++c) bytes += plan_->chunks[flow.chunk + c];
    if (flow.bytes != bytes) return "loses bytes";
    for (const std::size_t before : flow.after) {
      if (before >= f) return "waits for a later flow";
    }
    for (std::size_t c = 0; c < flow.chunk_count; ++c) {
      if (auto fault = follow_chunk(f, flow.chunk + c)) return fault;
    }
    return std::nullopt;
  }

  /// A member that does not end with every contribution once.
  [[nodiscard]] std::optional<std::string> incomplete(const Topology& topology) const {
    for (std::size_t v = 0; v < k_; ++v) {
      for (std::size_t c = 0; c < plan_->chunks.size(); ++c) {
        for (std::size_t u = 0; u < k_; ++u) {
          if (held_[v][c].counts[u] == 1) continue;
          return fmt::format("{} ends with {}'s contribution to chunk {} {} times",
                             topology.name(plan_->members[v]), topology.name(plan_->members[u]), c,
                             held_[v][c].counts[u]);
        }
      }
    }
    return std::nullopt;
  }

 private:
  using Counts = std::vector<int>;
  /// A member's value of a chunk.
  struct Value {
    Counts counts;                          ///< how often it contains each member's contribution
    std::optional<std::size_t> changed_by;  ///< the last flow delivered to it
  };

  std::optional<std::string> follow_chunk(std::size_t f, std::size_t chunk) {
    const Flow& flow = plan_->flows[f];
    Counts carried(k_, 0);
    for (const IslandId source : flow.stream.sources) {
      const auto v = rank(source);
      if (!v) return "comes from outside the clique";
      const Value& value = held_[*v][chunk];
      const bool relays = flow.stream.sources.size() == 1 && flow.carries != Carries::kContribution;
      if (!relays) {
        carried[*v] += 1;
        continue;
      }
      carried = value.counts;
      if (value.changed_by &&
          std::find(flow.after.begin(), flow.after.end(), *value.changed_by) == flow.after.end()) {
        return fmt::format("does not wait for flow {}, which it passes on", *value.changed_by);
      }
    }
    for (const Delivery& delivery : flow.stream.deliveries) {
      const auto v = rank(delivery.receiver);
      if (!v) return "leads out of the clique";
      Value& value = held_[*v][chunk];
      value.changed_by = f;
      if (flow.carries == Carries::kResult) {
        if (complete(value)) return "brings a result to who has it";
        value.counts = carried;
      } else {
        for (std::size_t u = 0; u < k_; ++u) value.counts[u] += carried[u];
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::size_t> rank(IslandId island) const {
    const auto at = std::lower_bound(plan_->members.begin(), plan_->members.end(), island);
    if (at == plan_->members.end() || *at != island) return std::nullopt;
    return static_cast<std::size_t>(at - plan_->members.begin());
  }
  static bool complete(const Value& value) {
    return std::all_of(value.counts.begin(), value.counts.end(), [](int c) { return c == 1; });
  }

  const ExchangePlan* plan_;
  std::size_t k_;
  std::vector<std::vector<Value>> held_;  ///< by member and chunk
};

}  // namespace

std::optional<std::string> plan_fault(const Network& network, const ExchangePlan& plan) {
  Bytes total;
  for (const Bytes chunk : plan.chunks) total += chunk;
  if (total != plan.payload) return "its chunks do not add up to the payload";
  PlanCheck contributions(plan);
  for (std::size_t f = 0; f < plan.flows.size(); ++f) {
    auto fault = stream_fault(network, plan.flows[f].stream);
    if (!fault) fault = contributions.follow(f);
    if (fault) return fmt::format("flow {}: {}", f, *fault);
  }
  return contributions.incomplete(network.topology);
}

}  // namespace gyre
