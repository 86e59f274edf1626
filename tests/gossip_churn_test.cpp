// Islands that leave the rounds of an overlay: closed forms of each rule.

#include "tests/churn_runs.hpp"

namespace gyre {
namespace {

/// The hub a and its neighbours b and c: each edge weighs 1/3. Both models to a, and a's to both,
/// share 1 Gbit/s: 16 s; alone 8 s. A step moves the models, 0 at first, to 0, 0.1 and 0.5.
class GossipChurn : public ChurnRuns {
 protected:
  [[nodiscard]] std::string star(const std::string& churn, int rounds,
                                 const std::string& mode = "neither") const {
    return scenario(churn, rounds, "star, hub: a", mode);
  }
};

TEST_F(GossipChurn, WithoutAbsenceBothShareTheHub) {
  run(star("{events: [{island: c, from: 1000 s}], without_member: shrink}", 1));
  EXPECT_EQ(cells("rounds.csv", "communication_s"), (Cells{"16", "16", "16"}));
}

TEST_F(GossipChurn, NobodySendsToWhoIsAwayNorWaitsForIt) {
  run(star("{events: [{island: c, from: 500 ms}], without_member: shrink}", 2));
  EXPECT_EQ(cells("rounds.csv", "communication_s"), (Cells{"8", "8", "8", "8"}));
  EXPECT_EQ(cells("rounds.csv", "absent"), (Cells{"c", "", "c", ""}));
  EXPECT_EQ(cells("trace.csv", "time_s"), (Cells{"0", "9", "18"}));
  // c's share stays with a: 2/3 of 0 and 1/3 of 0.1, and the other way round. The mean is theirs.
  EXPECT_NEAR(std::stod(cells("trace.csv", "consensus_distance")[1]), 0.1 * 0.1 / 36.0, 1e-12);
}

// 2 s after the beginning a has sent b an eighth of a model at half its rate, and so has b; the
// rest takes 7 s at the full rate.
TEST_F(GossipChurn, WhatLeadsToAndFromWhoLeavesEnds) {
  run(star("{events: [{island: c, from: 3 s}], without_member: shrink}", 1));
  EXPECT_EQ(cells("rounds.csv", "receiver"), (Cells{"c", "a", "b"}));
  EXPECT_EQ(cells("rounds.csv", "communication_s"), (Cells{"2", "9", "9"}));
  EXPECT_EQ(cells("rounds.csv", "outcome"), (Cells{"dropped", "", ""}));
  EXPECT_EQ(cells("events.csv", "what"), (Cells{"leaves", "dropped"}));
  EXPECT_EQ(cells("events.csv", "effect")[1], "c has left; a does without its model");
  // a: 0.125 GB to c and 1 GB to b; c: 0.125 GB to a.
  EXPECT_EQ(cells("islands.csv", "sent_bytes"), (Cells{"1125000000", "1000000000", "125000000"}));
}

// Replicated by the switch a's model is one stream at the full rate, which goes on to b.
TEST_F(GossipChurn, AStreamGoesOnToTheOthers) {
  run(star("{events: [{island: c, from: 3 s}], without_member: shrink}", 1, "multicast"));
  EXPECT_EQ(cells("rounds.csv", "receiver"), (Cells{"c", "b", "a"}));
  EXPECT_EQ(cells("rounds.csv", "communication_s"), (Cells{"2", "8", "9"}));
  EXPECT_EQ(cells("islands.csv", "sent_bytes"), (Cells{"1000000000", "1000000000", "125000000"}));
}

// c has all that a sends at 17 s, and a what c sends, half a second later when c has left: what has
// arrived counts, and what is on its way as well.
TEST_F(GossipChurn, WhatHasBeenSentCounts) {
  run(star("{events: [{island: c, from: 17.2 s}], without_member: shrink}", 1),
      "--set 'network.changes=[{at: 500 ms, arcs: [a.down], latency: 500 ms}]'");
  EXPECT_EQ(cells("rounds.csv", "communication_s"), (Cells{"16", "16", "16.5"}));
  EXPECT_EQ(cells("rounds.csv", "outcome"), (Cells{"", "", ""}));
}

// a, which misses c, exchanges with nobody; b does without a, but waits for nobody.
TEST_F(GossipChurn, WhoHasANeighbourThatIsAwaySkipsTheRound) {
  run(star("{events: [{island: c, from: 500 ms, to: 100 s}], without_member: skip}", 2));
  EXPECT_EQ(cells("rounds.csv", "receiver"), (Cells{"a", "b", "a", "b"}));
  EXPECT_EQ(cells("rounds.csv", "outcome"), (Cells{"dropped", "", "dropped", ""}));
  EXPECT_EQ(cells("rounds.csv", "communication_s"), (Cells{"0", "0", "0", "0"}));
  EXPECT_EQ(cells("trace.csv", "time_s"), (Cells{"0", "1", "2"}));
  // b's model to a was under way: a takes no more, and b gets what a has begun to send.
  run(star("{events: [{island: c, from: 3 s}], without_member: skip}", 1));
  EXPECT_EQ(cells("rounds.csv", "receiver"), (Cells{"c", "a", "b"}));
  EXPECT_EQ(cells("rounds.csv", "outcome"), (Cells{"dropped", "dropped", ""}));
  EXPECT_EQ(cells("rounds.csv", "communication_s"), (Cells{"2", "2", "9"}));
}

// b has a's model at 9 s; of that 4 s alone, then half of a's uplink goes to c's download, which
// ends at 17 s. c's step ends at 18 s, when a sends it what it had kept, and gets c's model: 26 s.
TEST_F(GossipChurn, StallingWaitsForIt) {
  const std::string events =
      "{events: [{island: c, from: 500 ms, to: 5 s}], without_member: stall,";
  run(star(events + " deadline: 100 s}", 1));
  EXPECT_EQ(cells("events.csv", "round"), (Cells{"0", "0"}));
  EXPECT_EQ(cells("rounds.csv", "receiver"), (Cells{"b", "a", "c"}));
  EXPECT_EQ(cells("rounds.csv", "communication_s"), (Cells{"12", "25", "8"}));
  EXPECT_EQ(cells("trace.csv", "time_s"), (Cells{"0", "26"}));
  // a goes on at 11 s without c, which joins it in its second round.
  run(star(events + " deadline: 10 s}", 2));
  EXPECT_EQ(cells("events.csv", "round"), (Cells{"0", "1"}));
  EXPECT_EQ(cells("rounds.csv", "receiver")[0], "a");
  EXPECT_EQ(cells("rounds.csv", "absent")[0], "c");
  EXPECT_EQ(cells("rounds.csv", "communication_s")[0], "10");
}

// All are away from 500 ms to 5 s. Back at once, a goes on with its own model, a round a second;
// the others have it at 21 s, when a is in its seventeenth: both join the next one.
TEST_F(GossipChurn, WhoComesBackTogetherPlaysTogether) {
  run(star("{events: [{every_island: true, from: 500 ms, to: 5 s}], without_member: shrink}", 20));
  EXPECT_EQ(cells("events.csv", "round"), (Cells{"0", "0", "0", "0", "17", "17"}));
}

}  // namespace
}  // namespace gyre
