#pragma once

#include <cstddef>

namespace gyre {

/// Products of small float32 matrices whose sums have a fixed order.
///
/// A general product (Eigen, BLAS) cuts its sums where the caches of the machine suggest it, and
/// fuses operations where the processor can: the bits depend on where a run happens. Here each sum
/// runs over the inner index ascending, without fused operations, on any processor; wider vectors
/// only do more columns at a time.
///
/// Rows come in multiples of `kRowBlock`, columns in multiples of `kColumnBlock`: callers pad with
/// zeros.
inline constexpr std::size_t kRowBlock = 8;
inline constexpr std::size_t kColumnBlock = 16;

/// The left factor, of which (r, k) is `data[r * row_stride + k * inner_stride]`. Swapped strides
/// transpose it.
struct LeftFactor {
  const float* data;
  std::size_t row_stride;
  std::size_t inner_stride;
};

struct ProductShape {
  std::size_t rows;     ///< a multiple of `kRowBlock`
  std::size_t inner;    ///< at least 1
  std::size_t columns;  ///< a multiple of `kColumnBlock`
};

/// sum += left · right, with `right` inner × columns and `sum` rows × columns, both row-major and
/// without gaps. No two of them overlap.
void add_product(const LeftFactor& left, const float* right, float* sum, const ProductShape& shape);
/// product = left · right: the same sums from 0, whatever was there.
void set_product(const LeftFactor& left, const float* right, float* product,
                 const ProductShape& shape);

}  // namespace gyre
