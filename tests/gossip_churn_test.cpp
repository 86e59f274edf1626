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

}  // namespace
}  // namespace gyre
