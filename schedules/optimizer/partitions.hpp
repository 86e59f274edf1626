#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "schedules/optimizer/tree_tables.hpp"
#include "schedules/round.hpp"

namespace gyre {

/// All partitions of n ≤ 10 islands into cliques (Bell(10) = 115 975), by index. Index 0 is one
/// clique of all; the last has singletons only. Each is stored as the restricted growth string
/// b(0) = 0, b(i) ≤ 1 + max b(0 … i−1) of block numbers, in lexicographic order.
class Partitions {
 public:
  static constexpr std::size_t kMostIslands = 10;
  using Blocks = std::array<std::uint16_t, kMostIslands>;  ///< block of each island

  explicit Partitions(std::size_t islands);

  [[nodiscard]] std::size_t islands() const { return islands_; }
  [[nodiscard]] std::size_t size() const { return blocks_.size(); }
  [[nodiscard]] const Blocks& blocks(std::size_t index) const { return blocks_[index]; }
  [[nodiscard]] std::size_t block_count(std::size_t index) const { return sets_of(index).size(); }
  /// The islands of each block.
  [[nodiscard]] const std::vector<TerminalSet>& sets_of(std::size_t index) const {
    return sets_[index];
  }
  [[nodiscard]] std::size_t largest_block(std::size_t index) const { return largest_[index]; }
  /// The index of a partition given by any block numbers.
  [[nodiscard]] std::size_t index_of(const Blocks& blocks) const;
  [[nodiscard]] std::size_t index_of(const Round& round) const;
  [[nodiscard]] Round round(std::size_t index) const;

 private:
  std::size_t islands_;
  std::vector<Blocks> blocks_;
  std::vector<std::vector<TerminalSet>> sets_;
  std::vector<std::size_t> largest_;
};

/// The members of a set of islands.
Clique members_of(TerminalSet set);

}  // namespace gyre
