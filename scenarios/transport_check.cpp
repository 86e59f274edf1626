#include "scenarios/transport_check.hpp"

#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/error.hpp"
#include "scenarios/training_check.hpp"

namespace gyre {
namespace {

void check_switch(const Text& name, const Topology& topology) {
  if (topology.find_switch(name.value)) return;
  throw InputError(name.where, fmt::format("'{}' is no switch of the map{}", name.value,
                                           did_you_mean(name.value, topology.switch_names())));
}

}  // namespace

void check_arc(const Text& arc, const Topology& topology) {
  if (topology.find_arc(arc.value)) return;
  throw InputError(arc.where,
                   fmt::format("'{}' is no arc of the map{}; written as X->Y between "
                               "switches, X.up or X.down between island X and its switch",
                               arc.value, did_you_mean(arc.value, topology.arc_names())));
}

void check_arcs(const ArcsSpec& spec, const Topology& topology) {
  if (spec.arc) check_arc(*spec.arc, topology);
  for (const Text& end : spec.link) check_switch(end, topology);
  if (spec.link.empty()) return;
  if (topology.find_arc(spec.link[0].value + "->" + spec.link[1].value)) return;
  throw InputError(spec.link[1].where, fmt::format("no link joins '{}' and '{}'",
                                                   spec.link[0].value, spec.link[1].value));
}

namespace {

/// Whether anything can be lost.
bool loses(const NetworkSpec& network) {
  return std::any_of(network.faults.begin(), network.faults.end(),
                     [](const FaultSpec& fault) { return !fault.loses; }) ||
         (network.transport && network.transport->lossy());
}

std::string_view name_of(AggregationDiscipline discipline) {
  return kAggregationDisciplineNames[static_cast<std::size_t>(discipline)];
}

void check_flow(const NetworkSpec& network) {
  const std::string_view elsewhere =
      "has no effect at fidelity flow; run with --fidelity packet, or leave it out";
  if (network.transport) throw InputError(network.transport->where, elsewhere);
  if (!network.aggregator) return;
  const SwitchLimits& limits = *network.aggregator;
  if (limits.passes_unsummed()) {
    throw InputError(limits.discipline_where,
                     fmt::format("'{}' is simulated at fidelity packet only; run with --fidelity "
                                 "packet, or choose open-loop or ack-clocked",
                                 name_of(limits.discipline)));
  }
  if (limits.launch == LaunchRule::kEager) throw InputError(limits.launch_where, elsewhere);
  if (limits.latency > Duration()) throw InputError(limits.latency_where, elsewhere);
  if (limits.memory) return;
  for (const Where& where : {limits.discipline_where, limits.launch_where}) {
    if (where.same_place(limits.where)) continue;
    throw InputError(where,
                     "has no effect without `memory`, which it decides how long to hold (at "
                     "fidelity packet it has)");
  }
}

void check_flow_schedules(const Scenario& scenario) {
  const NetworkSpec& network = scenario.network;
  for (const ScheduleSpec& schedule : scenario.schedules) {
    if (schedule.policy->overlay() &&
        network.in_flight.value_or(InFlight::kWait) != InFlight::kWait) {
      throw InputError(
          network.in_flight_where,
          fmt::format("the islands of an overlay, as '{}' is one, wait for each of their "
                      "neighbours: with it `in_flight` must be wait",
                      schedule.label.value));
    }
    for (const FaultSpec& fault : network.faults) {
      if (!fault.loses || !schedule.policy->overlay()) continue;
      throw InputError(fault.loses_where,
                       fmt::format("is modelled for cliques only, and '{}' is an overlay",
                                   schedule.label.value));
    }
    if (network.setup_time > Duration() &&
        training_of(scenario, schedule).follows(StragglerSpec::Rule::kQuorum)) {
      throw InputError(network.setup_time_where,
                       "with a quorum each round may have other members, so that tables are never "
                       "there before; it is not modelled");
    }
  }
}

void check_packet(const NetworkSpec& network) {
  if (network.setup_time > Duration() && network.aggregator &&
      network.aggregator->launch == LaunchRule::kEager) {
    throw InputError(network.setup_time_where,
                     "who launches eagerly sends before an exchange has its tables; must be 0 "
                     "there, or choose another `network.aggregator.launch`");
  }
  if (!network.aggregator || !network.aggregator->memory) {
    if (network.aggregator &&
        network.aggregator->discipline == AggregationDiscipline::kBestEffort) {
      throw InputError(network.aggregator->discipline_where,
                       "has no effect without `memory`, which never is full");
    }
    return;
  }
  const SwitchLimits& limits = *network.aggregator;
  const TransportSpec transport = network.transport.value_or(TransportSpec());
  const bool two = limits.discipline == AggregationDiscipline::kAckClocked && loses(network);
  const std::int64_t least = transport.chunk.in_bytes() * (two ? 2 : 1);
  if (limits.memory->in_bytes() < least) {
    throw InputError(limits.memory_where,
                     fmt::format("holds no chunk{} of {}; must be at least {}, or give a smaller "
                                 "`network.transport.chunk`",
                                 two ? " and its copy" : "", to_text(transport.chunk),
                                 to_text(Bytes::count(least))));
  }
}

}  // namespace

void check_transport(const Scenario& scenario, const Topology& topology) {
  const NetworkSpec& network = scenario.network;
  for (const FaultSpec& fault : network.faults) {
    check_arcs(fault, topology);
    if (fault.at_switch) check_switch(*fault.at_switch, topology);
  }
  if (!network.faults.empty() && !network.in_flight) {
    throw InputError(network.faults.front().where,
                     "needs `network.in_flight`, the rule for exchanges that are under way when "
                     "something fails: wait, reroute or drop");
  }
  if (network.in_flight && network.faults.empty()) {
    throw InputError(network.in_flight_where, "has no effect without `network.faults`");
  }
  const TransportSpec transport = network.transport.value_or(TransportSpec());
  std::set<std::string> seen;
  for (const ArcLoss& loss : transport.losses) {
    check_arc(loss.arc, topology);
    if (seen.insert(loss.arc.value).second) continue;
    throw InputError(loss.arc.where, fmt::format("arc '{}' is there twice", loss.arc.value));
  }
  const bool lossy = loses(network);
  if (transport.recovery && !lossy) {
    throw InputError(transport.recovery->where,
                     "has no effect, since nothing is lost; leave it out, or give `loss`, `losses` "
                     "or `network.faults`");
  }
  if (network.aggregator && lossy && network.aggregator->passes_unsummed()) {
    throw InputError(network.aggregator->discipline_where,
                     fmt::format("'{}' cannot repeat a lost sum; with loss or faults the allowed "
                                 "are open-loop and ack-clocked",
                                 name_of(network.aggregator->discipline)));
  }
}

void check_fidelity(const Scenario& scenario, Fidelity fidelity) {
  if (fidelity == Fidelity::kFlow) {
    check_flow(scenario.network);
    check_flow_schedules(scenario);
  } else {
    check_packet(scenario.network);
    check_packet_training(scenario);
  }
}

}  // namespace gyre
