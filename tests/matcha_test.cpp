#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/rng.hpp"
#include "schedules/matcha_plan.hpp"

namespace gyre {
namespace {

using Json = nlohmann::json;
using Graph = std::vector<std::pair<std::size_t, std::size_t>>;

Json reference() {
  std::ifstream file(std::string(GYRE_SOURCE_DIR) + "/tests/data/matcha_graphs.json");
  return Json::parse(file);
}

std::vector<Matching> matchings_in(const Json& graph) {
  std::vector<Matching> matchings;
  for (const Json& edges : graph.at("matchings")) {
    Matching& matching = matchings.emplace_back();
    for (const Json& edge : edges) matching.emplace_back(edge.at(0), edge.at(1));
  }
  return matchings;
}

// Oracle O16, and the same of five more graphs at ten budgets: no worse than what was computed
// independently, and no better than its tolerance.
TEST(Matcha, ContractsAsKnown) {
  const Json all = reference();
  ASSERT_EQ(all.at("graphs").size(), 6U);
  for (const Json& graph : all.at("graphs")) {
    const std::vector<Matching> matchings = matchings_in(graph);
    const std::size_t nodes = graph.at("nodes");
    const MatchaPlan vanilla = matcha_plan(matchings, nodes, 1.0);
    EXPECT_NEAR(vanilla.weight, graph.at("vanilla").at("alpha"), 1e-6);
    EXPECT_NEAR(vanilla.contraction, graph.at("vanilla").at("rho"), 1e-9);
    for (const Json& known : graph.at("budgets")) {
      const double budget = known.at("budget");
      SCOPED_TRACE(
          fmt::format("{} nodes, {} matchings, budget {}", nodes, matchings.size(), budget));
      const MatchaPlan plan = matcha_plan(matchings, nodes, budget);
      double active = 0.0;
      for (const double p : plan.probabilities) {
        EXPECT_GE(p, 0.0);
        EXPECT_LE(p, 1.0);
        active += p;
      }
      EXPECT_LE(active, budget * static_cast<double>(matchings.size()) + 1e-9);
      EXPECT_NEAR(plan.connectivity, known.at("lambda2"), 1e-3);
      EXPECT_NEAR(plan.contraction, known.at("rho"), 1e-3);
    }
  }
}

TEST(Matcha, CutsGraphsIntoMatchings) {
  Rng rng = Rng::stream(1, "graphs");
  for (int trial = 0; trial < 50; ++trial) {
    const std::size_t nodes = 2 + rng.below(30);
    Graph graph;
    for (std::size_t a = 0; a < nodes; ++a) {
      for (std::size_t b = a + 1; b < nodes; ++b) {
        if (rng.uniform() < 0.3) graph.emplace_back(a, b);
      }
    }
    std::vector<std::size_t> degrees(nodes, 0);
    for (const auto& [a, b] : graph) {
      ++degrees[a];
      ++degrees[b];
    }
    const std::vector<Matching> matchings = matchings_of(graph, nodes);
    EXPECT_LE(matchings.size(), *std::max_element(degrees.begin(), degrees.end()) + 1);
    std::set<std::pair<std::size_t, std::size_t>> seen;
    for (const Matching& matching : matchings) {
      std::set<std::size_t> ends;
      for (const auto& [a, b] : matching) {
        EXPECT_TRUE(ends.insert(a).second && ends.insert(b).second);
        EXPECT_TRUE(seen.insert({std::min(a, b), std::max(a, b)}).second);
      }
    }
    EXPECT_EQ(seen, (std::set<std::pair<std::size_t, std::size_t>>(graph.begin(), graph.end())));
  }
}

}  // namespace
}  // namespace gyre
