// What single policies do on maps that are made for them; what all have to do is in
// policy_test.cpp.

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/error.hpp"
#include "schedules/mixing.hpp"
#include "tests/policies.hpp"

namespace gyre {
namespace {

// The nine cities: a tree of the eight shortest fibres that join them.
TEST(Mst, TakesTheShortestFibres) {
  const Topology map = nine_city();
  const std::unique_ptr<Policy> mst = make("mst", "{}");
  mst->start({.topology = map, .seed = 1});
  EXPECT_EQ(mst->round(0).edges.size(), 16U);
  for (const char* fibre :
       {"SEO>TYO", "TYO>SIN", "LON>AMS", "AMS>FRA", "LAX>NYC", "NYC>LON", "SIN>FRA", "NYC>BAR"}) {
    EXPECT_NE(to_text(mst->round(0), map).find(fibre), std::string::npos) << fibre;
  }
  EXPECT_LT(contraction_of("mst", "{}", 9, 1), 1.0);
}

// Five islands on one switch, I0 nearest: the minimum tree is a star of it. With 1 GB to send its
// link up is shared by four, and a chain is quicker; with one byte latency is all that counts.
TEST(DeltaMbst, BoundsTheDegreeByWhatIsSent) {
  const Bandwidth rate = Bandwidth::gigabits_per_second(8);
  std::vector<Topology::Island> islands;
  for (int i = 0; i < 5; ++i) {
    islands.push_back({.name = fmt::format("I{}", i),
                       .at = SwitchId::at(0),
                       .up = rate,
                       .down = rate,
                       .latency = Duration::milliseconds(i == 0 ? 1 : 10)});
  }
  const Topology topology("star", {"s"}, islands, {});
  const World world(topology, Mode::kNeither);
  for (const auto& [bytes, most] : {std::pair{1'000'000'000, 2}, {1, 4}}) {
    const ExchangeContext exchanges{.network = world.network(),
                                    .exchange = Exchange::kDirect,
                                    .routing = Routing::kShortest,
                                    .payload = Bytes::count(bytes),
                                    .compute = {}};
    const std::unique_ptr<Policy> policy = make("delta-mbst", "{}");
    policy->start({.topology = topology, .seed = 1, .exchanges = &exchanges});
    std::vector<int> degrees(5, 0);
    const Round round = policy->round(0);
    EXPECT_EQ(round.edges.size(), 8U);
    for (const MixingEdge& edge : round.edges) ++degrees[edge.to.index()];
    EXPECT_EQ(*std::max_element(degrees.begin(), degrees.end()), most);
  }
}

// Most paths between other cities of the nine lead through New York and London.
TEST(Star, TheHubIsOnMostPaths) {
  const Topology map = nine_city();
  for (const auto& [keys, hub] : {std::pair{"{}", "NYC"}, {"{hub: SIN}", "SIN"}}) {
    const std::unique_ptr<Policy> policy = make("star", keys);
    policy->start({.topology = map, .seed = 1});
    const Round round = policy->round(0);
    EXPECT_EQ(round.edges.size(), 16U);
    for (const MixingEdge& edge : round.edges) {
      EXPECT_TRUE(map.name(edge.from) == hub || map.name(edge.to) == hub);
    }
  }
}

TEST(Hierarchical, LeadersAreNearTheOthers) {
  const Topology map = nine_city();
  const std::unique_ptr<Policy> policy =
      make("hierarchical", "{regions: SEO+TYO+SIN|LAX+NYC+BAR|LON+AMS+FRA, every: 2}");
  policy->start({.topology = map, .seed = 1});
  const std::string regions = "SEO+TYO+SIN|LAX+NYC+BAR|LON+AMS+FRA";
  EXPECT_EQ(to_text(policy->round(0), map), regions);
  EXPECT_EQ(to_text(policy->round(1), map), regions);
  EXPECT_EQ(sizes(policy->round(2)).back(), 3U);
  EXPECT_EQ(to_text(policy->round(3), map), regions);
}

// Oracle O17: n(c−1)/2 edges within cliques and (n/c)(n/c−1)/2 between them, each both ways.
TEST(DCliques, HaveTheKnownNumberOfEdges) {
  for (const auto& [n, edges] : {std::pair{100U, 495U}, {1000U, 9450U}}) {
    const Topology topology = star(n);
    const std::unique_ptr<Policy> policy = make("d-cliques", "{size: 10}");
    policy->start({.topology = topology, .seed = 3});
    const Round round = policy->round(0);
    EXPECT_EQ(round.edges.size(), 2 * edges);
    // The edges between cliques are spread: nobody has more than one more than any other.
    std::vector<std::size_t> degrees(n, 0);
    for (const MixingEdge& edge : round.edges) ++degrees[edge.to.index()];
    const auto [least, most] = std::minmax_element(degrees.begin(), degrees.end());
    EXPECT_LE(*most - *least, 2U);
  }
}

/// The cliques of D-Cliques: members share all other neighbours but the few of other cliques.
std::vector<std::set<std::size_t>> cliques_in(const Round& round, std::size_t n, std::size_t size) {
  std::vector<std::set<std::size_t>> neighbours(n);
  for (const MixingEdge& edge : round.edges) {
    neighbours[edge.to.index()].insert(edge.from.index());
  }
  std::set<std::set<std::size_t>> cliques;
  for (std::size_t i = 0; i < n; ++i) {
    std::set<std::size_t> clique{i};
    for (const std::size_t j : neighbours[i]) {
      const auto shared = std::ranges::count_if(
          neighbours[i], [&](std::size_t k) { return neighbours[j].contains(k); });
      if (static_cast<std::size_t>(shared) + 2 >= size) clique.insert(j);
    }
    EXPECT_EQ(clique.size(), size);
    cliques.insert(std::move(clique));
  }
  EXPECT_EQ(cliques.size(), n / size);
  return {cliques.begin(), cliques.end()};
}

// 25 islands with one of five labels each: balanced, every clique of five has all labels; as drawn,
// it has not.
TEST(DCliques, BalanceTheLabels) {
  const std::size_t n = 25;
  const Topology topology = star(n);
  LabelCounts labels(n, std::vector<double>(5, 0.0));
  for (std::size_t i = 0; i < n; ++i) labels[i][i / 5] = 100.0;
  const auto balanced = [&](const std::string& keys) {
    const std::unique_ptr<Policy> policy = make("d-cliques", keys);
    policy->start({.topology = topology, .seed = 1, .labels = &labels});
    std::size_t count = 0;
    for (const std::set<std::size_t>& clique : cliques_in(policy->round(0), n, 5)) {
      std::set<std::size_t> seen;
      for (const std::size_t i : clique) seen.insert(i / 5);
      if (seen.size() == 5) ++count;
    }
    return count;
  };
  EXPECT_EQ(balanced("{size: 5}"), 5U);
  EXPECT_LT(balanced("{size: 5, swaps: 0}"), 5U);
}

}  // namespace
}  // namespace gyre
