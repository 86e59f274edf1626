#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/fields.hpp"
#include "schedules/optimizer/optimizer.hpp"
#include "schedules/policy.hpp"

namespace gyre {

/// Rounds that come again and again, with the time that each takes (τ).
struct PlannedPeriod {
  std::vector<Round> rounds;
  std::vector<Duration> times;
};

/// The optimiser as policies use it: what it found for a network is kept for the next start in the
/// same circumstances.
class RoundPlanner {
 public:
  /// The keys of a `plan` mapping.
  void describe(Fields& fields);
  /// Begins nothing where the context has no exchanges or one island only. Errors: `InputError` for
  /// what cannot be planned.
  void start(const PolicyContext& context);
  [[nodiscard]] bool started() const { return exchanges_.has_value(); }
  /// Whether the rounds for the network of the start still have to be found.
  [[nodiscard]] bool waits() const;
  /// A period for the network of the start. Requires a start. Valid until the next call. Errors:
  /// `InputError` where no round communicates within the window.
  const PlannedPeriod& period(const std::function<bool()>& keep_going);
  /// The same for other rates of the arcs, of which some may be away (no rate). Where islands then
  /// cannot reach each other, each part of them has rounds of its own, side by side. No rounds
  /// where none communicate within the window, where what is left cannot do the exchange, or where
  /// the search was ended before it had any.
  PlannedPeriod period_for(std::span<const Bandwidth> rates,
                           const std::function<bool()>& keep_going);

 private:
  [[nodiscard]] PlanRequest request(const Network& network) const;
  [[nodiscard]] std::string content_of(const Network& network) const;
  const PlannedPeriod& planned(const Network& network, const std::function<bool()>& keep_going);

  PlanSpec spec_;
  Where where_;
  std::optional<ExchangeContext> exchanges_;
  std::uint64_t seed_ = 1;
  std::map<std::string, PlannedPeriod> planned_;  ///< by content
};

}  // namespace gyre
