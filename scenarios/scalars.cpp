#include "scenarios/scalars.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "models/units.hpp"

namespace gyre {
namespace {

constexpr std::string_view kNumberForm =
    "a number reads like 12, -0.5 or 1e-3: no '+', leading zero, '_', hexadecimals, colons, inf or "
    "nan";
constexpr double kLargestExact = 9007199254740992.0;  // 2^53

/// The range as `must be above 0 s and at most 1 s`.
std::string range_text(ScalarRef kind, const Range& range) {
  if (range.at_least == range.at_most) {
    return fmt::format("must be {}", print_bound(kind, range.at_least));
  }
  std::vector<std::string> parts;
  const auto add = [&](std::string_view words, double bound) {
    if (std::isfinite(bound))
      parts.push_back(fmt::format("{} {}", words, print_bound(kind, bound)));
  };
  add("at least", range.at_least);
  add("above", range.above);
  add("at most", range.at_most);
  add("below", range.below);
  return fmt::format("must be {}", fmt::join(parts, " and "));
}

bool inside(double value, const Range& range) {
  return value >= range.at_least && value > range.above && value <= range.at_most &&
         value < range.below;
}

double in_base_unit(std::int64_t value) { return static_cast<double>(value); }
double in_base_unit(double value) { return value; }
double in_base_unit(Duration value) { return value.in_seconds(); }
double in_base_unit(Bandwidth value) { return static_cast<double>(value.in_bits_per_second()); }
double in_base_unit(FlopRate value) { return value.in_flop_per_second(); }
double in_base_unit(Bytes value) { return static_cast<double>(value.in_bytes()); }

std::string_view expected(const ScalarRef& value) {
  struct Name {
    std::string_view operator()(const bool* /*value*/) const { return "true or false"; }
    std::string_view operator()(const std::int64_t* /*value*/) const { return "a whole number"; }
    std::string_view operator()(const double* /*value*/) const { return "a number"; }
    std::string_view operator()(const Duration* /*value*/) const {
      return "a duration such as 10 ms";
    }
    std::string_view operator()(const Bandwidth* /*value*/) const {
      return "a bandwidth such as 10 Gbps";
    }
    std::string_view operator()(const Bytes* /*value*/) const { return "a size such as 2 GB"; }
    std::string_view operator()(const FlopRate* /*value*/) const {
      return "a computing rate such as 989 TFLOPS";
    }
    std::string_view operator()(const Text* /*value*/) const { return "a text"; }
  };
  return std::visit(Name{}, value);
}

std::optional<std::int64_t> parse_digits(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Whether a text that is no number has the form of one, with too large an exponent.
bool overflows(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  if (e == std::string_view::npos || !parse_number(text.substr(0, e))) return false;
  std::string_view exponent = text.substr(e + 1);
  if (!exponent.empty() && (exponent.front() == '+' || exponent.front() == '-')) {
    exponent.remove_prefix(1);
  }
  return !exponent.empty() && exponent.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Reads one scalar node; each overload returns the problem or an empty string.
struct ScalarReader {
  const YamlNode& node;
  Range range;
  const Where& where;

  std::string operator()(Text* value) const {
    *value = {.value = node.text, .where = where};
    return {};
  }

  std::string operator()(bool* value) const {
    if (node.quoted) return quoted("true or false");
    if (node.text != "true" && node.text != "false") {
      return fmt::format("'{}' is neither true nor false; no other word is allowed", node.text);
    }
    *value = node.text == "true";
    return {};
  }

  std::string operator()(double* value) const {
    if (node.quoted) return quoted("a number");
    const std::optional<double> read = parse_number(node.text);
    if (!read) return not_a_number();
    return store(value, *read + 0.0);  // -0 becomes 0
  }

  std::string operator()(std::int64_t* value) const {
    if (node.quoted) return quoted("a whole number");
    const std::optional<double> number = parse_number(node.text);
    if (!number) return not_a_number();
    if (const std::optional<std::int64_t> exact = parse_digits(node.text)) {
      return store(value, *exact);
    }
    if (*number != std::trunc(*number)) {
      return fmt::format("'{}' is not a whole number; one without a fraction is wanted", node.text);
    }
    if (std::abs(*number) > kLargestExact) {
      return fmt::format("'{}' is too large; at most 2^63 - 1, written in digits beyond 2^53",
                         node.text);
    }
    return store(value, static_cast<std::int64_t>(*number));
  }

  std::string operator()(Duration* value) const { return quantity(value, parse_duration); }
  std::string operator()(Bandwidth* value) const { return quantity(value, parse_bandwidth); }
  std::string operator()(Bytes* value) const { return quantity(value, parse_bytes); }
  std::string operator()(FlopRate* value) const { return quantity(value, parse_flop_rate); }

 private:
  [[nodiscard]] std::string quoted(std::string_view wanted) const {
    return fmt::format("\"{}\" is text, because of its quotes; write {} without them", node.text,
                       wanted);
  }

  [[nodiscard]] std::string not_a_number() const {
    if (overflows(node.text)) {
      return fmt::format("'{}' is out of range; its size must be between 1e-307 and 1e308, or 0",
                         node.text);
    }
    return fmt::format("'{}' is not a number; {}", node.text, kNumberForm);
  }

  template <class T>
  std::string store(T* value, T read) const {
    if (!inside(in_base_unit(read), range)) {
      return fmt::format("{} is out of range; {}", print_scalar(&read), range_text(value, range));
    }
    *value = read;
    return {};
  }

  template <class T>
  std::string quantity(T* value, Parsed<T> (*parse)(std::string_view)) const {
    const Parsed<T> parsed = parse(node.text);
    return parsed.value ? store(value, *parsed.value) : parsed.problem;
  }
};

}  // namespace

std::string read_scalar(const YamlNode& node, ScalarRef value, Range range, const Where& where) {
  if (node.kind == YamlNode::Kind::kNull) {
    return fmt::format("the value is missing; {} is wanted", expected(value));
  }
  if (node.kind != YamlNode::Kind::kScalar) {
    return fmt::format("{} is given where {} is wanted", node.kind_name(), expected(value));
  }
  return std::visit(ScalarReader{.node = node, .range = range, .where = where}, value);
}

std::string print_scalar(ScalarRef value) {
  struct Printer {
    std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
    std::string operator()(const std::int64_t* value) const { return fmt::to_string(*value); }
    std::string operator()(const double* value) const { return to_text(*value); }
    std::string operator()(const Duration* value) const { return to_text(*value); }
    std::string operator()(const Bandwidth* value) const { return to_text(*value); }
    std::string operator()(const Bytes* value) const { return to_text(*value); }
    std::string operator()(const FlopRate* value) const { return to_text(*value); }
    std::string operator()(const Text* value) const {
      if (value->value.empty()) return "\"\"";
      std::string line = value->value;
      while (!line.empty() && line.back() == '\n') line.pop_back();
      for (char& c : line) {
        if (c == '\n') c = ' ';
      }
      return line;
    }
  };
  return std::visit(Printer{}, value);
}

std::string print_bound(ScalarRef kind, double bound) {
  const auto whole = [bound] { return static_cast<std::int64_t>(bound); };
  if (std::holds_alternative<Duration*>(kind)) return to_text(Duration::seconds(bound));
  if (std::holds_alternative<Bandwidth*>(kind)) return to_text(Bandwidth::bits_per_second(whole()));
  if (std::holds_alternative<FlopRate*>(kind)) return to_text(FlopRate::per_second(bound));
  if (std::holds_alternative<Bytes*>(kind)) return to_text(Bytes::count(whole()));
  return to_text(bound);
}

}  // namespace gyre
