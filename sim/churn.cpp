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
      set_times(one.when, event);
      resolved.push_back(std::move(one));
    }
  }
  return resolved;
}

Churn::Churn(const std::vector<IslandEvent>& events, std::size_t islands, std::uint64_t seed)
    : calendars_(islands), any_(!events.empty()) {
  for (const IslandEvent& event : events) {
    calendars_[event.island.index()].push_back(
        {.periods = FaultPeriods(event.when, seed), .slowdown = event.slowdown});
  }
}

std::optional<Period> Churn::Calendar::next(Instant now) {
  for (const Period& period : periods.until(now)) {
    if (!period.is_over(now)) return period;
  }
  return std::nullopt;
}

void Churn::forget(IslandId island, Instant now) {
  for (Calendar& calendar : calendars_[island.index()]) calendar.periods.forget(now);
}

std::optional<Period> Churn::absence(IslandId island, Instant now) {
  forget(island, now);
  std::optional<Period> first;
  for (Calendar& calendar : calendars_[island.index()]) {
    if (calendar.slowdown) continue;
    const std::optional<Period> next = calendar.next(now);
    if (next && (!first || next->from < first->from)) first = next;
  }
  return first;
}

std::optional<Period> Churn::present_absence(IslandId island, Instant now) {
  const std::optional<Period> next = absence(island, now);
  return next && next->has(now) ? next : std::nullopt;
}

Instant Churn::done(IslandId island, Instant now, Duration work) {
  forget(island, now);
  while (true) {
    double factor = 1.0;
    std::optional<Instant> change;
    const auto changes_at = [&change](Instant at) {
      if (!change || at < *change) change = at;
    };
    for (Calendar& calendar : calendars_[island.index()]) {
      if (!calendar.slowdown) continue;
      const std::optional<Period> period = calendar.next(now);
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
