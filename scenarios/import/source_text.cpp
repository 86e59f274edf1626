#include "scenarios/import/source_text.hpp"

#include "scenarios/utf8.hpp"

namespace gyre {
SourceText::SourceText(std::string_view raw, std::string file) : file_(std::move(file)) {
  raw = without_byte_order_mark(raw);
  text_.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\r' && i + 1 < raw.size() && raw[i + 1] == '\n') continue;
    text_ += raw[i] == '\r' ? '\n' : raw[i];
  }
  lines_ = LineIndex(text_);
  for (std::size_t i = 0; i < text_.size();) {
    const CodePoint c = decode_utf8(text_, i);
    if (c.length == 0) throw InputError(where(i), "invalid UTF-8; save the file as UTF-8");
    if (c.value == 0) throw InputError(where(i), "a NUL character; the file has to be text");
    i += c.length;
  }
}

Where SourceText::where(std::size_t position) const {
  const LineIndex::Position place = lines_.at(text_, position);
  return {.file = file_, .line = place.line, .column = place.column, .key_path = {}};
}

}  // namespace gyre
