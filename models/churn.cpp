#include "models/churn.hpp"

#include <algorithm>

namespace gyre {

void ChurnEvent::describe(Fields& fields) {
  where = fields.where();
  fields.optional({"island", "The island that leaves, or is slow."}, island);
  fields.optional({"every_island", "Each island by itself."}, every_island);
  fields.optional({"slowdown", "Its local steps take so many times as long, instead of leaving."},
                  slowdown, Range{.above = 1.0});
  std::optional<Duration> start;
  fields.optional({"from", "When it leaves, or gets slow."}, start, kNotNegative);
  from = start.value_or(Duration());
  fields.optional({"to", "When it is back; never if not given."}, to, kPositive);
  to_where = fields.where("to");
  fields.optional({"availability",
                   "Share of the time that it is there, or not slow, instead of `from` and `to`: "
                   "it leaves again and again, after exponential times."},
                  availability, Range{.above = 0.0, .below = 1.0});
  fields.optional({"mean_outage", "How long it then is away, or slow, on average."}, mean_outage,
                  kPositive);
  if (island.has_value() == every_island) {
    throw InputError(where, "names who leaves by one of `island` and `every_island`");
  }
  if (availability.has_value() != mean_outage.has_value()) {
    throw InputError(where, "`availability` and `mean_outage` need each other");
  }
  if (availability && (start || to)) {
    throw InputError(fields.where("availability"), "stands instead of `from` and `to`");
  }
  if (!availability && !start) {
    throw InputError(where, "says not when it leaves; give `from`, or `availability`");
  }
  if (to && *to <= from) throw InputError(to_where, "is not after `from`");
}

void ChurnSpec::describe(Fields& fields) {
  where = fields.where();
  fields.list_of({"events", "Islands that leave, return, or are slow for a while."},
                 Presence::kRequired, events);
  fields.optional_choice(
      {"without_member",
       "What a clique does while a member is away: shrink: the others exchange among themselves; "
       "skip: nobody exchanges in that round; stall: they wait for it until `deadline`, then "
       "shrink. Needed where islands leave; a schedule can have its own."},
      without_member, kWithoutMemberNames);
  rule_where = fields.where("without_member");
  fields.optional({"deadline", "How long `stall` waits, from the first member that is ready."},
                  deadline, kNotNegative);
  deadline_where = fields.where("deadline");
}

bool ChurnSpec::takes_islands_away() const {
  return std::any_of(events.begin(), events.end(),
                     [](const ChurnEvent& event) { return !event.slowdown; });
}

}  // namespace gyre
