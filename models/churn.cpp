#include "models/churn.hpp"

#include <algorithm>

namespace gyre {

namespace {

constexpr TimesSpec::Words kChurnWords{
    .from = "When it leaves, or gets slow.",
    .to = "When it is back; never if not given.",
    .availability =
        "Share of the time that it is there, or not slow, instead of `from` and `to`: "
        "it leaves again and again, after exponential times.",
    .mean_outage = "How long it then is away, or slow, on average.",
    .is_away = "leaves"};

}  // namespace

void ChurnEvent::describe(Fields& fields) {
  where = fields.where();
  fields.optional({"island", "The island that leaves, or is slow."}, island);
  fields.optional({"every_island", "Each island by itself."}, every_island);
  fields.optional({"slowdown", "Its local steps take so many times as long, instead of leaving."},
                  slowdown, Range{.above = 1.0});
  describe_times(fields, kChurnWords);
  if (island.has_value() == every_island) {
    throw InputError(where, "names who leaves by one of `island` and `every_island`");
  }
  check_times(fields, kChurnWords);
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
