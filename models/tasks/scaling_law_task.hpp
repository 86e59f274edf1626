#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "models/fields.hpp"
#include "models/scaling_law.hpp"
#include "models/task.hpp"

namespace gyre {

/// The keys of a `scaling-law` task.
struct ScalingLawSpec {
  std::optional<double> parameters;       ///< N; absent: the job's
  std::optional<double> tokens_per_step;  ///< of all islands together; absent: the job's
  ScalingLaw law;
  Where where;

  void describe(Fields& fields);
};

/// Large language models that are not trained: their loss is the scaling law's at the tokens that
/// have reached them.
///
/// **What has reached a model.** Slots hold, instead of parameters, how much of each island's
/// progress is in them: training adds a step to the island's own coefficient, and an exchange,
/// being linear, does to the coefficients what it does to the models. With c_ij the coefficient of
/// island j's steps in island i's model, t_j the steps that j has trained, and g_j = Σ_k c_kj,
///
///     counted steps    d_ij = min(t_j, g_j) · clamp(n c_ij / g_j, 0, 1)
///     tokens           D_i  = τ Σ_j d_ij      (τ: of one island's step, an equal share)
///     islands          M_i  = (Σ_j d_ij)² / Σ_j d_ij²
///     loss of i        L(N, D_i, M_i)
///
/// In words: steps of j count in full in a model that holds at least the n-th part of what all
/// models together hold of them, which is what it holds once everything is averaged, and in
/// proportion below. At equal steps, T each, with averages for exchanges, D_i = τ n T (1 − V), V
/// the total variation distance of i's shares from the uniform ones. Hence
///   - all average exactly: D_i = τ Σ t_j and M_i = n; nobody exchanges: τ t_i and 1; cliques of m
///     that never change: the clique's tokens and m;
///   - cliques that rotate over a grid, gossip and rings: nearer and nearer to Σ t_j and n, since
///     they lack no more than what was trained within their mixing time;
///   - a step lowers no D, and an exchange by a doubly stochastic matrix does not lower their mean
///     (d is concave in c and g stays); names of islands do not matter.
/// (The square of the sum over the sum of squares of the c_ij would do for the limits too, but by
/// it a step after an exchange takes more tokens away, as it skews the shares, than it adds.)
///
/// g_j/t_j is what an outer optimiser makes of progress. Beyond one (rate 0.7 and momentum 0.9 lead
/// to 7) it does not matter: no more tokens count than were trained. Below one, progress has been
/// taken back, by a model that a late result replaced or by an outer rate below one without
/// momentum, and does not count. Parts of a model that are exchanged apart are counted apart, each
/// with its share of the parameters.
///
/// **Average model.** The average of language models that did not learn together is no language
/// model, so its loss is that of a model with the islands' mean D_i and mean M_i: the islands' own
/// where they agree. Consensus distance is Ξ² of the c_i, in steps². Before its first step a model
/// counts as trained on the tokens of one. There is no accuracy; tokens are the samples.
class ScalingLawTask final : public Task, public LossForecast {
 public:
  explicit ScalingLawTask(ScalingLawSpec spec = {}) : spec_(spec) {}

  void describe(Fields& fields) override { spec_.describe(fields); }
  void take_job(const JobFacts& job) override;
  void start(const TaskContext& context) override;
  [[nodiscard]] bool has_accuracy() const override { return false; }
  [[nodiscard]] std::int64_t samples_per_step() const override;
  /// No more fragments than this are kept apart.
  [[nodiscard]] std::size_t parameters() const override;
  [[nodiscard]] bool has_values() const override { return false; }
  void train(IslandId island, std::int64_t steps) override;
  void reserve(std::size_t slots) override;
  void combine(std::size_t target, std::span<const Term> terms, Fragment fragment) override;
  [[nodiscard]] Model values(std::size_t slot, Fragment fragment) const override;
  void assign(std::size_t slot, const Model& values, Fragment fragment) override;
  [[nodiscard]] Evaluation evaluate() const override;
  [[nodiscard]] std::vector<std::string> cautions(const TaskUse& use) const override;

  [[nodiscard]] const LossForecast* forecast() const override { return this; }
  [[nodiscard]] std::vector<double> tokens_reached() const override;
  [[nodiscard]] double tokens_trained() const override;
  [[nodiscard]] double tokens_per_step() const override {
    return spec_.tokens_per_step.value_or(1.0);
  }
  [[nodiscard]] std::optional<double> tokens_for(double loss, double islands) const override;

  /// What a model's training amounts to.
  struct Effect {
    double tokens = 0.0;
    double islands = 1.0;
  };
  /// By island.
  [[nodiscard]] std::vector<Effect> effects() const;

 private:
  /// By part of the model, then by island: parts are every `parts_`-th parameter.
  using Coefficients = std::vector<double>;

  void keep_apart(std::size_t count);
  [[nodiscard]] double loss(Effect effect) const;
  [[nodiscard]] double model_parameters() const { return spec_.parameters.value_or(1.0); }
  /// τ: tokens of a step of one island.
  [[nodiscard]] double island_tokens() const {
    return tokens_per_step() / static_cast<double>(islands_);
  }
  [[nodiscard]] double consensus_distance() const;

  ScalingLawSpec spec_;
  std::size_t islands_ = 0;
  std::size_t parts_ = 1;
  std::vector<double> steps_;  ///< t, by island
  std::vector<Coefficients> slots_;
};

std::unique_ptr<Task> make_scaling_law();

}  // namespace gyre
