#include "scenarios/line_index.hpp"

#include <algorithm>

#include "scenarios/utf8.hpp"

namespace gyre {
namespace {

constexpr std::size_t kStride = 1024;

}  // namespace

LineIndex::LineIndex(std::string_view text) {
  std::size_t characters = 0;
  line_starts_.push_back(0);
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i % kStride == 0) characters_.push_back(characters);
    if (i == text.size()) break;
    if (!is_continuation(text[i])) ++characters;
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  }
}

std::size_t LineIndex::characters_before(std::string_view text, std::size_t byte) const {
  const std::string_view rest = text.substr(0, byte).substr(byte / kStride * kStride);
  const auto more = std::count_if(rest.begin(), rest.end(), is_continuation);
  return characters_[byte / kStride] + rest.size() - static_cast<std::size_t>(more);
}

LineIndex::Position LineIndex::at(std::string_view text, std::size_t byte) const {
  byte = std::min(byte, text.size());
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), byte);
  const std::size_t line = static_cast<std::size_t>(next - line_starts_.begin());
  const std::size_t start = line_starts_[line - 1];
  const std::size_t characters = characters_before(text, byte) - characters_before(text, start);
  return {.line = static_cast<int>(line), .column = static_cast<int>(characters) + 1};
}

}  // namespace gyre
