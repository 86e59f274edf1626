#include "models/compute.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {
namespace {

double mean_factor(const StepJitter& jitter) {
  return jitter.kind == StepJitter::Kind::kUniform ? 0.5 * (jitter.low + jitter.high) : 1.0;
}

/// One factor. Requires a kind other than none.
double draw_factor(const StepJitter& jitter, Rng& stream) {
  switch (jitter.kind) {
    case StepJitter::Kind::kExponential:
      return stream.exponential();
    case StepJitter::Kind::kUniform:
      return jitter.low + (jitter.high - jitter.low) * stream.uniform();
    case StepJitter::Kind::kLognormal:
      return std::exp(jitter.sigma * stream.normal() - 0.5 * jitter.sigma * jitter.sigma);
    case StepJitter::Kind::kNone:
      break;
  }
  check(false, "a factor was drawn without a distribution");
  return 1.0;
}

}  // namespace

void StepJitter::describe(Fields& fields) {
  const auto uniform_keys = [this](Fields& inner) {
    inner.optional({"low", "Smallest factor. 0 lets a step take no time."}, low, kNotNegative);
    inner.optional({"high", "Largest factor; above `low`."}, high, kPositive);
  };
  const auto lognormal_keys = [this](Fields& inner) {
    inner.optional({"sigma", "Standard deviation of the factor's logarithm; the mean factor is 1."},
                   sigma, kPositive);
  };
  const std::array<Fields::Alternative, 4> kinds{{
      {"none", "Every step takes exactly the island's step time.", [](Fields&) {}},
      {"exponential", "Each step takes the step time times an exponential factor of mean 1.",
       [](Fields&) {}},
      {"uniform", "Each step takes the step time times a uniform factor between `low` and `high`.",
       uniform_keys},
      {"lognormal", "Each step takes the step time times a lognormal factor of mean 1.",
       lognormal_keys},
  }};
  kind = static_cast<Kind>(
      fields.variant({"kind",
                      "Distribution of the factor that multiplies each step's time, drawn "
                      "for every step and island."},
                     kinds, static_cast<std::size_t>(kind)));
  if (kind == Kind::kUniform && !(high > low)) {
    throw InputError(fields.where("high"),
                     fmt::format("is {}, which does not exceed `low` ({}); allowed is a number "
                                 "above `low`",
                                 to_text(high), to_text(low)));
  }
}

void IslandStepTime::describe(Fields& fields) {
  fields.required({"island", "Name of the island."}, island);
  fields.required({"step_time", "Time of one of its local steps."}, step_time, kPositive);
}

void ComputeSpec::describe(Fields& fields) {
  fields.required({"step_time",
                   "Time of one local step on an island that `islands` does not list; "
                   "there is no default speed."},
                  step_time, kPositive);
  fields.list_of({"islands", "Islands whose step time differs."}, Presence::kDefaulted, islands);
  fields.optional_object({"jitter", "Random variation of the step time."}, jitter);
}

ComputeModel::ComputeModel(const ComputeSpec& spec, const std::vector<std::string>& islands,
                           std::uint64_t seed)
    : jitter_(spec.jitter), step_times_(islands.size(), spec.step_time) {
  std::vector<bool> given(islands.size(), false);
  for (const IslandStepTime& own : spec.islands) {
    std::size_t i = 0;
    while (i < islands.size() && islands[i] != own.island.value) ++i;
    if (i == islands.size()) {
      throw InputError(own.island.where,
                       fmt::format("unknown island '{}'{}; the islands are {}", own.island.value,
                                   did_you_mean(own.island.value, islands), one_of(islands)));
    }
    if (given[i]) {
      throw InputError(own.island.where, fmt::format("island '{}' is given twice; allowed is one "
                                                     "step time an island",
                                                     own.island.value));
    }
    given[i] = true;
    step_times_[i] = own.step_time;
  }
  streams_.reserve(islands.size());
  for (const std::string& island : islands) {
    streams_.push_back(Rng::stream(seed, "island/" + island + "/compute"));
  }
}

Duration ComputeModel::draw(IslandId island, std::int64_t steps) {
  check(steps >= 0, "a negative number of steps was to be computed");
  const Duration step_time = step_times_[island.index()];
  if (jitter_.kind == StepJitter::Kind::kNone) return step_time * static_cast<double>(steps);
  double factors = 0.0;
  for (std::int64_t step = 0; step < steps; ++step) {
    factors += draw_factor(jitter_, streams_[island.index()]);
  }
  return step_time * factors;
}

Duration ComputeModel::slowest_mean_step_time() const {
  Duration slowest;
  for (std::size_t i = 0; i < step_times_.size(); ++i) {
    slowest = std::max(slowest, mean_step_time(IslandId::at(i)));
  }
  return slowest;
}

Duration ComputeModel::mean_step_time(IslandId island) const {
  return step_times_[island.index()] * mean_factor(jitter_);
}

}  // namespace gyre
