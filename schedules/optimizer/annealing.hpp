#pragma once

#include <functional>
#include <span>
#include <vector>

#include "models/rng.hpp"
#include "schedules/optimizer/search.hpp"

namespace gyre {

/// Annealing over periods of partitions: the moves that all objectives share.
class Annealing {
 public:
  /// Value of a period, less is better; may be `kNeverMixes`. `give_up` is what it has to beat to
  /// be of interest.
  using Objective = std::function<double(std::span<const std::size_t> rounds, double give_up)>;
  using Allowed = std::function<bool(std::size_t partition)>;

  Annealing(const Partitions& partitions, Objective objective, Allowed allowed)
      : partitions_(partitions), objective_(std::move(objective)), allowed_(std::move(allowed)) {}

  /// From a start, `steps` random moves (an island to another block, two islands swapped, a round
  /// replaced by another of the start's or by a neighbour, rounds exchanged), accepted by
  /// Metropolis with the temperature falling from a share of the start's value to none. The best
  /// seen.
  Candidate anneal(std::vector<std::size_t> start, std::size_t steps, Rng& rng) const;
  /// Replaces one round after the other by the best of `pool`, until none helps.
  Candidate polish(Candidate candidate, std::span<const std::size_t> pool,
                   const std::function<bool()>& keep_going) const;

 private:
  /// A partition near `p`, or `p` itself where the move leads nowhere.
  [[nodiscard]] std::size_t neighbour(std::size_t p, Rng& rng) const;

  const Partitions& partitions_;
  Objective objective_;
  Allowed allowed_;
};

}  // namespace gyre
