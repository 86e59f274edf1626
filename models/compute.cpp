#include "models/compute.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

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

void AcceleratorSpec::describe(Fields& fields) {
  where = fields.where();
  fields.required({"count", "Number of chips of an island."}, count, Range{.at_least = 1.0});
  fields.required({"peak", "Peak computing rate of one chip."}, peak, kPositive);
  fields.optional({"utilisation", "Share of the peak that training reaches."}, utilisation,
                  Range{.above = 0.0, .at_most = 1.0});
  fields.optional({"memory",
                   "Memory of one chip; whether the model fits is not judged if not "
                   "given."},
                  memory, kPositive);
}

void IslandStepTime::describe(Fields& fields) {
  fields.required({"island", "Name of the island."}, island);
  fields.optional({"step_time", "Time of one of its local steps."}, step_time, kPositive);
  fields.optional_object({"accelerators", "Its chips, instead."}, accelerators);
  if (step_time.has_value() == accelerators.has_value()) {
    throw InputError(fields.where(), "needs either `step_time` or `accelerators`");
  }
}

void ComputeSpec::describe(Fields& fields) {
  where = fields.where();
  std::optional<Duration> stated;
  std::optional<double> tokens;
  fields.optional({"step_time",
                   "Time of one local step on an island that `islands` does not list; "
                   "there is no default speed."},
                  stated, kPositive);
  fields.optional_object({"accelerators",
                          "The chips of an island, instead: a step takes 6 x parameters x tokens / "
                          "(count x peak x utilisation)."},
                         accelerators);
  fields.optional(
      {"tokens_per_step", "Tokens of one step, all islands together; each takes an equal share."},
      tokens, kPositive);
  fields.list_of({"islands", "Islands whose speed differs."}, Presence::kDefaulted, islands);
  std::optional<Text> file;
  fields.optional({"trace",
                   "CSV file of measured step times in seconds: a column an island, a line a "
                   "step; begins again at its end."},
                  file);
  fields.optional_object({"jitter", "Random variation of the step time."}, jitter);
  if (stated && accelerators) {
    throw InputError(fields.where("accelerators"),
                     "the speed is given twice; allowed is either `step_time` or `accelerators`");
  }
  given = stated || accelerators;
  step_time = stated.value_or(Duration());
  tokens_per_step = tokens.value_or(0.0);
  if (counts_operations() && !tokens) {
    throw InputError(where, "`accelerators` need `tokens_per_step`, what a step computes");
  }
  if (tokens && !counts_operations()) {
    throw InputError(fields.where("tokens_per_step"), "has no effect without `accelerators`");
  }
  if (file) trace = StepTrace{.file = *file, .islands = {}, .steps_s = {}};
}

void ComputeSpec::check_given() const {
  if (given) return;
  throw InputError(where,
                   "the speed is not given; allowed is either `step_time`, or `accelerators` with "
                   "`tokens_per_step`; there is no default");
}

bool ComputeSpec::counts_operations() const {
  return accelerators || std::any_of(islands.begin(), islands.end(), [](const IslandStepTime& own) {
           return own.accelerators.has_value();
         });
}

namespace {

Duration time_on(const AcceleratorSpec& chips, const ComputeSpec& spec, const std::string& island,
                 std::size_t islands) {
  const auto count = static_cast<double>(chips.count);
  const double needed = kTrainingBytesPerParameter * spec.parameters;
  if (chips.memory && static_cast<double>(chips.memory->in_bytes()) * count < needed) {
    throw InputError(
        chips.where,
        fmt::format("{} chips of {} on island '{}' cannot hold the model: {} parameters take {} "
                    "bytes each in training, {:.6g} GB; allowed are more or larger chips",
                    chips.count, to_text(*chips.memory), island, to_text(spec.parameters),
                    kTrainingBytesPerParameter, needed * 1e-9));
  }
  const double operations =
      6.0 * spec.parameters * spec.tokens_per_step / static_cast<double>(islands);
  return Duration::seconds(operations /
                           (count * chips.peak.in_flop_per_second() * chips.utilisation));
}

}  // namespace

ComputeModel::ComputeModel(const ComputeSpec& spec, const std::vector<std::string>& islands,
                           std::uint64_t seed)
    : jitter_(spec.jitter),
      step_times_(islands.size(), spec.step_time),
      traces_(islands.size()),
      next_(islands.size(), 0),
      chips_(islands.size()) {
  const auto place_of = [&islands](const Text& island) {
    const auto found = std::find(islands.begin(), islands.end(), island.value);
    if (found == islands.end()) {
      throw InputError(island.where,
                       fmt::format("unknown island '{}'{}; the islands are {}", island.value,
                                   did_you_mean(island.value, islands), one_of(islands)));
    }
    return static_cast<std::size_t>(found - islands.begin());
  };
  if (spec.counts_operations() && spec.parameters <= 0.0) {
    throw InputError(spec.where, "`accelerators` need `job.parameters`, the size of the model");
  }
  std::vector<const IslandStepTime*> given(islands.size(), nullptr);
  for (const IslandStepTime& own : spec.islands) {
    const std::size_t i = place_of(own.island);
    if (given[i] != nullptr) {
      throw InputError(own.island.where, fmt::format("island '{}' is given twice; allowed is one "
                                                     "step time an island",
                                                     own.island.value));
    }
    given[i] = &own;
  }
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const IslandStepTime* own = given[i];
    if (own != nullptr && own->step_time) {
      step_times_[i] = *own->step_time;
      continue;
    }
    const std::optional<AcceleratorSpec>& chips =
        own != nullptr && own->accelerators ? own->accelerators : spec.accelerators;
    if (!chips) continue;
    step_times_[i] = time_on(*chips, spec, islands[i], islands.size());
    chips_[i] = chips->count;
  }
  if (spec.trace) {
    for (std::size_t c = 0; c < spec.trace->islands.size(); ++c) {
      const std::size_t i =
          place_of({.value = spec.trace->islands[c], .where = spec.trace->file.where});
      for (const std::vector<double>& step : spec.trace->steps_s) {
        traces_[i].push_back(Duration::seconds(step[c]));
      }
    }
  }
  streams_.reserve(islands.size());
  for (const std::string& island : islands) {
    streams_.push_back(Rng::stream(seed, "island/" + island + "/compute"));
  }
}

Duration ComputeModel::draw(IslandId island, std::int64_t steps) {
  check(steps >= 0, "a negative number of steps was to be computed");
  const std::size_t i = island.index();
  const bool jitters = jitter_.kind != StepJitter::Kind::kNone;
  if (!jitters && traces_[i].empty()) return step_times_[i] * static_cast<double>(steps);
  double factors = 0.0;
  Duration traced;
  for (std::int64_t step = 0; step < steps; ++step) {
    const double factor = jitters ? draw_factor(jitter_, streams_[i]) : 1.0;
    if (traces_[i].empty()) {
      factors += factor;
    } else {
      traced += traces_[i][next_[i]] * factor;
      next_[i] = (next_[i] + 1) % traces_[i].size();
    }
  }
  return traces_[i].empty() ? step_times_[i] * factors : traced;
}

Duration ComputeModel::slowest_mean_step_time() const {
  Duration slowest;
  for (std::size_t i = 0; i < step_times_.size(); ++i) {
    slowest = std::max(slowest, mean_step_time(IslandId::at(i)));
  }
  return slowest;
}

Duration ComputeModel::mean_step_time(IslandId island) const {
  const std::vector<Duration>& trace = traces_[island.index()];
  Duration mean = step_times_[island.index()];
  if (!trace.empty()) {
    mean =
        std::accumulate(trace.begin(), trace.end(), Duration()) / static_cast<double>(trace.size());
  }
  return mean * mean_factor(jitter_);
}

}  // namespace gyre
