#include "models/training.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {

void OverlapSpec::describe(Fields& fields) {
  where = fields.where();
  const auto delayed = [this](Fields& inner) {
    inner.optional(
        {"steps", "Local steps from the sending of a model to the merging of the result."}, steps,
        Range{.at_least = 1.0});
    inner.optional(
        {"local_weight",
         "Weight of the island's own model in the merging; 0 takes the result as it is."},
        local_weight, Range{.at_least = 0.0, .below = 1.0});
  };
  const std::array<Fields::Alternative, 2> kinds{{
      {"none", "An island computes on when it holds the exchange's result.", [](Fields&) {}},
      {"delayed", "An island computes on at once and merges the result some steps later.", delayed},
  }};
  kind = static_cast<Kind>(
      fields.variant({"kind", "Whether exchanges overlap with computing."}, kinds));
}

void LayersSpec::describe(Fields& fields) {
  where = fields.where();
  fields.required({"count", "Equal layers of the model."}, count,
                  Range{.at_least = 1.0, .at_most = 1e4});
  fields.optional({"backward", "Share of a step's time that the backward pass takes."}, backward,
                  Range{.above = 0.0, .at_most = 1.0});
}

void StragglerSpec::describe(Fields& fields) {
  where = fields.where();
  const auto with_quorum = [this](Fields& inner) {
    inner.optional({"quorum", "Share of a clique's members that is enough, rounded up."}, quorum,
                   Range{.above = 0.0, .at_most = 1.0});
    inner.required({"deadline", "Time that the first one ready waits for more than a quorum."},
                   deadline, kNotNegative);
    inner.optional_choice({"late",
                           "What becomes of a latecomer: drop (its steps are lost, it fetches the "
                           "result) or merge (its model enters the next exchange that is open)."},
                          late, kLateNames);
  };
  const std::array<Fields::Alternative, 3> rules{{
      {"wait", "An exchange begins when all its members are ready.", [](Fields&) {}},
      {"quorum", "It begins without those who are not ready in time.", with_quorum},
      {"dynamic-steps",
       "Islands take local steps in proportion to their speed, so that they are ready together.",
       [](Fields&) {}},
  }};
  rule = static_cast<Rule>(fields.variant({"rule", "Who waits for whom."}, rules));
}

void TrainingSpec::describe(Fields& fields) {
  fields.optional({"fragments",
                   "Parts of the model that are exchanged in turn, each once in `local_steps` "
                   "(Streaming DiLoCo)."},
                  fragments, Range{.at_least = 1.0});
  fields.optional_object({"layers",
                          "The model's layers, if they are sent one by one behind the backward "
                          "pass of the last local step."},
                         layers);
  fields.optional_object({"overlap", "Whether islands compute while they exchange."}, overlap);
  fields.optional_object({"stragglers", "What happens when islands are not ready together."},
                         stragglers);
  fields.optional_object({"compression", "What is sent of each parameter, and its error."},
                         compression);
  fields.optional_object({"outer_optimizer",
                          "An outer Nesterov step (DiLoCo) that follows each exchange; plain "
                          "averaging if not given."},
                         outer_optimizer);
  fragments_where = fields.where("fragments");
}

TrainingSpec TrainingSpec::over(const TrainingSpec& others) const {
  TrainingSpec both = *this;
  const auto fill = [](auto& mine, const auto& theirs) {
    if (!mine) mine = theirs;
  };
  fill(both.local_steps, others.local_steps);
  if (!fragments) both.fragments_where = others.fragments_where;
  fill(both.fragments, others.fragments);
  fill(both.layers, others.layers);
  fill(both.overlap, others.overlap);
  fill(both.stragglers, others.stragglers);
  fill(both.compression, others.compression);
  fill(both.outer_optimizer, others.outer_optimizer);
  return both;
}

std::int64_t TrainingSpec::delay() const {
  return overlap && overlap->kind == OverlapSpec::Kind::kDelayed ? overlap->steps : 0;
}

double TrainingSpec::local_weight() const { return delay() > 0 ? overlap->local_weight : 0.0; }

void TrainingSpec::check_together() const {
  const std::int64_t count = fragments.value_or(1);
  if (count > steps()) {
    throw InputError(
        fragments_where,
        fmt::format("is {} for {} local steps, so that some would be exchanged without "
                    "a step between; allowed is up to `local_steps`",
                    count, steps()));
  }
  if (layers && layers->count < count) {
    throw InputError(layers->where, fmt::format("{} layers cannot make {} fragments; allowed are "
                                                "at least as many layers as fragments",
                                                layers->count, count));
  }
  const std::int64_t shortest = steps() / count;
  if (layers && delay() >= shortest) {
    throw InputError(overlap->where,
                     fmt::format("merges {} steps late where {} steps lie between two exchanges; "
                                 "with `layers` allowed are fewer",
                                 delay(), shortest));
  }
  if (!follows(StragglerSpec::Rule::kQuorum)) return;
  if (delay() > 0 || layers || count > 1) {
    throw InputError(stragglers->where,
                     "a quorum is for exchanges of the whole model that islands wait for; allowed "
                     "without `overlap`, `layers` and `fragments`");
  }
}

SyncTiming::SyncTiming(const TrainingSpec& training, Bytes model, std::vector<std::int64_t> steps)
    : steps_(std::move(steps)), layered_(training.layers.has_value()) {
  const std::size_t fragments = training.fragment_count();
  const auto layers = layered_ ? static_cast<std::size_t>(training.layers->count) : fragments;
  const double backward = layered_ ? training.layers->backward : 0.0;
  const auto layer_count = static_cast<std::int64_t>(layers);
  const auto below = [&](std::size_t layer) {  // ⌊layer·M/L⌋ without leaving 64 bits
    const auto l = static_cast<std::int64_t>(layer);
    const std::int64_t whole = model.in_bytes() / layer_count;
    const std::int64_t rest = model.in_bytes() % layer_count;
    return l * whole + l * rest / layer_count;
  };
  pieces_.resize(fragments);
  for (std::size_t l = layers; l-- > 0;) {
    const double passed = static_cast<double>(layers - l) / static_cast<double>(layers);
    pieces_[l % fragments].push_back(
        {.bytes = Bytes::count(below(l + 1) - below(l)),
         .ready = layered_ ? (1.0 - backward) + backward * passed : 1.0});
  }
}

std::int64_t SyncTiming::steps(std::size_t island, std::size_t fragment) const {
  const auto count = static_cast<std::int64_t>(fragments());
  const auto f = static_cast<std::int64_t>(fragment);
  return (f + 1) * steps_[island] / count - f * steps_[island] / count;
}

Bytes SyncTiming::bytes(std::size_t fragment) const {
  Bytes sum;
  for (const Piece& piece : pieces_[fragment]) sum += piece.bytes;
  return sum;
}

std::size_t SyncTiming::most_in_flight(std::int64_t delay, std::int64_t rounds) const {
  const auto count = static_cast<std::int64_t>(fragments());
  const std::int64_t shortest = std::max<std::int64_t>(least_steps() / count, 1);
  const std::int64_t most = delay / shortest + 1;
  return static_cast<std::size_t>(rounds < most / count ? rounds * count : most);
}

std::int64_t SyncTiming::least_steps() const {
  return *std::min_element(steps_.begin(), steps_.end());
}

double SyncTiming::mean_steps() const {
  return static_cast<double>(std::accumulate(steps_.begin(), steps_.end(), std::int64_t{0})) /
         static_cast<double>(steps_.size());
}

std::vector<std::int64_t> dynamic_steps(std::int64_t steps, const std::vector<Duration>& step_times,
                                        std::int64_t least) {
  double speeds = 0.0;
  for (const Duration time : step_times) speeds += 1.0 / time.in_seconds();
  const double all = static_cast<double>(steps) * static_cast<double>(step_times.size());
  std::vector<std::int64_t> result;
  result.reserve(step_times.size());
  for (const Duration time : step_times) {
    result.push_back(std::max<std::int64_t>(least, std::llround(all / time.in_seconds() / speeds)));
  }
  return result;
}

}  // namespace gyre
