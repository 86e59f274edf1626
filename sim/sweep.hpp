#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "models/transport.hpp"
#include "sim/sweep_workers.hpp"

namespace gyre {

struct SweepSettings {
  std::string study;
  std::optional<std::filesystem::path> output;  ///< none: results/NAME.sqlite
  std::size_t jobs = 1;                         ///< without MPI
  Fidelity fidelity = Fidelity::kFlow;
  bool dry_run = false;       ///< only say what there is to do, and how long it takes
  bool retry_failed = false;  ///< run those again that have failed
  bool overwrite = false;     ///< replace the runs of another study
  bool quiet = false;
};

/// Runs a study: all schedules, modes and seeds of its scenario at each of its points. What its
/// file holds from before is not run again. Returns the exit status. Errors: `InputError` before
/// anything runs; `std::runtime_error` if the file can no longer be written.
int sweep(const SweepSettings& settings, MpiWorld& world);

}  // namespace gyre
