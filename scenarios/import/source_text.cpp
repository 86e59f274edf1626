#include "scenarios/import/source_text.hpp"

#include <algorithm>

#include "scenarios/utf8.hpp"

namespace gyre {
namespace {

constexpr std::size_t kStride = 1024;

}  // namespace

SourceText::SourceText(std::string_view raw, std::string file) : file_(std::move(file)) {
  raw = without_byte_order_mark(raw);
  text_.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\r' && i + 1 < raw.size() && raw[i + 1] == '\n') continue;
    text_ += raw[i] == '\r' ? '\n' : raw[i];
  }
  std::size_t characters = 0;
  for (std::size_t i = 0; i <= text_.size(); ++i) {
    if (i % kStride == 0) characters_.push_back(characters);
    if (i < text_.size() && !is_continuation(text_[i])) ++characters;
  }
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  }
  for (std::size_t i = 0; i < text_.size();) {
    const CodePoint c = decode_utf8(text_, i);
    if (c.length == 0) throw InputError(where(i), "invalid UTF-8; save the file as UTF-8");
    if (c.value == 0) throw InputError(where(i), "a NUL character; the file has to be text");
    i += c.length;
  }
}

std::size_t SourceText::characters_before(std::size_t position) const {
  const std::string_view rest = text().substr(0, position).substr(position / kStride * kStride);
  const auto more = std::count_if(rest.begin(), rest.end(), is_continuation);
  return characters_[position / kStride] + rest.size() - static_cast<std::size_t>(more);
}

Where SourceText::where(std::size_t position) const {
  position = std::min(position, text_.size());
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), position);
  const std::size_t line = static_cast<std::size_t>(next - line_starts_.begin());
  const std::size_t start = line_starts_[line - 1];
  const std::size_t characters = characters_before(position) - characters_before(start);
  return {.file = file_,
          .line = static_cast<int>(line),
          .column = static_cast<int>(characters) + 1,
          .key_path = {}};
}

}  // namespace gyre
