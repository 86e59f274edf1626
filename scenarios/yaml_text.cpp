#include "scenarios/yaml_text.hpp"

#include <fmt/format.h>

#include "models/limits.hpp"
#include "scenarios/utf8.hpp"

namespace gyre {

YamlText::YamlText(std::string_view raw, std::string file)
    : file_(std::make_shared<const std::string>(std::move(file))) {
  make_uniform(raw);
  lines_ = LineIndex(text_);
  check_characters();
  check_directives();
  check_flow();
}

YamlNode::Place YamlText::place(std::size_t position) const {
  const LineIndex::Position place = lines_.at(text_, position);
  return {.file = file_, .line = place.line, .column = place.column};
}

void YamlText::refuse(std::size_t position, std::string_view problem) const {
  throw InputError(where_of(place(position), {}), problem);
}

void YamlText::make_uniform(std::string_view raw) {
  raw = without_byte_order_mark(raw);
  text_.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\r' && i + 1 < raw.size() && raw[i + 1] == '\n') continue;
    text_ += raw[i];
  }
}

void YamlText::check_characters() const {
  for (std::size_t i = 0; i < text_.size();) {
    const CodePoint c = decode_utf8(text_, i);
    if (c.length == 0) refuse(i, "invalid UTF-8; save the file as UTF-8");
    if (c.value == '\t') refuse(i, "a tab; indent and separate with spaces");
    if (c.value == '\r') {
      refuse(i, "a carriage return without a line feed; lines end with LF or CRLF");
    }
    if (c.value != '\n' && is_control(c.value)) {
      refuse(i, fmt::format("the control character U+{:04X}; only printable text is allowed",
                            c.value));
    }
    i += c.length;
  }
}

/// A directive changes how the rest is read; readers differ in which ones they know.
void YamlText::check_directives() const {
  for (const std::size_t start : lines_.line_starts()) {
    if (start >= text_.size()) return;
    const char first = text_[start];
    if (first == '%') refuse(start, "a YAML directive; write the document without '%' lines");
    if (first != '#' && first != '\n') return;
  }
}

/// yaml-cpp looks ahead through all of a list or mapping in brackets before it reports any of it.
/// Counting brackets and commas without regard to quotes is too simple to be exact, therefore the
/// generous limits (two names on a line may be full of brackets); the exact ones are kept when the
/// document is built.
void YamlText::check_flow() const {
  constexpr std::size_t kGenerousDepth = 4 * kLongestName;
  constexpr std::size_t kGenerousCount = 4 * kMostValues;
  std::size_t depth = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const char c = text_[i];
    if (c == '\n') depth = 0;
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (c == '[' || c == '{' || c == ',') ++count;
    if (depth > kGenerousDepth) {
      refuse(i, fmt::format("nested too deeply; at most {} levels", kDeepestNesting));
    }
    if (count > kGenerousCount) {
      refuse(i, fmt::format("more than {} brackets and commas", kGenerousCount));
    }
  }
}

}  // namespace gyre
