// Capacities that change while a run goes on, and the policy that plans for what is left.

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/changing_arcs.hpp"
#include "tests/policies.hpp"
#include "tests/run_log.hpp"

namespace gyre {
namespace {

// 1 s of compute, then 1 GB at 10 Gbps: 0.8 s and 10 ms. With 5 Gbps from 1.4 s on, half of it is
// left then, which takes 0.8 s: 2.21 s. Back at 10 Gbps at 1.8 s, 2 Gbit are left: 2.01 s.
TEST(Changes, StrikeFlowsUnderWay) {
  const Topology topology = pair();
  Repeated policy(topology, {"A+B"});
  for (const auto& [changes, end_s] :
       {std::pair{std::vector<ArcChange>{}, 1.81},
        {{narrower(topology, 1.4, "a->b", 5.0)}, 2.21},
        {{narrower(topology, 1.4, "a->b", 5.0), narrower(topology, 1.8, "a->b", 10.0)}, 2.01},
        {{narrower(topology, 1.4, "B.down", 5.0)}, 2.21}}) {
    RunSpec spec = pair_spec(topology, policy);
    spec.changes = changes;
    spec.stop.max_rounds = 1;
    const std::vector<std::string> log = run_log(spec);
    EXPECT_NEAR(field(log.back(), 2), end_s, 1e-9);
    EXPECT_EQ(field(log.back(), 4), 6e9);  // 1 GB each way over three arcs: no byte is lost
  }
}

// A flow begins while its arc is slow: 0.4 s at 0.1 Gbps carry 0.04 of 8 Gbit, the rest
// takes 0.796 s from 1.4 s on.
TEST(Changes, AFlowThatBeginsOnASlowArcGetsFasterWithIt) {
  const Topology topology = pair();
  Repeated policy(topology, {"A+B"});
  RunSpec spec = pair_spec(topology, policy);
  spec.stop.max_rounds = 1;
  spec.changes = {narrower(topology, 0.9, "a->b", 0.1), narrower(topology, 1.4, "a->b", 10.0)};
  EXPECT_NEAR(field(run_log(spec).back(), 2), 1.4 + 0.796 + 0.01, 1e-9);
  // Slow again for the rest: the bound is still the map's.
  spec.changes.push_back(narrower(topology, 1.8, "a->b", 1.0));
  EXPECT_NEAR(field(run_log(spec).back(), 2), 1.8 + 3.96 + 0.01, 1e-9);
}

// A run that is stopped in the middle of its flows counts what they carried until then.
TEST(Changes, WhatIsUnderWayWhenARunStopsCountsUpToThere) {
  const Topology topology = pair();
  Repeated policy(topology, {"A+B"});
  RunSpec spec = pair_spec(topology, policy);
  spec.payload = Bytes::count(100'000'000'000);
  spec.stop.max_time = Duration::seconds(1.5);
  // Three arcs each way at 10 Gbps for 0.5 s.
  EXPECT_NEAR(field(run_log(spec).back(), 5), 6 * 5e9, 1.0);
}

// What an arc offered on average between two rounds.
class Watching final : public Policy {
 public:
  explicit Watching(const Topology& topology) : topology_(&topology) {}
  void describe(Fields& /*fields*/) override {}
  void start(const PolicyContext& /*context*/) override {}
  Round round(std::int64_t /*number*/) override { return round_of("A+B", *topology_); }
  [[nodiscard]] bool observes() const override { return true; }
  void observe(std::int64_t number, std::span<const Bandwidth> arc_rates) override {
    const double seen = arc_rates[topology_->find_arc("a->b")->index()].in_gigabits_per_second();
    // A has sent at 2.2 s, and is ready for the second exchange at 3.2 s; half the rate from 1.4 s.
    EXPECT_NEAR(seen, number == 1 ? (1.4 * 10.0 + 1.8 * 5.0) / 3.2 : 5.0, 1e-8) << number;
    EXPECT_EQ(arc_rates[topology_->find_arc("b->a")->index()], gbps(10));
    ++observed_;
    if (observed_ == 2 && testing::Test::HasFailure()) std::abort();  // the parent has to see it
  }

 private:
  const Topology* topology_;
  int observed_ = 0;
};

TEST(Changes, AreWhatAPolicyObserves) {
  const Topology topology = pair();
  Watching policy(topology);
  RunSpec spec = pair_spec(topology, policy);
  spec.changes = {narrower(topology, 1.4, "a->b", 5.0)};
  EXPECT_EQ(field(run_log(spec).back(), 3), 3.0);
}

/// The nine cities, direct exchange of 2 GB, 1.2 s of compute; triangles, which are planned
/// quickly.
class Adaptive : public testing::Test {
 protected:
  [[nodiscard]] std::vector<Bandwidth> rates() const { return world_.topology.capacities(); }
  [[nodiscard]] std::vector<Bandwidth> with(const std::string& arc, double to_gbps) const {
    std::vector<Bandwidth> all = rates();
    all[world_.arc(arc).index()] = gbps(to_gbps);
    return all;
  }
  [[nodiscard]] std::unique_ptr<Policy> started(const std::string& name,
                                                const std::string& keys) const {
    std::unique_ptr<Policy> policy = make(name, keys);
    policy->start({.topology = world_.topology, .seed = 1, .exchanges = &exchanges_});
    policy->prepare([] { return true; });
    return policy;
  }

  World world_{nine_city()};
  Network network_ = world_.network();
  ExchangeContext exchanges_{.network = network_,
                             .exchange = Exchange::kDirect,
                             .routing = Routing::kShortest,
                             .payload = Bytes::count(2'000'000'000),
                             .compute = Duration::seconds(1.2)};
};

// TYO–SIN at a twentieth: the new rounds are those that are planned for such a map,
// from their first on.
TEST_F(Adaptive, PlansForWhatItMeasures) {
  const std::vector<Bandwidth> slow = with("TYO->SIN", 0.5);
  const Topology believed = world_.topology.with_capacities(slow);
  const World slow_world(believed);
  const auto adaptive = started(
      "adaptive-cliques", "{objective: consensus, max_clique: 3, max_period: 2, patience: 2}");
  const Round first = adaptive->round(0);
  adaptive->observe(1, slow);
  const Round second = adaptive->round(1);
  const auto before =
      started("rotating-cliques", "{objective: consensus, max_clique: 3, max_period: 2}");
  EXPECT_EQ(first, before->round(0));
  EXPECT_EQ(second, before->round(1));  // patient
  adaptive->observe(2, slow);

  const Network slow_network = slow_world.network();
  ExchangeContext exchanges{.network = slow_network,
                            .exchange = Exchange::kDirect,
                            .routing = Routing::kShortest,
                            .payload = Bytes::count(2'000'000'000),
                            .compute = Duration::seconds(1.2)};
  const auto after =
      make("rotating-cliques", "{objective: consensus, max_clique: 3, max_period: 2}");
  after->start({.topology = slow_world.topology, .seed = 1, .exchanges = &exchanges});
  after->prepare([] { return true; });
  EXPECT_NE(after->round(0), before->round(0));
  for (std::int64_t r = 2; r < 6; ++r) {
    EXPECT_EQ(adaptive->round(r), after->round(r - 2)) << r;
    adaptive->observe(r + 1, slow);
  }
  // And back.
  adaptive->observe(7, rates());
  adaptive->observe(8, rates());
  EXPECT_EQ(adaptive->round(8), before->round(0));
}

// Rates as they are on the map, and half of one, which is not off by more than half.
TEST_F(Adaptive, IsRotatingCliquesWhereLittleChanges) {
  const auto adaptive = started(
      "adaptive-cliques", "{objective: consensus, max_clique: 3, max_period: 2, threshold: 0.5}");
  const auto rotating =
      started("rotating-cliques", "{objective: consensus, max_clique: 3, max_period: 2}");
  for (std::int64_t r = 0; r < 5; ++r) {
    EXPECT_EQ(adaptive->round(r), rotating->round(r));
    adaptive->observe(r + 1, r < 2 ? rates() : with("TYO->SIN", 5.0));
  }
}

// A fibre falls to a twentieth after a minute. Who plans anew gets through more rounds.
TEST_F(Adaptive, GetsThroughMoreRoundsThanWhoDoesNot) {
  const auto rounds = [&](const std::string& policy_name) {
    return rounds_in_ten_minutes(world_, policy_name, [&](RunSpec& spec) {
      for (const char* arc : {"TYO->SIN", "SIN->TYO"}) {
        spec.changes.push_back(narrower(world_.topology, 60.0, arc, 0.5));
      }
    });
  };
  EXPECT_GT(rounds("adaptive-cliques"), 1.3 * rounds("rotating-cliques"));
}

}  // namespace
}  // namespace gyre
