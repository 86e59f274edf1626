#include "schedules/round_planner.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"
#include "schedules/network_parts.hpp"

namespace gyre {
namespace {

/// The rounds of a period and, in each, what islands that are alone there do in another one, which
/// counts from these islands: the n-th one is its island n.
PlannedPeriod side_by_side(const PlannedPeriod& period, const PlannedPeriod& other,
                           const Clique& islands) {
  const std::size_t length = std::lcm(period.rounds.size(), other.rounds.size());
  PlannedPeriod both;
  for (std::size_t r = 0; r < length; ++r) {
    const std::size_t first = r % period.rounds.size();
    const std::size_t second = r % other.rounds.size();
    std::vector<Clique> cliques;
    std::size_t count = 0;
    for (const Clique& clique : period.rounds[first].cliques) {
      count += clique.size();
      if (clique.size() > 1) cliques.push_back(clique);
    }
    for (Clique clique : other.rounds[second].cliques) {
      for (IslandId& i : clique) i = islands[i.index()];
      if (clique.size() > 1) cliques.push_back(std::move(clique));
    }
    both.rounds.push_back(make_round(std::move(cliques), count));
    both.times.push_back(std::max(period.times[first], other.times[second]));
  }
  return both;
}

}  // namespace

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

const PlannedPeriod& RoundPlanner::period(const std::function<bool()>& keep_going) {
  if (!exchanges_) broken_invariant("a plan needs to know the exchanges");
  const PlannedPeriod& period = planned(exchanges_->network, keep_going);
  if (period.rounds.empty()) {
    throw InputError(where_, "no round communicates within the window; allow more time");
  }
  return period;
}

PlannedPeriod RoundPlanner::period_for(std::span<const Bandwidth> rates,
                                       const std::function<bool()>& keep_going) {
  if (!exchanges_) broken_invariant("a plan needs to know the exchanges");
  const Network& whole = exchanges_->network;
  std::vector<ArcId> away;
  std::vector<Bandwidth> capacities(rates.begin(), rates.end());
  for (std::size_t a = 0; a < capacities.size(); ++a) {
    if (capacities[a] > Bandwidth()) continue;
    away.push_back(ArcId::at(a));
    capacities[a] = Bandwidth::bits_per_second(1);  // next to nothing, so that nobody plans on it
  }
  const Topology topology = whole.topology.with_capacities(capacities);
  const Routes around(topology, away);
  const bool reroutes = exchanges_->reroutes;
  const std::size_t islands = topology.island_count();
  PlannedPeriod period{.rounds = {make_round({}, islands)}, .times = {Duration()}};
  for (const Clique& part : joined_parts(topology, around)) {
    if (part.size() == 1) continue;
    const Topology map = part.size() == islands ? topology : map_of(topology, part);
    const Routes routes(map, reroutes ? arcs_of(topology, part, away) : std::vector<ArcId>());
    const PlannedPeriod& own = planned({map, routes, whole.capabilities, whole.limits}, keep_going);
    if (own.rounds.empty()) return {};
    period = side_by_side(period, own, part);
  }
  return period;
}

const PlannedPeriod& RoundPlanner::planned(const Network& network,
                                           const std::function<bool()>& keep_going) {
  const std::string key = content_of(network);
  const auto known = planned_.find(key);
  if (known != planned_.end()) return known->second;
  const PlanRequest asked = request(network);
  PlannedPeriod period;
  if (!request_fault(asked, spec_)) {
    const PlanResult result =
        plan_schedule(asked, spec_, [&keep_going](double, double, double) { return keep_going(); });
    if (!result.ranked.empty()) {
      for (const PlannedRound& round : result.ranked.front().rounds) {
        period.rounds.push_back(round.round);
        period.times.push_back(round.time);
      }
    }
  }
  return planned_.emplace(key, std::move(period)).first->second;
}

PlanRequest RoundPlanner::request(const Network& network) const {
  if (!exchanges_) broken_invariant("a plan needs to know the exchanges");
  return {.network = &network,
          .exchange = exchanges_->exchange,
          .routing = exchanges_->routing,
          .payload = exchanges_->payload,
          .compute = exchanges_->compute,
          .seed = seed_,
          .explain = false};
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
