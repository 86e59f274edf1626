#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include "models/error.hpp"
#include "schedules/optimizer/search.hpp"

namespace gyre {
namespace {

constexpr std::int64_t kMostWork = 6'000'000'000;   // sequences tried in all: some seconds
constexpr std::size_t kMostRounds = 5;              // of those
constexpr std::size_t kMostCombinations = 200'000;  // of block sizes looked at

/// Block sizes in descending order, as a number to compare.
using Sizes = std::vector<std::size_t>;

/// Partitions with the same block sizes.
struct SizeClass {
  Sizes sizes;
  std::vector<std::size_t> partitions;
  double lcm = 1.0;
  double least_s = 0.0;           ///< exact τ of the fastest
  std::vector<double> lower_s;    ///< by position in `partitions`, ascending
  std::vector<TerminalSet> sets;  ///< by position: its blocks
  std::size_t sets_each = 0;
};

class ConsensusSearch {
 public:
  ConsensusSearch(const Partitions& partitions, RoundTimes& times, const SearchOptions& options)
      : partitions_(partitions),
        times_(times),
        options_(options),
        n_(static_cast<double>(partitions.islands())) {
    std::map<Sizes, std::vector<std::size_t>> by_sizes;
    for (std::size_t p = 0; p < partitions.size(); ++p) {
      Sizes sizes;
      for (const TerminalSet set : partitions.sets_of(p)) {
        sizes.push_back(static_cast<std::size_t>(std::popcount(set)));
      }
      std::sort(sizes.rbegin(), sizes.rend());
      if (sizes.front() > 1) by_sizes[sizes].push_back(p);
    }
    for (auto& [sizes, members] : by_sizes) {
      SizeClass one{.sizes = sizes,
                    .partitions = std::move(members),
                    .lcm = 1.0,
                    .least_s = 0.0,
                    .lower_s = {},
                    .sets = {},
                    .sets_each = 0};
      std::size_t lcm = 1;
      for (const std::size_t size : sizes) lcm = std::lcm(lcm, size);
      one.lcm = static_cast<double>(lcm);
      one.least_s = times_.exact_s(times_.fastest(one.partitions));
      classes_.push_back(std::move(one));
    }
    for (SizeClass& one : classes_) prepare(one);
  }

  SearchResult run() {
    offer({0});
    search_pairs_of_rounds();
    search_longer();
    if (unproven_s_ < incumbent() && !stopped_) search_periods();
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.value < b.value; });
    SearchResult result{.best = {}, .bound = 0.0, .method = {}};
    for (const Candidate& one : found_) {
      if (result.best.size() == options_.keep) break;
      result.best.push_back(one);
    }
    if (stopped_) {
      result.bound = least_of_all();
      result.method = "stopped: the bound is the fastest round";
    } else if (unproven_s_ < incumbent()) {
      result.bound = unproven_s_;
      result.method = "the fastest rounds of block sizes that were too many to enumerate";
    } else {
      result.bound = incumbent();
      result.method = "every schedule of any length was excluded or tried";
    }
    return result;
  }

 private:
  /// Orders a class by its bounds and lays out what the enumeration reads.
  void prepare(SizeClass& one) const {
    std::stable_sort(
        one.partitions.begin(), one.partitions.end(),
        [this](std::size_t a, std::size_t b) { return times_.lower_s(a) < times_.lower_s(b); });
    for (const std::size_t p : one.partitions) {
      one.lower_s.push_back(times_.lower_s(p));
      for (const TerminalSet set : partitions_.sets_of(p)) one.sets.push_back(set);
    }
    one.sets_each = one.sizes.size();
  }
  [[nodiscard]] double least_of_all() const {
    double least = kNeverMixes;
    for (const SizeClass& one : classes_) least = std::min(least, one.least_s);
    return least;
  }
  [[nodiscard]] double incumbent() const { return ranked_.empty() ? kNeverMixes : ranked_.front(); }
  /// What a schedule has to beat to be among those kept.
  [[nodiscard]] double worst_kept() const {
    return ranked_.size() < options_.keep ? kNeverMixes : ranked_[options_.keep - 1];
  }
  bool keep_going(double share) {
    if (options_.watch && !options_.watch(share, incumbent(), least_of_all())) stopped_ = true;
    return !stopped_;
  }

  /// Takes in a schedule that mixes, with its exact time.
  void offer(std::vector<std::size_t> rounds) {
    Candidate one{.rounds = std::move(rounds), .value = 0.0};
    for (const std::size_t p : one.rounds) one.value += times_.exact_s(p);
    keep(std::move(one));
  }
  void keep(Candidate one) {
    if (one.value >= worst_kept()) return;
    ranked_.insert(std::upper_bound(ranked_.begin(), ranked_.end(), one.value), one.value);
    found_.push_back(std::move(one));
  }

  [[nodiscard]] bool near_average(double entry) const {
    return std::abs(entry - 1.0 / n_) <= options_.epsilon;
  }
  /// Whether some whole number of common islands would do for all pairs of blocks.
  [[nodiscard]] bool sizes_fit(const Sizes& first, const Sizes& second) const {
    for (const std::size_t a : first) {
      for (const std::size_t b : second) {
        const auto area = static_cast<double>(a * b);
        if (!near_average(std::round(area / n_) / area)) return false;
      }
    }
    return true;
  }
  [[nodiscard]] bool overlaps_fit(std::size_t p, std::size_t q) const {
    for (const TerminalSet a : partitions_.sets_of(p)) {
      for (const TerminalSet b : partitions_.sets_of(q)) {
        const auto area = static_cast<double>(std::popcount(a) * std::popcount(b));
        if (!near_average(std::popcount(a & b) / area)) return false;
      }
    }
    return true;
  }
  [[nodiscard]] bool mixes(const std::vector<std::size_t>& rounds) const {
    std::vector<MixingRound> period;
    period.reserve(rounds.size());
    for (const std::size_t p : rounds) {
      period.push_back(
          {.block = {partitions_.blocks(p).data(), partitions_.islands()}, .time_s = 1.0});
    }
    return time_to_consensus(period, options_.epsilon, static_cast<double>(rounds.size()) + 0.5)
               .time_s < kNeverMixes;
  }

  void search_pairs_of_rounds() {
    for (std::size_t a = 0; a < classes_.size(); ++a) {
      for (std::size_t b = a; b < classes_.size(); ++b) {
        if (classes_[a].sizes.size() == 1 || classes_[b].sizes.size() == 1) continue;  // global
        if (classes_[a].least_s + classes_[b].least_s >= worst_kept()) continue;
        if (!sizes_fit(classes_[a].sizes, classes_[b].sizes)) continue;
        try_pairs(classes_[a], classes_[b], a == b);
        if (!keep_going(0.3)) return;
      }
    }
  }
  void try_pairs(const SizeClass& first, const SizeClass& second, bool same) {
    for (std::size_t i = 0; i < first.partitions.size(); ++i) {
      const std::size_t p = first.partitions[i];
      for (std::size_t j = same ? i + 1 : 0; j < second.partitions.size(); ++j) {
        const std::size_t q = second.partitions[j];
        if (times_.lower_s(p) + times_.lower_s(q) >= worst_kept()) {
          if (times_.lower_s(p) + second.least_s >= worst_kept()) break;
          continue;
        }
        if (overlaps_fit(p, q) && mixes({p, q})) offer({p, q});
      }
    }
  }

  /// Rounds that are repeated until all agree: what was too many to enumerate may win.
  void search_periods() {
    for (const std::size_t most : {std::size_t{2}, std::size_t{3}, partitions_.islands()}) {
      SearchOptions options = options_;
      options.max_clique = most;
      for (const Candidate& one : anneal_consensus(partitions_, times_, options).best) {
        const bool known = std::any_of(ranked_.begin(), ranked_.end(), [&one](double value) {
          return std::abs(value / one.value - 1.0) < 1e-9;
        });
        if (!known) keep(one);
      }
    }
  }

  /// Whether a product over these classes can come near J at all.
  [[nodiscard]] bool multiples_fit(const std::vector<std::size_t>& classes) const {
    double denominator = 1.0;
    double reach = 1.0;
    for (const std::size_t c : classes) {
      denominator *= classes_[c].lcm;
      reach *= static_cast<double>(classes_[c].sizes.front());
    }
    return reach >= n_ && near_average(std::round(denominator / n_) / denominator);
  }

  /// All multisets of three classes or more that could still win.
  void search_longer() {
    std::vector<std::size_t> order;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      if (classes_[c].sizes.size() > 1) order.push_back(c);
    }
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return classes_[a].least_s < classes_[b].least_s;
    });
    std::vector<std::size_t> chosen;
    extend(order, 0, 0.0, chosen);
  }
  void extend(const std::vector<std::size_t>& order, std::size_t from, double sum_s,
              std::vector<std::size_t>& chosen) {
    if (stopped_) return;
    if (chosen.size() >= 3 && multiples_fit(chosen)) enumerate(chosen, sum_s);
    for (std::size_t at = from; at < order.size(); ++at) {
      const double next_s = sum_s + classes_[order[at]].least_s;
      if (next_s >= incumbent()) return;  // the rest is slower
      if (chosen.size() == kMostRounds || ++combinations_ > kMostCombinations) {
        unproven_s_ = std::min(unproven_s_, next_s);
        return;
      }
      chosen.push_back(order[at]);
      extend(order, at, next_s, chosen);
      chosen.pop_back();
    }
  }

  /// All orders of these classes, and in each all partitions, as far as their bounds allow.
  void enumerate(std::vector<std::size_t> classes, double sum_s) {
    std::sort(classes.begin(), classes.end());
    do {
      // A schedule read backwards mixes as well (all W are symmetric).
      if (std::vector<std::size_t>(classes.rbegin(), classes.rend()) < classes) continue;
      std::vector<double> least_after(classes.size() + 1, 0.0);
      for (std::size_t i = classes.size(); i-- > 0;) {
        least_after[i] = least_after[i + 1] + classes_[classes[i]].least_s;
      }
      std::vector<std::size_t> rounds;
      descend(classes, least_after, 0.0, rounds);
    } while (!stopped_ && work_left_ > 0 && std::next_permutation(classes.begin(), classes.end()));
    if (work_left_ <= 0) unproven_s_ = std::min(unproven_s_, sum_s);
  }
  void descend(const std::vector<std::size_t>& classes, const std::vector<double>& least_after,
               double sum_s, std::vector<std::size_t>& rounds) {
    const std::size_t depth = rounds.size();
    const SizeClass& one = classes_[classes[depth]];
    if (depth + 1 == classes.size()) {
      last_round(one, sum_s, rounds);
      return;
    }
    for (std::size_t i = 0; i < one.partitions.size(); ++i) {
      const double next_s = sum_s + one.lower_s[i];
      if (work_left_ <= 0 || next_s + least_after[depth + 1] >= incumbent()) return;
      rounds.push_back(one.partitions[i]);
      descend(classes, least_after, next_s, rounds);
      rounds.pop_back();
      if (depth == 0 && !keep_going(0.6)) return;
    }
  }
  /// Completes the rounds so far: the first row of their product decides about most.
  void last_round(const SizeClass& last, double sum_s, std::vector<std::size_t>& rounds) {
    const std::size_t n = partitions_.islands();
    std::array<double, Partitions::kMostIslands> row{};
    row[0] = 1.0;
    for (const std::size_t p : rounds) {
      const Partitions::Blocks& block = partitions_.blocks(p);
      std::array<double, Partitions::kMostIslands> sum{};
      std::array<double, Partitions::kMostIslands> size{};
      for (std::size_t i = 0; i < n; ++i) {
        sum[block[i]] += row[i];
        size[block[i]] += 1.0;
      }
      for (std::size_t i = 0; i < n; ++i) row[i] = sum[block[i]] / size[block[i]];
    }
    // Of every set of islands: how far its sum is from its share, and by how much it may be.
    sums_.resize(std::size_t{1} << n);
    sums_[0] = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const double excess = row[i] - 1.0 / n_;
      const TerminalSet bit = TerminalSet{1} << i;
      for (TerminalSet set = 0; set < bit; ++set) sums_[set | bit] = sums_[set] + excess;
    }
    const double tolerance = options_.epsilon * n_;  // of the largest block: necessary
    const std::size_t each = last.sets_each;
    const double limit_s = incumbent() - sum_s;
    const auto fitting =
        std::lower_bound(last.lower_s.begin(), last.lower_s.end(), limit_s) - last.lower_s.begin();
    work_left_ -= fitting + static_cast<std::int64_t>(sums_.size());
    for (std::size_t i = 0; i < last.partitions.size() && last.lower_s[i] < limit_s; ++i) {
      const TerminalSet* set = &last.sets[i * each];
      bool fits = true;
      for (std::size_t b = 0; fits && b < each; ++b) fits = std::abs(sums_[set[b]]) <= tolerance;
      if (!fits) continue;
      rounds.push_back(last.partitions[i]);
      if (mixes(rounds)) offer(rounds);
      rounds.pop_back();
    }
  }

  const Partitions& partitions_;
  RoundTimes& times_;
  const SearchOptions& options_;
  double n_;
  std::vector<SizeClass> classes_;
  std::vector<Candidate> found_;
  std::vector<double> ranked_;       ///< values of `found_`, ascending
  double unproven_s_ = kNeverMixes;  ///< nothing that was not looked at is faster
  std::int64_t work_left_ = kMostWork;
  std::size_t combinations_ = 0;
  bool stopped_ = false;
  std::vector<double> sums_;
};

}  // namespace

SearchResult search_consensus(const Partitions& partitions, RoundTimes& times,
                              const SearchOptions& options) {
  if (options.max_clique < partitions.islands()) {
    return anneal_consensus(partitions, times, options);
  }
  return ConsensusSearch(partitions, times, options).run();
}

}  // namespace gyre
