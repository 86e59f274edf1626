#include "models/times_spec.hpp"

#include <fmt/format.h>

namespace gyre {

void TimesSpec::describe_times(Fields& fields, const Words& words) {
  std::optional<Duration> start;
  fields.optional({"from", words.from}, start, kNotNegative);
  starts_ = start.has_value();
  from = start.value_or(Duration());
  fields.optional({"to", words.to}, to, kPositive);
  fields.optional({"availability", words.availability}, availability,
                  Range{.above = 0.0, .below = 1.0});
  fields.optional({"mean_outage", words.mean_outage}, mean_outage, kPositive);
}

void TimesSpec::check_times(const Fields& fields, const Words& words) const {
  if (availability.has_value() != mean_outage.has_value()) {
    throw InputError(fields.where(), "`availability` and `mean_outage` need each other");
  }
  if (availability && (starts_ || to)) {
    throw InputError(fields.where("availability"), "stands instead of `from` and `to`");
  }
  if (!availability && !starts_) {
    throw InputError(fields.where(), fmt::format("says not when it {}; give `from`, or "
                                                 "`availability`",
                                                 words.is_away));
  }
  if (to && *to <= from) throw InputError(fields.where("to"), "is not after `from`");
}

}  // namespace gyre
