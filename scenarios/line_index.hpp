#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace gyre {

/// Finds lines and columns of a text in UTF-8, also in one very long line.
class LineIndex {
 public:
  LineIndex() = default;
  explicit LineIndex(std::string_view text);

  struct Position {
    int line = 1;    ///< from 1
    int column = 1;  ///< from 1, in characters
  };
  /// The place of a byte of `text`, which is the one that was given. What is behind its end is at
  /// its end. Cost: O(log lines).
  [[nodiscard]] Position at(std::string_view text, std::size_t byte) const;
  [[nodiscard]] const std::vector<std::size_t>& line_starts() const { return line_starts_; }

 private:
  [[nodiscard]] std::size_t characters_before(std::string_view text, std::size_t byte) const;

  std::vector<std::size_t> line_starts_;
  /// How many characters begin before each 1024th byte.
  std::vector<std::size_t> characters_;
};

}  // namespace gyre
