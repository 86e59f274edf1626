#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "models/error.hpp"

namespace gyre {

/// The text of a file to import, made uniform before any parser sees it: UTF-8 without byte order
/// mark, lines ended by LF.
class SourceText {
 public:
  /// Errors: `InputError` with file, line and column for bytes that are no UTF-8 and for a NUL.
  SourceText(std::string_view raw, std::string file);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  /// The place of a byte of `text()`. Columns count characters.
  [[nodiscard]] Where where(std::size_t position) const;

 private:
  [[nodiscard]] std::size_t characters_before(std::size_t position) const;

  std::string file_;
  std::string text_;
  std::vector<std::size_t> line_starts_;
  /// How many characters begin before each 1024th byte: columns in very long lines.
  std::vector<std::size_t> characters_;
};

}  // namespace gyre
