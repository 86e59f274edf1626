// Overlays in time: each island waits for its neighbours and for nobody else.

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/tasks/quadratic.hpp"
#include "schedules/mixing.hpp"
#include "sim/given_rounds.hpp"
#include "sim/simulation.hpp"
#include "tests/run_log.hpp"

namespace gyre {
namespace {

MixingEdge edge(std::size_t from, std::size_t to, double weight) {
  return {.from = IslandId::at(from), .to = IslandId::at(to), .weight = weight};
}

/// Three islands on one switch, 8 Gbps and 0.1 s to it: 1 GB takes 1.2 s.
Topology three() {
  const Bandwidth rate = Bandwidth::gigabits_per_second(8);
  const Duration latency = Duration::milliseconds(100);
  return {"star",
          {"s"},
          {{"A", SwitchId::at(0), rate, rate, latency},
           {"B", SwitchId::at(0), rate, rate, latency},
           {"C", SwitchId::at(0), rate, rate, latency}},
          {}};
}

Round one_way_ring() {
  return make_overlay({edge(0, 1, 0.5), edge(1, 2, 0.5), edge(2, 0, 0.5)}, 3);
}

// A and B compute 1 s, C 4 s. Around the one-way ring A → B → C → A a round of the slowest circle
// takes what its own compute and the way round take: A waits for C only. C's first ends at 4 s, and
// A has its model at 5.2 s; C itself waits for B's, which came at 2.2 s, and for nothing at all: it
// is the pace, 4 s a round.
TEST(Gossip, TheSlowestPacesAndWaitsForNobody) {
  const Topology topology = three();
  GivenRounds policy({one_way_ring()});
  RunSpec spec = pair_spec(topology, policy);
  spec.compute.islands = {{.island = {"C", {}}, .step_time = Duration::seconds(4.0)}};
  spec.stop.max_rounds = 20;
  const auto lines = run_log(spec);
  double last_of_c = 0.0;
  for (const std::string& row : starting(lines, "clique")) {
    if (row.find(" B+C ") == std::string::npos) continue;
    last_of_c = field(row, 3);
    EXPECT_NEAR(last_of_c, 4.0 * field(row, 1), 1e-9);  // start of its round
    EXPECT_LT(field(row, 6), 1e-9);                     // communication
  }
  EXPECT_NEAR(last_of_c, 76.0, 1e-9);
  EXPECT_NEAR(field(lines.back(), 2), 80.0 + 1.2, 1e-9);  // A holds C's last model
  EXPECT_GE(field(lines.back(), 6) + 1e-9, field(lines.back(), 7));
}

// Equal islands: 1 s, then 1 GB from the neighbour before and to the one behind: 1.2 s.
TEST(Gossip, ARingOfEqualsTakesOneHop) {
  const Topology topology = three();
  GivenRounds policy({one_way_ring()});
  RunSpec spec = pair_spec(topology, policy);
  spec.stop.max_rounds = 5;
  const auto lines = run_log(spec);
  EXPECT_NEAR(field(lines.back(), 2), 5 * 2.2, 1e-9);
  EXPECT_EQ(field(lines.back(), 4), 5 * 3 * 2 * 1e9);  // up and down, each island
  EXPECT_NEAR(field(lines.back(), 7), 2.2, 1e-9);
}

// Both ways round, A sends to B and C: where the switch replicates one stream of 1 GB, else two
// that share its link up.
TEST(Gossip, ReplicatesWhereSwitchesCan) {
  const Topology topology = three();
  std::vector<OverlayLink> links{{0, 1, 1.0 / 3.0}, {1, 2, 1.0 / 3.0}, {0, 2, 1.0 / 3.0}};
  GivenRounds policy({make_overlay(links, 3)});
  RunSpec spec = pair_spec(topology, policy);
  spec.stop.max_rounds = 4;
  EXPECT_NEAR(field(run_log(spec).back(), 2), 4 * (1.0 + 2.2), 1e-9);
  spec.capabilities = capabilities(topology, Mode::kMulticast);
  const auto lines = run_log(spec);
  EXPECT_NEAR(field(lines.back(), 2), 4 * (1.0 + 2.2), 1e-9);  // two come down still
  EXPECT_EQ(field(lines.back(), 4), 4 * 3 * 3 * 1e9);          // one up, two down
}

// What the islands learn is x ← W x after their steps, whatever the times are: with O5's curvatures
// and drawn step times, beside the product itself.
TEST(Gossip, MixesByItsMatrix) {
  const Topology topology = three();
  const Round round = make_overlay({edge(0, 1, 0.3), edge(1, 2, 0.3), edge(2, 0, 0.3),
                                    edge(1, 0, 0.2), edge(2, 1, 0.2), edge(0, 2, 0.2)},
                                   3);
  const Eigen::MatrixXd w = mixing_matrix(round, 3);
  ASSERT_TRUE(is_doubly_stochastic(w));
  GivenRounds policy({round});
  QuadraticSpec parabolas;
  parabolas.optima = {-3.0, 0.0, 5.0};
  parabolas.curvatures = {1.0, 2.0, 3.0};
  parabolas.start = 4.0;
  Quadratic task(parabolas);
  RunSpec spec = pair_spec(topology, policy);
  spec.task = &task;
  spec.training.local_steps = 3;
  spec.barrier = true;
  spec.compute.jitter.kind = StepJitter::Kind::kExponential;
  spec.stop.max_rounds = 8;
  const auto rows = starting(run_log(spec), "trace");
  Eigen::VectorXd x = Eigen::VectorXd::Constant(3, 4.0);
  for (std::size_t r = 1; r < rows.size(); ++r) {
    for (Eigen::Index i = 0; i < 3; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const double rho = std::pow(1.0 - 0.1 * parabolas.curvatures[k], 3.0);
      x(i) = parabolas.optima[k] + rho * (x(i) - parabolas.optima[k]);
    }
    x = (w * x).eval();
    const double mean = x.mean();
    EXPECT_NEAR(field(rows[r], 4), (x.array() - mean).square().mean(), 1e-12);
  }
}

// Rounds that hold nobody up: islands of very different speed for many rounds.
TEST(Gossip, EveryRoundClosesForEverybody) {
  const Topology topology = three();
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    GivenRounds policy({one_way_ring()});
    RunSpec spec = pair_spec(topology, policy);
    spec.payload = Bytes::count(100'000'000);
    spec.compute.jitter.kind = StepJitter::Kind::kExponential;
    spec.seed = seed;
    spec.stop.max_rounds = 300;
    const auto lines = run_log(spec);
    EXPECT_EQ(field(lines.back(), 1), 0);
    EXPECT_EQ(field(lines.back(), 3), 300);
    EXPECT_EQ(starting(lines, "clique").size(), 900U);
    EXPECT_GE(field(lines.back(), 6) * (1.0 + 1e-9), field(lines.back(), 7));
  }
}

}  // namespace
}  // namespace gyre
