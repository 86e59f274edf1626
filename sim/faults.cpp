#include "sim/faults.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/error.hpp"
#include "schedules/network_parts.hpp"

namespace gyre {

std::vector<Fault> faults_of(const std::vector<FaultSpec>& specs, const Topology& topology) {
  std::vector<Fault> faults;
  for (const FaultSpec& spec : specs) {
    Fault fault;
    fault.from = Instant() + spec.from;
    if (spec.to) fault.to = Instant() + *spec.to;
    if (spec.availability) {
      fault.random = {*spec.mean_outage * (*spec.availability / (1.0 - *spec.availability)),
                      *spec.mean_outage};
    }
    if (spec.every_link) {
      // Core arcs come in pairs, both directions of a link.
      for (std::size_t a = 2 * topology.island_count(); a < topology.arc_count(); a += 2) {
        const Arc& arc = topology.arc(ArcId::at(a));
        fault.name = fmt::format("{}-{}", topology.name(topology.switch_at(arc.tail)),
                                 topology.name(topology.switch_at(arc.head)));
        fault.arcs = {ArcId::at(a), ArcId::at(a + 1)};
        faults.push_back(fault);
      }
      continue;
    }
    if (spec.arc) {
      fault.name = spec.arc->value;
      fault.arcs = {topology.find_arc(spec.arc->value).value()};
    } else if (!spec.link.empty()) {
      fault.name = fmt::format("{}-{}", spec.link[0].value, spec.link[1].value);
      const SwitchId first = topology.find_switch(spec.link[0].value).value();
      const SwitchId second = topology.find_switch(spec.link[1].value).value();
      for (const auto& [tail, head] : {std::pair(first, second), std::pair(second, first)}) {
        for (const ArcId a : topology.out_arcs(topology.node(tail))) {
          if (topology.arc(a).head == topology.node(head)) fault.arcs.push_back(a);
        }
      }
    } else {
      const SwitchId at = topology.find_switch(spec.at_switch->value).value();
      fault.name = spec.at_switch->value;
      if (spec.loses) {
        fault.name = fmt::format("{} of {}",
                                 *spec.loses == Loses::kBoth
                                     ? "multicast and aggregation"
                                     : kLosesNames[static_cast<std::size_t>(*spec.loses)],
                                 fault.name);
        if (*spec.loses != Loses::kAggregation) fault.lost.push_back({.at = at, .adding = false});
        if (*spec.loses != Loses::kMulticast) fault.lost.push_back({.at = at, .adding = true});
      } else {
        const NodeId node = topology.node(at);
        for (const ArcId a : topology.out_arcs(node)) fault.arcs.push_back(a);
        for (const ArcId a : topology.in_arcs(node)) fault.arcs.push_back(a);
      }
    }
    faults.push_back(std::move(fault));
  }
  return faults;
}

FaultTimes::FaultTimes(const Fault& fault, std::uint64_t seed)
    : fault_(&fault), rng_(Rng::stream(seed, "fault/" + fault.name)) {}

std::optional<Instant> FaultTimes::next() {
  if (over_) return std::nullopt;
  failed_ = !failed_;
  if (fault_->random) {
    const auto& [up, down] = *fault_->random;
    now_ = now_ + (failed_ ? up : down) * rng_.exponential();
    return now_;
  }
  if (failed_) {
    over_ = !fault_->to;
    return fault_->from;
  }
  over_ = true;
  return fault_->to;
}

void Outages::count(const Fault& fault, int more) {
  const auto add = [more](auto& counts, const auto& thing) {
    if ((counts[thing] += more) == 0) counts.erase(thing);
  };
  for (const ArcId arc : fault.arcs) add(down_, arc);
  for (const LostCapability& one : fault.lost) {
    add(lost_, one);
    const std::size_t s = one.at.index();
    std::vector<bool>& able = one.adding ? able_.aggregation : able_.multicast;
    const std::vector<bool>& whole = one.adding ? whole_.aggregation : whole_.multicast;
    able[s] = whole[s] && !lost_.contains(one);
  }
}

std::set<ArcId> Outages::down() const {
  std::set<ArcId> arcs;
  for (const auto& [arc, faults] : down_) arcs.insert(arc);
  return arcs;
}

std::string Outages::key() const {
  std::string key;
  for (const auto& [arc, faults] : down_) key += fmt::format("{} ", arc.index());
  for (const auto& [lost, faults] : lost_) {
    key += fmt::format("{}{} ", lost.adding ? "a" : "m", lost.at.index());
  }
  return key;
}

namespace {

Topology without(const Topology& topology, const std::set<ArcId>& down) {
  std::vector<Bandwidth> capacities = topology.capacities();
  for (const ArcId arc : down) capacities[arc.index()] = Bandwidth::bits_per_second(1);
  return topology.with_capacities(capacities);
}

}  // namespace

ReducedNetwork::ReducedNetwork(const Network& whole, const Outages& outages)
    : topology_(without(whole.topology, outages.down())),
      down_(outages.down()),
      routes_(topology_, {down_.begin(), down_.end()}),
      able_(within_reach(topology_, routes_, outages.able())),
      network_{
          .topology = topology_, .routes = routes_, .capabilities = able_, .limits = whole.limits} {
}

bool ReducedNetwork::joins(std::span<const IslandId> members) const {
  return std::all_of(members.begin(), members.end(), [&](IslandId a) {
    return std::all_of(members.begin(), members.end(), [&](IslandId b) {
      return a == b || routes_.leads(topology_.node(a), topology_.node(b));
    });
  });
}

Round ReducedNetwork::joined(const Round& round) const {
  Round left = round;
  for (std::size_t c = 0; c < round.cliques.size(); ++c) {
    if (joins(round.cliques[c])) continue;
    left.cliques[c].resize(1);
    for (std::size_t m = 1; m < round.cliques[c].size(); ++m) {
      left.cliques.push_back({round.cliques[c][m]});
    }
  }
  return left;
}

bool crosses_outage(const Outages& outages, const Stream& stream) {
  return std::any_of(stream.arcs.begin(), stream.arcs.end(),
                     [&](const ArcUse& use) { return outages.is_down(use.arc); });
}

bool lacks_capability(const Network& whole, const Outages& outages, const Stream& stream) {
  if (!outages.any()) return false;
  const Network now{.topology = whole.topology,
                    .routes = whole.routes,
                    .capabilities = outages.able(),
                    .limits = whole.limits};
  return stream_fault(now, stream).has_value();
}

}  // namespace gyre
