#include "sim/schedule_rounds.hpp"

#include <algorithm>

#include "schedules/policy.hpp"

namespace gyre {

std::vector<Round> first_rounds(const RunSpec& spec, std::int64_t count,
                                const std::function<bool()>& keep_going) {
  const Routes routes(*spec.topology);
  const ExchangeContext exchanges =
      exchange_context(spec, {*spec.topology, routes, spec.capabilities, spec.limits});
  spec.policy->start({.topology = *spec.topology, .seed = spec.seed, .exchanges = &exchanges});
  spec.policy->prepare(keep_going);
  std::vector<Round> rounds;
  rounds.reserve(static_cast<std::size_t>(count));
  for (std::int64_t number = 0; number < count; ++number) {
    rounds.push_back(spec.policy->round(number));
  }
  return rounds;
}

std::optional<std::size_t> period_of(std::span<const Round> rounds) {
  for (std::size_t period = 1; period <= rounds.size() / 2; ++period) {
    if (std::equal(rounds.begin() + static_cast<std::ptrdiff_t>(period), rounds.end(),
                   rounds.begin())) {
      return period;
    }
  }
  return std::nullopt;
}

}  // namespace gyre
