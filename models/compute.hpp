#pragma once

#include <cstdint>
#include <optional>
#include <string>
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

/// The chips of an island.
///
/// A step on its share of the batch, t tokens of a model of N parameters, takes
///
///     6·N·t / (count · peak · utilisation)
///
/// (forward and backward pass, Kaplan et al. 2020, arXiv 2001.08361). Training with AdamW in mixed
/// precision keeps 16 bytes a parameter (Rajbhandari et al. 2020, arXiv 1910.02054), which have to
/// fit in count · memory.
struct AcceleratorSpec {
  std::int64_t count = 1;
  FlopRate peak;                ///< of one
  double utilisation = 0.4;     ///< share of the peak that training reaches
  std::optional<Bytes> memory;  ///< of one; absent: not judged
  Where where;

  void describe(Fields& fields);
};

/// An island whose speed differs from the job's.
struct IslandStepTime {
  Text island;
  std::optional<Duration> step_time = std::nullopt;
  std::optional<AcceleratorSpec> accelerators = std::nullopt;

  void describe(Fields& fields);
};

/// Measured step times: a CSV file whose first line names islands and whose other lines hold the
/// seconds of one step each. An island begins again at its end.
struct StepTrace {
  Text file;
  std::vector<std::string> islands;
  std::vector<std::vector<double>> steps_s;  ///< by step, by place in `islands`
};

/// The `compute` mapping of a job: a stated step time, or what chips and tokens make of it.
struct ComputeSpec {
  Duration step_time;  ///< where it is stated; there is no default speed
  std::optional<AcceleratorSpec> accelerators;
  double tokens_per_step = 0.0;  ///< of all islands together, in equal shares
  double parameters = 0.0;       ///< of the job's model
  std::vector<IslandStepTime> islands;
  std::optional<StepTrace> trace;
  StepJitter jitter;
  bool given = false;  ///< by a step time or by chips
  Where where;

  void describe(Fields& fields);
  /// Errors: `InputError` if there is neither a step time nor chips.
  void check_given() const;
  [[nodiscard]] std::optional<double> given_tokens() const {
    return tokens_per_step > 0.0 ? std::optional(tokens_per_step) : std::nullopt;
  }
  /// Whether chips set the time of a step anywhere.
  [[nodiscard]] bool counts_operations() const;
};

inline constexpr double kTrainingBytesPerParameter = 16.0;

/// Draws compute times: each local step takes the island's step time, or the next of its trace,
/// times a jitter factor from the stream `island/NAME/compute`.
class ComputeModel {
 public:
  /// Errors: `InputError` naming an island that does not exist or is given twice, one whose chips
  /// cannot hold the model, and chips without tokens or parameters.
  ComputeModel(const ComputeSpec& spec, const std::vector<std::string>& islands,
               std::uint64_t seed);
  /// Time of the island's next `steps` local steps.
  Duration draw(IslandId island, std::int64_t steps);
  [[nodiscard]] Duration mean_step_time(IslandId island) const;
  /// The island's chips; none where its step time is stated.
  [[nodiscard]] std::optional<std::int64_t> chips(IslandId island) const {
    return chips_[island.index()];
  }
  /// The longest of the islands' mean step times.
  [[nodiscard]] Duration slowest_mean_step_time() const;

 private:
  StepJitter jitter_;
  std::vector<Duration> step_times_;
  std::vector<std::vector<Duration>> traces_;  ///< by island; empty: its step time
  std::vector<std::size_t> next_;              ///< place in its trace
  std::vector<std::optional<std::int64_t>> chips_;
  std::vector<Rng> streams_;
};

}  // namespace gyre
