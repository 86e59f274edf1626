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

/// Every `count`-th parameter of a model, from number `index` on: what one exchange of a model in
/// `count` fragments carries. The default is the whole model.
struct Fragment {
  std::size_t index = 0;
  std::size_t count = 1;
};

/// A part of a sum of vectors that a task holds.
struct Term {
  std::size_t slot = 0;
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

/// What a task that follows a law can say of a whole run from its beginning.
class LossForecast {
 public:
  virtual ~LossForecast() = default;
  /// Tokens that have reached a model so far, by island.
  [[nodiscard]] virtual std::vector<double> tokens_reached() const = 0;
  /// Tokens that all islands together have trained on so far.
  [[nodiscard]] virtual double tokens_trained() const = 0;
  /// Tokens of a step of all islands together.
  [[nodiscard]] virtual double tokens_per_step() const = 0;
  /// Tokens at which models that `islands` train together have the loss; none where they never do.
  [[nodiscard]] virtual std::optional<double> tokens_for(double loss, double islands) const = 0;
};

/// How a run uses what a task says.
struct TaskUse {
  double islands = 1.0;
  std::int64_t local_steps = 1;
  std::optional<double> tokens = std::nullopt;  ///< of all islands, where known
};

struct TaskContext {
  std::vector<std::string> islands;  ///< names by rank; they name the random streams
  std::uint64_t seed = 1;
};

/// What a job says of the model that it trains, where it does.
struct JobFacts {
  std::optional<double> parameters;
  std::optional<double> tokens_per_step;  ///< of all islands together
};

/// What the islands learn. It knows nothing of time or network: the simulation calls it in the
/// order of the simulated events.
///
/// A task holds vectors of parameters in numbered slots. Slot i < n is the model of island i, which
/// `train` moves; what exchanges keep beside (what was sent, averages, the state of an outer
/// optimiser) lies in the slots beyond. Whatever an exchange does is a sum of slots, so a task may
/// as well hold the distribution of its vectors instead of one draw.
class Task {
 public:
  virtual ~Task() = default;
  /// The task's own keys (see `Fields`).
  virtual void describe(Fields& fields) = 0;
  /// Fills in what the task's own keys leave to the job, before any start. Errors: `InputError` for
  /// what is then still missing.
  virtual void take_job(const JobFacts& /*job*/) {}
  /// Reads what is shared by all runs, once. Errors: `InputError` for missing or broken data.
  virtual void load() {}
  /// Starts a run: all islands hold the same initial model, and there are no other slots. May be
  /// called again. Errors: `InputError` for options that do not fit the islands.
  virtual void start(const TaskContext& context) = 0;

  [[nodiscard]] virtual bool has_accuracy() const = 0;
  /// Training samples that one local step of one island uses (0 where there are none).
  [[nodiscard]] virtual std::int64_t samples_per_step() const = 0;
  /// Numbers in a slot; a model in more fragments than that cannot be.
  [[nodiscard]] virtual std::size_t parameters() const = 0;
  /// Whether slots hold numbers, which `values` and `assign` need.
  [[nodiscard]] virtual bool has_values() const { return true; }

  /// `steps` local steps of gradient descent on the island's own data.
  virtual void train(IslandId island, std::int64_t steps) = 0;
  /// Makes `slots` slots in all, at least n. New ones hold zeros.
  virtual void reserve(std::size_t slots) = 0;
  /// target ← Σ weight·slot on the fragment's parameters, added in double in the order given
  /// (callers give rank order). The target may be one of the terms.
  virtual void combine(std::size_t target, std::span<const Term> terms, Fragment fragment) = 0;
  /// The fragment's parameters in a slot. Requires `has_values`.
  [[nodiscard]] virtual Model values(std::size_t slot, Fragment fragment) const = 0;
  virtual void assign(std::size_t slot, const Model& values, Fragment fragment) = 0;
  [[nodiscard]] virtual Evaluation evaluate() const = 0;
  /// After a start, training samples by island and label; empty where there are no labels.
  [[nodiscard]] virtual std::vector<std::vector<double>> label_counts() const { return {}; }
  /// Null where the task can't tell what a longer run would bring.
  [[nodiscard]] virtual const LossForecast* forecast() const { return nullptr; }
  /// Sentences for the reader of a result: where the task says more than it rests on.
  [[nodiscard]] virtual std::vector<std::string> cautions(const TaskUse& /*use*/) const {
    return {};
  }
};

struct TaskEntry {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Task> (*make)();
};

/// All tasks, by name.
std::span<const TaskEntry> task_table();

}  // namespace gyre
