#pragma once

#include <optional>

#include "models/fields.hpp"
#include "models/units.hpp"

namespace gyre {

/// When something is away: from one time to another, or again and again by chance.
struct TimesSpec {
  Duration from;
  std::optional<Duration> to;
  std::optional<double> availability;   ///< share of the time that it is there
  std::optional<Duration> mean_outage;  ///< with `availability`

  /// The keys' sentences, and how an error puts it that it is away.
  struct Words {
    const char* from;
    const char* to;
    const char* availability;
    const char* mean_outage;
    const char* is_away;  ///< fails, leaves
  };
  /// What `check_times` judges by; `fields` is the mapping that these keys were read from.
  void describe_times(Fields& fields, const Words& words);
  /// Errors: `InputError` at the mapping, or at the key, for times that do not go together.
  void check_times(const Fields& fields, const Words& words) const;

 private:
  bool starts_ = false;  ///< `from` was given
};

}  // namespace gyre
