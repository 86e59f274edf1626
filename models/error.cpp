#include "models/error.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include <fmt/format.h>

#include "models/limits.hpp"

namespace gyre {
namespace {

/// A message that quotes a whole file helps nobody.
std::string shortened(std::string message) {
  if (message.size() <= kLongestMessage) return message;
  const auto inside_a_character = [&message](std::size_t at) {
    return at < message.size() && (static_cast<unsigned char>(message[at]) & 0xC0U) == 0x80U;
  };
  std::size_t from = kLongestMessage / 2;
  while (from > 0 && inside_a_character(from)) --from;
  std::size_t to = message.size() - kLongestMessage / 4;
  while (inside_a_character(to)) ++to;
  return message.replace(from, to - from, fmt::format(" [{} bytes left out] ", to - from));
}

}  // namespace

std::string Where::place() const {
  return line == 0 ? file : fmt::format("{}:{}:{}", file, line, column);
}

std::string Where::line_text() const { return line == 0 ? file : fmt::format("line {}", line); }

InputError::InputError(const Where& where, std::string_view problem)
    : std::runtime_error(
          shortened(where.key_path.empty()
                        ? fmt::format("{}: {}", where.place(), problem)
                        : fmt::format("{}: {}: {}", where.place(), where.key_path, problem))) {}

InputError::InputError(std::string_view subject, std::string_view problem)
    : std::runtime_error(shortened(fmt::format("{}: {}", subject, problem))) {}

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
  if (given.size() > kLongestCorrected) return "";
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate : known) {
    const std::size_t most = std::max(given.size(), candidate.size()) / 3;
    // At least as many letters have to change as one of them is longer.
    if (candidate.size() > given.size() + most || given.size() > candidate.size() + most) continue;
    const std::size_t distance = edit_distance(given, candidate);
    if (distance > most) continue;
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
    if (i == kMostListed && known.size() > kMostListed + 1) {
      return text + fmt::format(" or {} others", known.size() - i);
    }
    if (i > 0) text += i + 1 == known.size() ? " or " : ", ";
    text += known[i];
  }
  return text;
}

}  // namespace gyre
