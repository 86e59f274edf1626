#pragma once

#include <vector>

#include "schedules/exchange_plan.hpp"

namespace gyre {

/// A Hamiltonian order of a clique and what it costs.
struct Ring {
  std::vector<IslandId> order;  ///< starts with the lowest rank
  Prediction predicted;
};

/// The order of a ring all-reduce, chosen by what paces it.
///
/// In each of 2(k−1) steps all hops move M/k at once; with load(a) hops over arc a a step takes
/// max_a load(a)·(M/k)/c(a), and the chain of dependencies pays the largest sum of 2(k−1)
/// consecutive hop latencies:
///
///     T(order) = 2(k−1)/k · M · max_a load(a)/c(a) + max_start Σ_{2(k−1) hops} latency.
///
/// T is exact where all hops take equally long, else an estimate from above: a chain may hide its
/// latency behind a slower one. Its least value is found exactly (branch and bound over directed
/// orders) up to 9 members; beyond, nearest neighbour from every member, improved (up to 128
/// members) by moves of segments until none helps: no guarantee. Ties: the first found, in rank
/// order. Cost: (k−1)! · k short paths at worst, in practice far less; beyond 9 members a path for
/// each pair, O(k² log k) to sort them, and k³ paths a sweep where orders are improved.
Ring ring_order(const Network& network, const Clique& clique, Bytes payload);

/// T of one given order. Requires the clique's members, each once.
Prediction ring_time(const Network& network, const std::vector<IslandId>& order, Bytes payload);

}  // namespace gyre
