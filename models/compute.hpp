#pragma once

#include <cstdint>
#include <vector>

#include "models/fields.hpp"
#include "models/ids.hpp"
#include "models/rng.hpp"
#include "models/units.hpp"

namespace gyre {

/// Multiplies each step's time by a random factor.
struct StepJitter {
  enum class Kind : std::uint8_t { kNone, kExponential, kUniform, kLognormal };
  Kind kind = Kind::kNone;
  double low = 0.5;    ///< uniform: factor on [low, high)
  double high = 1.5;   ///< uniform
  double sigma = 0.1;  ///< lognormal: exp(σz − σ²/2), mean 1

  void describe(Fields& fields);
};

/// An island whose step time differs from the job's.
struct IslandStepTime {
  Text island;
  Duration step_time;

  void describe(Fields& fields);
};

/// The `compute` mapping of a job.
struct ComputeSpec {
  Duration step_time;  ///< required: there is no default speed
  std::vector<IslandStepTime> islands;
  StepJitter jitter;

  void describe(Fields& fields);
};

/// Draws compute times: each local step takes the island's step time times a jitter factor from
/// the stream `island/NAME/compute`.
class ComputeModel {
 public:
  /// Errors: `InputError` naming an island that does not exist or is given twice.
  ComputeModel(const ComputeSpec& spec, const std::vector<std::string>& islands,
               std::uint64_t seed);
  /// Time of the island's next `steps` local steps.
  Duration draw(IslandId island, std::int64_t steps);
  [[nodiscard]] Duration mean_step_time(IslandId island) const;
  /// The longest of the islands' mean step times.
  [[nodiscard]] Duration slowest_mean_step_time() const;

 private:
  StepJitter jitter_;
  std::vector<Duration> step_times_;
  std::vector<Rng> streams_;
};

}  // namespace gyre
