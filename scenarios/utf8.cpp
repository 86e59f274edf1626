#include "scenarios/utf8.hpp"

#include <array>

namespace gyre {

CodePoint decode_utf8(std::string_view text, std::size_t i) {
  const auto first = static_cast<std::uint8_t>(text[i]);
  if (first < 0x80U) return {.value = first, .length = 1};
  std::size_t length = 2;
  if (first >= 0xE0U) length = 3;
  if (first >= 0xF0U) length = 4;
  if (first < 0xC2U || first > 0xF4U || i + length > text.size()) return {};
  std::uint32_t value = first & (0xFFU >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    if (!is_continuation(text[i + k])) return {};
    value = (value << 6U) | (static_cast<std::uint8_t>(text[i + k]) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800U && value <= 0xDFFFU;
  if (value < kLeast[length] || value > 0x10FFFFU || surrogate) return {};
  return {.value = value, .length = length};
}

std::string encode_utf8(std::uint32_t code_point) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  const auto more = [&](unsigned shift) { return byte(0x80U | ((code_point >> shift) & 0x3FU)); };
  if (code_point < 0x80U) return {byte(code_point)};
  if (code_point < 0x800U) return {byte(0xC0U | (code_point >> 6U)), more(0)};
  if (code_point < 0x10000U) return {byte(0xE0U | (code_point >> 12U)), more(6), more(0)};
  return {byte(0xF0U | (code_point >> 18U)), more(12), more(6), more(0)};
}

std::string_view without_byte_order_mark(std::string_view raw) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (raw.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    raw.remove_prefix(kByteOrderMark.size());
  }
  return raw;
}

}  // namespace gyre
