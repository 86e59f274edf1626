#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/rng.hpp"
#include "schedules/policy.hpp"

namespace gyre {
namespace {

/// Cliques whose labels together are as those of all islands, with one edge between any two cliques
/// (D-Cliques, Bellet, Kermarrec, Lavoie 2021, arXiv 2104.07365): with c islands a clique
/// n(c − 1)/2 + (n/c)(n/c − 1)/2 edges, Metropolis–Hastings weights.
///
/// The cliques are drawn at random; then, step by step, of two random cliques two members change
/// places at random among the changes that lessen the skew Σ_C Σ_l |p_C(l) − p(l)| of the shares of
/// the labels. Where the task has no labels they remain as drawn. Each edge between cliques ends at
/// the members with the fewest edges so far.
class DCliques final : public Policy {
 public:
  void describe(Fields& fields) override {
    fields.optional({"size", "Islands a clique; about the root of their number by default."}, size_,
                    Range{.at_least = 2.0});
    fields.optional({"swaps", "Pairs of cliques that may change members to balance their labels."},
                    swaps_, Range{.at_least = 0.0, .at_most = 1e6});
    where_ = fields.where("size");
  }

  void start(const PolicyContext& context) override {
    const std::size_t n = context.topology.island_count();
    if (size_ && static_cast<std::size_t>(*size_) > n) {
      throw InputError(
          where_,
          fmt::format("cliques of {} need as many islands; the topology has {}", *size_, n));
    }
    const double root = std::sqrt(static_cast<double>(n));
    const auto size = static_cast<std::size_t>(size_.value_or(std::max(2L, std::lround(root))));
    Rng stream = Rng::stream(context.seed, "policy/d-cliques");
    Cliques cliques = drawn(n, size, stream);
    if (context.labels != nullptr && cliques.size() > 1) {
      balance(cliques, *context.labels, stream);
    }
    round_ = make_overlay(metropolis(joined(cliques, n), n), n);
  }
  Round round(std::int64_t /*number*/) override { return round_; }
  [[nodiscard]] bool overlay() const override { return true; }

 private:
  using Cliques = std::vector<std::vector<std::size_t>>;
  using Edges = std::vector<std::pair<std::size_t, std::size_t>>;
  using Shares = std::vector<double>;  ///< by label

  /// Cliques whose sizes differ by at most one.
  static Cliques drawn(std::size_t n, std::size_t size, Rng& stream) {
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = i;
    stream.shuffle(order);
    Cliques cliques((n + size - 1) / size);
    for (std::size_t i = 0; i < n; ++i) cliques[i % cliques.size()].push_back(order[i]);
    return cliques;
  }

  static Shares shares(const std::vector<std::size_t>& islands, const LabelCounts& labels) {
    Shares share(labels.front().size(), 0.0);
    double all = 0.0;
    for (const std::size_t i : islands) {
      for (std::size_t l = 0; l < share.size(); ++l) share[l] += labels[i][l];
    }
    for (const double count : share) all += count;
    for (double& count : share) count /= all;
    return share;
  }

  void balance(Cliques& cliques, const LabelCounts& labels, Rng& stream) const {
    std::vector<std::size_t> everybody(labels.size());
    for (std::size_t i = 0; i < everybody.size(); ++i) everybody[i] = i;
    const Shares aim = shares(everybody, labels);
    const auto skew = [&](const std::vector<std::size_t>& clique) {
      const Shares share = shares(clique, labels);
      double sum = 0.0;
      for (std::size_t l = 0; l < aim.size(); ++l) sum += std::abs(share[l] - aim[l]);
      return sum;
    };
    for (std::int64_t step = 0; step < swaps_; ++step) {
      std::vector<std::size_t>& first = cliques[stream.below(cliques.size())];
      std::vector<std::size_t>& second = cliques[stream.below(cliques.size())];
      if (&first == &second) continue;
      const double before = skew(first) + skew(second);
      std::vector<std::pair<std::size_t, std::size_t>> better;
      for (std::size_t a = 0; a < first.size(); ++a) {
        for (std::size_t b = 0; b < second.size(); ++b) {
          std::swap(first[a], second[b]);
          if (skew(first) + skew(second) < before - 1e-12) better.emplace_back(a, b);
          std::swap(first[a], second[b]);
        }
      }
      if (better.empty()) continue;
      const auto& [a, b] = better[stream.below(better.size())];
      std::swap(first[a], second[b]);
    }
  }

  static Edges joined(Cliques& cliques, std::size_t n) {
    for (std::vector<std::size_t>& clique : cliques) std::sort(clique.begin(), clique.end());
    std::sort(cliques.begin(), cliques.end());
    Edges edges;
    std::vector<std::size_t> outside(n, 0);  // edges to other cliques
    const auto freest = [&outside](const std::vector<std::size_t>& clique) {
      return *std::min_element(clique.begin(), clique.end(), [&](std::size_t a, std::size_t b) {
        return outside[a] < outside[b];
      });
    };
    for (std::size_t c = 0; c < cliques.size(); ++c) {
      for (std::size_t i = 0; i < cliques[c].size(); ++i) {
        for (std::size_t j = i + 1; j < cliques[c].size(); ++j) {
          edges.emplace_back(cliques[c][i], cliques[c][j]);
        }
      }
      for (std::size_t d = c + 1; d < cliques.size(); ++d) {
        const std::size_t a = freest(cliques[c]);
        const std::size_t b = freest(cliques[d]);
        ++outside[a];
        ++outside[b];
        edges.emplace_back(std::min(a, b), std::max(a, b));
      }
    }
    return edges;
  }

  std::optional<std::int64_t> size_;
  std::int64_t swaps_ = 1000;
  Where where_;
  Round round_;
};

}  // namespace

std::unique_ptr<Policy> make_d_cliques() { return std::make_unique<DCliques>(); }

}  // namespace gyre
