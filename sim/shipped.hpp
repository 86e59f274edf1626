#pragma once

#include <filesystem>
#include <optional>

namespace gyre {

/// The folder of shipped scenarios: where the executable is installed, else in the
/// source tree that holds its build.
std::optional<std::filesystem::path> shipped_scenarios();

}  // namespace gyre
