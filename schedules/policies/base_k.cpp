#include <algorithm>
#include <array>
#include <map>

#include "models/error.hpp"
#include "schedules/policy.hpp"

namespace gyre {
namespace {

using Nodes = std::vector<std::size_t>;
using Links = std::vector<OverlayLink>;
using Rounds = std::vector<Links>;

void append(Links& to, const Links& from) { to.insert(to.end(), from.begin(), from.end()); }

/// The fewest factors in {2, …, most} whose product is n; none where n has a larger prime factor.
/// The largest first.
std::optional<std::vector<std::size_t>> factors(std::size_t n, std::size_t most) {
  if (n == 1) return std::vector<std::size_t>{};
  std::optional<std::vector<std::size_t>> fewest;
  for (std::size_t f = std::min(most, n); f >= 2; --f) {
    if (n % f != 0) continue;
    std::optional<std::vector<std::size_t>> rest = factors(n / f, f);
    if (!rest || (fewest && fewest->size() <= rest->size() + 1)) continue;
    rest->insert(rest->begin(), f);
    fewest = std::move(rest);
  }
  return fewest;
}

/// Hyper-hypercube: a round a factor, in which those average who differ in that digit only. Exact.
/// Requires factors of at most k + 1.
Rounds hyper_hypercube(const Nodes& nodes, std::size_t k) {
  const auto digits = factors(nodes.size(), k + 1);
  check(digits.has_value(), "a hyper-hypercube has small factors only");
  Rounds rounds;
  std::size_t stride = 1;
  for (const std::size_t digit : *digits) {
    Links links;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (std::size_t c = i / stride % digit + 1; c < digit; ++c) {
        const std::size_t other = i + (c - i / stride % digit) * stride;
        links.push_back({nodes[i], nodes[other], 1.0 / static_cast<double>(digit)});
      }
    }
    rounds.push_back(std::move(links));
    stride *= digit;
  }
  return rounds;
}

/// One of the parts of n = Σ a_l (k+1)^p_l: a groups of equal size.
struct Part {
  std::vector<Nodes> groups;
  Nodes all;
};

std::vector<Part> parts_of(const Nodes& nodes, std::size_t k) {
  std::size_t power = 1;
  while (power * (k + 1) <= nodes.size()) power *= k + 1;
  std::vector<Part> parts;
  std::size_t next = 0;
  for (std::size_t rest = nodes.size(); rest > 0; power /= k + 1) {
    const std::size_t count = rest / power;
    rest -= count * power;
    if (count == 0) continue;
    Part part;
    for (std::size_t a = 0; a < count; ++a) {
      part.groups.emplace_back(nodes.begin() + static_cast<std::ptrdiff_t>(next),
                               nodes.begin() + static_cast<std::ptrdiff_t>(next + power));
      part.all.insert(part.all.end(), part.groups.back().begin(), part.groups.back().end());
      next += power;
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

/// Simple Base-(k+1): every part averages by itself; then, part after part, all that are smaller
/// exchange with one node of each of its groups, with such weights that each group's mean is that
/// of all; then each group averages.
Rounds simple_base(const Nodes& nodes, std::size_t k) {
  if (factors(nodes.size(), k + 1)) return hyper_hypercube(nodes, k);
  const std::vector<Part> parts = parts_of(nodes, k);
  Rounds rounds;
  const auto at = [&rounds](std::size_t round) -> Links& {
    if (rounds.size() <= round) rounds.resize(round + 1);
    return rounds[round];
  };
  const std::size_t alone = hyper_hypercube(parts.front().all, k).size();
  std::size_t left = nodes.size();
  for (std::size_t l = 0; l < parts.size(); ++l) {
    const Part& part = parts[l];
    const Rounds own = hyper_hypercube(part.all, k);
    for (std::size_t r = 0; r < own.size(); ++r) append(at(r), own[r]);
    if (l + 1 == parts.size()) break;
    const double weight =
        static_cast<double>(part.all.size()) / static_cast<double>(part.groups.size() * left);
    left -= part.all.size();
    std::size_t partner = 0;
    for (std::size_t m = l + 1; m < parts.size(); ++m) {
      for (const std::size_t node : parts[m].all) {
        for (const Nodes& group : part.groups)
          at(alone + l).push_back({group[partner], node, weight});
        ++partner;
      }
    }
    for (const Nodes& group : part.groups) {
      const Rounds again = hyper_hypercube(group, k);
      for (std::size_t r = 0; r < again.size(); ++r) append(at(alone + l + 1 + r), again[r]);
    }
  }
  return rounds;
}

/// The shorter of the simple graph and of one for the part of n without small factors, in each of
/// as many blocks as the rest of n says, followed by a hyper-hypercube across the blocks.
Rounds base(const Nodes& nodes, std::size_t k) {
  Rounds simple = simple_base(nodes, k);
  std::size_t blocks = 1;
  for (std::size_t f = 2; f <= k + 1; ++f) {
    while (nodes.size() / blocks % f == 0) blocks *= f;
  }
  const std::size_t size = nodes.size() / blocks;
  Rounds rounds;
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto first = nodes.begin() + static_cast<std::ptrdiff_t>(b * size);
    const Rounds within = simple_base(Nodes(first, first + static_cast<std::ptrdiff_t>(size)), k);
    rounds.resize(within.size());
    for (std::size_t r = 0; r < within.size(); ++r) append(rounds[r], within[r]);
  }
  const std::size_t before = rounds.size();
  for (std::size_t i = 0; i < size; ++i) {
    Nodes across;
    for (std::size_t b = 0; b < blocks; ++b) across.push_back(nodes[b * size + i]);
    const Rounds last = hyper_hypercube(across, k);
    rounds.resize(before + last.size());
    for (std::size_t r = 0; r < last.size(); ++r) append(rounds[before + r], last[r]);
  }
  return simple.size() <= rounds.size() ? simple : rounds;
}

/// The Base-(k+1) graph: rounds in which nobody has more than k partners and whose product is the
/// exact average, for any number of islands; at most 2·log_{k+1}(n) + 2 of them (Takezawa et al.
/// 2023, arXiv 2305.11420).
class BaseK final : public Policy {
 public:
  void describe(Fields& fields) override {
    fields.optional({"peers", "k: the most partners of an island in a round."}, peers_,
                    Range{.at_least = 1.0, .at_most = 1000.0});
  }
  void start(const PolicyContext& context) override {
    islands_ = context.topology.island_count();
    Nodes nodes(islands_);
    for (std::size_t i = 0; i < islands_; ++i) nodes[i] = i;
    rounds_.clear();
    for (const Links& links : base(nodes, static_cast<std::size_t>(peers_))) {
      rounds_.push_back(make_overlay(links, islands_));
    }
  }
  Round round(std::int64_t number) override {
    if (rounds_.empty()) return make_round({}, islands_);
    return rounds_[static_cast<std::size_t>(number) % rounds_.size()];
  }
  [[nodiscard]] bool overlay() const override { return true; }

 private:
  std::int64_t peers_ = 1;
  std::size_t islands_ = 0;
  std::vector<Round> rounds_;
};

}  // namespace

std::unique_ptr<Policy> make_base_k() { return std::make_unique<BaseK>(); }

}  // namespace gyre
