#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "schedules/round.hpp"
#include "sim/simulation.hpp"

namespace gyre {

/// The first rounds of a run's schedule, without the run. What plans first does so until
/// `keep_going` is false. Errors: `InputError` as the policy's start.
std::vector<Round> first_rounds(const RunSpec& spec, std::int64_t count,
                                const std::function<bool()>& keep_going);

/// After how many rounds these begin again; nothing unless the list holds that many twice.
std::optional<std::size_t> period_of(std::span<const Round> rounds);

}  // namespace gyre
