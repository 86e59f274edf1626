#include "sim/faults.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/error.hpp"
#include "schedules/network_parts.hpp"

namespace gyre {

void set_times(Fault& fault, const TimesSpec& spec) {
  fault.from = Instant() + spec.from;
  if (spec.to) fault.to = Instant() + *spec.to;
  if (!spec.availability) return;
  fault.random = {*spec.mean_outage * (*spec.availability / (1.0 - *spec.availability)),
                  *spec.mean_outage};
}

std::vector<Fault> faults_of(const std::vector<FaultSpec>& specs, const Topology& topology) {
  std::vector<Fault> faults;
  for (const FaultSpec& spec : specs) {
    Fault fault;
    set_times(fault, spec);
    for (NamedArcs& on : named_arcs(spec, topology)) {
      fault.name = std::move(on.name);
      fault.arcs = std::move(on.arcs);
      faults.push_back(fault);
    }
    if (!spec.at_switch) continue;
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

FaultPeriods::FaultPeriods(const Fault& fault, std::uint64_t seed) : times_(fault, seed) {}

const std::vector<Period>& FaultPeriods::until(Instant at) {
  while (!over_ && (drawn_.empty() || drawn_.back().from <= at)) {
    const std::optional<Instant> from = times_.next();
    if (from) drawn_.push_back({.from = *from, .to = times_.next()});
    over_ = !from || !drawn_.back().to;
  }
  return drawn_;
}

void FaultPeriods::forget(Instant until) {
  std::erase_if(drawn_, [until](const Period& period) { return period.is_over(until); });
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
      able_(outages.able()),
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
  return outage_on(outages, stream).has_value();
}

std::optional<ArcId> outage_on(const Outages& outages, const Stream& stream) {
  for (const ArcUse& use : stream.arcs) {
    if (outages.is_down(use.arc)) return use.arc;
  }
  return std::nullopt;
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
