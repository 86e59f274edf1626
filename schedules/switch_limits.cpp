#include "schedules/switch_limits.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "models/error.hpp"
#include "schedules/switch_program.hpp"

namespace gyre {

void SwitchLimits::describe(Fields& fields) {
  where = fields.where();
  fields.optional({"memory", "Bytes of sums that a switch can hold; unlimited if not given."},
                  memory, Range{.at_least = 1.0});
  fields.optional_choice({"discipline",
                          "When a sum's state is free again: open-loop, on forwarding; "
                          "ack-clocked, when its result is acknowledged. At fidelity packet also "
                          "best-effort (on forwarding; what finds no room is passed on unsummed) "
                          "and partial-timeout (the same, and after a time-out)."},
                         discipline, kAggregationDisciplineNames);
  fields.optional_choice({"launch",
                          "When islands launch: together, aligned so that their contributions "
                          "meet at every switch, or (fidelity packet) eager, each when it is "
                          "ready."},
                         launch, kLaunchRuleNames);
  fields.optional({"jitter", "How far aligned contributions miss each other."}, jitter,
                  kNotNegative);
  fields.optional({"rate", "What a switch can add, all inputs together; unlimited if not given."},
                  rate, kPositive);
  fields.optional({"latency", "Time that an addition takes (fidelity packet)."}, latency,
                  kNotNegative);
  fields.optional({"timeout", "Of partial-timeout: when a partial sum is sent on."}, timeout,
                  kPositive);
  fields.optional({"fan_in", "Inputs of one sum at most; unlimited if not given."}, fan_in,
                  Range{.at_least = 2.0});
  fields.optional({"groups", "Streams that a switch adds at once; unlimited if not given."}, groups,
                  Range{.at_least = 1.0});
  memory_where = fields.where("memory");
  discipline_where = fields.where("discipline");
  launch_where = fields.where("launch");
  latency_where = fields.where("latency");
  fields.optional_object({"numbers", "What switches add with; exact if not given."}, numbers);
  if (fields.given("jitter") && launch != LaunchRule::kAligned) {
    throw InputError(fields.where("jitter"), "has no effect; allowed with `launch: aligned`");
  }
  if (fields.given("timeout") && discipline != AggregationDiscipline::kPartialTimeout) {
    throw InputError(fields.where("timeout"),
                     "has no effect; allowed with `discipline: partial-timeout`");
  }
  if (discipline == AggregationDiscipline::kAckClocked && launch == LaunchRule::kAligned) {
    throw InputError(fields.where("launch"),
                     "aligned launch has no effect where sums are held until they are "
                     "acknowledged; allowed with `discipline: open-loop`");
  }
}

std::vector<AggregationLoad> aggregation_loads(const Network& network, const Stream& stream) {
  if (network.limits == nullptr || stream.sources.size() < 2) return {};
  const SwitchLimits& limits = *network.limits;
  const Topology& topology = network.topology;
  const TreeShape shape = shape_of(network, stream);
  std::map<NodeId, std::vector<const Hop*>> inputs;
  for (const Hop& hop : shape.up) inputs[hop.to].push_back(&hop);
  // When the sum of everything behind a node is complete there, from the farthest inwards.
  std::map<NodeId, Duration> complete;
  std::map<NodeId, std::pair<Duration, Duration>> window;  // first and last arrival
  const auto arrive = [&](const auto& self, NodeId node) -> Duration {
    const auto known = complete.find(node);
    if (known != complete.end()) return known->second;
    std::optional<Duration> first;
    Duration last;
    // An island's own contribution is there from the start.
    if (!topology.is_switch(node)) first = Duration();
    for (const Hop* hop : inputs[node]) {
      const Duration time = self(self, hop->from) + path_latency(topology, hop->path);
      first = std::min(first.value_or(time), time);
      last = std::max(last, time);
    }
    window[node] = {first.value_or(Duration()), last};
    return complete[node] = last;
  };
  const Duration depth = arrive(arrive, shape.root);
  std::vector<AggregationLoad> loads;
  for (const auto& [node, hops] : inputs) {
    if (!topology.is_switch(node) || hops.size() < 2) continue;
    Duration hold = window.at(node).second - window.at(node).first;
    if (limits.launch == LaunchRule::kAligned) hold = limits.jitter;
    if (limits.discipline == AggregationDiscipline::kAckClocked) hold = depth * 2.0;
    if (limits.passes_unsummed()) hold = Duration();
    loads.push_back({.at = topology.switch_at(node), .inputs = hops.size(), .hold = hold});
  }
  return loads;
}

std::vector<std::size_t> merging_streams(const Network& network, std::span<const Flow> flows) {
  std::vector<std::size_t> streams(network.topology.switch_count(), 0);
  for (const Flow& flow : flows) {
    for (const AggregationLoad& load : aggregation_loads(network, flow.stream)) {
      ++streams[load.at.index()];
    }
  }
  return streams;
}

bool within_tables(const Network& network, std::span<const Flow> flows) {
  if (network.limits == nullptr) return true;
  const SwitchLimits& limits = *network.limits;
  if (limits.fan_in) {
    const auto most = static_cast<std::size_t>(*limits.fan_in);
    for (const Flow& flow : flows) {
      for (const AggregationLoad& load : aggregation_loads(network, flow.stream)) {
        if (load.inputs > most) return false;
      }
    }
  }
  if (!limits.groups) return true;
  const auto most = static_cast<std::size_t>(*limits.groups);
  const std::vector<std::size_t> streams = merging_streams(network, flows);
  return std::all_of(streams.begin(), streams.end(),
                     [most](std::size_t count) { return count <= most; });
}

namespace {

/// What the streams of one round want of each switch, at the rates that their plans predict.
class Demands {
 public:
  Demands(const Network& network, const std::vector<ExchangePlan>& plans)
      : held_bits_(network.topology.switch_count(), 0.0),
        added_bps_(network.topology.switch_count(), 0.0),
        streams_(network.topology.switch_count(), 0.0) {
    for (const ExchangePlan& plan : plans) {
      std::vector<std::vector<AggregationLoad>>& of_plan = loads_.emplace_back();
      for (const Flow& flow : plan.flows) {
        of_plan.push_back(aggregation_loads(network, flow.stream));
        for (const AggregationLoad& load : of_plan.back()) {
          const std::size_t s = load.at.index();
          held_bits_[s] += rate_bps(plan) * load.hold.in_seconds();
          added_bps_[s] += rate_bps(plan) * static_cast<double>(load.inputs);
          streams_[s] += 1.0;
        }
      }
    }
  }
  static double rate_bps(const ExchangePlan& plan) {
    return plan.payload.in_bits() / plan.predicted.bandwidth.in_seconds();
  }
  [[nodiscard]] double held_bits(SwitchId s) const { return held_bits_[s.index()]; }
  [[nodiscard]] double added_bps(SwitchId s) const { return added_bps_[s.index()]; }
  [[nodiscard]] const std::vector<std::vector<AggregationLoad>>& loads(std::size_t plan) const {
    return loads_[plan];
  }
  /// Part of a switch's memory for one of the streams: what it wants of all that is wanted.
  [[nodiscard]] double share(const ExchangePlan& plan, const AggregationLoad& load) const {
    const double all = held_bits_[load.at.index()];
    return all > 0.0 ? rate_bps(plan) * load.hold.in_seconds() / all
                     : 1.0 / streams_[load.at.index()];
  }

 private:
  std::vector<double> held_bits_;
  std::vector<double> added_bps_;
  std::vector<double> streams_;
  std::vector<std::vector<std::vector<AggregationLoad>>> loads_;
};

}  // namespace

void keep_within_limits(const Network& network, std::vector<ExchangePlan>& plans) {
  if (network.limits == nullptr) return;
  const SwitchLimits& limits = *network.limits;
  const Demands demands(network, plans);
  for (std::size_t p = 0; p < plans.size(); ++p) {
    double share = 1.0;
    const auto leave = [&](double left, SwitchId at, std::string_view what) {
      if (left >= share) return;
      share = left;
      plans[p].limited_by = fmt::format("{} {}", what, network.topology.name(at));
    };
    for (std::size_t f = 0; f < plans[p].flows.size(); ++f) {
      for (const AggregationLoad& load : demands.loads(p)[f]) {
        plans[p].flows[f].memory_shares.emplace_back(load.at, demands.share(plans[p], load));
        if (limits.memory && demands.held_bits(load.at) > 0.0) {
          leave(limits.memory->in_bits() / demands.held_bits(load.at), load.at, "memory");
        }
        if (limits.rate) {
          leave(static_cast<double>(limits.rate->in_bits_per_second()) / demands.added_bps(load.at),
                load.at, "adder");
        }
      }
    }
    if (share >= 1.0) continue;
    const double rate_bps = Demands::rate_bps(plans[p]) * share;
    for (Flow& flow : plans[p].flows) {
      flow.rate = Bandwidth::bits_per_second(
          std::max<std::int64_t>(1, static_cast<std::int64_t>(rate_bps)));
    }
    plans[p].predicted.bandwidth = plans[p].predicted.bandwidth / share;
  }
}

}  // namespace gyre
