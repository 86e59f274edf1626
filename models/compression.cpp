#include "models/compression.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace gyre {
namespace {

constexpr double kScaleBits = 32.0;

int bits_of(CompressionSpec::Kind kind) { return kind == CompressionSpec::Kind::kInt8 ? 8 : 4; }

/// ⌈keep·P⌉ where rounding of the product does not count: 0.07·100 is 7.
double kept(double keep, double parameters) {
  const double product = keep * parameters;
  return std::ceil(product - std::ldexp(product, -50));
}

Model keep_largest(const Model& values, std::size_t count) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto larger = [&values](std::size_t a, std::size_t b) {
    const double left = std::abs(values[a]);
    const double right = std::abs(values[b]);
    return left != right ? left > right : a < b;
  };
  count = std::min(count, values.size());
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                   larger);
  Model kept(values.size(), 0.0);
  for (std::size_t i = 0; i < count; ++i) kept[order[i]] = values[order[i]];
  return kept;
}

}  // namespace

void CompressionSpec::describe(Fields& fields) {
  where = fields.where();
  const auto blocks = [this](Fields& inner) {
    inner.optional({"block", "Parameters that share a scale, which is sent as a float32."}, block,
                   Range{.at_least = 1.0});
  };
  const auto largest = [this](Fields& inner) {
    inner.optional({"keep", "Share of the parameters that is sent: those that changed most."}, keep,
                   Range{.above = 0.0, .at_most = 1.0});
    inner.optional({"index_bits", "Bits that say which parameter a value is of."}, index_bits,
                   Range{.at_least = 1.0, .at_most = 64.0});
  };
  const std::array<Fields::Alternative, 3> kinds{{
      {"int8", "Whole numbers of 8 bits, in blocks that share a scale.", blocks},
      {"int4", "Whole numbers of 4 bits, in blocks that share a scale.", blocks},
      {"top-k", "Only the largest values, each with its index.", largest},
  }};
  kind = static_cast<Kind>(fields.variant({"kind", "How values are made smaller."}, kinds));
  fields.optional_choice(
      {"of",
       "What is compressed: the change since the island's last exchange, or the model. Changes "
       "need schedules in which all islands exchange with each other."},
      of, kOfNames);
  fields.optional({"error_feedback", "Whether what was withheld is added to what is sent next."},
                  error_feedback);
  of_where = fields.where("of");
  if (kind == Kind::kTopK && of == Of::kModel) {
    throw InputError(
        of_where, "top-k of the model itself would send most parameters as 0; allowed is change");
  }
}

double compressed_bytes(const CompressionSpec& spec, double parameters, double value_bits) {
  if (spec.kind == CompressionSpec::Kind::kTopK) {
    return std::ceil(kept(spec.keep, parameters) *
                     (value_bits + static_cast<double>(spec.index_bits)) / 8.0);
  }
  const double blocks = std::ceil(parameters / static_cast<double>(spec.block));
  return std::ceil((bits_of(spec.kind) * parameters + kScaleBits * blocks) / 8.0);
}

Model compress(const CompressionSpec& spec, const Model& values) {
  if (spec.kind == CompressionSpec::Kind::kTopK) {
    const double count = kept(spec.keep, static_cast<double>(values.size()));
    return keep_largest(values, static_cast<std::size_t>(count));
  }
  const double largest_code = std::exp2(bits_of(spec.kind) - 1) - 1.0;
  Model result(values.size(), 0.0);
  const auto block = static_cast<std::size_t>(spec.block);
  for (std::size_t first = 0; first < values.size(); first += block) {
    const std::size_t end = std::min(first + block, values.size());
    double largest = 0.0;
    for (std::size_t p = first; p < end; ++p) largest = std::max(largest, std::abs(values[p]));
    const auto scale = static_cast<double>(static_cast<float>(largest / largest_code));
    if (scale == 0.0) continue;
    for (std::size_t p = first; p < end; ++p) {
      const double code =
          std::clamp(std::nearbyint(values[p] / scale), -largest_code, largest_code);
      result[p] = scale * code;
    }
  }
  return result;
}

}  // namespace gyre
