#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/capabilities.hpp"
#include "schedules/exchange_plan.hpp"
#include "schedules/round.hpp"

namespace gyre {

/// What a file of switch programs is of.
struct ProgramsTitle {
  std::string scenario;
  Mode mode = Mode::kNeither;
  Routing routing = Routing::kShortest;
  /// Of a schedule of the scenario; a plan's has none.
  struct Schedule {
    std::string label;
    std::int64_t seed = 1;
    bool repeats = false;  ///< the rounds are a period
  };
  std::optional<Schedule> schedule = std::nullopt;
};

/// A round with how its cliques of two or more exchange.
struct PlannedExchanges {
  Round round;
  std::vector<ExchangePlan> plans;
};

/// What an orchestrator would install, round by round, as JSON: the streams and, by switch, what to
/// replicate and what to add. On an arc no label stands for two hops of a round.
std::string programs_text(const ProgramsTitle& title, const Network& given,
                          const std::vector<PlannedExchanges>& rounds);

/// The streams of an overlay's round as one plan: each island sends to those that take of it, over
/// its shortest-path tree where switches replicate. None where nobody sends.
std::vector<ExchangePlan> overlay_plan(const Network& network, const Round& round, Bytes payload);

}  // namespace gyre
