#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/fields.hpp"
#include "schedules/optimizer/optimizer.hpp"
#include "schedules/policy.hpp"

namespace gyre {

/// The optimiser as policies use it: what it found for a network is kept for the next start in the
/// same circumstances.
class RoundPlanner {
 public:
  /// The keys of a `plan` mapping.
  void describe(Fields& fields);
  /// Errors: `InputError` for what cannot be planned. Requires more than one island.
  void start(const ExchangeContext& exchanges, std::uint64_t seed);
  /// Whether the rounds for a network that differs from that of the start in its capacities only
  /// are known already.
  [[nodiscard]] bool knows(const Network& network) const;
  /// The rounds of a period; none where nothing communicates within the window, or where the search
  /// was ended before it had any. Valid until the next call.
  const std::vector<Round>& rounds(const Network& network, const std::function<bool()>& keep_going);
  [[nodiscard]] const Where& where() const { return where_; }

 private:
  [[nodiscard]] PlanRequest request(const Network& network) const;
  [[nodiscard]] std::string content_of(const Network& network) const;

  PlanSpec spec_;
  Where where_;
  std::optional<ExchangeContext> exchanges_;
  std::uint64_t seed_ = 1;
  std::map<std::string, std::vector<Round>> planned_;  ///< by content
};

}  // namespace gyre
