#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "models/error.hpp"
#include "schedules/optimizer/annealing.hpp"
#include "schedules/optimizer/search.hpp"

namespace gyre {
namespace {

constexpr double kMostPeriodsTried = 2e6;
constexpr std::size_t kSteps = 25'000;
// Cliques of the annealing at most, by start: small ones are found more easily alone.
constexpr std::array<std::size_t, 8> kStartCliques{10, 3, 10, 4, 2, 3, 4, 10};

/// The period's rounds as the objectives see them.
std::vector<MixingRound> mixing_rounds(const Partitions& partitions,
                                       std::span<const std::size_t> rounds,
                                       const std::function<double(std::size_t)>& time_s) {
  std::vector<MixingRound> period;
  period.reserve(rounds.size());
  for (const std::size_t p : rounds) {
    period.push_back(
        {.block = {partitions.blocks(p).data(), partitions.islands()}, .time_s = time_s(p)});
  }
  return period;
}

/// The shortest period that repeats as these rounds do, from its lowest rotation on.
std::vector<std::size_t> shortest_period(std::vector<std::size_t> rounds) {
  for (std::size_t length = 1; length < rounds.size(); ++length) {
    if (rounds.size() % length != 0) continue;
    bool repeats = true;
    for (std::size_t r = length; r < rounds.size(); ++r) {
      repeats = repeats && rounds[r] == rounds[r - length];
    }
    if (repeats) rounds.resize(length);
  }
  std::vector<std::size_t> lowest = rounds;
  for (std::size_t turn = 1; turn < rounds.size(); ++turn) {
    std::rotate(rounds.begin(), rounds.begin() + 1, rounds.end());
    lowest = std::min(lowest, rounds);
  }
  return lowest;
}

/// Annealed periods under `objective`, which reads round times as bounds; `settle` makes the times
/// of a period exact and says whether that changed them.
class PeriodSearch {
 public:
  PeriodSearch(const Partitions& partitions, const SearchOptions& options,
               Annealing::Objective objective, std::vector<std::size_t> pool)
      : partitions_(partitions),
        options_(options),
        objective_(std::move(objective)),
        pool_(std::move(pool)),
        in_pool_(partitions.size(), false) {
    for (const std::size_t p : pool_) in_pool_[p] = true;
  }

  std::vector<Candidate> run(const std::function<bool(std::size_t)>& settle, double bound,
                             const std::string& stream, std::size_t least_period = 1) {
    bound_ = bound;
    for (std::size_t length = least_period; length <= options_.max_period && !stopped_; ++length) {
      const double tuples =
          std::pow(static_cast<double>(pool_.size()), static_cast<double>(length));
      if (tuples <= kMostPeriodsTried) {
        try_all(length, settle);
      } else {
        anneal(length, settle, stream);
      }
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.value < b.value; });
    return std::move(found_);
  }
  [[nodiscard]] bool tried_all() const { return tried_all_; }
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  bool keep_going() {
    if (options_.watch && !options_.watch(share_, incumbent_, bound_)) stopped_ = true;
    return !stopped_;
  }

  /// Takes in a period at its exact value.
  void offer(Candidate one, const std::function<bool(std::size_t)>& settle) {
    for (const std::size_t p : one.rounds) settle(p);
    one.value = objective_(one.rounds, kNeverMixes);
    if (one.value == kNeverMixes) return;
    incumbent_ = std::min(incumbent_, one.value);
    one.rounds = shortest_period(std::move(one.rounds));
    for (const Candidate& known : found_) {
      if (std::abs(known.value / one.value - 1.0) < 1e-9) return;  // the same up to symmetry
    }
    found_.push_back(std::move(one));
  }

  void try_all(std::size_t length, const std::function<bool(std::size_t)>& settle) {
    std::vector<std::size_t> digits(length, 0);
    std::vector<std::size_t> rounds(length, pool_.front());
    while (true) {
      // Of the rotations of a period, the one that starts with its lowest.
      if (digits.front() == *std::min_element(digits.begin(), digits.end())) {
        const double limit =
            found_.size() < options_.keep ? kNeverMixes : incumbent_ * (1.0 + 1e-9);
        double value = objective_(rounds, limit);
        if (value < limit) {
          // The bounds may have been optimistic.
          for (const std::size_t p : rounds) settle(p);
          value = objective_(rounds, limit);
          if (value < limit) offer({.rounds = rounds, .value = value}, settle);
        }
      }
      std::size_t i = length;
      while (i > 0 && digits[i - 1] + 1 == pool_.size()) {
        digits[i - 1] = 0;
        rounds[i - 1] = pool_[0];
        --i;
      }
      if (i == 0) break;
      rounds[i - 1] = pool_[++digits[i - 1]];
      if (i == 1 && !keep_going()) return;
    }
  }

  void anneal(std::size_t length, const std::function<bool(std::size_t)>& settle,
              const std::string& stream) {
    tried_all_ = false;
    for (std::size_t start = 0; start < kStartCliques.size(); ++start) {
      share_ = (static_cast<double>(length - 1) +
                static_cast<double>(start) / static_cast<double>(kStartCliques.size())) /
               static_cast<double>(options_.max_period);
      std::vector<std::size_t> small;
      for (const std::size_t p : pool_) {
        if (partitions_.largest_block(p) <= kStartCliques[start]) small.push_back(p);
      }
      if (small.empty()) continue;
      const Annealing annealing(partitions_, objective_, [&](std::size_t p) {
        return in_pool_[p] && partitions_.largest_block(p) <= kStartCliques[start];
      });
      Rng rng = Rng::stream(options_.seed,
                            stream + "/" + std::to_string(length) + "/" + std::to_string(start));
      std::vector<std::size_t> rounds;
      rounds.reserve(length);
      for (std::size_t r = 0; r < length; ++r) {
        rounds.push_back(small[static_cast<std::size_t>(rng.below(small.size()))]);
      }
      Candidate one = annealing.anneal(std::move(rounds), kSteps, rng);
      if (!keep_going()) return;
      // What the bounds promised may not hold: settle, and improve again, until nothing moves.
      for (bool moved = true; moved && !stopped_;) {
        one = annealing.polish(std::move(one), pool_, [this] { return keep_going(); });
        moved = false;
        for (const std::size_t p : one.rounds) moved = settle(p) || moved;
        one.value = objective_(one.rounds, kNeverMixes);
      }
      offer(std::move(one), settle);
    }
  }

  const Partitions& partitions_;
  const SearchOptions& options_;
  Annealing::Objective objective_;
  std::vector<std::size_t> pool_;
  std::vector<bool> in_pool_;
  std::vector<Candidate> found_;
  double share_ = 0.0;  ///< of the starts of all lengths, done
  double incumbent_ = kNeverMixes;
  double bound_ = 0.0;
  bool tried_all_ = true;
  bool stopped_ = false;
};

/// Makes a round's time exact; says whether that changed it.
std::function<bool(std::size_t)> settling(RoundTimes& times) {
  return [&times](std::size_t p) {
    if (times.is_exact(p)) return false;
    const double before_s = times.lower_s(p);
    return times.exact_s(p) > before_s * (1.0 + 1e-12);
  };
}

std::vector<Candidate> first_of(std::vector<Candidate> found, std::size_t keep) {
  if (found.size() > keep) found.resize(keep);
  return found;
}

/// The least time of rounds by their number of blocks.
std::vector<double> least_by_blocks(const Partitions& partitions, RoundTimes& times,
                                    std::span<const std::size_t> pool, double compute_s) {
  std::vector<std::vector<std::size_t>> by_blocks(partitions.islands() + 1);
  for (const std::size_t p : pool) by_blocks[partitions.block_count(p)].push_back(p);
  std::vector<double> least_s(partitions.islands() + 1, kNeverMixes);
  for (std::size_t m = 1; m < by_blocks.size(); ++m) {
    if (by_blocks[m].empty()) continue;
    least_s[m] = times.exact_s(times.fastest(by_blocks[m])) + compute_s;
  }
  return least_s;
}

/// All partitions that exchange, as far as the cliques are not too large and the switches can.
std::vector<std::size_t> pool_of(const Partitions& partitions, const RoundTimes& times,
                                 const SearchOptions& options) {
  std::vector<std::size_t> pool;
  for (std::size_t p = 0; p + 1 < partitions.size(); ++p) {
    if (partitions.largest_block(p) > options.max_clique) continue;
    if (times.lower_s(p) < kNeverMixes) pool.push_back(p);
  }
  return pool;
}

}  // namespace

SearchResult search_drift(const Partitions& partitions, RoundTimes& times,
                          const SearchOptions& options) {
  const std::vector<std::size_t> pool = pool_of(partitions, times, options);
  const double bound = drift_bound_s(least_by_blocks(partitions, times, pool, options.compute_s),
                                     partitions.islands());
  const auto time_s = [&](std::size_t p) { return times.lower_s(p) + options.compute_s; };
  const auto objective = [&](std::span<const std::size_t> rounds, double give_up) {
    return drift_s(mixing_rounds(partitions, rounds, time_s), 1e-10, give_up);
  };
  PeriodSearch search(partitions, options, objective, pool);
  const auto settle = settling(times);
  SearchResult result{.best = first_of(search.run(settle, bound, "plan/drift"), options.keep),
                      .bound = bound,
                      .method = "least-ratio cycle over what each round leaves behind"};
  return result;
}

SearchResult search_window(const Partitions& partitions, RoundTimes& times,
                           const SearchOptions& options) {
  std::vector<std::size_t> pool;
  for (const std::size_t p : pool_of(partitions, times, options)) {
    if (times.lower_s(p) <= options.window_s && times.exact_s(p) <= options.window_s) {
      pool.push_back(p);
    }
  }
  SearchResult result{.best = {}, .bound = 0.0, .method = "no round fits the window"};
  if (pool.empty()) return result;
  std::size_t fewest = partitions.islands();
  for (const std::size_t p : pool) fewest = std::min(fewest, partitions.block_count(p));
  const auto n = static_cast<double>(partitions.islands());
  result.bound = options.window_s * (static_cast<double>(fewest - 1) / n + (n - 1.0) / (2.0 * n));
  result.method = "what a round with the fewest cliques that fit leaves behind";
  const auto time_s = [&](std::size_t /*p*/) { return options.window_s; };
  const auto objective = [&](std::span<const std::size_t> rounds, double give_up) {
    return drift_s(mixing_rounds(partitions, rounds, time_s), 1e-10, give_up);
  };
  PeriodSearch search(partitions, options, objective, pool);
  result.best = first_of(search.run([](std::size_t) { return false; }, result.bound, "plan/window"),
                         options.keep);
  return result;
}

SearchResult anneal_consensus(const Partitions& partitions, RoundTimes& times,
                              const SearchOptions& options) {
  const std::vector<std::size_t> pool = pool_of(partitions, times, options);
  SearchResult result{.best = {}, .bound = 0.0, .method = {}};
  if (pool.empty()) return result;
  const double rounds_needed = std::ceil(std::log(static_cast<double>(partitions.islands())) /
                                             std::log(static_cast<double>(options.max_clique)) -
                                         1e-9);
  result.bound = rounds_needed * times.exact_s(times.fastest(pool));
  result.method = "the fastest round times the rounds that reach everybody";
  const auto time_s = [&](std::size_t p) { return times.lower_s(p); };
  const auto objective = [&](std::span<const std::size_t> rounds, double give_up) {
    return time_to_consensus(mixing_rounds(partitions, rounds, time_s), options.epsilon, give_up)
        .time_s;
  };
  PeriodSearch search(partitions, options, objective, pool);
  const auto settle = settling(times);
  result.best = first_of(search.run(settle, result.bound, "plan/consensus", 2), options.keep);
  return result;
}

SearchResult search_pairs(const Partitions& partitions, RoundTimes& times,
                          const SearchOptions& options) {
  const std::vector<std::size_t> pool = pool_of(partitions, times, options);
  const auto pairs = [&](std::size_t p) {
    double sum = 0.0;
    for (const TerminalSet set : partitions.sets_of(p)) {
      const auto k = static_cast<double>(members_of(set).size());
      sum += k * (k - 1.0) / 2.0;
    }
    return sum;
  };
  std::vector<Candidate> ranked;
  ranked.reserve(pool.size());
  for (const std::size_t p : pool) {
    ranked.push_back({.rounds = {p}, .value = -pairs(p) / times.lower_s(p)});
  }
  SearchResult result{.best = {}, .bound = 0.0, .method = "every partition was excluded or tried"};
  // The most promising first: its exact value may send it back into the queue.
  const auto later = [](const Candidate& a, const Candidate& b) { return a.value > b.value; };
  std::make_heap(ranked.begin(), ranked.end(), later);
  while (result.best.size() < options.keep && !ranked.empty()) {
    std::pop_heap(ranked.begin(), ranked.end(), later);
    Candidate one = std::move(ranked.back());
    ranked.pop_back();
    const std::size_t p = one.rounds.front();
    const double exact = -pairs(p) / times.exact_s(p);
    if (exact > one.value) {
      one.value = exact;
      ranked.push_back(std::move(one));
      std::push_heap(ranked.begin(), ranked.end(), later);
      continue;
    }
    result.best.push_back(std::move(one));
  }
  if (!result.best.empty()) result.bound = result.best.front().value;
  return result;
}

double drift_bound_s(std::span<const double> least_s, std::size_t islands) {
  constexpr int kIntervals = 60;
  constexpr int kBisections = 40;
  const auto n = static_cast<double>(islands);
  const double half = (n - 1.0) / (2.0 * n);
  double shortest = kNeverMixes;
  for (std::size_t m = 1; m < least_s.size(); ++m) shortest = std::min(shortest, least_s[m]);
  if (shortest == kNeverMixes) return kNeverMixes;
  // Alone, global rounds cost half·t: no bound is above that.
  double high = least_s[1] < kNeverMixes ? half * least_s[1] : 1e3 * shortest;
  double low = half * shortest;

  struct Class {
    double least_s;  // of the interval
    double most_s;
    double leaves;  // disagreement at its end, at least
  };
  /// Whether a cycle of ratio below `ratio` may exist.
  const auto possible = [&](double ratio) {
    // A round of ratio/half or longer adds nothing negative, whatever came before: one class.
    const double longest = ratio / half;
    std::vector<Class> classes;
    for (std::size_t m = 1; m < least_s.size(); ++m) {
      if (least_s[m] == kNeverMixes) continue;
      const auto share = static_cast<double>(m - 1) / n;
      if (least_s[m] < longest) {
        const double step = (longest - least_s[m]) / kIntervals;
        for (int i = 0; i < kIntervals; ++i) {
          const double from = least_s[m] + step * i;
          classes.push_back({.least_s = from, .most_s = from + step, .leaves = share * from});
        }
      }
      const double from = std::max(least_s[m], longest);
      classes.push_back({.least_s = from, .most_s = from, .leaves = share * from});
    }
    // Bellman–Ford: the cost of a round depends on what the one before leaves.
    const auto cost = [&](const Class& before, const Class& one) {
      const double linear = before.leaves - ratio;
      const double lowest = std::clamp(-linear / (2.0 * half), one.least_s, one.most_s);
      return lowest * (linear + half * lowest);
    };
    std::vector<double> distance(classes.size(), 0.0);
    for (std::size_t step = 0; step <= classes.size(); ++step) {
      bool changed = false;
      for (std::size_t to = 0; to < classes.size(); ++to) {
        for (std::size_t from = 0; from < classes.size(); ++from) {
          const double through = distance[from] + cost(classes[from], classes[to]);
          if (through >= distance[to] - 1e-12) continue;
          distance[to] = through;
          changed = true;
        }
      }
      if (!changed) return false;
      // Far below any simple path: a negative cycle.
      const double lowest = *std::min_element(distance.begin(), distance.end());
      if (lowest < -ratio * ratio / half * static_cast<double>(classes.size())) return true;
    }
    return true;
  };
  for (int i = 0; i < kBisections; ++i) {
    const double middle = (low + high) / 2.0;
    (possible(middle) ? high : low) = middle;
  }
  return low;
}

}  // namespace gyre
