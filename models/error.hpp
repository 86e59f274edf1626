#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gyre {

/// A place in the input: file, 1-based line and column, and the chain of enclosing keys.
/// `line == 0` means that the place is not a line of a file (a command-line option, a default).
struct Where {
  std::string file;
  int line = 0;
  int column = 0;
  std::string key_path;

  /// `file:line:column`, or the bare `file` (such as `--set`) where no line exists.
  [[nodiscard]] std::string place() const;
  /// Whether both are one place of one input.
  [[nodiscard]] bool same_place(const Where& other) const {
    return line == other.line && column == other.column;
  }
  /// `line 3` for a reader who knows the file, or the bare `file` where no line exists.
  [[nodiscard]] std::string line_text() const;
};

/// The input is wrong. `what()` reads `file:line:column: key.path: problem; what is allowed`.
/// Caught once, in `main`, which prints it and exits with status 2. Very long ones lose their
/// middle.
class InputError : public std::runtime_error {
 public:
  InputError(const Where& where, std::string_view problem);
  /// For input that has no place in a file, such as a command-line argument: `subject: problem`.
  InputError(std::string_view subject, std::string_view problem);
};

/// The code is wrong: prints `message` with the place and aborts. Always on, never reachable
/// from input.
[[noreturn]] void broken_invariant(
    std::string_view message, const std::source_location& place = std::source_location::current());

inline void check(bool condition, std::string_view message,
                  const std::source_location& place = std::source_location::current()) {
  if (!condition) broken_invariant(message, place);
}

/// ` (did you mean 'latency'?)` for the closest of `known` within a third of the letters,
/// else an empty string.
std::string did_you_mean(std::string_view given, const std::vector<std::string>& known);

/// `a, b or c`, to list what is allowed in an error text; of very many `a, b, … or 940 others`.
std::string one_of(const std::vector<std::string>& known);

}  // namespace gyre
