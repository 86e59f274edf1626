#include "schedules/round_planner.hpp"

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {

void RoundPlanner::describe(Fields& fields) {
  where_ = fields.where();
  spec_.describe(fields);
}

void RoundPlanner::start(const PolicyContext& context) {
  exchanges_.reset();
  if (context.exchanges == nullptr || context.topology.island_count() == 1) return;
  exchanges_.emplace(*context.exchanges);
  seed_ = context.seed;
  if (const auto fault = request_fault(request(exchanges_->network), spec_)) {
    throw InputError(where_, *fault);
  }
}

bool RoundPlanner::waits() const {
  return exchanges_ && !planned_.contains(content_of(exchanges_->network));
}

const std::vector<Round>& RoundPlanner::rounds(const std::function<bool()>& keep_going) {
  if (!exchanges_) broken_invariant("a plan needs to know the exchanges");
  const std::vector<Round>& rounds = planned(exchanges_->network, keep_going);
  if (rounds.empty()) {
    throw InputError(where_, "no round communicates within the window; allow more time");
  }
  return rounds;
}

const std::vector<Round>& RoundPlanner::rounds_for(std::span<const Bandwidth> capacities,
                                                   const std::function<bool()>& keep_going) {
  if (!exchanges_) broken_invariant("a plan needs to know the exchanges");
  const Network& network = exchanges_->network;
  const Topology topology = network.topology.with_capacities(capacities);
  const Routes routes(topology);
  return planned({topology, routes, network.capabilities, network.limits}, keep_going);
}

const std::vector<Round>& RoundPlanner::planned(const Network& network,
                                                const std::function<bool()>& keep_going) {
  const std::string key = content_of(network);
  const auto known = planned_.find(key);
  if (known != planned_.end()) return known->second;
  const PlanResult result = plan_schedule(
      request(network), spec_, [&keep_going](double, double, double) { return keep_going(); });
  std::vector<Round> rounds;
  if (!result.ranked.empty()) {
    for (const PlannedRound& round : result.ranked.front().rounds) rounds.push_back(round.round);
  }
  return planned_.emplace(key, std::move(rounds)).first->second;
}

PlanRequest RoundPlanner::request(const Network& network) const {
  if (!exchanges_) broken_invariant("a plan needs to know the exchanges");
  return {.network = &network,
          .exchange = exchanges_->exchange,
          .routing = exchanges_->routing,
          .payload = exchanges_->payload,
          .compute = exchanges_->compute,
          .seed = seed_};
}

/// Everything that the plan depends on.
std::string RoundPlanner::content_of(const Network& network) const {
  const PlanRequest asked = request(network);
  const Topology& topology = network.topology;
  std::string text =
      fmt::format("{} {} {} {} {}", name_of(asked.exchange), name_of(asked.routing),
                  asked.payload.in_bytes(), to_text(asked.compute.in_seconds()), asked.seed);
  for (std::size_t a = 0; a < topology.arc_count(); ++a) {
    const Arc& arc = topology.arc(ArcId::at(a));
    text += fmt::format(";{}>{} {} {}", arc.tail.index(), arc.head.index(),
                        arc.capacity.in_bits_per_second(), to_text(arc.latency.in_seconds()));
  }
  for (std::size_t s = 0; s < topology.switch_count(); ++s) {
    const SwitchId at = SwitchId::at(s);
    text += fmt::format(";{:d}{:d}", network.capabilities.replicates(at),
                        network.capabilities.adds(at));
  }
  return text;
}

}  // namespace gyre
