#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "models/error.hpp"
#include "scenarios/line_index.hpp"

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
  std::string file_;
  std::string text_;
  LineIndex lines_;
};

}  // namespace gyre
