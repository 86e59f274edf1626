#include "models/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

namespace gyre {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 8> kDurations{{{"ps", 1e-12},
                                          {"ns", 1e-9},
                                          {"us", 1e-6},
                                          {"ms", 1e-3},
                                          {"s", 1.0},
                                          {"min", 60.0},
                                          {"h", 3600.0},
                                          {"d", 86400.0}}};
constexpr std::array<Unit, 10> kBandwidths{{{"bps", 1.0},
                                            {"Kbps", 1e3},
                                            {"Mbps", 1e6},
                                            {"Gbps", 1e9},
                                            {"Tbps", 1e12},
                                            {"Bps", 8.0},
                                            {"KBps", 8e3},
                                            {"MBps", 8e6},
                                            {"GBps", 8e9},
                                            {"TBps", 8e12}}};
constexpr std::array<Unit, 9> kSizes{{{"B", 1.0},
                                      {"KB", 1e3},
                                      {"MB", 1e6},
                                      {"GB", 1e9},
                                      {"TB", 1e12},
                                      {"KiB", 1024.0},
                                      {"MiB", 1048576.0},
                                      {"GiB", 1073741824.0},
                                      {"TiB", 1099511627776.0}}};
constexpr std::array<Unit, 6> kFlopRates{{{"FLOPS", 1.0},
                                          {"MFLOPS", 1e6},
                                          {"GFLOPS", 1e9},
                                          {"TFLOPS", 1e12},
                                          {"PFLOPS", 1e15},
                                          {"EFLOPS", 1e18}}};
constexpr double kLargestWhole = 4611686018427387904.0;  // 2^62

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Length of the longest prefix that has the form of a plain number; 0 if there is none.
std::size_t number_length(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t from = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i - from;
  };
  if (i < text.size() && text[i] == '-') ++i;
  const bool zero = i < text.size() && text[i] == '0';
  const std::size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return 0;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (digits() == 0) return 0;
  }
  const std::size_t mantissa = i;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (digits() == 0) i = mantissa;
  }
  return i;
}

struct Quantity {
  double number = 0.0;
  std::string digits;  ///< the number as written
  double factor = 1.0;
  std::string problem;
};

Quantity refused(std::string problem) {
  Quantity quantity;
  quantity.problem = std::move(problem);
  return quantity;
}

template <std::size_t N>
Quantity parse_quantity(std::string_view text, const std::array<Unit, N>& units,
                        std::string_view legal) {
  const std::size_t length = number_length(text);
  if (length == 0) {
    return refused(fmt::format("'{}' is not a number with a unit; legal units: {}", text, legal));
  }
  std::string_view name = text.substr(length);
  while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
  if (name.empty()) return refused(fmt::format("'{}' lacks a unit; legal units: {}", text, legal));
  const std::optional<double> number = parse_number(text.substr(0, length));
  if (!number) return refused(fmt::format("'{}' is out of range", text));
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    return {.number = *number,
            .digits = std::string(text.substr(0, length)),
            .factor = unit.factor,
            .problem = {}};
  }
  return refused(fmt::format("unknown unit '{}'; legal units: {}", name, legal));
}

/// The double nearest to the decimal number × 10^shift: the point is moved in the text, so that
/// nothing is rounded twice.
std::optional<double> shifted(std::string_view digits, int shift) {
  const std::size_t e = std::min(digits.find_first_of("eE"), digits.size());
  std::string_view written = digits.substr(std::min(e + 1, digits.size()));
  if (!written.empty() && written.front() == '+') written.remove_prefix(1);
  int exponent = 0;
  if (!written.empty() &&
      std::from_chars(written.data(), written.data() + written.size(), exponent).ec !=
          std::errc()) {
    return std::nullopt;
  }
  if (std::abs(exponent) > 10'000) return std::nullopt;
  return parse_number(fmt::format("{}e{}", digits.substr(0, e), exponent + shift));
}

struct Whole {
  std::int64_t value = 0;
  std::string problem;
};

/// number × factor as a whole count; what is left over beyond rounding is a problem.
Whole whole_count(std::string_view text, const Quantity& quantity, std::string_view of_what) {
  const auto too_large = [&]() -> Whole {
    return {.problem = fmt::format("'{}' is too large; must be below 2^62 {}", text, of_what)};
  };
  const double product = quantity.number * quantity.factor;
  if (!(std::abs(product) <= kLargestWhole)) return too_large();
  // Digits alone are counted exactly, also where a double has no room for them.
  std::int64_t digits = 0;
  const char* const last = quantity.digits.data() + quantity.digits.size();
  const auto [end, error] = std::from_chars(quantity.digits.data(), last, digits);
  if (error == std::errc() && end == last) {
    const std::int64_t exact = digits * static_cast<std::int64_t>(quantity.factor);
    if (std::abs(exact) >= static_cast<std::int64_t>(kLargestWhole)) return too_large();
    return {.value = exact, .problem = {}};
  }
  if (std::abs(product) >= kLargestWhole) return too_large();
  // The decimal number and the product are each rounded once.
  const double rounded = std::round(product);
  if (std::abs(product - rounded) > std::ldexp(std::abs(product), -52)) {
    return {.problem = fmt::format("'{}' is not a whole number of {}", text, of_what)};
  }
  return {.value = static_cast<std::int64_t>(rounded), .problem = {}};
}

/// `value` in the largest unit that keeps the number at 1 or more, or in the smallest unit where
/// rounding would change it.
template <std::size_t N, class Parse>
std::string in_best_unit(std::int64_t value, const std::array<Unit, N>& units, Parse parse) {
  const double size = std::abs(static_cast<double>(value));
  const Unit* best = units.data();
  for (const Unit& unit : units) {
    if (unit.factor > size) break;
    best = &unit;
  }
  std::string text =
      fmt::format("{} {}", to_text(static_cast<double>(value) / best->factor), best->name);
  if (parse(text) == value) return text;
  return fmt::format("{} {}", value, units.front().name);
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  if (text.empty() || number_length(text) != text.size()) return std::nullopt;
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

Parsed<Duration> parse_duration(std::string_view text) {
  const Quantity quantity = parse_quantity(text, kDurations, kDurationUnits);
  if (!quantity.problem.empty()) return {.value = {}, .problem = quantity.problem};
  const std::optional<double> seconds =
      quantity.factor < 1.0
          ? shifted(quantity.digits, static_cast<int>(std::lround(std::log10(quantity.factor))))
          : quantity.number * quantity.factor;
  if (!seconds || !std::isfinite(*seconds)) {
    return {.value = {}, .problem = fmt::format("'{}' is out of range", text)};
  }
  return {.value = Duration::seconds(*seconds), .problem = {}};
}

Parsed<Bandwidth> parse_bandwidth(std::string_view text) {
  const Quantity quantity = parse_quantity(text, kBandwidths, kBandwidthUnits);
  if (!quantity.problem.empty()) return {.value = {}, .problem = quantity.problem};
  const Whole whole = whole_count(text, quantity, "bits per second");
  if (!whole.problem.empty()) return {.value = {}, .problem = whole.problem};
  return {.value = Bandwidth::bits_per_second(whole.value), .problem = {}};
}

Parsed<Bytes> parse_bytes(std::string_view text) {
  const Quantity quantity = parse_quantity(text, kSizes, kBytesUnits);
  if (!quantity.problem.empty()) return {.value = {}, .problem = quantity.problem};
  const Whole whole = whole_count(text, quantity, "bytes");
  if (!whole.problem.empty()) return {.value = {}, .problem = whole.problem};
  return {.value = Bytes::count(whole.value), .problem = {}};
}

Parsed<FlopRate> parse_flop_rate(std::string_view text) {
  const Quantity quantity = parse_quantity(text, kFlopRates, kFlopRateUnits);
  if (!quantity.problem.empty()) return {.value = {}, .problem = quantity.problem};
  const double rate = quantity.number * quantity.factor;
  if (!std::isfinite(rate)) {
    return {.value = {}, .problem = fmt::format("'{}' is out of range", text)};
  }
  return {.value = FlopRate::per_second(rate), .problem = {}};
}

std::string to_text(double value) {
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), result.ptr);
  // `1e+09` becomes `1e9`.
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  std::size_t digits = exponent + 1;
  if (text[digits] == '+') text.erase(digits, 1);
  if (text[digits] == '-') ++digits;
  while (text[digits] == '0' && digits + 1 < text.size()) text.erase(digits, 1);
  return text;
}

std::string to_text(Duration value) {
  const double s = value.in_seconds();
  const double size = std::abs(s);
  if (size == 0.0) return "0 s";
  if (size >= 1.0) return fmt::format("{} s", to_text(s));
  for (const auto& [name, shift] :
       {std::pair{"ms", 3}, std::pair{"us", 6}, std::pair{"ns", 9}, std::pair{"ps", 12}}) {
    const std::optional<double> number = shifted(to_text(s), shift);
    if (!number || std::abs(*number) < 1.0) continue;
    std::string text = fmt::format("{} {}", to_text(*number), name);
    if (parse_duration(text).value == value) return text;
    break;
  }
  return fmt::format("{} s", to_text(s));
}

std::string to_text(Bandwidth value) {
  // The bit units come first in the table.
  std::array<Unit, 5> units{};
  std::copy_n(kBandwidths.begin(), units.size(), units.begin());
  return in_best_unit(value.in_bits_per_second(), units, [](std::string_view text) {
    return parse_bandwidth(text).value.value_or(Bandwidth()).in_bits_per_second();
  });
}

std::string to_text(FlopRate value) {
  const double rate = value.in_flop_per_second();
  const Unit* best = kFlopRates.data();
  for (const Unit& unit : kFlopRates) {
    if (unit.factor <= std::abs(rate)) best = &unit;
  }
  std::string text = fmt::format("{} {}", to_text(rate / best->factor), best->name);
  return parse_flop_rate(text).value == value ? text : fmt::format("{} FLOPS", to_text(rate));
}

std::string to_text(Bytes value) {
  // The powers of 1000 come first in the table.
  std::array<Unit, 5> units{};
  std::copy_n(kSizes.begin(), units.size(), units.begin());
  return in_best_unit(value.in_bytes(), units, [](std::string_view text) {
    return parse_bytes(text).value.value_or(Bytes()).in_bytes();
  });
}

}  // namespace gyre
