#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/fields.hpp"
#include "scenarios/scenario.hpp"

namespace gyre {

/// Values from one number to another.
struct StudyRange {
  double from = 0.0;
  double to = 0.0;
  double step = 1.0;       ///< of `range`
  std::int64_t count = 2;  ///< of `log_range`: values, the ends included
  Where where;

  void describe_linear(Fields& fields);
  void describe_logarithmic(Fields& fields);
};

/// A key of the scenario and its values.
struct StudyKey {
  Text key;
  std::vector<Text> values;
  std::optional<StudyRange> range;
  std::optional<StudyRange> log_range;
  Text unit;  ///< of a range
  Where where;

  void describe(Fields& fields);
};

/// What a study varies: a key, or several in step.
struct StudyAxis {
  std::vector<StudyKey> keys;

  void describe(Fields& fields);
};

/// A random subset of the runs.
struct StudySample {
  std::int64_t runs = 1;
  std::int64_t seed = 1;

  void describe(Fields& fields);
};

/// A study file as it says.
struct Study {
  std::int64_t format = 1;
  Text name;
  Text description;
  Text scenario;  ///< relative to the study's folder
  std::vector<StudyAxis> axes;
  std::int64_t max_runs = 100'000;
  std::optional<StudySample> sample;
  Where max_runs_where;

  void describe(Fields& fields);
};

/// The scenario with one value on each axis.
struct StudyPoint {
  std::vector<Override> overrides;
};

struct LoadedStudy {
  Study study;
  std::string text;  ///< the study file as it was read
  std::string scenario_path;
  std::vector<std::string> keys;   ///< that are varied, in the file's order
  std::vector<StudyPoint> points;  ///< the last axis varies fastest
};

/// Reads a study file and spells out its points. Errors: `InputError` with the place.
LoadedStudy load_study(const std::string& path);

}  // namespace gyre
