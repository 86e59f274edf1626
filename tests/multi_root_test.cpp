#include "schedules/multi_root.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "schedules/fluid.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

const Bytes kPayload = Bytes::count(2'000'000'000);  // 16 Gbit

/// Islands A, B, C, … of 10 Gbps on the given switches of a line a – b – c, 1 ms and 10 Gbps a
/// link.
Topology line(const std::vector<std::size_t>& at) {
  const Bandwidth rate = Bandwidth::gigabits_per_second(10);
  const Duration latency = Duration::milliseconds(1);
  std::vector<Topology::Island> islands;
  for (std::size_t i = 0; i < at.size(); ++i) {
    islands.push_back({.name = std::string(1, static_cast<char>('A' + i)),
                       .at = SwitchId::at(at[i]),
                       .up = rate,
                       .down = rate,
                       .latency = {}});
  }
  const auto link = [&](std::size_t first, std::size_t second) {
    return Topology::Link::both_ways(SwitchId::at(first), SwitchId::at(second), rate, latency);
  };
  return {"line", {"a", "b", "c"}, std::move(islands), {link(0, 1), link(1, 2)}};
}

// One switch: each member sends k−1 parts to their roots and its own part's result to k−1 others,
// 2(k−1)M/k, as a reduce-scatter and an all-gather do.
TEST(MultiRoot, IsReduceScatterAndAllGatherOnOneSwitch) {
  const World world(line({1, 1, 1, 1}), Mode::kNeither);
  const ExchangePlan plan = plan_multi_root(world.network(), world.everybody(), kPayload);
  EXPECT_EQ(plan_fault(world.network(), plan), std::nullopt);
  EXPECT_NEAR(plan.predicted.bandwidth.in_seconds(), 1.6 * 2 * 3 / 4.0, 1e-9);
  EXPECT_NEAR(fluid_time(world.topology, plan.flows, true).in_seconds(), 2.4, 1e-9);
}

// A – B – C: B passes on A's and C's parts and their sums. Up its access link go, of each third:
// A's sum one way and its result the other, the same for C's, and B's own result to both: six
// thirds, 3.2 s. The deepest tree is two links in and two out again.
TEST(MultiRoot, MembersOnTheWayAddAndPassOn) {
  const World world(line({0, 1, 2}), Mode::kNeither);
  const ExchangePlan plan = plan_multi_root(world.network(), world.everybody(), kPayload);
  EXPECT_EQ(plan_fault(world.network(), plan), std::nullopt);
  ASSERT_EQ(plan.flows.size(), 3U);
  EXPECT_NEAR(plan.predicted.bandwidth.in_seconds(), 3.2, 1e-8);
  EXPECT_EQ(plan.predicted.binding_arc, world.topology.up(IslandId::at(1)));
  EXPECT_NEAR(plan.predicted.latency.in_seconds(), 0.004, 1e-12);
  // Each link carries each third once each way.
  std::vector<std::int64_t> bytes(world.topology.arc_count(), 0);
  for (const Flow& flow : plan.flows) {
    for (const ArcUse& use : flow.stream.arcs) {
      bytes[use.arc.index()] += flow.bytes.in_bytes() * use.copies;
    }
  }
  for (std::size_t a = 6; a < bytes.size(); ++a) EXPECT_EQ(bytes[a], kPayload.in_bytes());
}

// Of two members at one switch the lower rank speaks for the other, unless that is the root.
TEST(MultiRoot, OneMemberOfASwitchSpeaksForTheOthers) {
  const World world(line({0, 0, 2}), Mode::kNeither);
  const ExchangePlan plan = plan_multi_root(world.network(), world.everybody(), kPayload);
  const auto node = [&](std::size_t i) { return world.topology.node(IslandId::at(i)); };
  const auto parents = [&](std::size_t root) {
    std::vector<std::pair<NodeId, NodeId>> all;
    for (const Hop& hop : plan.flows[root].stream.shape->up) all.emplace_back(hop.from, hop.to);
    return all;
  };
  using Parents = std::vector<std::pair<NodeId, NodeId>>;
  EXPECT_EQ(parents(0), (Parents{{node(1), node(0)}, {node(2), node(0)}}));
  EXPECT_EQ(parents(1), (Parents{{node(0), node(1)}, {node(2), node(1)}}));
  EXPECT_EQ(parents(2), (Parents{{node(0), node(2)}, {node(1), node(0)}}));
}

}  // namespace
}  // namespace gyre
