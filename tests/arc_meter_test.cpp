// What arcs are said to have carried, against what the flows brought.

#include "sim/arc_meter.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "sim/simulation.hpp"
#include "tests/run_log.hpp"

namespace gyre {
namespace {

/// The largest difference between ∫ rate dt and the bytes that went over an arc, relative; and the
/// largest share of the time that an arc was busy.
struct Check {
  double difference = 0.0;
  double busiest = 0.0;
};

Check checked(const RunSpec& spec) {
  const std::string text = in_child([&spec] {
    RunObserver silent;
    const RunResult result = simulate(spec, silent, kNever);
    double difference = 0.0;
    double busiest = 0.0;
    for (const ArcUsage& arc : result.arcs) {
      const double bits = arc.bytes.in_bits();
      difference = std::max(difference, std::abs(arc.carried_bits - bits) / (1.0 + bits));
      busiest = std::max(busiest, arc.busy / result.simulated);
    }
    return fmt::format("{} {}", difference, busiest);
  });
  Check check;
  std::istringstream(text) >> check.difference >> check.busiest;
  return check;
}

/// Twelve islands of different speed, all of whose flows cross each other's ways.
class ArcsOfARandomMap : public testing::Test {
 protected:
  RunSpec spec(Policy& policy) const {
    RunSpec spec = pair_spec(topology_, policy);
    spec.stop.max_rounds = 6;
    for (std::size_t i = 0; i < topology_.island_count(); ++i) {
      spec.compute.islands.push_back(
          {.island = {topology_.name(IslandId::at(i)), {}},
           .step_time = Duration::seconds(0.5 + 0.37 * static_cast<double>(i % 5))});
    }
    return spec;
  }
  Topology topology_ = random_topology(7, {.switches = 10, .islands = 12, .extra_links = 6});
};

// Flows begin and end at all times, and some end before anyone waits for them.
TEST_F(ArcsOfARandomMap, CarryWhatTheFlowsBring) {
  Repeated cliques(topology_, {"I0+I1+I2|I3+I4+I5+I6|I7+I8+I9+I10+I11", "I0+I5+I11|I2+I3+I7"});
  const Check direct = checked(spec(cliques));
  EXPECT_LT(direct.difference, 1e-9);
  EXPECT_GT(direct.busiest, 0.1);
  EXPECT_LE(direct.busiest, 1.0 + 1e-12);
}

TEST_F(ArcsOfARandomMap, CarryWhatTheFlowsBringWhileIslandsComputeOn) {
  Repeated everybody(topology_, {"I0+I1+I2+I3+I4+I5+I6+I7+I8+I9+I10+I11"});
  RunSpec delayed = spec(everybody);
  delayed.training.local_steps = 4;
  delayed.training.overlap =
      OverlapSpec{.kind = OverlapSpec::Kind::kDelayed, .steps = 3, .local_weight = 0.5};
  const Check check = checked(delayed);
  EXPECT_LT(check.difference, 1e-9);
  EXPECT_LE(check.busiest, 1.0 + 1e-12);
}

}  // namespace
}  // namespace gyre
