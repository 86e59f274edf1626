// Loss, recovery, faults, and the disciplines that pass on what finds no room.

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/exchange_probe.hpp"
#include "tests/packet_play.hpp"

namespace gyre {
namespace {

constexpr double kLine_Bps = 1.25e9;  // 10 Gbps

FaultSpec down(const std::string& arc, double from_s, std::optional<double> to_s = {}) {
  FaultSpec fault;
  fault.arc = Text{arc, {}};
  fault.from = Duration::seconds(from_s);
  if (to_s) fault.to = Duration::seconds(*to_s);
  return fault;
}

FaultSpec switch_down(const std::string& name, double from_s, std::optional<double> to_s = {}) {
  FaultSpec fault;
  fault.at_switch = Text{name, {}};
  fault.from = Duration::seconds(from_s);
  if (to_s) fault.to = Duration::seconds(*to_s);
  return fault;
}

RecoverySpec recovery(double timeout_s, double give_up_s = 1e4) {
  RecoverySpec spec;
  spec.timeout = Duration::seconds(timeout_s);
  spec.give_up = Duration::seconds(give_up_s);
  return spec;
}

class PacketLoss : public testing::Test {
 protected:
  World world_{nine_city(), Mode::kBoth};
  SwitchLimits clocked_ = [] {
    SwitchLimits limits;
    limits.discipline = AggregationDiscipline::kAckClocked;
    return limits;
  }();
  [[nodiscard]] Stream regional() const {
    return in_network_stream(world_.network(), world_.clique("AMS+FRA+LON"),
                             world_.topology.find_switch("AMS").value());
  }
};

/// Theory S6: chunks in chains of one slot each, in which each takes RTT + K·RTO, K failed trials.
struct Chains {
  double measured_s = 0.0;      ///< when the last chain ended, mean over the seeds
  double expected_s = 0.0;      ///< n·(RTT + q/(1−q)·RTO): of one chain of n chunks
  double deviation_s = 0.0;     ///< of one chain: K ~ NegBin(n, 1−q), Var K = nq/(1−q)²
  double second_order_s = 0.0;  ///< what the repetition of only the missing arcs saves at most
};

Chains chains_of(const World& world, const Stream& stream, SwitchLimits clocked, double p,
                 std::int64_t slots, std::int64_t length, int seeds) {
  const std::int64_t chunk = 1'000;
  const double timeout_s = 0.02;
  const double round_trip_s = 2.0 * 2.11e-3 + 4.0 * static_cast<double>(chunk) / kLine_Bps;
  clocked.memory = Bytes::count(2 * slots * chunk);  // slots and their copies
  PlayOptions options{.settings = chunks_of(chunk), .limits = &clocked};
  options.settings.transport.loss = p;
  options.settings.transport.recovery = recovery(timeout_s);
  Chains chains;
  for (int seed = 1; seed <= seeds; ++seed) {
    options.seed = static_cast<std::uint64_t>(seed);
    chains.measured_s +=
        play(world.network(), {flow_of(stream, slots * length * chunk)}, options).end_s / seeds;
  }
  // Up: three access arcs, LON->AMS and FRA->AMS; down the same.
  const double q = 1.0 - std::pow(1.0 - p, 10.0);
  const auto n = static_cast<double>(length);
  chains.expected_s = n * (round_trip_s + q / (1.0 - q) * timeout_s);
  chains.deviation_s = timeout_s * std::sqrt(n * q) / (1.0 - q);
  chains.second_order_s = n * q * q * timeout_s;
  return chains;
}

// r = W·b / (RTT + q/(1−q)·RTO), q = 1 − Π(1−p) over the arcs of both trees, in the mean over 20
// seeds: within four standard deviations of the mean.
TEST_F(PacketLoss, SlowsDownAsTheoryHasIt) {
  const int seeds = 20;
  for (const double p : {1e-4, 5e-4, 2e-3}) {
    const Chains one = chains_of(world_, regional(), clocked_, p, 1, 3'000, seeds);
    EXPECT_NEAR(one.measured_s, one.expected_s,
                4.0 * one.deviation_s / std::sqrt(seeds) + one.second_order_s)
        << p;
  }
}

// The same with 16 slots: chains of their own, of which the slowest decides. Of W chains with the
// deviation d of one, the slowest is expected within d·sqrt(2 ln W) of their mean.
TEST_F(PacketLoss, SlotsDoNotWaitForEachOther) {
  const std::int64_t slots = 16;
  const int seeds = 8;
  for (const double p : {1e-4, 1e-3}) {
    const Chains all = chains_of(world_, regional(), clocked_, p, slots, 1'000, seeds);
    const double slack_s = 4.0 * all.deviation_s / std::sqrt(seeds) + all.second_order_s;
    EXPECT_GT(all.measured_s, all.expected_s - slack_s) << p;
    EXPECT_LT(all.measured_s,
              all.expected_s + all.deviation_s * std::sqrt(2.0 * std::log(slots)) + slack_s)
        << p;
  }
}

// A loss that never strikes changes nothing but what switches keep in case: not the time of rings,
// nor of streams that share arcs in large chunks.
TEST_F(PacketLoss, ThePossibilityOfLossCostsNoTime) {
  const Topology topology = nine_city();
  const std::vector<Round> rounds{
      parse_round({"SEO+TYO+SIN+LAX+NYC+BAR+LON+AMS+FRA", {}}, topology)};
  for (const Mode mode : {Mode::kNeither, Mode::kMulticast, Mode::kBoth}) {
    for (const Exchange exchange : {Exchange::kDirect, Exchange::kRing}) {
      for (const std::int64_t chunk : {1'000'000, 5'000'000}) {
        SCOPED_TRACE(fmt::format("{} {} {}", name_of(mode), name_of(exchange), chunk));
        const auto simulated = [&](double loss) {
          PacketSettings settings = chunks_of(chunk);
          settings.transport.loss = loss;
          return probe(topology, capabilities(topology, mode), Bytes::count(400'000'000), exchange,
                       rounds, {.packets = settings, .without_propagation = false});
        };
        const ProbeResult never = simulated(0.0);
        const ProbeResult hardly = simulated(1e-15);
        EXPECT_EQ(hardly.lost, 0);
        EXPECT_NEAR(hardly.rounds[0].time.in_seconds(), never.rounds[0].time.in_seconds(), 1e-9);
      }
    }
  }
}

// A switch that has lost its state asks for what it misses until it comes, also through losses; and
// memory that the sums of others wait in lets repeats pass.
TEST_F(PacketLoss, RestartsAndSmallMemoriesRecoverUnderLoss) {
  const Topology topology = nine_city();
  const std::vector<Round> rounds{
      parse_round({"SEO+TYO+SIN+LAX+NYC+BAR+LON+AMS+FRA", {}}, topology)};
  SwitchLimits small;
  small.memory = Bytes::count(16'000'000);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    PacketSettings settings = chunks_of(100'000);
    settings.transport.loss = 1e-3;
    settings.faults = {switch_down("NYC", 0.15, 0.151)};
    const auto played = [&](const SwitchLimits* limits) {
      return probe(
          topology, capabilities(topology, Mode::kBoth), Bytes::count(50'000'000),
          Exchange::kInNetwork, rounds,
          {.limits = limits, .packets = settings, .seed = seed, .without_propagation = false});
    };
    EXPECT_EQ(played(nullptr).failure, "") << seed;
    settings.faults.clear();
    for (const std::int64_t memory : {16'000'000, 300'000, 100'000}) {
      small.memory = Bytes::count(memory);
      EXPECT_EQ(played(&small).failure, "") << seed << ' ' << memory;
    }
  }
}

// F12: a loss rate ends, and more loss takes longer; with and without sums, windows and trees.
TEST_F(PacketLoss, EndsLaterTheMoreIsLost) {
  const std::int64_t bytes = 30'000'000;
  const IslandId nyc = world_.topology.find_island("NYC").value();
  std::vector<IslandId> others = world_.everybody();
  std::erase(others, nyc);
  const World adds(nine_city(), Mode::kAggregation);
  const std::vector<std::pair<const char*, Stream>> streams{
      {"in-network", in_network_stream(world_.network(), world_.everybody(),
                                       world_.topology.find_switch("NYC").value())},
      {"multicast", multicast_streams(world_.network(), nyc, others).front()},
      {"unicast", multicast_streams(world_.network(), nyc, std::vector{others[0]}).front()},
      {"reduction", reduction_streams(adds.network(), others, nyc).front()},
  };
  SwitchLimits open;
  for (const auto& [name, stream] : streams) {
    for (const SwitchLimits* limits : {&open, &clocked_}) {
      SCOPED_TRACE(fmt::format("{} {}", name, limits == &open ? "open-loop" : "ack-clocked"));
      double before_s = 0.0;
      for (const double p : {0.0, 1e-3, 1e-2, 5e-2, 0.2}) {
        double mean_s = 0.0;
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
          PlayOptions options{.settings = chunks_of(100'000), .limits = limits, .seed = seed};
          options.settings.transport.loss = p;
          options.settings.transport.recovery = recovery(0.5);
          if (p == 0.0) options.settings.transport.recovery.reset();
          const Played played = play(world_.network(), {flow_of(stream, bytes)}, options);
          EXPECT_EQ(played.gave_up, "");
          EXPECT_FALSE(played.deadlock);
          const bool loses = p > 0.02 || (p > 0.0 && played.lost > 0);
          EXPECT_EQ(played.lost > 0, loses);
          mean_s += played.end_s / 8.0;
        }
        EXPECT_GT(mean_s, before_s) << p;
        before_s = mean_s;
      }
    }
  }
}

// Islands that add and re-send repeat their sums too.
TEST_F(PacketLoss, TreesOfIslandsRecover) {
  const Topology topology = nine_city();
  PacketSettings settings = chunks_of(1'000'000);
  settings.transport.loss = 1e-2;
  const std::vector<Round> rounds{
      parse_round({"SEO+TYO+SIN+LAX+NYC+BAR+LON+AMS+FRA", {}}, topology)};
  for (const Exchange exchange : {Exchange::kTree, Exchange::kRing, Exchange::kDirect}) {
    const auto time_s = [&](const PacketSettings& with) {
      return probe(topology, capabilities(topology, Mode::kNeither), Bytes::count(200'000'000),
                   exchange, rounds, {.packets = with})
          .rounds.at(0)
          .time.in_seconds();
    };
    EXPECT_GT(time_s(settings), time_s(chunks_of(1'000'000)) + 0.01) << name_of(exchange);
  }
}

// A time-out below the round trip repeats everything: SwitchML's 10 ms on a tree of 203 ms sends
// each chunk some twenty times.
TEST_F(PacketLoss, ATimeoutBelowTheRoundTripIsAStorm) {
  const Stream all = in_network_stream(world_.network(), world_.everybody(),
                                       world_.topology.find_switch("NYC").value());
  const std::int64_t chunks = 100;
  const auto repeated = [&](double timeout_s) {
    PlayOptions options{.settings = chunks_of(100'000), .limits = &clocked_};
    options.settings.transport.loss = 1e-9;
    options.settings.transport.recovery = recovery(timeout_s);
    return play(world_.network(), {flow_of(all, chunks * 100'000)}, options).retransmissions;
  };
  EXPECT_EQ(repeated(0.25), 0);
  EXPECT_GT(repeated(0.01), 9 * chunks * 10);
}

// F13: an arc that is down for a while costs that while and what the time-out makes of it; one that
// stays down ends by giving up; neither hangs.
TEST_F(PacketLoss, FaultsEndByTheRule) {
  const std::int64_t bytes = 500'000'000;
  SwitchLimits open;
  for (const SwitchLimits* limits : {&open, &clocked_}) {
    PlayOptions options{.settings = chunks_of(100'000), .limits = limits};
    options.settings.transport.recovery = recovery(0.05, 3.0);
    options.settings.faults = {down("FRA->AMS", 0.1, 0.3)};
    const Played outage = play(world_.network(), {flow_of(regional(), bytes)}, options);
    EXPECT_EQ(outage.gave_up, "");
    EXPECT_GT(outage.end_s, 0.4 + 0.2);
    EXPECT_LT(outage.end_s, 0.4 + 0.2 + 0.25);

    options.settings.faults = {down("FRA->AMS", 0.1)};
    const Played dead = play(world_.network(), {flow_of(regional(), bytes)}, options);
    EXPECT_NE(dead.gave_up.find("FRA->AMS"), std::string::npos) << dead.gave_up;
    EXPECT_NEAR(dead.end_s, 3.1, 0.1);
    EXPECT_FALSE(dead.deadlock);

    options.settings.faults = {switch_down("AMS", 0.1, 0.3)};
    const Played restarted = play(world_.network(), {flow_of(regional(), bytes)}, options);
    EXPECT_EQ(restarted.gave_up, "");
    EXPECT_GT(restarted.end_s, 0.4 + 0.2);
    EXPECT_LT(restarted.end_s, 1.2);
    options.settings.faults = {switch_down("AMS", 0.1)};
    EXPECT_NE(play(world_.network(), {flow_of(regional(), bytes)}, options).gave_up, "");
  }
}

// A full pool passes contributions on: nobody waits, the root's island finishes, and what is not
// summed on the way fills the arcs behind.
TEST_F(PacketLoss, BestEffortPassesOnUnsummed) {
  const Stream all = in_network_stream(world_.network(), world_.everybody(),
                                       world_.topology.find_switch("NYC").value());
  const std::int64_t bytes = 400'000'000;
  SwitchLimits limits;
  limits.discipline = AggregationDiscipline::kBestEffort;
  limits.memory = Bytes::count(1'000'000'000);
  const auto played = [&] {
    return play(world_.network(), {flow_of(all, bytes)},
                {.settings = chunks_of(100'000), .limits = &limits});
  };
  const Played roomy = played();
  for (const auto& [name, usage] : roomy.switches) EXPECT_EQ(usage.unsummed, 0) << name;
  limits.memory = Bytes::count(20'000'000);
  const Played full = played();
  EXPECT_FALSE(full.deadlock);
  EXPECT_GT(full.switches.at("NYC").unsummed, 100);
  EXPECT_EQ(full.switches.at("NYC").blocked_s, 0.0);
  for (const auto& [name, usage] : full.switches) EXPECT_LE(usage.peak_bytes, 20'000'000) << name;
  EXPECT_GT(full.end_s, roomy.end_s);
  // Without any room the access link of the island that finishes carries eight contributions.
  limits.memory = Bytes::count(100'000);
  const Played none = played();
  EXPECT_GT(none.end_s, 8.0 * static_cast<double>(bytes) / kLine_Bps * 0.9);
}

// A partial sum goes on after its time-out: an island that comes late costs no memory but its
// time-out's worth, and everything arrives.
TEST_F(PacketLoss, PartialSumsGoOnAfterATimeout) {
  SwitchLimits limits;
  limits.discipline = AggregationDiscipline::kPartialTimeout;
  limits.timeout = Duration::milliseconds(5);
  limits.launch = LaunchRule::kEager;
  const std::int64_t bytes = 100'000'000;
  const Played played =
      play(world_.network(), {flow_of(regional(), bytes)},
           {.settings = chunks_of(100'000), .limits = &limits, .launch_s = {{"FRA", 0.1}}});
  EXPECT_FALSE(played.deadlock);
  const SwitchUsage& ams = played.switches.at("AMS");
  EXPECT_GT(ams.timeouts, 500);
  EXPECT_GT(ams.unsummed, 500);
  EXPECT_LE(ams.peak_bytes, static_cast<std::int64_t>(kLine_Bps * 0.005) + 3 * 100'000);
  EXPECT_GT(played.end_s, 0.1 + static_cast<double>(bytes) / kLine_Bps);
  EXPECT_LT(played.end_s, 0.1 + 3.0 * static_cast<double>(bytes) / kLine_Bps);
}

// F21: a member that never sends: nothing is lost, so that nothing times out, and it is said at
// once.
TEST_F(PacketLoss, WaitingForNobodyIsADeadlock) {
  SwitchLimits eager;
  eager.launch = LaunchRule::kEager;
  const Played played = play(
      world_.network(), {flow_of(regional(), 1'000'000)},
      {.settings = chunks_of(100'000), .limits = &eager, .launch_s = {{"FRA", kNeverLaunches}}});
  EXPECT_TRUE(played.deadlock);
  EXPECT_TRUE(played.ends.empty());
  EXPECT_EQ(played.switches.at("AMS").slots, 10);
}

}  // namespace
}  // namespace gyre
