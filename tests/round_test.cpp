#include "schedules/round.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/error.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

Topology five() { return lettered_map(5, {{'A', 'B'}, {'B', 'C'}, {'C', 'D'}, {'D', 'E'}}); }

std::string problem_of(const std::string& text) {
  try {
    parse_round({.value = text,
                 .where = {.file = "x.yaml", .line = 3, .column = 7, .key_path = "rounds[0]"}},
                five());
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::vector<std::vector<std::size_t>> ranks(const Round& round) {
  std::vector<std::vector<std::size_t>> all;
  for (const Clique& clique : round.cliques) {
    std::vector<std::size_t>& members = all.emplace_back();
    for (const IslandId i : clique) members.push_back(i.index());
  }
  return all;
}

using Ranks = std::vector<std::vector<std::size_t>>;

TEST(ParseRound, SortsMembersAndCliquesAndAddsSingletons) {
  EXPECT_EQ(ranks(round_of("D+B|E+A", five())), (Ranks{{0, 4}, {1, 3}, {2}}));
  EXPECT_EQ(ranks(round_of("A+B+C+D+E", five())), (Ranks{{0, 1, 2, 3, 4}}));
}

TEST(ParseRound, TakesSpacesAroundNamesAndSingletonsByName) {
  EXPECT_EQ(round_of(" A + C | B ", five()), round_of("A+C", five()));
}

TEST(ParseRound, ReadsADashAsNobody) {
  EXPECT_EQ(ranks(round_of("-", five())), (Ranks{{0}, {1}, {2}, {3}, {4}}));
}

TEST(ParseRound, RoundTripsThroughText) {
  const Topology map = five();
  for (const char* text : {"A+C|B+E", "A+B+C+D+E", "D+E", "A+E|B+D", "-"}) {
    EXPECT_EQ(to_text(round_of(text, map), map), text);
  }
  // 200 random partitions into cliques of any size.
  Rng stream = Rng::stream(1, "partitions");
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Clique> cliques(5);
    for (std::size_t i = 0; i < 5; ++i) cliques[stream.below(5)].push_back(IslandId::at(i));
    const Round round = make_round(cliques, 5);
    EXPECT_EQ(round_of(to_text(round, map), map), round);
  }
}

TEST(ParseRound, NamesStrangers) {
  EXPECT_EQ(problem_of("A+F|B"),
            "x.yaml:3:7: rounds[0]: 'F' is no island of this topology; islands: A, B, C, D or E");
  EXPECT_EQ(problem_of("a+B"),
            "x.yaml:3:7: rounds[0]: 'a' is no island of this topology; islands: A, B, C, D or E");
}

TEST(ParseRound, SuggestsTheNearestName) {
  try {
    round_of("SEO+FRO", nine_city());
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'FRO' is no island of this topology (did you mean "),
              std::string::npos)
        << error.what();
  }
}

TEST(ParseRound, RefusesAnIslandTwice) {
  EXPECT_EQ(problem_of("A+B|C+A"),
            "x.yaml:3:7: rounds[0]: island 'A' stands twice in the round 'A+B|C+A'; an island "
            "belongs to one clique of a round");
  EXPECT_EQ(problem_of("B+B"),
            "x.yaml:3:7: rounds[0]: island 'B' stands twice in the round 'B+B'; an island belongs "
            "to one clique of a round");
}

TEST(ParseRound, RefusesEmptyNames) {
  for (const std::string text : {"", " ", "A+", "+A", "A||B", "A+B|", "|", "A + + B"}) {
    EXPECT_EQ(problem_of(text), "x.yaml:3:7: rounds[0]: '" + text +
                                    "' has an empty name; write members joined by '+' and cliques "
                                    "separated by '|', as in 'A+B|C+D'");
  }
}

TEST(ParseRound, TakesADashAmongNamesForAName) {
  EXPECT_EQ(problem_of("A+B|-"),
            "x.yaml:3:7: rounds[0]: '-' is no island of this topology; islands: A, B, C, D or E");
}

TEST(MakeRound, HoldsForOneIslandAndForNone) {
  EXPECT_EQ(ranks(make_round({}, 1)), (Ranks{{0}}));
  EXPECT_TRUE(make_round({}, 0).cliques.empty());
  EXPECT_EQ(ranks(make_round({{}, {IslandId::at(0)}}, 1)), (Ranks{{0}}));
}

TEST(RoundToText, LeavesOutSingletons) {
  const Topology map = five();
  EXPECT_EQ(to_text(round_of("A|B|C+D|E", map), map), "C+D");
  const Clique clique = round_of("B+D", map).cliques[1];
  EXPECT_EQ(to_text(clique, map), "B+D");
}

TEST(MakeRoundDeathTest, ChecksThatCliquesAreDisjointAndExist) {
  EXPECT_DEATH(make_round({{IslandId::at(0), IslandId::at(1)}, {IslandId::at(1)}}, 3), "disjoint");
  EXPECT_DEATH(make_round({{IslandId::at(0), IslandId::at(3)}}, 3), "disjoint");
}

}  // namespace
}  // namespace gyre
