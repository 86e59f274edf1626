#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/fields.hpp"
#include "models/ids.hpp"

namespace gyre {

/// The parameters of one island's model, or a weighted sum of several.
using Model = std::vector<double>;

struct WeightedIsland {
  IslandId island;
  double weight = 0.0;
};

/// How well the models do at one instant. "Average" is the one model (1/n) Σ x_i; "mean" and
/// "worst" are over the islands' own models.
struct Evaluation {
  std::optional<double> accuracy_average;  ///< share of the test set, absent where there is none
  std::optional<double> accuracy_mean;
  std::optional<double> accuracy_worst;
  double loss_average = 0.0;
  double loss_mean = 0.0;
  double loss_worst = 0.0;
  double consensus_distance = 0.0;  ///< Ξ² = (1/n) Σ_i ‖x_i − x̄‖²
};

struct TaskContext {
  std::vector<std::string> islands;  ///< names by rank; they name the random streams
  std::uint64_t seed = 1;
};

/// What the islands learn. It knows nothing of time or network: the simulation calls it in the
/// order of the simulated events.
class Task {
 public:
  virtual ~Task() = default;
  /// The task's own keys (see `Fields`).
  virtual void describe(Fields& fields) = 0;
  /// Reads what is shared by all runs, once. Errors: `InputError` for missing or broken data.
  virtual void load() {}
  /// Starts a run: all islands hold the same initial model. May be called again.
  /// Errors: `InputError` for options that do not fit the islands.
  virtual void start(const TaskContext& context) = 0;

  [[nodiscard]] virtual bool has_accuracy() const = 0;
  /// Training samples that one local step of one island uses (0 where there are none).
  [[nodiscard]] virtual std::int64_t samples_per_step() const = 0;

  /// `steps` local steps of gradient descent on the island's own data.
  virtual void train(IslandId island, std::int64_t steps) = 0;
  [[nodiscard]] virtual Model model(IslandId island) const = 0;
  /// Σ weight·x_i, added in double in the order given (callers give rank order).
  [[nodiscard]] virtual Model combine(std::span<const WeightedIsland> islands) const = 0;
  virtual void assign(IslandId island, const Model& model) = 0;
  [[nodiscard]] virtual Evaluation evaluate() const = 0;
};

struct TaskEntry {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Task> (*make)();
};

/// All tasks, by name.
std::span<const TaskEntry> task_table();

}  // namespace gyre
