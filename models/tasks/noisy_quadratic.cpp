#include "models/tasks/noisy_quadratic.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/limits.hpp"
#include "models/tasks/descent.hpp"

namespace gyre {

namespace {

/// What H steps do: the distance from the optimum times `decay`, and a variance of `noise` times
/// the noise of one step.
struct Steps {
  double decay = 1.0;  ///< ρ^H
  double noise = 0.0;  ///< Σ_{j<H} ρ^2j
};

/// Of a = 1 − ρ in (0, 2). Neither 1 − ρ² = a(2 − a) nor log|ρ| loses digits where |ρ| is near 1,
/// and ρ = 0 goes through infinity to what it should.
Steps steps_of(double a, std::int64_t steps) {
  const double log_rho = std::log1p(a < 1.0 ? -a : a - 2.0);
  const double exponent = static_cast<double>(steps) * log_rho;
  const double power = std::exp(exponent);
  const bool negative = a > 1.0 && steps % 2 == 1;
  const double one_minus_rho2 = a * (2.0 - a);
  // A curvature may be too small for a double.
  const double noise = one_minus_rho2 > 0.0 ? -std::expm1(2.0 * exponent) / one_minus_rho2
                                            : static_cast<double>(steps);
  return {.decay = negative ? -power : power, .noise = noise};
}

void add_scaled(std::span<double> sum, double weight, std::span<const double> numbers,
                Fragment fragment) {
  for (std::size_t k = fragment.index; k < sum.size(); k += fragment.count) {
    sum[k] += weight * numbers[k];
  }
}

void put(std::span<const double> from, std::span<double> to, Fragment fragment) {
  for (std::size_t k = fragment.index; k < to.size(); k += fragment.count) to[k] = from[k];
}

}  // namespace

void NoisyQuadraticSpec::Curvature::describe(Fields& fields) {
  fields.optional({"largest", "The curvature h_1 of the steepest direction."}, largest, kPositive);
  fields.optional({"exponent",
                   "How fast the spectrum falls: h_k = largest * k^-exponent in direction k = 1, "
                   "2, ..."},
                  exponent, kNotNegative);
  fields.list({"factors",
               "What the islands' curvatures are multiplied by: one value for all islands or one "
               "an island, in the topology's order."},
              Presence::kDefaulted, factors, 1, kPositive);
  factors_where = fields.where("factors");
}

void NoisyQuadraticSpec::describe(Fields& fields) {
  fields.optional({"dimensions", "Directions of the model, each with its own curvature."},
                  dimensions, {.at_least = 1, .at_most = 10'000});
  dimensions_where = fields.where("dimensions");
  fields.optional_object({"curvature", "The spectrum of curvatures, a power law."}, curvature);
  fields.optional({"noise",
                   "Standard deviation of one sample's gradient in a direction of curvature 1; in "
                   "the others its variance is in proportion to the curvature. 0 is none."},
                  noise, kNotNegative);
  fields.optional({"batch", "Samples of a local step; the gradient's variance falls with them."},
                  batch, {.at_least = 1});
  fields.optional({"learning_rate",
                   "Step size of the local descent; times the largest curvature it has to stay "
                   "below 2, else the descent diverges."},
                  learning_rate, kPositive);
  fields.optional({"start", "The number that every direction starts from."}, start);
  fields.list({"optima",
               "Optima of the islands' losses, the same in every direction: one an island, in the "
               "topology's order; all 0 if not given."},
              Presence::kDefaulted, optima);
  optima_where = fields.where("optima");
  learning_rate_where = fields.where("learning_rate");
}

void NoisyQuadratic::start(const TaskContext& context) {
  const std::size_t n = context.islands.size();
  const auto numbers = n * (n + 1) / 2 * static_cast<std::size_t>(spec_.dimensions);
  if (numbers > kMostModelNumbers) {
    throw InputError(spec_.dimensions_where,
                     fmt::format("the covariances of {} islands in {} dimensions are {} numbers; "
                                 "at most {} are allowed",
                                 n, spec_.dimensions, numbers, kMostModelNumbers));
  }
  optima_ = spec_.optima.empty() ? std::vector<double>(n, 0.0)
                                 : one_an_island(spec_.optima, n, spec_.optima_where);
  factors_ = one_or_one_an_island(spec_.curvature.factors, n, spec_.curvature.factors_where);
  const double steepest = spec_.curvature.largest * *std::ranges::max_element(factors_);
  require_convergence(spec_.learning_rate, steepest, spec_.learning_rate_where);
  curvatures_.resize(static_cast<std::size_t>(spec_.dimensions));
  for (std::size_t k = 0; k < curvatures_.size(); ++k) {
    const auto place = static_cast<double>(k + 1);
    curvatures_[k] = spec_.curvature.largest * std::pow(place, -spec_.curvature.exponent);
  }
  slots_ = 0;
  means_.clear();
  covariances_.clear();
  reserve(n);
  std::ranges::fill(means_, spec_.start);
}

void NoisyQuadratic::reserve(std::size_t slots) {
  check(slots >= slots_, "slots of a task were taken away");
  slots_ = slots;
  means_.resize(slots * parameters(), 0.0);
  covariances_.resize(slots * (slots + 1) / 2 * parameters(), 0.0);
}

std::span<const double> NoisyQuadratic::means(std::size_t slot) const {
  return std::span(means_).subspan(slot * parameters(), parameters());
}

std::span<double> NoisyQuadratic::means_of(std::size_t slot) {
  return std::span(means_).subspan(slot * parameters(), parameters());
}

std::span<const double> NoisyQuadratic::covariances(std::size_t a, std::size_t b) const {
  const auto [v, u] = std::minmax(a, b);
  return std::span(covariances_).subspan((u * (u + 1) / 2 + v) * parameters(), parameters());
}

std::span<double> NoisyQuadratic::covariances_of(std::size_t a, std::size_t b) {
  const auto [v, u] = std::minmax(a, b);
  return std::span(covariances_).subspan((u * (u + 1) / 2 + v) * parameters(), parameters());
}

void NoisyQuadratic::train(IslandId island, std::int64_t steps) {
  if (steps == 0) return;
  const std::size_t i = island.index();
  std::vector<double> decays(parameters());
  const std::span<double> mean = means_of(i);
  const std::span<double> variance = covariances_of(i, i);
  for (std::size_t k = 0; k < decays.size(); ++k) {
    const double curvature = factors_[i] * curvatures_[k];
    const auto [decay, noise] = steps_of(spec_.learning_rate * curvature, steps);
    const double deviation = spec_.learning_rate * spec_.noise;
    const double step_variance =
        deviation * deviation * curvature / static_cast<double>(spec_.batch);
    decays[k] = decay;
    mean[k] = optima_[i] + decay * (mean[k] - optima_[i]);
    variance[k] = decay * decay * variance[k] + step_variance * noise;
  }
  for (std::size_t u = 0; u < slots_; ++u) {
    if (u == i) continue;
    const std::span<double> covariance = covariances_of(i, u);
    for (std::size_t k = 0; k < decays.size(); ++k) covariance[k] *= decays[k];
  }
}

void NoisyQuadratic::combine(std::size_t target, std::span<const Term> terms, Fragment fragment) {
  const std::size_t d = parameters();
  check(target < slots_, "a task has no such slot");
  // The covariance of the sum with each slot as it is, then the sum's variance and mean.
  sums_.assign((slots_ + 2) * d, 0.0);
  const auto sum = [this, d](std::size_t row) { return std::span(sums_).subspan(row * d, d); };
  const std::span<double> variance = sum(slots_);
  const std::span<double> mean = sum(slots_ + 1);
  for (std::size_t u = 0; u < slots_; ++u) {
    for (const auto& [slot, weight] : terms) {
      add_scaled(sum(u), weight, covariances(slot, u), fragment);
    }
  }
  for (const auto& [slot, weight] : terms) {
    add_scaled(variance, weight, sum(slot), fragment);
    add_scaled(mean, weight, means(slot), fragment);
  }
  for (std::size_t u = 0; u < slots_; ++u) {
    put(u == target ? variance : sum(u), covariances_of(target, u), fragment);
  }
  put(mean, means_of(target), fragment);
}

Model NoisyQuadratic::values(std::size_t /*slot*/, Fragment /*fragment*/) const {
  broken_invariant("a noisy-quadratic task has distributions, not values");
}

void NoisyQuadratic::assign(std::size_t /*slot*/, const Model& /*values*/, Fragment /*fragment*/) {
  broken_invariant("a noisy-quadratic task has distributions, not values");
}

double NoisyQuadratic::loss(std::span<const double> mean, std::span<const double> variance) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < factors_.size(); ++i) {
    for (std::size_t k = 0; k < mean.size(); ++k) {
      const double distance = mean[k] - optima_[i];
      sum += 0.5 * factors_[i] * curvatures_[k] * (distance * distance + variance[k]);
    }
  }
  return sum / static_cast<double>(factors_.size());
}

Evaluation NoisyQuadratic::evaluate() const {
  const std::size_t islands = factors_.size();
  const auto n = static_cast<double>(islands);
  Evaluation result;
  std::vector<double> mean(parameters(), 0.0);
  std::vector<double> variance(parameters(), 0.0);
  for (std::size_t i = 0; i < islands; ++i) {
    add_scaled(mean, 1.0 / n, means(i), {});
    add_scaled(variance, 1.0 / (n * n), covariances(i, i), {});
    const double own_loss = loss(means(i), covariances(i, i));
    result.loss_mean += own_loss / n;
    result.loss_worst = i == 0 ? own_loss : std::max(result.loss_worst, own_loss);
    for (std::size_t j = 0; j < i; ++j) {
      add_scaled(variance, 2.0 / (n * n), covariances(i, j), {});
      for (std::size_t k = 0; k < parameters(); ++k) {
        const double gap = means(i)[k] - means(j)[k];
        result.consensus_distance +=
            gap * gap + covariances(i, i)[k] + covariances(j, j)[k] - 2.0 * covariances(i, j)[k];
      }
    }
  }
  result.loss_average = loss(mean, variance);
  // Models that agree in all but roundings may come out below 0 by these.
  result.consensus_distance = std::max(0.0, result.consensus_distance / (n * n));
  return result;
}

std::unique_ptr<Task> make_noisy_quadratic() { return std::make_unique<NoisyQuadratic>(); }

}  // namespace gyre
