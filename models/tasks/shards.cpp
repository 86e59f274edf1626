#include "models/tasks/shards.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"

namespace gyre {
namespace {

using Shards = std::vector<std::vector<std::uint32_t>>;

std::vector<std::uint32_t> all_samples(std::size_t count) {
  std::vector<std::uint32_t> samples(count);
  std::iota(samples.begin(), samples.end(), 0U);
  return samples;
}

/// Cuts the samples into equal pieces and deals them out in turn. The remainder is left out.
Shards deal(std::span<const std::uint32_t> samples, std::size_t islands,
            std::size_t pieces_per_island) {
  const std::size_t pieces = islands * pieces_per_island;
  const std::size_t size = samples.size() / pieces;
  Shards shards(islands);
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const auto part = samples.subspan(piece * size, size);
    std::vector<std::uint32_t>& shard = shards[piece % islands];
    shard.insert(shard.end(), part.begin(), part.end());
  }
  return shards;
}

/// Cumulative shares of a symmetric Dirichlet draw; the last is 1.
std::vector<double> cumulative_shares(double alpha, std::size_t islands, Rng& stream) {
  std::vector<double> shares(islands);
  double sum = 0.0;
  // All variates of a tiny α may underflow to 0; then none of them is a share.
  while (!(sum > 0.0)) {
    for (double& share : shares) sum += share = stream.gamma(alpha);
  }
  double running = 0.0;
  for (double& share : shares) {
    running += share;
    share = running / sum;
  }
  shares.back() = 1.0;
  return shares;
}

Shards deal_dirichlet(std::span<const std::uint8_t> labels, std::size_t islands, double alpha,
                      Rng& stream) {
  Shards shards(islands);
  const std::size_t classes = labels.empty() ? 0 : *std::ranges::max_element(labels) + 1U;
  for (std::size_t label = 0; label < classes; ++label) {
    std::vector<std::uint32_t> samples;
    for (std::size_t k = 0; k < labels.size(); ++k) {
      if (labels[k] == label) samples.push_back(static_cast<std::uint32_t>(k));
    }
    stream.shuffle(samples);
    const std::vector<double> shares = cumulative_shares(alpha, islands, stream);
    std::size_t next = 0;
    for (std::size_t i = 0; i < islands; ++i) {
      const auto end = static_cast<std::size_t>(shares[i] * static_cast<double>(samples.size()));
      while (next < end) shards[i].push_back(samples[next++]);
    }
  }
  for (std::vector<std::uint32_t>& shard : shards) {
    if (!shard.empty()) continue;
    const auto largest = std::ranges::max_element(
        shards, {}, [](const auto& candidate) { return candidate.size(); });
    shard.push_back(largest->back());
    largest->pop_back();
  }
  return shards;
}

}  // namespace

void ShardSpec::describe(Fields& fields) {
  const auto by_label_keys = [this](Fields& inner) {
    inner.optional({"per_island",
                    "How many pieces of label-sorted data an island gets: with 1 it "
                    "sees one or two classes."},
                   per_island, Range{.at_least = 1.0, .at_most = 1e6});
  };
  const auto dirichlet_keys = [this](Fields& inner) {
    inner.optional({"alpha",
                    "Concentration of the class shares: small values leave an island few "
                    "classes, large ones make the islands alike."},
                   alpha, Range{.at_least = 1e-3, .at_most = 1e6});
  };
  const std::array<Fields::Alternative, 3> kinds{{
      {"iid", "Equal shares of the shuffled samples.", [](Fields&) {}},
      {"by-label",
       "Samples sorted by label and cut into equal pieces; the islands take turns to get one.",
       by_label_keys},
      {"dirichlet", "The samples of each class, in random proportions over the islands.",
       dirichlet_keys},
  }};
  kind = static_cast<Kind>(
      fields.variant({"kind", "How the training samples are spread over the islands."}, kinds,
                     static_cast<std::size_t>(kind)));
  where = fields.where();
}

Shards make_shards(const ShardSpec& spec, std::span<const std::uint8_t> labels, std::size_t islands,
                   Rng stream) {
  check(islands >= 1, "samples were to be spread over no islands");
  const std::size_t per_island = spec.kind == ShardSpec::Kind::kByLabel
                                     ? static_cast<std::size_t>(spec.per_island)
                                     : std::size_t{1};
  if (labels.size() < islands * per_island) {
    throw InputError(
        spec.where, fmt::format("{} samples can't be spread over {} islands with {} piece(s) each; "
                                "allowed are at most {} pieces",
                                labels.size(), islands, per_island, labels.size()));
  }
  std::vector<std::uint32_t> samples = all_samples(labels.size());
  switch (spec.kind) {
    case ShardSpec::Kind::kIid:
      stream.shuffle(samples);
      return deal(samples, islands, 1);
    case ShardSpec::Kind::kByLabel:
      std::ranges::sort(samples, {},
                        [&labels](std::uint32_t k) { return std::pair(labels[k], k); });
      return deal(samples, islands, per_island);
    case ShardSpec::Kind::kDirichlet:
      break;
  }
  return deal_dirichlet(labels, islands, spec.alpha, stream);
}

}  // namespace gyre
