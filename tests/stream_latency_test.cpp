#include "schedules/stream_latency.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "schedules/exchange_plan.hpp"
#include "schedules/multi_root.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

std::vector<Duration> latencies_of(const Topology& topology, double factor = 1.0) {
  std::vector<Duration> latencies;
  for (std::size_t a = 0; a < topology.arc_count(); ++a) {
    latencies.push_back(topology.arc(ArcId::at(a)).latency * factor);
  }
  return latencies;
}

/// All streams of all exchanges between six of the nine cities, in a mode.
std::vector<Stream> streams_in(const World& world, Mode mode) {
  std::vector<Stream> streams;
  const auto add = [&](const ExchangePlan& plan) {
    for (const Flow& flow : plan.flows) streams.push_back(flow.stream);
  };
  const Clique clique = world.clique("SEO+SIN+NYC+BAR+LON+FRA");
  const Bytes payload = Bytes::count(6'000'000);
  for (const Exchange exchange :
       {Exchange::kDirect, Exchange::kRing, Exchange::kTree, Exchange::kHub}) {
    add(plan_exchange(world.network(), clique, payload, exchange));
  }
  add(plan_multi_root(world.network(), clique, payload));
  if (mode == Mode::kBoth) {
    add(plan_exchange(world.network(), clique, payload, Exchange::kInNetwork));
  }
  return streams;
}

// With the map's latencies they are what the plans say, with all of them thrice as long they are
// thrice as long: trees in and out, unicasts, rings, packed trees in which islands re-send.
TEST(StreamLatency, IsThatOfThePlansWithTheMapsLatencies) {
  for (const Mode mode : {Mode::kNeither, Mode::kMulticast, Mode::kAggregation, Mode::kBoth}) {
    const World world(nine_city(), mode);
    const std::vector<Stream> streams = streams_in(world, mode);
    EXPECT_GE(streams.size(), 20U);
    for (const Stream& stream : streams) {
      const auto same = deliveries_at(world.topology, stream, latencies_of(world.topology));
      const auto longer = deliveries_at(world.topology, stream, latencies_of(world.topology, 3.0));
      ASSERT_EQ(same.size(), stream.deliveries.size());
      for (std::size_t d = 0; d < same.size(); ++d) {
        const double planned_s = stream.deliveries[d].latency.in_seconds();
        EXPECT_GT(planned_s, 0.0);
        EXPECT_EQ(same[d].receiver, stream.deliveries[d].receiver);
        EXPECT_NEAR(same[d].latency.in_seconds(), planned_s, 1e-12);
        EXPECT_NEAR(longer[d].latency.in_seconds(), 3.0 * planned_s, 1e-12);
      }
    }
  }
}

// A is 1 ms and B is 2 ms from the switch of C. One tree in and out: the deepest
// way in is B's, 2 ms, until a->c takes 7 ms; then everybody waits for A.
TEST(StreamLatency, TheDeepestWayInIsTheOneOfNow) {
  const World world(lettered_map(3, {{'A', 'C', 1.0}, {'B', 'C', 2.0}}), Mode::kBoth);
  const Stream stream =
      in_network_stream(world.network(), world.everybody(), *world.topology.find_switch("c"));
  std::vector<Duration> latencies = latencies_of(world.topology);
  const auto us = [&] {
    std::vector<std::int64_t> all;
    for (const Delivery& one : deliveries_at(world.topology, stream, latencies)) {
      all.push_back(std::llround(1e6 * one.latency.in_seconds()));
    }
    return all;
  };
  EXPECT_EQ(us(), (std::vector<std::int64_t>{3000, 4000, 2000}));
  latencies[world.arc("a->c").index()] = Duration::milliseconds(7.0);
  EXPECT_EQ(us(), (std::vector<std::int64_t>{8000, 9000, 7000}));
  latencies[world.arc("c->b").index()] = Duration::milliseconds(5.0);
  EXPECT_EQ(us(), (std::vector<std::int64_t>{8000, 12000, 7000}));
}

}  // namespace
}  // namespace gyre
