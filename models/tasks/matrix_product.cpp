#include "models/tasks/matrix_product.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "models/error.hpp"

namespace gyre {
namespace {

/// So many rows of a column block of the right factor are copied into the innermost cache, where
/// they stay while all row blocks pass. In place they would displace each other: rows that are a
/// power of two apart share few lines.
constexpr std::size_t kInnerBlock = 112;

/// Floats of a vector register, as both GCC and Clang spell them.
using Float4 [[gnu::vector_size(16)]] = float;
using Float8 [[gnu::vector_size(32)]] = float;
using Float16 [[gnu::vector_size(64)]] = float;

template <class Vector>
constexpr std::size_t kLanes = sizeof(Vector) / sizeof(float);

/// A block of sums that stays in registers: `Rows` × `kColumnBlock`, taken from and put back to
/// `sum`, a matrix of `columns`. `right` is inner × `kColumnBlock`.
template <class Vector, std::size_t Rows>
[[gnu::always_inline]] inline void add_tile(const LeftFactor& left, const float* right, float* sum,
                                            std::size_t inner, std::size_t columns) {
  constexpr std::size_t kVectors = kColumnBlock / kLanes<Vector>;
  static_assert(kRowBlock % Rows == 0);
  std::array<std::array<Vector, kVectors>, Rows> sums;
#pragma GCC unroll 8
  for (std::size_t r = 0; r < Rows; ++r) std::memcpy(&sums[r], sum + r * columns, sizeof(sums[r]));
  for (std::size_t k = 0; k < inner; ++k) {
    std::array<Vector, kVectors> row;
    std::memcpy(&row, right + k * kColumnBlock, sizeof(row));
#pragma GCC unroll 8
    for (std::size_t r = 0; r < Rows; ++r) {
      const float factor = left.data[r * left.row_stride + k * left.inner_stride];
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] += row[v] * factor;
    }
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < Rows; ++r) std::memcpy(sum + r * columns, &sums[r], sizeof(sums[r]));
}

template <class Vector, std::size_t Rows>
[[gnu::always_inline]] inline void add_all(const LeftFactor& left, const float* right, float* sum,
                                           const ProductShape& shape) {
  alignas(64) std::array<float, kInnerBlock * kColumnBlock> panel;
  for (std::size_t k = 0; k < shape.inner; k += kInnerBlock) {
    const std::size_t inner = std::min(kInnerBlock, shape.inner - k);
    for (std::size_t c = 0; c < shape.columns; c += kColumnBlock) {
      for (std::size_t i = 0; i < inner; ++i) {
        std::memcpy(panel.data() + i * kColumnBlock, right + (k + i) * shape.columns + c,
                    kColumnBlock * sizeof(float));
      }
      for (std::size_t r = 0; r < shape.rows; r += Rows) {
        const LeftFactor part{left.data + r * left.row_stride + k * left.inner_stride,
                              left.row_stride, left.inner_stride};
        add_tile<Vector, Rows>(part, panel.data(), sum + r * shape.columns + c, inner,
                               shape.columns);
      }
    }
  }
}

// One version for each width of vectors, chosen when the program starts.
#if defined(__x86_64__) && defined(__GNUC__)
[[gnu::target("avx512f")]] void add_products(const LeftFactor& left, const float* right, float* sum,
                                             const ProductShape& shape) {
  add_all<Float16, 8>(left, right, sum, shape);
}
[[gnu::target("avx")]] void add_products(const LeftFactor& left, const float* right, float* sum,
                                         const ProductShape& shape) {
  add_all<Float8, 4>(left, right, sum, shape);
}
[[gnu::target("default")]]
#endif
void add_products(const LeftFactor& left, const float* right, float* sum,
                  const ProductShape& shape) {
  add_all<Float4, 2>(left, right, sum, shape);
}

}  // namespace

void add_product(const LeftFactor& left, const float* right, float* sum,
                 const ProductShape& shape) {
  check(shape.rows % kRowBlock == 0 && shape.columns % kColumnBlock == 0,
        "a product of matrices that are not padded");
  add_products(left, right, sum, shape);
}

}  // namespace gyre
