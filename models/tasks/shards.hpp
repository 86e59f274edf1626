#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/fields.hpp"
#include "models/rng.hpp"

namespace gyre {

/// How the training samples are spread over the islands.
struct ShardSpec {
  enum class Kind { kIid, kByLabel, kDirichlet };
  Kind kind = Kind::kIid;
  std::int64_t per_island = 2;  ///< by-label: pieces of label-sorted data an island
  double alpha = 0.5;           ///< dirichlet: the smaller, the fewer classes an island has
  Where where{};

  void describe(Fields& fields);
};

/// Indices of the samples of each island; every sample is in exactly one shard, no shard is empty.
///
/// iid: the shuffled samples, cut into n pieces whose sizes differ by at most one.
/// by-label: the samples sorted by label (ties by index), cut into n·p pieces whose sizes differ by
/// at most one; island i gets the pieces i, n + i, 2n + i, …
/// dirichlet: the shuffled samples of each class, cut in the proportions of a symmetric
/// Dirichlet(α) over the islands (Hsu, Qi, Brown 2019, arXiv 1909.06335). An island that would get
/// nothing takes the last sample of the largest shard (the first of equals), in order of rank.
///
/// Requires n ≥ 1 islands.
/// Errors: `InputError` if there are fewer samples than pieces.
std::vector<std::vector<std::uint32_t>> make_shards(const ShardSpec& spec,
                                                    std::span<const std::uint8_t> labels,
                                                    std::size_t islands, Rng stream);

}  // namespace gyre
