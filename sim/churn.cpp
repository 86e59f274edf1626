#include "sim/churn.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gyre {

std::vector<IslandEvent> island_events(const std::vector<ChurnEvent>& events,
                                       const Topology& topology) {
  std::vector<IslandEvent> resolved;
  for (const ChurnEvent& event : events) {
    for (std::size_t i = 0; i < topology.island_count(); ++i) {
      const std::string& name = topology.name(IslandId::at(i));
      if (event.island && event.island->value != name) continue;
      IslandEvent one{.island = IslandId::at(i), .slowdown = event.slowdown, .when = {}};
      one.when.name = fmt::format("{} of {}", event.slowdown ? "slowness" : "absence", name);
      one.when.from = Instant() + event.from;
      if (event.to) one.when.to = Instant() + *event.to;
      if (event.availability) {
        const double up = *event.availability / (1.0 - *event.availability);
        one.when.random = {*event.mean_outage * up, *event.mean_outage};
      }
      resolved.push_back(std::move(one));
    }
  }
  return resolved;
}

Churn::Churn(const std::vector<IslandEvent>& events, std::size_t islands, std::uint64_t seed)
    : events_(&events), calendars_(islands), any_(!events.empty()) {
  for (const IslandEvent& event : *events_) {
    calendars_[event.island.index()].push_back({.times = FaultTimes(event.when, seed),
                                                .slowdown = event.slowdown,
                                                .periods = {},
                                                .over = false});
  }
}

std::optional<Period> Churn::Calendar::at_or_after(Instant now) {
  // What is over is looked at no more: times do not go back, but by what a cut left undone.
  for (const Period& period : periods) {
    if (!period.to || *period.to > now) return period;
  }
  while (!over) {
    const std::optional<Instant> from = times.next();
    if (!from) break;
    const std::optional<Instant> to = times.next();
    over = !to;
    periods.push_back({*from, to});
    if (!to || *to > now) return periods.back();
  }
  over = true;
  return std::nullopt;
}

std::optional<Period> Churn::absence(IslandId island, Instant now) {
  std::optional<Period> first;
  for (Calendar& calendar : calendars_[island.index()]) {
    if (calendar.slowdown) continue;
    std::erase_if(calendar.periods,
                  [now](const Period& period) { return period.to && *period.to <= now; });
    const std::optional<Period> next = calendar.at_or_after(now);
    if (next && (!first || next->from < first->from)) first = next;
  }
  return first;
}

Instant Churn::done(IslandId island, Instant now, Duration work) {
  std::vector<Calendar>& calendars = calendars_[island.index()];
  for (Calendar& calendar : calendars) {
    if (!calendar.slowdown) continue;
    std::erase_if(calendar.periods,
                  [now](const Period& period) { return period.to && *period.to <= now; });
  }
  while (true) {
    double factor = 1.0;
    std::optional<Instant> change;
    const auto changes_at = [&change](Instant at) {
      if (!change || at < *change) change = at;
    };
    for (Calendar& calendar : calendars) {
      if (!calendar.slowdown) continue;
      const std::optional<Period> period = calendar.at_or_after(now);
      if (!period) continue;
      if (period->from > now) {
        changes_at(period->from);
        continue;
      }
      factor *= *calendar.slowdown;
      if (period->to) changes_at(*period->to);
    }
    if (!change || now + work * factor <= *change) return now + work * factor;
    work = work - (*change - now) * (1.0 / factor);
    now = *change;
  }
}

}  // namespace gyre
