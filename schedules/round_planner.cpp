#include "schedules/round_planner.hpp"

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {

void RoundPlanner::describe(Fields& fields) {
  where_ = fields.where();
  spec_.describe(fields);
}

void RoundPlanner::start(const ExchangeContext& exchanges, std::uint64_t seed) {
  exchanges_.emplace(exchanges);
  seed_ = seed;
  if (const auto fault = request_fault(request(exchanges_->network), spec_)) {
    throw InputError(where_, *fault);
  }
}

bool RoundPlanner::knows(const Network& network) const {
  return planned_.contains(content_of(network));
}

const std::vector<Round>& RoundPlanner::rounds(const Network& network,
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
