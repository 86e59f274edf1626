// Latencies that change while a run goes on, and background traffic, in flows and in packets.

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/changing_arcs.hpp"
#include "tests/cli.hpp"
#include "tests/policies.hpp"
#include "tests/run_log.hpp"

namespace gyre {
namespace {

ArcChange longer(const Topology& map, double at_s, const std::string& arc, double to_ms) {
  return {.at = Instant::at_seconds(at_s),
          .arc = *map.find_arc(arc),
          .capacity = {},
          .latency = Duration::milliseconds(to_ms)};
}

Background always(const Topology& map, const std::string& arc, double takes_gbps) {
  return {
      .name = arc, .takes = {{*map.find_arc(arc), gbps(takes_gbps)}}, .random = {}, .where = {}};
}

/// On for 3 s and off for 1 s, on average.
Background at_random(const Topology& map, const std::string& arc, double takes_gbps) {
  Background background = always(map, arc, takes_gbps);
  background.random = {Duration::seconds(3.0), Duration::seconds(1.0)};
  return background;
}

constexpr double kChunk_s = 8e-4;  ///< of 1 MB at 10 Gbps

/// Rounds between A and B: 1 s of compute, then 1 GB at 10 Gbps, 0.8 s and 10 ms.
class Dynamics : public testing::Test {
 protected:
  [[nodiscard]] RunSpec spec() {
    RunSpec spec = pair_spec(topology_, policy_);
    spec.stop.max_rounds = 1;
    return spec;
  }
  static RunSpec in_packets(RunSpec spec, std::int64_t chunk = 1'000'000) {
    PacketSettings settings;
    settings.transport.chunk = Bytes::count(chunk);
    spec.packets = settings;
    return spec;
  }
  static double end_s(const RunSpec& spec) { return field(run_log(spec).back(), 2); }
  /// In packets an exchange ends when it does in flows, within a chunk's time on each of the three
  /// arcs; a chunk that is being sent when an arc changes keeps its rate: one more, either way.
  static void expect_in_packets(const RunSpec& spec, double end, double slowest_chunk_s) {
    const double packets_s = end_s(in_packets(spec));
    EXPECT_GE(packets_s, end - slowest_chunk_s);
    EXPECT_LE(packets_s, end + 4.0 * slowest_chunk_s);
  }

  Topology topology_ = pair();
  Repeated policy_{topology_, {"A+B"}};
};

// Half of 1 GB is left at 1.4 s and takes 0.8 s then; back at 10 Gbps at 1.8 s, 2 Gbit are left.
// Packets cross B.down 10 ms later than a->b: at 1.4 s it has 4.1 Gbit before it, for 0.82 s.
TEST_F(Dynamics, CapacitiesChangeUnderPackets) {
  struct Case {
    std::vector<ArcChange> changes;
    double end_s;
    double packets_end_s;
  };
  const ArcChange half = narrower(topology_, 1.4, "a->b", 5.0);
  for (const auto& [changes, end, packets_end] :
       std::vector<Case>{{{}, 1.81, 1.81},
                         {{half}, 2.21, 2.21},
                         {{half, narrower(topology_, 1.8, "a->b", 10.0)}, 2.01, 2.01},
                         {{narrower(topology_, 1.4, "B.down", 5.0)}, 2.21, 2.22},
                         {{narrower(topology_, 0.5, "A.up", 5.0)}, 2.61, 2.61}}) {
    RunSpec run = spec();
    run.changes = changes;
    EXPECT_NEAR(end_s(run), end, 1e-9);
    expect_in_packets(run, packets_end, 2.0 * kChunk_s);
    EXPECT_EQ(field(run_log(in_packets(run)).back(), 4), 6e9);  // bytes: three arcs each way
  }
}

// The latency doubles at 1.4 s. In flows, what started at 1 s still takes 10 ms, and the next
// exchange, which begins at 2.81 s, takes 20 ms. In packets the last chunk leaves after 1.4 s:
// 1.82 s, and 2.82 s + 0.8 s + 20 ms. Windows grow with the latency, or they would hold it up:
// those of 10 ms let pass 42 chunks in a round trip of 40 ms, 0.84 of the rate.
TEST_F(Dynamics, LatenciesChange) {
  RunSpec run = spec();
  run.changes = {longer(topology_, 1.4, "a->b", 20.0)};
  EXPECT_NEAR(end_s(run), 1.81, 1e-9);
  expect_in_packets(run, 1.82, kChunk_s);
  run.stop.max_rounds = 2;
  EXPECT_NEAR(end_s(run), 3.63, 1e-9);
  expect_in_packets(run, 3.64, kChunk_s);
  // There from the start on; latencies that do not count do not grow.
  run.stop.max_rounds = 1;
  run.changes = {longer(topology_, 0.0, "a->b", 20.0), longer(topology_, 0.0, "B.down", 5.0)};
  EXPECT_NEAR(end_s(run), 1.825, 1e-9);
  expect_in_packets(run, 1.825, kChunk_s);
  run.propagation = false;
  EXPECT_NEAR(end_s(run), 1.8, 1e-9);
  expect_in_packets(run, 1.8, kChunk_s);
}

// 25 MB leave at 1 Gbps from 1 to 1.2 s. Until 1.15 s the arc takes 110 ms: what left last then
// arrives at 1.26 s. What leaves later would take 10 ms, and be there by 1.21 s, but does not
// overtake: at 1.26 s a quarter of it arrives at once, and goes on at 10 Gbps in 5 ms. Flows take
// what their path took at their start.
TEST_F(Dynamics, NothingOvertakesWhereALatencyFalls) {
  const Topology topology = pair(gbps(1.0));
  RunSpec run = spec();
  run.topology = &topology;
  run.payload = Bytes::count(25'000'000);
  run.changes = {longer(topology, 0.5, "a->b", 110.0), longer(topology, 1.15, "a->b", 10.0)};
  EXPECT_NEAR(end_s(run), 1.31, 1e-9);
  EXPECT_NEAR(end_s(in_packets(run, 100'000)), 1.265, kChunk_s);  // that of 100 kB at 1 Gbps
}

// One tree in and out at switch c, 10 ms from a and b. Senders of acknowledged sums wait for a
// round trip: were it not the one of now, windows of 20 ms would make 100 ms of it a fifth of the
// rate, 4 s instead of 0.8 s.
TEST_F(Dynamics, WindowsOfSumsAreThoseOfTheLatencyWhenTheyOpen) {
  const Topology topology = lettered_map(3, {{'A', 'C', 10.0}, {'B', 'C', 10.0}});
  Repeated policy(topology, {"A+B+C"});
  SwitchLimits limits;
  limits.discipline = AggregationDiscipline::kAckClocked;
  RunSpec run = pair_spec(topology, policy);
  run.stop.max_rounds = 1;
  run.capabilities = capabilities(topology, Mode::kBoth);
  run.exchange = Exchange::kInNetwork;
  run.limits = &limits;
  expect_in_packets(run, 1.82, kChunk_s);
  run.changes = {longer(topology, 0.9, "a->c", 50.0), longer(topology, 0.9, "c->a", 50.0)};
  EXPECT_NEAR(end_s(run), 1.9, 1e-9);
  expect_in_packets(run, 1.9, kChunk_s);
}

// Lost chunks come back over the longer way, too: words of acknowledgement take what the arcs take.
TEST_F(Dynamics, LossesAreRepairedOverLongerWays) {
  RunSpec run = in_packets(spec());
  run.packets->transport.losses = {{.arc = {.value = "a->b", .where = {}}, .loss = 0.01}};
  run.packets->transport.packet = run.packets->transport.chunk;
  run.changes = {longer(topology_, 1.4, "a->b", 30.0), longer(topology_, 1.4, "b->a", 30.0)};
  const std::vector<std::string> log = run_log(run);
  EXPECT_EQ(field(log.back(), 1), 0.0);  // complete
  EXPECT_GT(field(log.back(), 2), 1.83);
}

// What 6 Gbps of others leave makes 0.8 s 2 s; the job's bytes are the same. With it on two arcs,
// the narrower one counts; two on one arc add up. Narrower at 1.4 s: 0.4 s at 9 Gbps, and the rest,
// 4.4 Gbit, at 4 Gbps.
TEST_F(Dynamics, BackgroundTakesWhatItTakes) {
  RunSpec run = spec();
  run.background = {always(topology_, "a->b", 6.0)};
  EXPECT_NEAR(end_s(run), 3.01, 1e-9);
  expect_in_packets(run, 3.01, 2.5 * kChunk_s);
  for (const RunSpec& either : {run, in_packets(run)}) {
    EXPECT_EQ(field(run_log(either).back(), 4), 6e9);
    EXPECT_NEAR(field(run_log(either).back(), 5), 48e9, 1.0);  // bits carried
  }
  run.background = {always(topology_, "a->b", 2.0), always(topology_, "B.down", 5.0),
                    always(topology_, "B.down", 1.0)};
  EXPECT_NEAR(end_s(run), 3.01, 1e-9);
  run.background = {always(topology_, "a->b", 1.0)};
  run.changes = {narrower(topology_, 1.4, "a->b", 5.0)};
  EXPECT_NEAR(end_s(run), 1.4 + 1.1 + 0.01, 1e-9);
  expect_in_packets(run, 2.51, 2.5 * kChunk_s);
}

// On for a part p of N cycles of 4 s: the share of the time that it is on, of exponential times a
// and b, varies by 2a²b²/((a+b)³T) around p = a/(a+b) (alternating renewals). It begins as it goes
// on, so that this holds of the first instant.
TEST(BackgroundTimes, AreOnForTheirShareOfTheTime) {
  const Topology topology = pair();
  constexpr double kOn_s = 3.0;
  constexpr double kOff_s = 1.0;
  constexpr double kEnd_s = 40'000.0;
  const Background background = at_random(topology, "a->b", 1.0);
  int begin_on = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    begin_on += BackgroundTimes(background, seed).on() ? 1 : 0;
  }
  EXPECT_NEAR(begin_on, 300.0, 4.0 * std::sqrt(400 * 0.75 * 0.25));

  BackgroundTimes times(background, 1);
  double on_s = 0.0;
  double before_s = 0.0;
  while (before_s < kEnd_s) {
    const bool on = times.on();
    const double at_s = std::min(kEnd_s, (*times.next() - Instant()).in_seconds());
    if (on) on_s += at_s - before_s;
    before_s = at_s;
  }
  const double deviation =
      std::sqrt(2.0 * kOn_s * kOn_s * kOff_s * kOff_s / (std::pow(kOn_s + kOff_s, 3.0) * kEnd_s));
  EXPECT_NEAR(on_s / kEnd_s, background.share_on(), 4.0 * deviation);
  EXPECT_EQ(background.share_on(), 0.75);
}

// 500 GB at 10 Gbps, of which others take 5 Gbps for 0.75 of the time: 6.25 Gbps and 640 s, within
// four times the deviation of that share, 0.021 (as above), which is 3.4 % of the rate. Packets see
// the same times.
TEST_F(Dynamics, BackgroundAtRandomTakesItsShareInTheLongRun) {
  RunSpec run = spec();
  run.payload = Bytes::count(500'000'000'000);
  run.background = {at_random(topology_, "a->b", 5.0)};
  const double deviation = std::sqrt(2.0 * 9.0 / (64.0 * 640.0));
  const double flows_s = end_s(run) - 1.01;
  EXPECT_NEAR(4000.0 / flows_s, 6.25, 4.0 * 5.0 * deviation);
  EXPECT_NEAR(end_s(in_packets(run, 10'000'000)) - 1.01, flows_s, 0.002 * flows_s);
}

// Each background has a stream of its own: the same seed gives the same run, another one another,
// and one more does not shift those that are there.
TEST_F(Dynamics, BackgroundAtRandomIsTheSeeds) {
  RunSpec run = spec();
  run.payload = Bytes::count(20'000'000'000);
  run.stop.max_rounds = 3;
  run.background = {at_random(topology_, "a->b", 5.0), at_random(topology_, "b->a", 5.0)};
  for (const bool packets : {false, true}) {
    RunSpec one = packets ? in_packets(run, 10'000'000) : run;
    const std::vector<std::string> log = run_log(one);
    EXPECT_EQ(run_log(one), log);
    one.seed = 2;
    EXPECT_NE(run_log(one), log);
  }
  const std::vector<Background>& both = run.background;
  EXPECT_NE(*BackgroundTimes(both[0], 1).next(), *BackgroundTimes(both[1], 1).next());
}

TEST(Backgrounds, AreNamedByWhereTheyAre) {
  const Topology topology = lettered_map(3, {{'A', 'B'}, {'B', 'C', 1.0, 20}});
  BackgroundSpec link;
  link.link = {{.value = "c", .where = {}}, {.value = "b", .where = {}}};
  link.share = 0.3;
  BackgroundSpec every;
  every.every_link = true;
  every.rate = gbps(1.0);
  BackgroundSpec access;
  access.arc = Text{.value = "A.up", .where = {}};
  access.share = 0.5;
  std::string text;
  for (const Background& one : backgrounds_of({link, every, link, access}, topology)) {
    text += one.name + ":";
    for (const auto& [arc, takes] : one.takes) {
      text += " " + topology.name(arc) + " " + to_text(takes);
    }
    text += "\n";
  }
  EXPECT_EQ(text,
            "c-b: c->b 6 Gbps b->c 6 Gbps\n"
            "a-b: a->b 1 Gbps b->a 1 Gbps\n"
            "b-c: b->c 1 Gbps c->b 1 Gbps\n"
            "c-b#2: c->b 6 Gbps b->c 6 Gbps\n"
            "A.up: A.up 50 Gbps\n");
}

/// Notes what an arc offered on average between two rounds.
class Watching final : public Policy {
 public:
  Watching(const Topology& topology, std::vector<double> expected_gbps, double within_gbps)
      : topology_(&topology), expected_gbps_(std::move(expected_gbps)), within_gbps_(within_gbps) {}
  void describe(Fields& /*fields*/) override {}
  void start(const PolicyContext& /*context*/) override {}
  Round round(std::int64_t /*number*/) override { return round_of("A+B", *topology_); }
  [[nodiscard]] bool observes() const override { return true; }
  void observe(std::int64_t number, std::span<const Bandwidth> arc_rates) override {
    const double seen = arc_rates[topology_->find_arc("a->b")->index()].in_gigabits_per_second();
    EXPECT_NEAR(seen, expected_gbps_[static_cast<std::size_t>(number - 1)], within_gbps_) << number;
    if (testing::Test::HasFailure()) std::abort();  // the parent has to see it
  }

 private:
  const Topology* topology_;
  std::vector<double> expected_gbps_;
  double within_gbps_;
};

// 4 Gbps of others: 6 Gbps, from 1.4 s on 1 Gbps. A has sent 2.4 Gbit by then and the rest at 7 s;
// it is ready for the second exchange at 8 s.
TEST_F(Dynamics, PoliciesObserveWhatIsLeft) {
  const double first_gbps = (1.4 * 6.0 + 6.6 * 1.0) / 8.0;
  Watching in_flows(topology_, {first_gbps, 1.0}, 1e-8);
  RunSpec run = pair_spec(topology_, in_flows);
  run.background = {always(topology_, "a->b", 4.0)};
  run.changes = {narrower(topology_, 1.4, "a->b", 5.0)};
  EXPECT_EQ(field(run_log(run).back(), 3), 3.0);
  Watching watching(topology_, {first_gbps, 1.0}, 0.01);
  run.policy = &watching;
  EXPECT_EQ(field(run_log(in_packets(run)).back(), 3), 3.0);
}

// Others take 19/20 of a fibre of the nine cities. Who plans for what it measures gets through more
// rounds.
TEST_F(Dynamics, AdaptiveCliquesPlanAroundBackground) {
  const World world(nine_city());
  const auto rounds = [&](const std::string& policy_name) {
    return rounds_in_ten_minutes(world, policy_name, [&](RunSpec& run) {
      for (const char* arc : {"TYO->SIN", "SIN->TYO"}) {
        run.background.push_back(always(world.topology, arc, 9.5));
      }
    });
  };
  EXPECT_GT(rounds("adaptive-cliques"), 1.3 * rounds("rotating-cliques"));
}

class DynamicsFiles : public Cli {
 protected:
  /// All that a comparison writes but manifests.
  [[nodiscard]] std::map<std::string, std::string> results(const std::string& more) const {
    const Outcome outcome = gyre("compare " + shipped("two-islands.yaml") +
                                 " -o out --overwrite --quiet --set stop.max_rounds=4 " + more);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    std::map<std::string, std::string> files = tree(folder_ / "out");
    std::erase_if(files, [](const auto& one) { return one.first.ends_with("manifest.json"); });
    return files;
  }
};

// The lines of a trace are changes like those of the scenario, behind them where times are equal.
// A fabric has none of them.
TEST_F(DynamicsFiles, ATraceIsAListOfChanges) {
  const std::string trace = file("t.csv",
                                 "time,arc,bandwidth,latency\n"
                                 "1.2 s,EAST->WEST,5 Gbps,\n"
                                 "1.4 s,WEST->EAST,2 Gbps,30 ms\n"
                                 "3 s,EAST->WEST,8 Gbps,\n")
                                .string();
  for (const std::string fidelity : {"flow", "packet"}) {
    const std::string with = "--fidelity " + fidelity + " ";
    auto changed = results(
        with +
        "--set \"network.changes=[{at: 3 s, arcs: ['EAST->WEST'], bandwidth: 8 Gbps}, {at: 1.2 s, "
        "arcs: ['EAST->WEST'], bandwidth: 5 Gbps}, {at: 1.4 s, arcs: ['WEST->EAST'], bandwidth: 2 "
        "Gbps, latency: 30 ms}]\"");
    EXPECT_EQ(results(with + "--set network.traces=" + trace), changed);
    auto overwritten = results(with + "--set network.traces=" + trace +
                               " --set \"network.changes=[{at: 3 s, arcs: ['EAST->WEST'], "
                               "bandwidth: 1 Gbps}]\"");
    // What lasted no time is an event as well.
    for (auto* files : {&overwritten, &changed}) {
      std::erase_if(*files, [](const auto& one) {
        return one.first.ends_with("events.csv") || one.first.ends_with("timeline.json");
      });
    }
    EXPECT_EQ(overwritten, changed);
    const auto plain = results(with);
    const std::string rounds = "/rounds.csv";
    EXPECT_EQ(plain.at("runs/colocated.both.seed1" + rounds),
              changed.at("runs/colocated.both.seed1" + rounds));
    EXPECT_NE(plain.at("runs/all-reduce+direct.neither.seed1" + rounds),
              changed.at("runs/all-reduce+direct.neither.seed1" + rounds));
  }
}

// What happens to arcs is told, with what they then have, at both fidelities.
TEST_F(DynamicsFiles, EventsTellWhatArcsHave) {
  const std::string head =
      "time_s,what,subject,round,effect,accuracy_before,accuracy_after,loss_before,loss_after\n";
  for (const std::string fidelity : {"flow", "packet"}) {
    const auto files =
        results("--set stop.max_rounds=1 --fidelity " + fidelity +
                " --set \"network.changes=[{at: 1500 ms, arcs: [EAST->WEST], bandwidth: 5 Gbps, "
                "latency: 30 "
                "ms}]\" --set \"network.background=[{link: [EAST, WEST], rate: 1 Gbps}]\"");
    const std::string events = files.at("runs/all-reduce+direct.neither.seed1/events.csv");
    EXPECT_EQ(events.rfind(head + "0,begins,background EAST-WEST,,\"EAST->WEST: it has 9 Gbps, "
                                  "latency 20 ms; WEST->EAST: it has 9 Gbps, latency 20 ms\",",
                           0),
              0U)
        << events;
    EXPECT_NE(events.find("\n1.5,changes,EAST->WEST,,\"it has 4 Gbps, latency 30 ms\","),
              std::string::npos)
        << events;
  }
  // No event, no file.
  EXPECT_FALSE(results("--set stop.max_rounds=1")
                   .contains("runs/all-reduce+direct.neither.seed1/events.csv"));
}

// Mean utilisation is of the map's capacity, so that it is the job's; the peak is of what others
// left: all of it.
TEST_F(DynamicsFiles, LinksCountTheJobsTraffic) {
  const auto links = [&](const std::string& more) {
    const auto files = results("--set stop.max_rounds=1 " + more);
    const auto rows = parse_csv(files.at("runs/all-reduce+direct.neither.seed1/links.csv"));
    for (const std::vector<std::string>& row : rows) {
      if (row[0] == "EAST->WEST") return row;
    }
    return std::vector<std::string>(9);
  };
  for (const std::string fidelity : {"flow", "packet"}) {
    const auto row = links("--fidelity " + fidelity +
                           " --set \"network.background=[{link: [EAST, WEST], share: 0.6}]\"");
    EXPECT_EQ(row[4], "1000000000");
    // 8 Gbit of 10 Gbps in 1 s of compute, 2 s at 4 Gbps and 20 ms.
    EXPECT_NEAR(std::stod(row[6]), 0.8 / 3.02, 0.0005);
    EXPECT_NEAR(std::stod(row[7]), 1.0, 1e-6);
  }
}

}  // namespace
}  // namespace gyre
