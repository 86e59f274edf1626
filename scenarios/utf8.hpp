#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gyre {

/// A code point and its length in bytes; length 0 where the bytes are no UTF-8.
struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;
};

/// The code point that starts at byte `i`. Requires `i < text.size()`.
CodePoint decode_utf8(std::string_view text, std::size_t i);

/// The bytes of a code point. Requires one that `decode_utf8` could give.
std::string encode_utf8(std::uint32_t code_point);

/// Whether a byte goes on with a character that an earlier one began.
constexpr bool is_continuation(char byte) {
  return (static_cast<std::uint8_t>(byte) & 0xC0U) == 0x80U;
}

/// What is no printable text on a line: control characters, and the byte order mark inside a text.
constexpr bool is_control(std::uint32_t code_point) {
  return code_point < 0x20U || (code_point >= 0x7FU && code_point <= 0x9FU) ||
         code_point == 0xFEFFU;
}

/// `raw` without the byte order mark that may begin it.
std::string_view without_byte_order_mark(std::string_view raw);

}  // namespace gyre
