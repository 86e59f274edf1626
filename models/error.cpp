#include "models/error.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include <fmt/format.h>

namespace gyre {

std::string Where::place() const {
  return line == 0 ? file : fmt::format("{}:{}:{}", file, line, column);
}

std::string Where::line_text() const { return line == 0 ? file : fmt::format("line {}", line); }

InputError::InputError(const Where& where, std::string_view problem)
    : std::runtime_error(where.key_path.empty()
                             ? fmt::format("{}: {}", where.place(), problem)
                             : fmt::format("{}: {}: {}", where.place(), where.key_path, problem)) {}

InputError::InputError(std::string_view subject, std::string_view problem)
    : std::runtime_error(fmt::format("{}: {}", subject, problem)) {}

void broken_invariant(std::string_view message, const std::source_location& place) {
  fmt::print(stderr, "{}:{}: {}: broken invariant: {}\n", place.file_name(), place.line(),
             place.function_name(), message);
  std::fflush(nullptr);
  std::abort();
}

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substitute, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view given, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(given, candidate);
    if (distance * 3 > std::max(given.size(), candidate.size())) continue;
    if (best == nullptr || distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best == nullptr ? "" : fmt::format(" (did you mean '{}'?)", *best);
}

std::string one_of(const std::vector<std::string>& known) {
  std::string text;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i > 0) text += i + 1 == known.size() ? " or " : ", ";
    text += known[i];
  }
  return text;
}

}  // namespace gyre
