#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "models/fields.hpp"
#include "models/task.hpp"

namespace gyre {

/// `job.compression` of a scenario: what is sent of each parameter.
///
///     int8, int4   blocks of `block` parameters share a scale s = max|x| / (2^(bits−1) − 1), sent
///                  as a float32: x ↦ s · round(x / s), to nearest, ties to even; |error| ≤ s/2
///     top-k        the ⌈keep·P⌉ parameters largest in amount, the lowest number first among
///                  equals, each with its number of `index_bits`; the others count as 0
///
/// Bits of P parameters: bits·P + 32·⌈P/block⌉, and ⌈keep·P⌉·(value bits + index_bits).
struct CompressionSpec {
  enum class Kind : std::uint8_t { kInt8, kInt4, kTopK };
  enum class Of : std::uint8_t { kChange, kModel };
  static constexpr std::array<std::string_view, 2> kOfNames{"change", "model"};

  Kind kind = Kind::kInt8;
  Of of = Of::kChange;  ///< since the last exchange, or the model itself
  bool error_feedback = true;
  std::int64_t block = 256;
  double keep = 0.01;
  std::int64_t index_bits = 32;
  Where where;
  Where of_where;

  void describe(Fields& fields);
};

/// Bytes on the wire for `parameters` numbers, each of `value_bits` where they are sent whole.
/// Rounded up to whole bytes.
double compressed_bytes(const CompressionSpec& spec, double parameters, double value_bits);

/// What arrives of the values.
Model compress(const CompressionSpec& spec, const Model& values);

}  // namespace gyre
