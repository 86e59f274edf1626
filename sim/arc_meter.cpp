#include "sim/arc_meter.hpp"

#include <algorithm>

#include "models/error.hpp"

namespace gyre {

ArcMeter::ArcMeter(const std::vector<simgrid::s4u::Link*>& links)
    : links_(links), usage_(links.size()), arcs_(links.size()) {}

void ArcMeter::begin(const Stream& stream, const simgrid_compat::Activity* activity) {
  if (free_flows_.empty()) {
    free_flows_.push_back(static_cast<std::uint32_t>(flows_.size()));
    flows_.emplace_back();
  }
  const std::uint32_t flow = free_flows_.back();
  free_flows_.pop_back();
  std::vector<Place>& places = flows_[flow].places;
  for (const ArcUse& use : stream.arcs) {
    std::vector<Crossing>& crossings = arcs_[use.arc.index()].crossings;
    const auto place = static_cast<std::uint32_t>(places.size());
    places.push_back({.arc = static_cast<std::uint32_t>(use.arc.index()),
                      .at = static_cast<std::uint32_t>(crossings.size())});
    crossings.push_back({.flow = flow, .place = place});
    changed_.push_back(use.arc.index());
  }
  under_way_[activity] = flow;
}

void ArcMeter::end(const simgrid_compat::Activity* activity) {
  const auto found = under_way_.find(activity);
  check(found != under_way_.end(), "a flow has ended that has not begun");
  ended_.push_back(found->second);
  under_way_.erase(found);
}

void ArcMeter::remove(std::uint32_t flow) {
  for (const Place& place : flows_[flow].places) {
    // The last of the arc's list takes the place that becomes free.
    std::vector<Crossing>& crossings = arcs_[place.arc].crossings;
    const Crossing last = crossings.back();
    crossings[place.at] = last;
    flows_[last.flow].places[last.place].at = place.at;
    crossings.pop_back();
    changed_.push_back(place.arc);
  }
  flows_[flow].places.clear();
  free_flows_.push_back(flow);
}

void ArcMeter::count(const Stream& stream, Bytes bytes) {
  for (const ArcUse& use : stream.arcs) usage_[use.arc.index()].bytes += bytes * use.copies;
}

void ArcMeter::sample(std::size_t arc) {
  ArcState& state = arcs_[arc];
  const double bytes_per_second = state.crossings.empty() ? 0.0 : links_[arc]->get_usage();
  if (bytes_per_second <= 0.0) {
    if (state.carried == 0) return;
    carried_[state.carried - 1] = carried_.back();
    arcs_[carried_.back().arc].carried = state.carried;
    carried_.pop_back();
    state.carried = 0;
    return;
  }
  if (state.carried == 0) {
    carried_.emplace_back();
    state.carried = carried_.size();
  }
  carried_[state.carried - 1] = {.arc = arc,
                                 .bits_per_second = 8.0 * bytes_per_second,
                                 .utilisation = bytes_per_second / links_[arc]->get_bandwidth()};
}

/// Asks for the rates of the parts of the map where flows began or ended; of all arcs where finding
/// those parts would take longer than that.
void ArcMeter::update() {
  std::size_t walked = 0;
  ++search_;
  open_.clear();
  std::swap(open_, changed_);
  while (!open_.empty()) {
    const std::size_t a = open_.back();
    open_.pop_back();
    if (arcs_[a].seen == search_) continue;
    arcs_[a].seen = search_;
    sample(a);
    for (const Crossing& crossing : arcs_[a].crossings) {
      FlowState& flow = flows_[crossing.flow];
      if (flow.seen == search_) continue;
      flow.seen = search_;
      walked += flow.places.size();
      if (walked > arcs_.size()) {
        for (std::size_t arc = 0; arc < arcs_.size(); ++arc) sample(arc);
        return;
      }
      for (const Place& place : flow.places) open_.push_back(place.arc);
    }
  }
}

void ArcMeter::advance(Duration elapsed) {
  if (elapsed > Duration()) {
    if (!changed_.empty()) update();
    for (const Carried& carried : carried_) {
      ArcUsage& usage = usage_[carried.arc];
      usage.busy += elapsed;
      usage.carried_bits += carried.bits_per_second * elapsed.in_seconds();
      usage.peak_utilisation = std::max(usage.peak_utilisation, carried.utilisation);
    }
  }
  remove_ended();
}

void ArcMeter::remove_ended() {
  for (const std::uint32_t flow : ended_) remove(flow);
  ended_.clear();
}

}  // namespace gyre
