#include "analysis/spread.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace gyre {
namespace {

/// A set of islands.
using Set = std::vector<std::uint64_t>;
constexpr std::size_t kBits = 64;

std::size_t size_of(const Set& set) {
  std::size_t count = 0;
  for (std::uint64_t word : set) {
    for (; word != 0; word &= word - 1) ++count;
  }
  return count;
}

std::vector<std::size_t> members_of(std::string_view text,
                                    const std::map<std::string, std::size_t, std::less<>>& index) {
  std::vector<std::size_t> members;
  for (const std::string_view name : members_in(text)) {
    const auto found = index.find(name);
    if (found != index.end()) members.push_back(found->second);
  }
  return members;
}

}  // namespace

Spread spread_of(const Results& results, const ResultRun& run) {
  std::map<std::string, std::size_t, std::less<>> index;
  for (const ResultMap::Island& island : results.map.islands) {
    index.emplace(island.name, index.size());
  }
  const std::size_t n = index.size();
  Spread spread;
  if (n < 2) return spread;
  const ResultTable rounds(run.folder / "rounds.csv");
  // Islands in different cliques are not in the same round at a time: rows come as cliques end.
  std::map<double, std::vector<std::vector<std::size_t>>> cliques;
  for (std::size_t r = 0; r < rounds.rows(); ++r) {
    auto& round = cliques[rounds.value(r, "round").value_or(0.0)];
    const std::string_view members = rounds.text(r, "members");
    if (rounds.text(r, "exchange").empty()) {
      if (members.find('+') != std::string_view::npos) spread.untold = true;
      continue;
    }
    if (rounds.text(r, "outcome") == "averaged") round.push_back(members_of(members, index));
  }
  std::vector<Set> heard(n, Set((n + kBits - 1) / kBits));
  for (std::size_t i = 0; i < n; ++i) heard[i][i / kBits] |= std::uint64_t{1} << (i % kBits);
  const auto share = [&] {
    std::size_t pairs = 0;
    for (const Set& set : heard) pairs += size_of(set) - 1;
    return static_cast<double>(pairs) / static_cast<double>(n * (n - 1));
  };
  spread.informed.push_back(share());
  // The last rounds are not over for all islands.
  double over =
      run.summary && run.summary->rounds ? static_cast<double>(*run.summary->rounds) : 0.0;
  for (const auto& [number, round] : cliques) {
    if (number >= over || spread.informed.back() >= 1.0) break;
    const std::vector<Set> before = heard;
    for (const auto& members : round) {
      Set all = heard.front();
      std::fill(all.begin(), all.end(), 0);
      for (const std::size_t i : members) {
        for (std::size_t w = 0; w < all.size(); ++w) all[w] |= before[i][w];
      }
      for (const std::size_t i : members) {
        for (std::size_t w = 0; w < all.size(); ++w) heard[i][w] |= all[w];
      }
    }
    spread.informed.push_back(share());
  }
  return spread;
}

}  // namespace gyre
