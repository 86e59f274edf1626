#include "schedules/policy.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scenarios/reader.hpp"
#include "scenarios/yaml.hpp"
#include "schedules/mixing.hpp"
#include "tests/policies.hpp"

namespace gyre {
namespace {

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const PolicyEntry& entry : policy_table()) names.push_back(entry.name);
  return names;
}

struct Case {
  std::string policy;
  std::size_t islands;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string& policy : policy_names()) {
    for (const std::size_t n : {1U, 2U, 3U, 9U, 10U, 16U, 25U, 40U, 87U}) {
      // Cliques of at least two need two islands.
      if (policy != "random-cliques" || n > 1) all.push_back({policy, n});
    }
  }
  return all;
}

class EveryPolicy : public testing::TestWithParam<Case> {
 protected:
  std::string name_ = GetParam().policy;
  std::size_t n_ = GetParam().islands;
  Topology topology_ = star(n_);
  std::unique_ptr<Policy> policy_ = make(name_, options(name_, n_));
};

TEST_P(EveryPolicy, PartitionsTheIslandsInEachRound) {
  for (const Round& round : rounds_of(*policy_, topology_, 1)) {
    std::set<IslandId> seen;
    for (const Clique& clique : round.cliques) {
      ASSERT_FALSE(clique.empty());
      EXPECT_TRUE(std::is_sorted(clique.begin(), clique.end()));
      for (const IslandId i : clique) {
        EXPECT_LT(i.index(), n_);
        EXPECT_TRUE(seen.insert(i).second);
      }
    }
    EXPECT_EQ(seen.size(), n_);
    EXPECT_TRUE(std::is_sorted(round.cliques.begin(), round.cliques.end()));
  }
}

// F25: weights sum to 1, for whoever gives and whoever takes.
TEST_P(EveryPolicy, MixesDoublyStochastically) {
  for (const Round& round : rounds_of(*policy_, topology_, 1)) {
    const Eigen::MatrixXd w = mixing_matrix(round, n_);
    EXPECT_TRUE(name_ == "matcha" ? keeps_the_mean(w) : is_doubly_stochastic(w));
    EXPECT_TRUE(keeps_the_mean(round, n_));
    // Who sends round the clock takes from others than those it sends to.
    if (name_ != "exponential") {
      EXPECT_LE((w - w.transpose()).cwiseAbs().maxCoeff(), 1e-15);
    }
  }
}

TEST_P(EveryPolicy, GivesTheSameRoundsForTheSameSeed) {
  const std::vector<Round> once = rounds_of(*policy_, topology_, 5);
  EXPECT_EQ(rounds_of(*make(name_, options(name_, n_)), topology_, 5), once);
  // A second start of the same policy begins anew.
  EXPECT_EQ(rounds_of(*policy_, topology_, 5), once);
}

TEST_P(EveryPolicy, SaysWhetherItExchanges) {
  bool exchanges = false;
  for (const Round& round : rounds_of(*policy_, topology_, 1)) {
    for (const Clique& clique : round.cliques) exchanges = exchanges || clique.size() > 1;
    EXPECT_TRUE(round.edges.empty() || policy_->overlay());
    exchanges = exchanges || !round.edges.empty();
  }
  EXPECT_EQ(policy_->exchanges() && n_ > 1, exchanges);
  EXPECT_EQ(policy_->colocated(), name_ == "colocated");
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryPolicy, testing::ValuesIn(cases()),
                         [](const auto& param_info) {
                           std::string name = param_info.param.policy;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return fmt::format("{}_{}", name, param_info.param.islands);
                         });

// Up to three islands there is little to draw.
TEST(Policies, DependOnTheSeedOnlyIfTheyAreRandom) {
  for (const std::string& name : policy_names()) {
    const bool random = name == "gossip-pairs" || name == "random-cliques" || name == "noloco" ||
                        name == "matcha" || name == "d-cliques";
    for (const std::size_t n : {9U, 10U, 16U, 25U}) {
      const Topology topology = star(n);
      const std::vector<Round> one = rounds_of(*make(name, options(name, n)), topology, 1);
      const std::vector<Round> two = rounds_of(*make(name, options(name, n)), topology, 2);
      EXPECT_EQ(one != two, random) << name << n;
    }
  }
}

TEST(PolicyTable, IsSortedAndDescribed) {
  const std::vector<std::string> names = policy_names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (const PolicyEntry& entry : policy_table())
    EXPECT_GT(entry.summary.size(), 10U) << entry.name;
  for (const char* name : {"all-reduce", "colocated", "explicit", "gossip-pairs", "none",
                           "random-cliques", "rotating-cliques", "static-cliques"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
}

std::vector<std::string> texts(const std::string& policy, const std::string& keys, std::size_t n,
                               std::int64_t count) {
  const Topology topology = star(n);
  const std::unique_ptr<Policy> made = make(policy, keys);
  made->start({.topology = topology, .seed = 3});
  std::vector<std::string> all;
  for (std::int64_t r = 0; r < count; ++r) all.push_back(to_text(made->round(r), topology));
  return all;
}

using Texts = std::vector<std::string>;

TEST(AllReduce, IsOneCliqueOfAll) {
  EXPECT_EQ(texts("all-reduce", "{}", 4, 2), (Texts{"I0+I1+I2+I3", "I0+I1+I2+I3"}));
  EXPECT_EQ(texts("colocated", "{}", 3, 1), (Texts{"I0+I1+I2"}));
}

TEST(NonePolicy, LeavesEverybodyAlone) { EXPECT_EQ(texts("none", "{}", 4, 2), (Texts{"-", "-"})); }

TEST(Explicit, RepeatsOrEnds) {
  EXPECT_EQ(texts("explicit", "{rounds: [I0+I1, I1+I2]}", 3, 5),
            (Texts{"I0+I1", "I1+I2", "I0+I1", "I1+I2", "I0+I1"}));
  EXPECT_EQ(texts("explicit", "{rounds: [I0+I1, I1+I2], repeat: false}", 3, 4),
            (Texts{"I0+I1", "I1+I2", "-", "-"}));
}

TEST(RotatingCliques, RotateThroughTheGivenRounds) {
  EXPECT_EQ(texts("rotating-cliques", "{rounds: [I0+I1|I2+I3, I0+I2|I1+I3]}", 4, 3),
            (Texts{"I0+I1|I2+I3", "I0+I2|I1+I3", "I0+I1|I2+I3"}));
}

TEST(StaticCliques, StayTheSame) {
  EXPECT_EQ(texts("static-cliques", "{cliques: I2+I0}", 3, 2), (Texts{"I0+I2", "I0+I2"}));
}

TEST(GossipPairs, PairsEverybodyAndLeavesOneOfAnOddNumber) {
  for (const std::size_t n : {2U, 9U, 10U}) {
    const Topology topology = star(n);
    std::set<std::size_t> alone;
    for (const Round& round : rounds_of(*make("gossip-pairs", "{}"), topology, 1)) {
      std::vector<std::size_t> expected(n % 2, 1);
      expected.insert(expected.end(), n / 2, 2);
      EXPECT_EQ(sizes(round), expected);
      for (const Clique& clique : round.cliques) {
        if (clique.size() == 1) alone.insert(clique.front().index());
      }
    }
    // Not always the same one.
    EXPECT_EQ(alone.size() > 1, n % 2 == 1);
  }
}

TEST(RandomCliques, HaveTheirSize) {
  for (const Round& round : rounds_of(*make("random-cliques", "{size: 4}"), star(10), 1)) {
    EXPECT_EQ(sizes(round), (std::vector<std::size_t>{2, 4, 4}));
  }
}

// Oracles O13 and O14.
TEST(Exponential, ContractsAsKnown) {
  for (const std::size_t n : {2U, 4U, 8U, 16U, 32U}) {
    const auto rounds = static_cast<std::int64_t>(std::log2(n) + 0.5);
    EXPECT_NEAR(contraction_of("exponential", "{}", n, rounds), 0.0, 1e-12) << n;
    const double rho = 1.0 - 2.0 / (std::log2(n) + 1.0);
    EXPECT_NEAR(contraction_of("exponential", "{peers: static}", n, 1), rho, 1e-12) << n;
  }
  EXPECT_NEAR(contraction_of("exponential", "{}", 9, 4), 0.117462, 5e-7);
  EXPECT_NEAR(contraction_of("exponential", "{peers: static}", 9, 1), 0.441787, 5e-7);
}

// Oracle O15: the product of a Base-(k+1) graph's rounds is the exact average, in no more than
// 2·log_{k+1}(n) + 2 rounds with at most k partners; rounds and partners as computed independently.
TEST(BaseK, IsExactAfterTheKnownNumberOfRounds) {
  std::map<std::pair<std::size_t, std::size_t>, std::pair<std::int64_t, std::int64_t>> known;
  for (const CsvRow& row : read_csv("base_graph_lengths.csv")) {
    known[{std::stoul(row.at("k")), std::stoul(row.at("n"))}] = {
        std::stoll(row.at("rounds")), std::stoll(row.at("most_partners"))};
  }
  EXPECT_EQ(known.size(), 156U);
  for (std::size_t k = 1; k <= 4; ++k) {
    for (std::size_t n = 2; n <= 100; ++n) {
      SCOPED_TRACE(fmt::format("k {} n {}", k, n));
      const Topology topology = star(n);
      const std::unique_ptr<Policy> policy = make("base-k", fmt::format("{{peers: {}}}", k));
      policy->start({.topology = topology, .seed = 1});
      const auto size = static_cast<Eigen::Index>(n);
      const Eigen::MatrixXd average =
          Eigen::MatrixXd::Constant(size, size, 1.0 / static_cast<double>(n));
      Eigen::MatrixXd product = Eigen::MatrixXd::Identity(size, size);
      const auto at_most = static_cast<std::int64_t>(2.0 * std::log(static_cast<double>(n)) /
                                                         std::log(static_cast<double>(k) + 1.0) +
                                                     2.0 + 1e-9);
      std::int64_t rounds = 0;
      std::int64_t partners = 0;
      while (rounds <= at_most && (product - average).cwiseAbs().maxCoeff() > 1e-12) {
        const Round round = policy->round(rounds++);
        product = mixing_matrix(round, n) * product;
        std::vector<std::int64_t> degrees(n, 0);
        for (const MixingEdge& edge : round.edges) ++degrees[edge.to.index()];
        partners = std::max(partners, *std::max_element(degrees.begin(), degrees.end()));
      }
      EXPECT_LE(rounds, at_most);
      EXPECT_LE(partners, static_cast<std::int64_t>(k));
      const auto reference = known.find({k, n});
      if (reference == known.end()) continue;
      EXPECT_EQ(rounds, reference->second.first);
      EXPECT_EQ(partners, reference->second.second);
    }
  }
}

// Oracle O2: λ_2 of a ring of nine; one direction: |(1 + exp(2πi/9))/2| = cos(π/9).
TEST(RingOverlay, ContractsAsKnown) {
  EXPECT_NEAR(contraction_of("ring-overlay", "{}", 9, 1), 0.8440296287459855, 1e-12);
  EXPECT_NEAR(contraction_of("ring-overlay", "{}", 9, 10), std::pow(0.8440296287459855, 10), 1e-12);
  EXPECT_NEAR(contraction_of("ring-overlay", "{directions: one}", 9, 1),
              std::cos(std::acos(-1.0) / 9.0), 1e-12);
}

TEST(Moshpit, IsExactOnAFullGrid) {
  EXPECT_NEAR(contraction_of("moshpit", "{}", 9, 2), 0.0, 1e-12);
  EXPECT_NEAR(contraction_of("moshpit", "{side: 2}", 16, 4), 0.0, 1e-12);
  EXPECT_NEAR(contraction_of("moshpit", "{side: 3}", 27, 3), 0.0, 1e-12);
  EXPECT_EQ(texts("moshpit", "{side: 2}", 5, 3), (Texts{"I0+I1|I2+I3", "I0+I2|I1+I3", "I0+I4"}));
  EXPECT_EQ(texts("moshpit", "{}", 9, 2),
            (Texts{"I0+I1+I2|I3+I4+I5|I6+I7+I8", "I0+I3+I6|I1+I4+I7|I2+I5+I8"}));
}

TEST(NoLoCo, LeavesNobodyOut) {
  for (const std::size_t n : {2U, 3U, 9U, 10U}) {
    for (const Round& round : rounds_of(*make("noloco", "{}"), star(n), 1)) {
      EXPECT_GE(sizes(round).front(), 2U);
      EXPECT_LE(sizes(round).back(), 3U);
    }
  }
}

std::string problem_of(const std::string& policy, const std::string& keys, std::size_t n) {
  try {
    const Topology topology = star(n);
    make(policy, keys)->start({.topology = topology, .seed = 1});
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RandomCliques, NeedAsManyIslands) {
  EXPECT_EQ(problem_of("random-cliques", "{size: 3}", 3), "no error");
  EXPECT_EQ(problem_of("random-cliques", "{size: 4}", 3),
            "policy.yaml:1:8: size: cliques of 4 need as many islands; the topology has 3");
  EXPECT_EQ(problem_of("random-cliques", "{}", 2).find("policy.yaml:1:"), 0U);
  EXPECT_NE(problem_of("random-cliques", "{size: 1}", 3), "no error");
}

TEST(Policies, NameStrangersWithTheirLine) {
  EXPECT_EQ(problem_of("static-cliques", "cliques: I0+I7", 3),
            "policy.yaml:1:10: cliques: 'I7' is no island of this topology; islands: I0, I1 or "
            "I2");
  EXPECT_EQ(problem_of("explicit", "rounds:\n  - I0+I1\n  - I1+I1", 3),
            "policy.yaml:3:5: rounds[1]: island 'I1' stands twice in the round 'I1+I1'; an island "
            "belongs to one clique of a round");
  EXPECT_EQ(problem_of("rotating-cliques", "{rounds: [I0+I1], max_period: 2}", 3),
            "policy.yaml:1:19: max_period: unknown key; allowed here: rounds");
}

// F16: the pairs come from a stream of their own, so that two random policies of one seed differ.
TEST(Policies, DrawFromStreamsOfTheirOwn) {
  EXPECT_NE(texts("gossip-pairs", "{}", 16, 4), texts("random-cliques", "{size: 2}", 16, 4));
}

}  // namespace
}  // namespace gyre
