#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "scenarios/line_index.hpp"
#include "scenarios/yaml.hpp"

namespace gyre {

/// The text of a YAML document, checked and made uniform before any parser sees it: UTF-8 without
/// byte order mark, lines ended by LF, no tabs, no control characters, bounded bracket nesting.
class YamlText {
 public:
  /// Errors: `InputError` with file, line and column for the first character that is refused.
  YamlText(std::string_view raw, std::string file);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& file() const { return *file_; }
  /// The place of a byte of `text()`. Columns count characters.
  [[nodiscard]] YamlNode::Place place(std::size_t position) const;

 private:
  [[noreturn]] void refuse(std::size_t position, std::string_view problem) const;
  void make_uniform(std::string_view raw);
  void check_characters() const;
  void check_directives() const;
  void check_flow() const;

  std::shared_ptr<const std::string> file_;
  std::string text_;
  LineIndex lines_;
};

}  // namespace gyre
