#pragma once

#include <vector>

#include "models/routing.hpp"
#include "schedules/exchange_plan.hpp"

namespace gyre {

/// Islands on a map up to which packed exchanges are planned.
inline constexpr std::size_t kMostPackedIslands = 12;
/// Islands on a map up to which `tree` is allowed: without help by the switches its pricing is
/// fast.
inline constexpr std::size_t kMostTreeIslands = 32;

/// How all cliques of a round exchange, in the order of its cliques of two members or more.
///
/// With `Routing::kShortest` each clique plans alone (`plan_exchange`). With `kAny` the round is
/// planned as a whole, so that its cliques share the arcs as one optimal packing
/// (`RoundPacker::finish_first`); `direct` and `best` take the kind of packing that ends first, and
/// a ring still follows shortest paths.
std::vector<ExchangePlan> plan_round(const Network& network, const Round& round, Bytes payload,
                                     Exchange exchange, Routing routing);

/// When the last of a round's plans ends, all of them together on an idle map (`fluid_time`).
Duration joint_end(const Topology& topology, const std::vector<ExchangePlan>& plans);

/// How many flows with a rate of their own can be under way at once, where no more than
/// `small_cliques` cliques of up to `kMostPackedIslands` members exchange at a time. 0 where no
/// plan sets rates. What is packed has no more trees than its LP has rows: an arc each and a group
/// each, of every clique; what switches' limits slow down has no more flows than the cliques have
/// ordered pairs.
std::size_t most_paced_flows(const Network& network, Exchange exchange, Routing routing,
                             std::size_t small_cliques);

/// Whether the plans of a round depend on each other: as one packing, or by the switches' limits.
bool plans_jointly(const Network& network, Exchange exchange, Routing routing);

/// `tree` for a clique alone on shortest paths: its members add and re-send over a packing of trees
/// of unicasts.
ExchangePlan plan_tree(const Network& network, const Clique& clique, Bytes payload);

}  // namespace gyre
