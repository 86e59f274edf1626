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
  enum class Kind : std::uint8_t { kIid, kByLabel, kDirichlet };
  Kind kind = Kind::kIid;
  std::int64_t per_island = 2;  ///< by-label: pieces of label-sorted data an island
  double alpha = 0.5;           ///< dirichlet: the smaller, the fewer classes an island has
  Where where{};

  void describe(Fields& fields);
};

/// Indices of the samples of each island; no sample is in two shards, no shard is empty.
///
/// iid: the shuffled samples, cut into n equal pieces; the remainder of fewer than n is left out.
/// by-label: the samples sorted by label (ties by index), cut into n·p equal pieces; island i gets
/// the pieces i, n + i, 2n + i, …; the remainder of fewer than n·p samples is left out (a few
/// samples more would give some island a class that no other sample of its piece has).
/// dirichlet: the shuffled samples of each class, cut in the proportions of a symmetric
/// Dirichlet(α) over the islands (Hsu, Qi, Brown 2019, arXiv 1909.06335). Every sample is used. An
/// island that would get nothing takes the last sample of the largest shard (the first of equals),
/// in order of rank.
///
/// Requires n ≥ 1 islands.
/// Errors: `InputError` if there are fewer samples than pieces.
std::vector<std::vector<std::uint32_t>> make_shards(const ShardSpec& spec,
                                                    std::span<const std::uint8_t> labels,
                                                    std::size_t islands, Rng stream);

}  // namespace gyre
