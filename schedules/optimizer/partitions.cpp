#include "schedules/optimizer/partitions.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "models/error.hpp"

namespace gyre {

Partitions::Partitions(std::size_t islands) : islands_(islands) {
  check(islands >= 1 && islands <= kMostIslands, "too many islands for all partitions");
  Blocks blocks{};
  std::array<std::uint16_t, kMostIslands> highest{};  // of the blocks before each island
  while (true) {
    blocks_.push_back(blocks);
    std::size_t i = islands - 1;
    while (i > 0 && blocks[i] > highest[i]) --i;
    if (i == 0) break;
    blocks[i] = static_cast<std::uint16_t>(blocks[i] + 1);
    for (std::size_t j = i + 1; j < islands; ++j) {
      highest[j] = std::max(highest[j - 1], blocks[j - 1]);
      blocks[j] = 0;
    }
  }
  for (const Blocks& one : blocks_) {
    std::vector<TerminalSet> sets;
    for (std::size_t i = 0; i < islands; ++i) {
      if (one[i] == sets.size()) sets.push_back(0);
      sets[one[i]] |= TerminalSet{1} << i;
    }
    std::size_t largest = 0;
    for (const TerminalSet set : sets) {
      largest = std::max(largest, static_cast<std::size_t>(std::popcount(set)));
    }
    sets_.push_back(std::move(sets));
    largest_.push_back(largest);
  }
}

std::size_t Partitions::index_of(const Blocks& blocks) const {
  Blocks canonical{};
  std::array<std::uint16_t, 16> renamed{};
  std::uint32_t seen = 0;
  std::uint16_t next = 0;
  for (std::size_t i = 0; i < islands_; ++i) {
    const std::uint16_t block = blocks[i];
    if ((seen >> block & 1U) == 0) {
      seen |= 1U << block;
      renamed[block] = next++;
    }
    canonical[i] = renamed[block];
  }
  const auto found = std::lower_bound(blocks_.begin(), blocks_.end(), canonical);
  check(found != blocks_.end() && *found == canonical, "no such partition");
  return static_cast<std::size_t>(found - blocks_.begin());
}

std::size_t Partitions::index_of(const Round& round) const {
  Blocks blocks{};
  for (std::size_t c = 0; c < round.cliques.size(); ++c) {
    for (const IslandId i : round.cliques[c]) blocks[i.index()] = static_cast<std::uint16_t>(c);
  }
  return index_of(blocks);
}

Round Partitions::round(std::size_t index) const {
  std::vector<Clique> cliques;
  for (const TerminalSet set : sets_[index]) cliques.push_back(members_of(set));
  return make_round(std::move(cliques), islands_);
}

Clique members_of(TerminalSet set) {
  Clique members;
  for (std::size_t i = 0; set >> i != 0; ++i) {
    if ((set >> i & 1U) != 0) members.push_back(IslandId::at(i));
  }
  return members;
}

}  // namespace gyre
