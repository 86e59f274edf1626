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

/// Of a round: who hears from whom.
struct Hearing {
  std::vector<std::size_t> receivers;
  std::vector<std::size_t> senders;
};

}  // namespace

Spread spread_of(const Results& results, const ResultRun& run) {
  const IslandNumbers numbers = results.map.island_numbers();
  const std::size_t n = numbers.size();
  Spread spread;
  if (n < 2) return spread;
  const ResultTable rounds(run.folder / "rounds.csv");
  // Islands in different cliques are not in the same round at a time: rows come as cliques end.
  std::map<double, std::vector<Hearing>> hearings;
  for (std::size_t r = 0; r < rounds.rows(); ++r) {
    std::vector<Hearing>& round = hearings[rounds.value(r, "round").value_or(0.0)];
    const std::vector<std::size_t> members = members_in(rounds.text(r, "members"), numbers);
    const std::string_view receiver = rounds.text(r, "receiver");
    if (!receiver.empty()) {
      round.push_back({.receivers = members_in(receiver, numbers), .senders = members});
    } else if (rounds.text(r, "outcome") == "averaged") {
      round.push_back({.receivers = members, .senders = members});
    }
  }
  std::vector<Set> heard(n, Set((n + kBits - 1) / kBits));
  spread.first.assign(n, std::vector<std::optional<std::size_t>>(n));
  for (std::size_t i = 0; i < n; ++i) {
    heard[i][i / kBits] |= std::uint64_t{1} << (i % kBits);
    spread.first[i][i] = 0;
  }
  const auto share = [&] {
    std::size_t pairs = 0;
    for (const Set& set : heard) pairs += size_of(set) - 1;
    return static_cast<double>(pairs) / static_cast<double>(n * (n - 1));
  };
  spread.informed.push_back(share());
  // The last rounds are not over for all islands.
  double over =
      run.summary && run.summary->rounds ? static_cast<double>(*run.summary->rounds) : 0.0;
  for (const auto& [number, round] : hearings) {
    if (number >= over || spread.informed.back() >= 1.0) break;
    const std::vector<Set> before = heard;
    for (const Hearing& one : round) {
      Set all(before.front().size(), 0);
      for (const std::size_t i : one.senders) {
        for (std::size_t w = 0; w < all.size(); ++w) all[w] |= before[i][w];
      }
      for (const std::size_t i : one.receivers) {
        for (std::size_t w = 0; w < all.size(); ++w) heard[i][w] |= all[w];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const bool knows = (heard[i][j / kBits] >> (j % kBits) & 1U) != 0;
        if (knows && !spread.first[i][j]) spread.first[i][j] = spread.informed.size();
      }
    }
    spread.informed.push_back(share());
  }
  return spread;
}

}  // namespace gyre
