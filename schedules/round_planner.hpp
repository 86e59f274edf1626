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
  /// The rounds of a period for the network of the start. Requires a start. Valid until the next
  /// call. Errors: `InputError` where none communicates within the window.
  const std::vector<Round>& rounds(const std::function<bool()>& keep_going);
  /// The same for other capacities of the arcs; none where none communicates within the window, or
  /// where the search was ended before it had any.
  const std::vector<Round>& rounds_for(std::span<const Bandwidth> capacities,
                                       const std::function<bool()>& keep_going);

 private:
  [[nodiscard]] PlanRequest request(const Network& network) const;
  [[nodiscard]] std::string content_of(const Network& network) const;
  const std::vector<Round>& planned(const Network& network,
                                    const std::function<bool()>& keep_going);

  PlanSpec spec_;
  Where where_;
  std::optional<ExchangeContext> exchanges_;
  std::uint64_t seed_ = 1;
  std::map<std::string, std::vector<Round>> planned_;  ///< by content
};

}  // namespace gyre
