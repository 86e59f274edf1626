#include "schedules/switch_program.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "schedules/fluid.hpp"
#include "schedules/round_plan.hpp"
#include "schedules/switch_limits.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

constexpr Bytes kPayload = Bytes::count(2'000'000'000);
constexpr double kBytesPerSecond = 1.25e9;  // 10 Gbps

/// A mode's world of the nine cities with limits.
struct Limited {
  explicit Limited(SwitchLimits given, Mode mode = Mode::kBoth)
      : world(nine_city(), mode),
        limits(std::move(given)),
        network{world.topology, world.routes, world.able, &limits} {}
  Clique clique(const std::string& text) const {
    return text == "ALL9" ? world.everybody() : world.clique(text);
  }
  World world;
  SwitchLimits limits;
  Network network;
};

SwitchLimits limits_of(AggregationDiscipline discipline, LaunchRule launch) {
  SwitchLimits limits;
  limits.discipline = discipline;
  limits.launch = launch;
  return limits;
}

/// Theory S3 against values computed elsewhere, in all three disciplines.
TEST(AggregationState, MeetsTheReference) {
  const Limited ack(limits_of(AggregationDiscipline::kAckClocked, LaunchRule::kTogether));
  const Limited open(limits_of(AggregationDiscipline::kOpenLoop, LaunchRule::kTogether));
  const Limited aligned(limits_of(AggregationDiscipline::kOpenLoop, LaunchRule::kAligned));
  const std::vector<CsvRow> rows = read_csv("nine_city_aggregation_state.csv");
  ASSERT_GE(rows.size(), 39U);
  for (const CsvRow& row : rows) {
    SCOPED_TRACE(row.at("clique"));
    const SwitchId root = ack.world.topology.find_switch(row.at("root")).value();
    const Stream stream = in_network_stream(ack.network, ack.clique(row.at("clique")), root);
    const auto worst_mb = [&](const Limited& one) {
      double worst = 0.0;
      for (const AggregationLoad& load : aggregation_loads(one.network, stream)) {
        worst = std::max(worst, load.hold.in_seconds() * kBytesPerSecond / 1e6);
      }
      return worst;
    };
    EXPECT_NEAR(worst_mb(ack), std::stod(row.at("state_ackclocked_MB")), 0.0051);
    EXPECT_NEAR(worst_mb(open), std::stod(row.at("state_openloop_worst_MB")), 0.0051);
    EXPECT_NEAR(worst_mb(aligned), std::stod(row.at("state_staggered_1ms_jitter_MB")), 0.0051);
    double sum_mb = 0.0;
    for (const AggregationLoad& load : aggregation_loads(open.network, stream)) {
      sum_mb += load.hold.in_seconds() * kBytesPerSecond / 1e6;
    }
    EXPECT_NEAR(sum_mb, std::stod(row.at("state_openloop_sum_MB")), 0.0101);
  }
}

// A pool of 2 MiB slows a clique to memory / holding time.
TEST(AggregationState, ASmallPoolSlowsThePlan) {
  SwitchLimits limits = limits_of(AggregationDiscipline::kAckClocked, LaunchRule::kTogether);
  limits.memory = Bytes::count(2 << 20);
  const Limited limited(limits);
  for (const CsvRow& row : read_csv("nine_city_aggregation_state.csv")) {
    const Clique clique = limited.clique(row.at("clique"));
    if (clique.size() == 2) continue;  // two members swap: nothing is added
    const ExchangePlan plan =
        plan_exchange(limited.network, clique, kPayload, Exchange::kInNetwork);
    const double gbps = 16.0 / plan.predicted.bandwidth.in_seconds();
    EXPECT_NEAR(gbps, std::stod(row.at("rate_with_tofino_2MB_pool_Gbps")), 0.0006)
        << row.at("clique");
    EXPECT_NEAR(fluid_time(limited.world.topology, plan.flows, true) / plan.predicted.total(), 1.0,
                1e-6);
  }
}

// More memory never makes a round slower, and enough of it costs nothing.
TEST(AggregationState, MoreMemoryNeverHurts) {
  for (const std::string text : {"ALL9", "SEO+TYO+SIN", "LAX+NYC+BAR+LON"}) {
    double before_s = 1e9;
    for (std::int64_t megabytes = 1; megabytes <= 1024; megabytes *= 2) {
      SwitchLimits limits = limits_of(AggregationDiscipline::kOpenLoop, LaunchRule::kTogether);
      limits.memory = Bytes::count(megabytes * 1'000'000);
      const Limited limited(limits);
      const double time_s =
          plan_exchange(limited.network, limited.clique(text), kPayload, Exchange::kInNetwork)
              .predicted.total()
              .in_seconds();
      EXPECT_LE(time_s, before_s * (1.0 + 1e-12)) << text << ' ' << megabytes;
      before_s = time_s;
    }
    const World free(nine_city(), Mode::kBoth);
    const Clique clique = text == "ALL9" ? free.everybody() : free.clique(text);
    EXPECT_NEAR(before_s,
                plan_exchange(free.network(), clique, kPayload, Exchange::kInNetwork)
                    .predicted.total()
                    .in_seconds(),
                1e-9);
  }
}

// Adders of 15 Gbps in all: the best root merges two inputs at a time (FRA and AMS, then LON), each
// at 7.5 Gbps. All nine meet at NYC by three inputs or more, whatever the root: a fan-in of two
// leaves no tree.
TEST(SwitchLimits, RateAndFanIn) {
  SwitchLimits slow;
  slow.rate = Bandwidth::gigabits_per_second(15);
  const Limited adders(slow);
  const ExchangePlan plan =
      plan_exchange(adders.network, adders.clique("AMS+FRA+LON"), kPayload, Exchange::kInNetwork);
  EXPECT_NEAR(plan.predicted.bandwidth.in_seconds(), 16.0 / 7.5, 1e-6);
  SwitchLimits narrow;
  narrow.fan_in = 2;
  const Limited few(narrow);
  const ExchangePlan unaided =
      plan_exchange(few.network, few.world.everybody(), kPayload, Exchange::kInNetwork);
  EXPECT_GT(unaided.flows.size(), 1U);
  EXPECT_EQ(plan_fault(few.network, unaided), std::nullopt);
}

/// Every plan compiles into tables that, played, cross exactly the plan's arcs.
void expect_programs_follow(const Network& network, const std::vector<ExchangePlan>& plans) {
  for (const ExchangePlan& plan : plans) {
    ASSERT_EQ(plan_fault(network, plan), std::nullopt);
    const SwitchProgram program = compile(network, plan);
    ASSERT_EQ(program.flows.size(), plan.flows.size());
    for (std::size_t f = 0; f < plan.flows.size(); ++f) {
      EXPECT_EQ(played_arcs(network.topology, program.flows[f]), plan.flows[f].stream.arcs);
      for (const ProgramEntry& row : program.flows[f].rows) {
        if (!network.topology.is_switch(row.node)) continue;
        const SwitchId at = network.topology.switch_at(row.node);
        EXPECT_TRUE(row.in.size() == 1 || network.capabilities.adds(at));
        EXPECT_TRUE(row.out.size() == 1 || network.capabilities.replicates(at));
      }
    }
  }
}

TEST(SwitchProgram, FollowsEveryPlanOfRandomMaps) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    const Topology topology = random_topology(seed, {.switches = 5, .islands = 5});
    Rng stream = Rng::stream(seed, "test/capabilities");
    for (const Mode mode : kAllModes) {
      const World world(topology, random_capabilities(topology, mode, stream));
      const Network network = world.network();
      for (const std::string text : {"I0+I1+I2+I3+I4", "I0+I2|I1+I3+I4"}) {
        const Round round = round_of(text, topology);
        for (const Exchange exchange : {Exchange::kDirect, Exchange::kRing, Exchange::kTree}) {
          SCOPED_TRACE(std::to_string(seed) + " " + text);
          expect_programs_follow(
              network, plan_round(network, round, kPayload, exchange, Routing::kShortest));
          expect_programs_follow(
              network, plan_round(network, round, kPayload, exchange, Routing::kEngineered));
        }
      }
    }
  }
}

// Launch offsets: the farthest island first, and the nearest waits for it.
TEST(SwitchProgram, AlignsLaunches) {
  const World world(nine_city(), Mode::kBoth);
  const ExchangePlan plan =
      plan_exchange(world.network(), world.clique("AMS+FRA+LON"), kPayload, Exchange::kInNetwork);
  const SwitchProgram program = compile(world.network(), plan);
  ASSERT_EQ(program.flows.size(), 1U);
  double least_s = 1e9;
  double most_s = 0.0;
  for (const auto& [island, offset] : program.flows[0].launch_offsets) {
    least_s = std::min(least_s, offset.in_seconds());
    most_s = std::max(most_s, offset.in_seconds());
  }
  EXPECT_DOUBLE_EQ(least_s, 0.0);
  EXPECT_NEAR(most_s, 0.00211, 1e-12);
  const std::vector<SwitchDemand> all = demands(world.topology, {program});
  const SwitchDemand& root = all[plan.root.value().index()];
  EXPECT_EQ(root.fan_in, 3U);
  EXPECT_EQ(root.groups, 1U);
  EXPECT_EQ(root.replications, 1U);
}

// The plans of engineered rounds end when they say, within the reference's times where those hold
// for one tree a clique, and never before the packing's bound.
TEST(PackedPlans, EndWhenTheySay) {
  for (const Mode mode : kAllModes) {
    const World world(nine_city(), mode);
    for (const std::string text :
         {"SEO+TYO+SIN+LAX+NYC+BAR+LON+AMS+FRA", "SEO+LAX+NYC|TYO+SIN+FRA|BAR+LON+AMS",
          "SEO+SIN+AMS|TYO+LAX+BAR|NYC+LON+FRA", "SEO+TYO|SIN+LAX|NYC+BAR|LON+AMS"}) {
      for (const Exchange exchange : {Exchange::kDirect, Exchange::kTree}) {
        SCOPED_TRACE(text + " " + std::string(name_of(mode)));
        const std::vector<ExchangePlan> plans =
            plan_round(world.network(), round_of(text, world.topology), kPayload, exchange,
                       Routing::kEngineered);
        std::vector<Flow> flows;
        Duration last;
        for (const ExchangePlan& plan : plans) {
          EXPECT_EQ(plan_fault(world.network(), plan), std::nullopt);
          flows.insert(flows.end(), plan.flows.begin(), plan.flows.end());
          last = std::max(last, plan.predicted.total());
        }
        EXPECT_NEAR(fluid_time(world.topology, flows, true) / last, 1.0, 1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace gyre
