#include "sim/clique_row.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace gyre {

CliqueRow clique_row(const Topology& topology, std::int64_t number, const CliqueExchange& exchange,
                     Instant ended) {
  const PreparedPlan& prepared = exchange.prepared();
  const auto k = static_cast<double>(prepared.plan.members.size());
  const Duration communication = ended - exchange.begun;
  const Prediction& predicted = prepared.plan.predicted;
  std::optional<Duration> paced;
  if (prepared.plan.flows.front().rate) paced = predicted.bandwidth;
  std::string bound_by = "compute";
  if (exchange.compute < communication) {
    const ArcId arc = predicted.binding_arc;
    const std::string& limit = prepared.plan.limited_by;
    bound_by = fmt::format("{} {}", topology.is_core(arc) ? "link" : "access", topology.name(arc));
    if (!limit.empty()) bound_by = "switch " + limit;
    if (predicted.latency > predicted.bandwidth) bound_by = "latency";
  }
  return {.round = number,
          .members = prepared.plan.members,
          .exchange = prepared.plan.exchange,
          .start = exchange.began_round,
          .compute = exchange.compute,
          .wait = exchange.wait / k,
          .communication = communication,
          .wan_bytes = exchange.wan_bytes(),
          .bound = prepared.bound.time,
          .paced = paced,
          .bound_by = std::move(bound_by),
          .dropped = exchange.dropped(),
          .partly = exchange.partly_dropped(),
          .in_exchange = exchange.eager() ? ended - exchange.first_ready : communication,
          .sum_error = exchange.sum_error,
          .retransmissions = exchange.retransmissions()};
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
