#include "models/tasks/matrix_product.hpp"

#include <algorithm>
#include <cstdint>

#include "models/error.hpp"

namespace gyre {
namespace {

/// So many rows of a column block of the right factor are copied into the innermost cache, where
/// they stay while all row blocks pass. In place they would displace each other: rows that are a
/// power of two apart share few lines.
constexpr std::size_t kInnerBlock = 112;

/// A vector register of floats, as both GCC and Clang spell it, and the same in an array of floats.
/// (A memcpy between the two would keep the register in memory where the vectors are wider than
/// those of the default target, for which GCC expands it.)
template <std::size_t Width>
struct Lanes;
template <>
struct Lanes<4> {
  using Vector [[gnu::vector_size(16)]] = float;
  using Place [[gnu::vector_size(16), gnu::aligned(4), gnu::may_alias]] = float;
};
template <>
struct Lanes<8> {
  using Vector [[gnu::vector_size(32)]] = float;
  using Place [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]] = float;
};
template <>
struct Lanes<16> {
  using Vector [[gnu::vector_size(64)]] = float;
  using Place [[gnu::vector_size(64), gnu::aligned(4), gnu::may_alias]] = float;
};

/// What a sum starts from: zero, or what is in its place.
enum class Start : std::uint8_t { kZero, kSum };

/// A block of sums that stays in registers: `Rows` × `Columns`, put to `sum`, a matrix of
/// `columns`. `panel` is inner × `Columns` of the right factor.
template <std::size_t Width, std::size_t Rows, std::size_t Columns>
[[gnu::always_inline]] inline void add_tile(const LeftFactor& left,
                                            const typename Lanes<Width>::Vector* panel, float* sum,
                                            Start start, const ProductShape& shape) {
  using Vector = typename Lanes<Width>::Vector;
  using Place = typename Lanes<Width>::Place;
  constexpr std::size_t kVectors = Columns / Width;
  static_assert(kRowBlock % Rows == 0);
  Vector sums[Rows][kVectors];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < Rows; ++r) {
    const Place* places = reinterpret_cast<const Place*>(sum + r * shape.columns);
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) {
      sums[r][v] = start == Start::kSum ? Vector(places[v]) : Vector{};
    }
  }
  for (std::size_t k = 0; k < shape.inner; ++k) {
    const Vector* row = panel + k * kVectors;
#pragma GCC unroll 8
    for (std::size_t r = 0; r < Rows; ++r) {
      const float factor = left.data[r * left.row_stride + k * left.inner_stride];
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kVectors; ++v) sums[r][v] += row[v] * factor;
    }
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < Rows; ++r) {
    Place* places = reinterpret_cast<Place*>(sum + r * shape.columns);
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) places[v] = sums[r][v];
  }
}

/// `right` and `sum` from a column on, of which `Columns` are done. `shape` is that of a part of
/// the inner index.
template <std::size_t Width, std::size_t Rows, std::size_t Columns>
[[gnu::always_inline]] inline void add_columns(const LeftFactor& left, const float* right,
                                               float* sum, Start start, const ProductShape& shape) {
  using Place = typename Lanes<Width>::Place;
  constexpr std::size_t kVectors = Columns / Width;
  typename Lanes<Width>::Vector panel[kInnerBlock * kVectors];
  for (std::size_t k = 0; k < shape.inner; ++k) {
    const Place* row = reinterpret_cast<const Place*>(right + k * shape.columns);
    for (std::size_t v = 0; v < kVectors; ++v) panel[k * kVectors + v] = row[v];
  }
  for (std::size_t r = 0; r < shape.rows; r += Rows) {
    const LeftFactor part{left.data + r * left.row_stride, left.row_stride, left.inner_stride};
    add_tile<Width, Rows, Columns>(part, panel, sum + r * shape.columns, start, shape);
  }
}

/// `Columns` at a time as long as there are so many, then a block. The more columns share a factor
/// that is loaded, the fewer loads.
template <std::size_t Width, std::size_t Rows, std::size_t Columns>
[[gnu::always_inline]] inline void add_all(const LeftFactor& left, const float* right, float* sum,
                                           Start start, const ProductShape& shape) {
  for (std::size_t k = 0; k < shape.inner; k += kInnerBlock) {
    const LeftFactor part{left.data + k * left.inner_stride, left.row_stride, left.inner_stride};
    const float* rows = right + k * shape.columns;
    const ProductShape block{shape.rows, std::min(kInnerBlock, shape.inner - k), shape.columns};
    const Start from = k == 0 ? start : Start::kSum;
    std::size_t c = 0;
    if constexpr (Columns > kColumnBlock) {
      for (; c + Columns <= shape.columns; c += Columns) {
        add_columns<Width, Rows, Columns>(part, rows + c, sum + c, from, block);
      }
    }
    for (; c < shape.columns; c += kColumnBlock) {
      add_columns<Width, Rows, kColumnBlock>(part, rows + c, sum + c, from, block);
    }
  }
}

// One version for each width of vectors, chosen when the program starts.
#if defined(__x86_64__) && defined(__GNUC__)
[[gnu::target("avx512f")]] void add_products(const LeftFactor& left, const float* right, float* sum,
                                             Start start, const ProductShape& shape) {
  add_all<16, 8, 2 * kColumnBlock>(left, right, sum, start, shape);
}
[[gnu::target("avx")]] void add_products(const LeftFactor& left, const float* right, float* sum,
                                         Start start, const ProductShape& shape) {
  add_all<8, 4, kColumnBlock>(left, right, sum, start, shape);
}
[[gnu::target("default")]]
#endif
void add_products(const LeftFactor& left, const float* right, float* sum, Start start,
                  const ProductShape& shape) {
  add_all<4, 2, kColumnBlock>(left, right, sum, start, shape);
}

void check_padding(const ProductShape& shape) {
  check(shape.inner > 0 && shape.rows % kRowBlock == 0 && shape.columns % kColumnBlock == 0,
        "a product of matrices that are empty or not padded");
}

}  // namespace

void add_product(const LeftFactor& left, const float* right, float* sum,
                 const ProductShape& shape) {
  check_padding(shape);
  add_products(left, right, sum, Start::kSum, shape);
}

void set_product(const LeftFactor& left, const float* right, float* product,
                 const ProductShape& shape) {
  check_padding(shape);
  add_products(left, right, product, Start::kZero, shape);
}

}  // namespace gyre
