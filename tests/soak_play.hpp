#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "sim/child_process.hpp"
#include "tests/random_scenario.hpp"

namespace gyre {

std::string content_of(const std::filesystem::path& file);

/// Writes the run's files and looks at them. Reports `refused WHY`, or `wrong WHY` for each thing
/// that is, `ended HOW`, and `digest UUID`.
/// Between that, `tamper` may change the files. One call a process.
void play(
    const RandomScenario& made, const std::filesystem::path& folder,
    const ChildPool::Report& report,
    const std::function<void(const std::filesystem::path&)>& tamper =
        [](const std::filesystem::path&) {});

/// What `play` reports, a line each, played in a process of its own.
std::string played_alone(
    const RandomScenario& made, const std::function<void(const std::filesystem::path&)>& tamper =
                                    [](const std::filesystem::path&) {});

}  // namespace gyre
