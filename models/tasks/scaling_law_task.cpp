#include "models/tasks/scaling_law_task.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/error.hpp"

namespace gyre {
namespace {

constexpr std::size_t kMostParts = 1024;

}  // namespace

void ScalingLawSpec::describe(Fields& fields) {
  where = fields.where();
  fields.optional({"parameters", "N: parameters of the model; `job.parameters` if not given."},
                  parameters, Range{.at_least = 1.0, .at_most = 1e15});
  fields.optional({"tokens_per_step",
                   "Training tokens of a local step, all islands together; "
                   "`job.compute.tokens_per_step` if not given."},
                  tokens_per_step, Range{.at_least = 1.0, .at_most = 1e15});
  fields.required_choice(
      {"penalty",
       "Factor f on the loss of M islands that exchange seldom: none (1); joint-fit, M^0.0116 "
       "(arXiv 2503.09799); or n-dependent, M^(1.0923 N^-0.2342), a later fit of the same runs. "
       "Both are of 30 local steps and at most 8 islands."},
      law.penalty, kIslandPenalties);
  fields.optional_object({"fit",
                          "Constants of the loss E + A/N^alpha + B/D^beta; the defaults are those "
                          "of arXiv 2404.10102."},
                         law.fit);
}

void ScalingLawTask::take_job(const JobFacts& job) {
  if (!spec_.parameters) spec_.parameters = job.parameters;
  if (!spec_.tokens_per_step) spec_.tokens_per_step = job.tokens_per_step;
  if (!spec_.parameters) {
    throw InputError(spec_.where,
                     "the size of the model is not given; allowed is `parameters` here or "
                     "`job.parameters`");
  }
  if (!spec_.tokens_per_step) {
    throw InputError(spec_.where,
                     "the tokens of a step are not given; allowed is `tokens_per_step` here or "
                     "`job.compute.tokens_per_step`");
  }
}

void ScalingLawTask::start(const TaskContext& context) {
  islands_ = context.islands.size();
  check(islands_ > 0, "a task was started without islands");
  parts_ = 1;
  steps_.assign(islands_, 0.0);
  slots_.assign(islands_, Coefficients(islands_, 0.0));
}

std::size_t ScalingLawTask::parameters() const {
  return static_cast<std::size_t>(std::min(model_parameters(), static_cast<double>(kMostParts)));
}

std::int64_t ScalingLawTask::samples_per_step() const { return std::llround(island_tokens()); }

void ScalingLawTask::train(IslandId island, std::int64_t steps) {
  const std::size_t i = island.index();
  steps_[i] += static_cast<double>(steps);
  for (std::size_t part = 0; part < parts_; ++part) {
    slots_[i][part * islands_ + i] += static_cast<double>(steps);
  }
}

void ScalingLawTask::reserve(std::size_t slots) {
  check(slots >= slots_.size(), "slots of a task were taken away");
  slots_.resize(slots, Coefficients(parts_ * islands_, 0.0));
}

/// Splits the parts until each fragment of `count` is made of whole ones.
void ScalingLawTask::keep_apart(std::size_t count) {
  const std::size_t finer = std::lcm(parts_, count);
  if (finer == parts_) return;
  check(finer <= parameters(), "a model in more fragments than the task keeps apart");
  for (Coefficients& slot : slots_) {
    Coefficients split;
    split.reserve(finer * islands_);
    // Parameter p is in part p mod parts_, so part q of the finer ones lies in q mod parts_.
    for (std::size_t copy = 0; copy < finer / parts_; ++copy) {
      split.insert(split.end(), slot.begin(), slot.end());
    }
    slot = std::move(split);
  }
  parts_ = finer;
}

void ScalingLawTask::combine(std::size_t target, std::span<const Term> terms, Fragment fragment) {
  keep_apart(fragment.count);
  Coefficients sum(islands_);
  for (std::size_t part = fragment.index; part < parts_; part += fragment.count) {
    std::ranges::fill(sum, 0.0);
    for (const auto& [slot, weight] : terms) {
      const Coefficients& from = slots_.at(slot);
      for (std::size_t j = 0; j < islands_; ++j) sum[j] += weight * from[part * islands_ + j];
    }
    std::ranges::copy(sum,
                      slots_.at(target).begin() + static_cast<std::ptrdiff_t>(part * islands_));
  }
}

Model ScalingLawTask::values(std::size_t /*slot*/, Fragment /*fragment*/) const {
  broken_invariant("the slots of a scaling law hold no parameters");
}

void ScalingLawTask::assign(std::size_t /*slot*/, const Model& /*values*/, Fragment /*fragment*/) {
  broken_invariant("the slots of a scaling law hold no parameters");
}

std::vector<ScalingLawTask::Effect> ScalingLawTask::effects() const {
  const auto n = static_cast<double>(islands_);
  // d by model, then by island, as a mean over the parts.
  std::vector<double> counted(islands_ * islands_, 0.0);
  for (std::size_t j = 0; j < islands_; ++j) {
    for (std::size_t part = 0; part < parts_; ++part) {
      const std::size_t at = part * islands_ + j;
      double held = 0.0;
      for (std::size_t k = 0; k < islands_; ++k) held += slots_[k][at];
      if (!(held > 0.0)) continue;
      const double most = std::min(steps_[j], held) / static_cast<double>(parts_);
      for (std::size_t i = 0; i < islands_; ++i) {
        counted[i * islands_ + j] += most * std::clamp(n * slots_[i][at] / held, 0.0, 1.0);
      }
    }
  }
  std::vector<Effect> effects(islands_);
  for (std::size_t i = 0; i < islands_; ++i) {
    double sum = 0.0;
    double squares = 0.0;
    for (std::size_t j = 0; j < islands_; ++j) {
      const double d = counted[i * islands_ + j];
      sum += d;
      squares += d * d;
    }
    effects[i].tokens = sum * island_tokens();
    // Rounding may lead a hair below one island.
    if (squares > 0.0) effects[i].islands = std::clamp(sum * sum / squares, 1.0, n);
  }
  return effects;
}

double ScalingLawTask::loss(Effect effect) const {
  const auto least = island_tokens();
  return spec_.law.loss({.parameters = model_parameters(),
                         .tokens = std::max(effect.tokens, least),
                         .islands = effect.islands});
}

double ScalingLawTask::consensus_distance() const {
  const auto n = static_cast<double>(islands_);
  double sum = 0.0;
  for (std::size_t at = 0; at < parts_ * islands_; ++at) {
    double mean = 0.0;
    for (std::size_t i = 0; i < islands_; ++i) mean += slots_[i][at] / n;
    for (std::size_t i = 0; i < islands_; ++i) {
      sum += (slots_[i][at] - mean) * (slots_[i][at] - mean);
    }
  }
  return sum / n / static_cast<double>(parts_);
}

Evaluation ScalingLawTask::evaluate() const {
  const auto n = static_cast<double>(islands_);
  Evaluation result;
  Effect mean{.tokens = 0.0, .islands = 0.0};
  for (const Effect& effect : effects()) {
    const double own_loss = loss(effect);
    result.loss_mean += own_loss / n;
    result.loss_worst = std::max(result.loss_worst, own_loss);
    mean.tokens += effect.tokens / n;
    mean.islands += effect.islands / n;
  }
  mean.islands = std::max(mean.islands, 1.0);
  result.loss_average = loss(mean);
  result.consensus_distance = consensus_distance();
  return result;
}

std::vector<double> ScalingLawTask::tokens_reached() const {
  std::vector<double> tokens;
  for (const Effect& effect : effects()) tokens.push_back(effect.tokens);
  return tokens;
}

double ScalingLawTask::tokens_trained() const {
  return island_tokens() * std::accumulate(steps_.begin(), steps_.end(), 0.0);
}

std::optional<double> ScalingLawTask::tokens_for(double loss, double islands) const {
  return spec_.law.tokens_for_loss(
      {.parameters = model_parameters(), .loss = loss, .islands = islands});
}

std::vector<std::string> ScalingLawTask::cautions(const TaskUse& use) const {
  return spec_.law.cautions({.parameters = model_parameters(),
                             .islands = use.islands,
                             .tokens = use.tokens,
                             .local_steps = use.local_steps});
}

std::unique_ptr<Task> make_scaling_law() { return std::make_unique<ScalingLawTask>(); }

}  // namespace gyre
