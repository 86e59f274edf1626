#include "sim/clique_row.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace gyre {

bool Sync::dropped() const {
  return std::any_of(exchanges.begin(), exchanges.end(),
                     [](const auto& e) { return e != nullptr && e->dropped(); });
}

bool Sync::partly_dropped() const {
  return std::any_of(exchanges.begin(), exchanges.end(),
                     [](const auto& e) { return e != nullptr && e->partly_dropped(); });
}

namespace {

std::string limit_of(const Topology& topology, const ExchangePlan& plan) {
  const Prediction& predicted = plan.predicted;
  if (predicted.latency > predicted.bandwidth) return "latency";
  if (!plan.limited_by.empty()) return "switch " + plan.limited_by;
  const ArcId arc = predicted.binding_arc;
  return fmt::format("{} {}", topology.is_core(arc) ? "link" : "access", topology.name(arc));
}

}  // namespace

CliqueRow computed_row(std::int64_t round, std::size_t fragment, Clique members, Instant began,
                       Duration compute) {
  CliqueRow row;
  row.round = round;
  row.fragment = fragment;
  row.members = std::move(members);
  row.start = began;
  row.compute = compute;
  row.bound_by = "compute";
  return row;
}

CliqueRow clique_row(const Topology& topology, const Sync& sync, Instant ended) {
  const CliqueExchange& first = *sync.exchanges.front();
  const PreparedPlan& prepared = first.prepared();
  CliqueRow row = computed_row(sync.round, sync.fragment, prepared.plan.members, sync.began_round,
                               sync.compute);
  row.absent = sync.absent;
  std::erase_if(row.members, [&sync](IslandId i) {
    return std::binary_search(sync.absent.begin(), sync.absent.end(), i);
  });
  Duration wait;
  for (const IslandId i : row.members) wait += sync.waits[rank_in(sync.members(), i)];
  if (!row.members.empty()) row.wait = wait / static_cast<double>(row.members.size());
  row.communication = ended - first.begun;
  row.bound = sync.bounds->all.time;
  row.dropped = sync.dropped();
  row.partly = sync.partly_dropped();
  row.in_exchange = first.eager() ? ended - sync.first_ready : row.communication;
  row.sum_error = sync.sum_error;
  if (prepared.plan.flows.empty()) return row;  // a quorum of one
  row.exchange = prepared.plan.exchange;
  if (prepared.plan.flows.front().rate) row.paced = Duration();
  for (const auto& exchange : sync.exchanges) {
    if (exchange == nullptr) continue;
    row.wan_bytes += exchange->wan_bytes();
    row.retransmissions += exchange->retransmissions();
    if (row.paced) *row.paced += exchange->prepared().plan.predicted.bandwidth;
  }
  if (sync.compute < row.communication) row.bound_by = limit_of(topology, prepared.plan);
  return row;
}

std::string whom_it_waits_for(const Topology& topology, const CliqueExchange& exchange) {
  Clique missing;
  for (const IslandId i : exchange.prepared().plan.members) {
    if (std::find(exchange.ready().begin(), exchange.ready().end(), i) == exchange.ready().end()) {
      missing.push_back(i);
    }
  }
  return missing.empty() ? "its flows" : to_text(missing, topology);
}

}  // namespace gyre
