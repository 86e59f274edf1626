#include "schedules/optimizer/annealing.hpp"

#include <cmath>
#include <utility>

namespace gyre {

std::size_t Annealing::neighbour(std::size_t p, Rng& rng) const {
  const std::size_t n = partitions_.islands();
  Partitions::Blocks blocks = partitions_.blocks(p);
  const auto i = static_cast<std::size_t>(rng.below(n));
  if (rng.below(2) == 0) {
    // To any block, or to one of its own.
    const std::size_t choices = std::min<std::size_t>(partitions_.block_count(p) + 1, n);
    blocks[i] = static_cast<std::uint16_t>(rng.below(choices));
  } else {
    std::swap(blocks[i], blocks[static_cast<std::size_t>(rng.below(n))]);
  }
  const std::size_t q = partitions_.index_of(blocks);
  return allowed_(q) ? q : p;
}

Candidate Annealing::anneal(std::vector<std::size_t> start, std::size_t steps, Rng& rng) const {
  constexpr double kFirstTemperature = 0.05;  // of the value: a move that costs that much is common
  Candidate now{.rounds = std::move(start), .value = 0.0};
  now.value = objective_(now.rounds, kNeverMixes);
  Candidate best = now;
  for (std::size_t step = 0; step < steps; ++step) {
    const double left = 1.0 - static_cast<double>(step) / static_cast<double>(steps);
    Candidate next = now;
    const auto r = static_cast<std::size_t>(rng.below(next.rounds.size()));
    const std::uint64_t move = rng.below(16);
    if (move == 0) {
      std::swap(next.rounds[r],
                next.rounds[static_cast<std::size_t>(rng.below(next.rounds.size()))]);
    } else if (move == 1) {
      const auto q = static_cast<std::size_t>(rng.below(partitions_.size()));
      if (allowed_(q)) next.rounds[r] = q;
    } else {
      next.rounds[r] = neighbour(next.rounds[r], rng);
      if (move < 5) next.rounds[r] = neighbour(next.rounds[r], rng);
    }
    if (next.rounds == now.rounds) continue;
    const double temperature = kFirstTemperature * left * left * best.value;
    const double limit = now.value - temperature * std::log(std::max(rng.uniform(), 1e-300));
    next.value = objective_(next.rounds, limit);
    if (!(next.value <= limit) && now.value < kNeverMixes) continue;
    now = std::move(next);
    if (now.value < best.value) best = now;
  }
  return best;
}

Candidate Annealing::polish(Candidate candidate, std::span<const std::size_t> pool,
                            const std::function<bool()>& keep_going) const {
  for (bool improved = true; improved;) {
    improved = false;
    for (std::size_t r = 0; r < candidate.rounds.size(); ++r) {
      Candidate best = candidate;
      Candidate trial = candidate;
      for (const std::size_t p : pool) {
        trial.rounds[r] = p;
        trial.value = objective_(trial.rounds, best.value);
        if (trial.value < best.value * (1.0 - 1e-12)) best = trial;
      }
      if (best.value < candidate.value) {
        candidate = std::move(best);
        improved = true;
      }
      if (!keep_going()) return candidate;
    }
  }
  return candidate;
}

}  // namespace gyre
