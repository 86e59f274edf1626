#include "scenarios/study.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/limits.hpp"
#include "scenarios/reader.hpp"
#include "scenarios/yaml.hpp"

namespace gyre {
namespace {

struct LinearRange {
  StudyRange range;
  void describe(Fields& fields) { range.describe_linear(fields); }
};
struct LogRange {
  StudyRange range;
  void describe(Fields& fields) { range.describe_logarithmic(fields); }
};

}  // namespace

void StudyRange::describe_linear(Fields& fields) {
  fields.required({"from", "First value."}, from);
  fields.required({"to", "Last value, where a step meets it."}, to);
  fields.optional({"step", "From one value to the next."}, step, kPositive);
  where = fields.where();
  if (!(from <= to)) throw InputError(fields.where("to"), "lies before `from`");
}

void StudyRange::describe_logarithmic(Fields& fields) {
  fields.required({"from", "First value."}, from, kPositive);
  fields.required({"to", "Last value."}, to, kPositive);
  fields.required({"count",
                   "How many values, the ends included, each the same factor apart; those in "
                   "between to four digits."},
                  count, Range{.at_least = 2.0, .at_most = static_cast<double>(kMostEntries)});
  where = fields.where();
  if (!(from < to)) throw InputError(fields.where("to"), "has to be above `from`");
}

void StudyAxis::describe(Fields& fields) {
  fields.list_of({"zip", "Keys that vary in step: their values are taken one by one together."},
                 Presence::kDefaulted, keys, 2);
  if (keys.empty()) keys.emplace_back().describe(fields);
}

void StudyKey::describe(Fields& fields) {
  where = fields.where();
  std::optional<Text> given;
  fields.optional({"key", "Key path of the scenario, as `--set` takes it."}, given);
  fields.list({"values", "The values, as `--set` takes them."}, Presence::kDefaulted, values);
  std::optional<LinearRange> linear;
  std::optional<LogRange> logarithmic;
  fields.optional_object({"range", "Values a step apart."}, linear);
  fields.optional_object({"log_range", "Values a factor apart."}, logarithmic);
  if (linear) range = linear->range;
  if (logarithmic) log_range = logarithmic->range;
  fields.optional({"unit", "Unit of the values of a range, such as Gbps."}, unit);
  if (!given) throw InputError(where, "lacks `key`, the key path of what is varied");
  key = *given;
  const int ways = (values.empty() ? 0 : 1) + (range ? 1 : 0) + (log_range ? 1 : 0);
  if (ways != 1) {
    throw InputError(where, "the values are to be given once: as `values`, `range` or `log_range`");
  }
  for (const Text& text : {key, unit}) {
    if (text.value.size() <= kLongestKey) continue;
    throw InputError(text.where, fmt::format("{} bytes; at most {} are allowed", text.value.size(),
                                             kLongestKey));
  }
  if (!unit.value.empty() && !values.empty()) {
    throw InputError(unit.where, "has no effect on `values`, which carry their own units");
  }
}

void StudySample::describe(Fields& fields) {
  fields.required({"runs", "How many of the runs, drawn at random."}, runs, Range{.at_least = 1.0});
  fields.optional({"seed", "Seed of the draw."}, seed, kNotNegative);
}

void Study::describe(Fields& fields) {
  fields.required({"gyre", "Version of this format; 1 so far."}, format,
                  Range{.at_least = 1.0, .at_most = 1.0});
  fields.required({"name", "Name of the study."}, name);
  fields.optional({"description", "What the study asks."}, description);
  fields.required({"scenario", "The scenario file, relative to this file's folder."}, scenario);
  fields.list_of({"axes", "What is varied; several axes are crossed."}, Presence::kRequired, axes);
  fields.optional({"max_runs", "More runs than this are refused."}, max_runs,
                  Range{.at_least = 1.0, .at_most = 1e7});
  fields.optional_object({"sample", "A random subset of the runs."}, sample);
  max_runs_where = fields.where("max_runs");
}

namespace {

std::vector<std::string> values_of(const StudyKey& axis) {
  std::vector<std::string> values;
  const auto add = [&](double value, int digits) {
    values.push_back(fmt::format("{:.{}g}{}{}", value, digits, axis.unit.value.empty() ? "" : " ",
                                 axis.unit.value));
  };
  for (const Text& value : axis.values) values.push_back(value.value);
  if (axis.range) {
    // A last step may miss the end by rounding.
    const double steps = std::floor((axis.range->to - axis.range->from) / axis.range->step + 1e-9);
    if (!(steps < static_cast<double>(kMostEntries))) {
      throw InputError(
          axis.range->where,
          fmt::format("comes to {:.0f} values; at most {} are allowed", steps + 1.0, kMostEntries));
    }
    for (std::size_t i = 0; i <= static_cast<std::size_t>(steps); ++i) {
      add(axis.range->from + static_cast<double>(i) * axis.range->step, 12);
    }
  }
  if (axis.log_range) {
    const auto& [from, to, step, count, where] = *axis.log_range;
    for (std::int64_t i = 0; i < count; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(count - 1);
      add(i + 1 == count ? to : from * std::pow(to / from, share),
          i == 0 || i + 1 == count ? 12 : 4);
    }
  }
  return values;
}

/// Errors: `InputError` at `where` for points that would take more memory than is wanted for them.
void check_memory(double bytes, const Where& where) {
  if (bytes <= static_cast<double>(kLargestStudy)) return;
  throw InputError(where,
                   fmt::format("the points of the study would take {:.3g} GiB; at most {} "
                               "are allowed: vary fewer keys, or take fewer or shorter values",
                               bytes / 0x1p30, kLargestStudy >> 30U));
}

double bytes_of(std::span<const Override> step) {
  double bytes = sizeof(StudyPoint);
  for (const Override& one : step) {
    bytes += static_cast<double>(sizeof(Override) + one.key_path.size() + one.value.size());
  }
  return bytes;
}

/// What an axis sets, value by value.
std::vector<std::vector<Override>> steps_of(const StudyAxis& axis) {
  std::vector<std::vector<Override>> steps;
  for (const StudyKey& one : axis.keys) {
    const std::vector<std::string> values = values_of(one);
    if (steps.empty()) steps.resize(values.size());
    check_memory(static_cast<double>(values.size()) * static_cast<double>(axis.keys.size()) *
                     static_cast<double>(sizeof(Override) + one.key.value.size()),
                 one.where);
    if (steps.size() != values.size()) {
      throw InputError(one.where, fmt::format("has {} values where the one before it has {}; the "
                                              "keys of a `zip` have as many values as each other",
                                              values.size(), steps.size()));
    }
    for (std::size_t v = 0; v < values.size(); ++v) {
      steps[v].push_back({.key_path = one.key.value, .value = values[v]});
    }
  }
  return steps;
}

void add_key(std::vector<std::string>& keys, const StudyKey& one) {
  const auto same = std::find(keys.begin(), keys.end(), one.key.value);
  if (same != keys.end()) {
    throw InputError(one.key.where, fmt::format("'{}' is varied twice", one.key.value));
  }
  keys.push_back(one.key.value);
}

}  // namespace

LoadedStudy load_study(const std::string& path) {
  LoadedStudy loaded;
  loaded.text = read_text_file(path);
  const YamlNode root = parse_yaml(loaded.text, path);
  (void)read_mapping(root, [&loaded](Fields& fields) { loaded.study.describe(fields); });
  const Study& study = loaded.study;
  loaded.scenario_path =
      (std::filesystem::path(path).parent_path() / study.scenario.value).string();
  loaded.points.emplace_back();
  double bytes = 0.0;  // of the points so far
  for (const StudyAxis& axis : study.axes) {
    for (const StudyKey& one : axis.keys) add_key(loaded.keys, one);
    const std::vector<std::vector<Override>> steps = steps_of(axis);
    if (loaded.points.size() * steps.size() > static_cast<std::size_t>(study.max_runs)) {
      throw InputError(
          study.max_runs_where,
          fmt::format("the axes come to more than {} points, each with a run or more; vary less, "
                      "take a `sample` of fewer points, or set `max_runs`",
                      study.max_runs));
    }
    double added = 0.0;
    for (const std::vector<Override>& step : steps) added += bytes_of(step);
    bytes = bytes * static_cast<double>(steps.size()) +
            static_cast<double>(loaded.points.size()) * added;
    check_memory(bytes, axis.keys.front().where);
    std::vector<StudyPoint> crossed;
    for (const StudyPoint& point : loaded.points) {
      for (const std::vector<Override>& step : steps) {
        crossed.push_back(point);
        crossed.back().overrides.insert(crossed.back().overrides.end(), step.begin(), step.end());
      }
    }
    loaded.points = std::move(crossed);
  }
  return loaded;
}

}  // namespace gyre
