#pragma once

#include "schedules/exchange_plan.hpp"

namespace gyre {

/// `multi-root`: the payload in k even parts, of which each member is the root of one. A part goes
/// into its root and out again along one tree, all trees at a time: each member adds what comes
/// from further out, sends it to the next member on its least-latency way to the root, and later
/// passes the result back. (Of several members at one switch the root, else the lowest rank, speaks
/// for the others.) Needs no capability of the network. After the trees with several roots of
/// NETSTORM (Li et al. 2024, arXiv 2404.11352); those follow measured rates, these the map's
/// latencies. Requires k ≥ 2 members. Cost: k² path lengths.
ExchangePlan plan_multi_root(const Network& network, const Clique& clique, Bytes payload);

}  // namespace gyre
