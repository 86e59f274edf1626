// What policies say of the sizes of their cliques, by which a run knows how much it can need.

#include <set>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scenarios/reader.hpp"
#include "scenarios/yaml.hpp"
#include "schedules/policy.hpp"
#include "schedules/round_plan.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

std::unique_ptr<Policy> started(const std::string& name, const std::string& keys,
                                const Topology& topology) {
  for (const PolicyEntry& entry : policy_table()) {
    if (entry.name != name) continue;
    std::unique_ptr<Policy> policy = entry.make();
    read_mapping(parse_yaml(keys + "\n", "policy.yaml"),
                 [&policy](Fields& fields) { policy->describe(fields); });
    policy->start({.topology = topology, .seed = 1});
    return policy;
  }
  throw std::invalid_argument("no policy " + name);
}

TEST(DifferentCliques, AreThoseOfAllRounds) {
  const Topology topology = nine_city();
  const std::string regions = "SEO+TYO+SIN|LAX+NYC+BAR|LON+AMS";
  for (const auto& [name, keys] :
       {std::pair<std::string, std::string>{"all-reduce", "{}"},
        {"static-cliques", fmt::format("{{cliques: '{}'}}", regions)},
        {"hierarchical", fmt::format("{{regions: '{}', every: 2}}", regions)}}) {
    const std::unique_ptr<Policy> policy = started(name, keys, topology);
    for (std::size_t members = 1; members <= 9; ++members) {
      std::set<Clique> seen;
      for (std::int64_t r = 0; r < 6; ++r) {
        for (const Clique& clique : policy->round(r).cliques) {
          if (clique.size() >= 2 && clique.size() <= members) seen.insert(clique);
        }
      }
      EXPECT_EQ(policy->different_cliques(members), seen.size()) << name << ' ' << members;
    }
  }
  EXPECT_EQ(started("gossip-pairs", "{}", topology)->different_cliques(9), std::nullopt);
}

// A thousand islands that exchange in one clique need no link for a tree's rate: those are packed
// for small cliques only.
TEST(MostPacedFlows, CountsOnlyWhatMayBePaced) {
  const World world(random_topology(1, {.switches = 20, .islands = 20, .extra_links = 10}));
  const Network network = world.network();
  const std::size_t arcs = world.topology.arc_count();
  EXPECT_EQ(most_paced_flows(network, Exchange::kRing, Routing::kShortest, 10), 0U);
  EXPECT_EQ(most_paced_flows(network, Exchange::kInNetwork, Routing::kShortest, 10), 0U);
  EXPECT_EQ(most_paced_flows(network, Exchange::kBest, Routing::kShortest, 0), 0U);
  EXPECT_EQ(most_paced_flows(network, Exchange::kBest, Routing::kShortest, 3), 3 * (arcs + 2));
  EXPECT_EQ(most_paced_flows(network, Exchange::kTree, Routing::kShortest, 0), 10 * (arcs + 2));
}

}  // namespace
}  // namespace gyre
