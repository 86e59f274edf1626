// That the checks of the soak test see what is wrong, and what it found in smallest scenarios.

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "analysis/csv.hpp"
#include "schedules/switch_limits.hpp"
#include "tests/soak_play.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;

/// Three islands at two switches, of which each exchange takes 0.8 s in either direction and 10 ms.
const RandomScenario kSound{
    .text = R"(gyre: 1
name: sound
network:
  topology:
    switches: [{name: S}, {name: T}]
    islands: [{name: a, at: S}, {name: b, at: S}, {name: c, at: T}]
    links: [{between: [S, T], latency: 10 ms, bandwidth: 1 Gbps}]
  access: {bandwidth: 1 Gbps}
  modes: [neither]
job: {payload: 50 MB, local_steps: 2, compute: {step_time: 100 ms}}
task: {kind: quadratic, optima: [0, 1, 2], curvatures: [0.5], learning_rate: 0.1, start: 3}
evaluate: {every_rounds: 1}
schedules: [{policy: all-reduce, exchange: direct}]
stop: {max_rounds: 3}
)",
    .fidelity = Fidelity::kFlow,
    .mean = MeanLaw{.curvature = 0.5, .rate = 0.1, .start = 3.0, .optima = {0.0, 1.0, 2.0}}};

/// What is multiplied in the last row of a file of a sound run, and what is said of it.
struct Tampering {
  const char* file;
  const char* column;
  double factor;
  const char* said;
};

void tamper_with(const fs::path& file, const Tampering& with) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(content_of(file));
  for (std::string line; std::getline(lines, line);) rows.push_back(parse_csv_line(line).value());
  const auto at = std::find(rows[0].begin(), rows[0].end(), with.column) - rows[0].begin();
  std::string& cell = rows.back().at(static_cast<std::size_t>(at));
  cell = number(std::stod(cell) * with.factor);
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  for (const std::vector<std::string>& row : rows) out << csv_line(row);
}

std::string played(const RandomScenario& made, const std::optional<Tampering>& with) {
  return played_alone(made, [&with](const fs::path& results) {
    if (with) tamper_with(results / with->file, *with);
  });
}

void expect_sound(const RandomScenario& made) {
  const std::string said = played(made, {});
  EXPECT_EQ(said.find("wrong"), std::string::npos) << said;
  EXPECT_NE(said.find("ended complete"), std::string::npos) << said;
}

TEST(SoakChecks, SeeWhatIsWrong) {
  const std::string sound = played(kSound, {});
  EXPECT_EQ(sound.find("wrong"), std::string::npos) << sound;
  for (const Tampering& with : std::vector<Tampering>{
           {"rounds.csv", "communication_s", 0.3, "below its bound"},
           {"rounds.csv", "communication_s", 3.0, "but the run ended"},
           {"rounds.csv", "compute_s", -1.0, "computes"},
           {"rounds.csv", "wan_bytes", 2.0, "bytes over core arcs"},
           {"rounds.csv", "round", 0.5, "is in it 2 times"},
           {"links.csv", "bytes", 2.0, "bytes go into switch"},
           {"links.csv", "mean_utilisation", 9.0, "utilisation"},
           {"links.csv", "busy_s", 9.0, "was busy"},
           {"routes.csv", "bytes", 0.5, "the plan of"},
           {"routes.csv", "bytes", 2.0, "the plans say"},
           {"trace.csv", "loss_average", 1.001, "the average model has the loss"},
           {"trace.csv", "time_s", 0.1, "goes back"},
           {"trace.csv", "round", 0.5, "lacks"},
           {"islands.csv", "compute_s", 2.0, "in timeline.json"},
       }) {
    const std::string said = played(kSound, with);
    EXPECT_NE(said.find(with.said), std::string::npos) << with.file << ", " << with.column << ":\n"
                                                       << said;
  }
}

/// Three islands on one switch; each exchange begins after 1 s and takes 8 s, sent directly.
RandomScenario of_three(Fidelity fidelity, const std::string& network, const std::string& job) {
  return {.text = fmt::format(R"(gyre: 1
name: three
{}  modes: [neither]
{}
job: {{payload: 500 MB, compute: {{step_time: 1 s}}, {}}}
task: {{kind: quadratic, optima: [0, 1, 2]}}
schedules: [{{policy: all-reduce, exchange: direct}}]
stop: {{max_rounds: 2}}
)",
                              kThreeOnASwitch, network, job),
          .fidelity = fidelity,
          .mean = {}};
}

// What had been sent of an exchange that was dropped was counted flow by flow, and the run may end
// with the first of them.
TEST(SoakFound, TheLastExchangeCountsWhereItIsDropped) {
  const std::string said = played(
      of_three(Fidelity::kFlow, "  faults: [{arc: a.up, from: 12 s, to: 14 s}]\n  in_flight: drop",
               "overlap: {kind: delayed, steps: 1, local_weight: 0}"),
      {});
  EXPECT_EQ(said.find("wrong"), std::string::npos) << said;
  EXPECT_NE(said.find("ended complete"), std::string::npos) << said;
}

// A flow that was cancelled counted as carried until the engine's next instant: here for 1 s, in
// which the islands compute.
TEST(SoakFound, WhatIsCancelledCarriesNothingMore) {
  const std::string said = played(
      of_three(Fidelity::kFlow, "  faults: [{arc: a.up, from: 3 s, to: 3.5 s}]\n  in_flight: drop",
               "local_steps: 1"),
      {});
  EXPECT_EQ(said.find("wrong"), std::string::npos) << said;
}

// A chunk counted as sent as a whole where the run ends in the middle of it.
TEST(SoakFound, AChunkThatIsUnderWayAtTheEndCountsAsFarAsItIs) {
  RandomScenario made =
      of_three(Fidelity::kPacket, "  transport: {chunk: 500 MB}", "local_steps: 1");
  made.text.replace(made.text.find("max_rounds: 2"), 13, "max_time: 2 s");
  expect_sound(made);
}

// Cliques that share the switches' limits are planned together, which had no way for an island that
// is cut off, in whose clique the others are not.
TEST(SoakFound, CliquesArePlannedAnewWithoutThoseThatAreCutOff) {
  const RandomScenario made{.text = R"(gyre: 1
name: cut-off
network:
  topology:
    switches: [{name: S}]
    islands: [{name: a, at: S}, {name: b, at: S}, {name: c, at: S}, {name: d, at: S}]
    links: []
  access: {bandwidth: 1 Gbps}
  modes: [aggregation]
  aggregator: {fan_in: 2}
  faults: [{arc: a.down, from: 0 s, to: 20 s}]
  in_flight: reroute
job: {payload: 500 MB, compute: {step_time: 1 s}}
task: {kind: quadratic, optima: [0, 1, 2, 3]}
schedules: [{policy: static-cliques, cliques: a+b|c+d, exchange: hub}]
stop: {max_rounds: 2}
)",
                            .fidelity = Fidelity::kFlow,
                            .mean = {}};
  expect_sound(made);
}

// The packing of rounds was solved to absolute tolerances, in Gbit/s.
TEST(SoakFound, RoundsOfSlowMapsArePacked) {
  const RandomScenario made{.text = R"(gyre: 1
name: slow
network:
  topology:
    switches: [{name: S}, {name: T}, {name: U}]
    islands:
      - {name: a, at: U, up: 4430 bps}
      - {name: b, at: S, down: 3580 bps}
      - {name: c, at: T, down: 3823 bps}
      - {name: d, at: U}
      - {name: e, at: T}
    links:
      - {between: [S, T], latency: 1 ms, bandwidth: 9422 bps}
      - {between: [U, S], latency: 1 ms, bandwidth: 37010 bps}
      - between: [T, U]
        latency: 1 ms
        bandwidth: 15350 bps
        reverse_bandwidth: 2892 bps
  access: {bandwidth: 2777 bps}
  modes: [neither]
  routing: engineered
job: {payload: 8 B, compute: {step_time: 100 ms}}
task: {kind: quadratic, optima: [0, 1, 2, 3, 4]}
schedules: [{policy: rotating-cliques, max_period: 2, max_clique: 2, exchange: best}]
stop: {max_rounds: 2}
)",
                            .fidelity = Fidelity::kFlow,
                            .mean = {}};
  const std::string said = played(made, {});
  EXPECT_NE(said.find("ended complete"), std::string::npos) << said;
}

// Outages by chance were drawn for a million seconds before the run began: here 10^9 of them.
TEST(SoakFound, OutagesOfPacketsAreDrawnAsTimeGoesOn) {
  const std::string said =
      played(of_three(Fidelity::kPacket,
                      "  faults: [{switch: S, availability: 0.9, mean_outage: 100 us}]\n"
                      "  in_flight: wait\n"
                      "  transport: {chunk: 100 KB, recovery: {timeout: 1 s, give_up: 500 s}}",
                      "local_steps: 1"),
             {});
  EXPECT_EQ(said.find("wrong"), std::string::npos) << said;
  EXPECT_NE(said.find("ended complete"), std::string::npos) << said;
}

// Of cliques that are planned together one may add at its only other member, into which no row
// leads that completes what one source alone sends.
TEST(SoakFound, WhatOneSourceSendsAloneArrivesAtTheRoot) {
  const RandomScenario made{.text = R"(gyre: 1
name: root
network:
  topology:
    switches: [{name: S}, {name: T}]
    islands:
      - {name: a, at: T}
      - {name: b, at: S}
      - {name: c, at: T}
      - {name: d, at: S, down: 300 Mbps}
      - {name: e, at: T}
    links: [{between: [T, S], latency: 0 ms, bandwidth: 900 Mbps}]
  access: {bandwidth: 2 Gbps}
  modes: [both]
  capable: {aggregation: [S]}
  routing: engineered
  transport: {chunk: 1 MB}
job: {payload: 20 MB, compute: {step_time: 1 s}}
task: {kind: quadratic, optima: [0, 1, 2, 3, 4]}
schedules: [{policy: static-cliques, cliques: a+e|b+c+d, exchange: best}]
stop: {max_rounds: 2}
)",
                            .fidelity = Fidelity::kPacket,
                            .mean = {}};
  expect_sound(made);
}

// Nobody reaches the second switch, which was tried as a root all the same.
TEST(SoakFound, ASwitchThatIsCutOffIsNoRoot) {
  const RandomScenario made{.text = R"(gyre: 1
name: cut
network:
  topology:
    switches: [{name: S}, {name: T}]
    islands: [{name: a, at: S}, {name: b, at: S}, {name: c, at: S}]
    links: [{between: [S, T], latency: 0 ms, bandwidth: 1 Gbps}]
  access: {bandwidth: 1 Gbps}
  modes: [both]
  faults: [{link: [S, T], from: 1 s}]
  in_flight: reroute
job: {payload: 50 MB, compute: {step_time: 2 s}}
task: {kind: quadratic, optima: [0, 1, 2]}
schedules: [{policy: adaptive-cliques, max_period: 1, exchange: in-network}]
stop: {max_rounds: 2}
)",
                            .fidelity = Fidelity::kFlow,
                            .mean = {}};
  expect_sound(made);
}

// What a and b send early took all memory until c had come, who waited for memory.
TEST(SoakFound, WhoLaunchesEarlyLeavesMemoryToThoseWhoAreReady) {
  const std::string text = R"(gyre: 1
name: early
network:
  topology:
    switches: [{name: S}]
    islands:
      - {name: a, at: S}
      - {name: b, at: S}
      - {name: c, at: S}
      - {name: d, at: S}
      - {name: e, at: S}
    links: []
  access: {bandwidth: 1 Gbps}
  modes: [aggregation]
  transport: {chunk: 1 MB}
  aggregator: {memory: 2 MB, discipline: DISCIPLINE, launch: eager}
job:
  payload: 20 MB
  compute: {step_time: 1 s, islands: [{island: a, step_time: 0.1 s}, {island: b, step_time: 0.1 s}]}
task: {kind: quadratic, optima: [0, 1, 2, 3, 4]}
schedules: [{policy: explicit, rounds: ["c+d+e|a|b", "a+b+c|d|e"], exchange: hub}]
stop: {max_rounds: 2}
)";
  for (const std::string_view discipline : kAggregationDisciplineNames) {
    const std::size_t at = text.find("DISCIPLINE");
    RandomScenario made{.text = text, .fidelity = Fidelity::kPacket, .mean = {}};
    made.text.replace(at, 10, discipline);
    const std::string said = played(made, {});
    EXPECT_EQ(said.find("wrong"), std::string::npos) << discipline << said;
    EXPECT_NE(said.find("ended complete"), std::string::npos) << discipline << said;
  }
}

// A layer that began while the one before it was dropped was dropped as well, but one of its flows
// played on. From 0.4 s, when the last layer's gradients are there, to 1.2 s each sends 1 Gbit/s.
TEST(SoakFound, AFlowThatStartsWhileItsExchangeIsDroppedEnds) {
  const RandomScenario made =
      of_three(Fidelity::kFlow, "  faults: [{arc: a.up, from: 1.2 s, to: 5 s}]\n  in_flight: drop",
               "layers: {count: 4, backward: 0.8}");
  const fs::path folder = fs::temp_directory_path() / fmt::format("gyre-found-{}", ::getpid());
  const std::string links = in_child([&] {
    std::string file;
    play(
        made, folder, [](std::string_view) {},
        [&file](const fs::path& results) { file = content_of(results / "links.csv"); });
    return file;
  });
  fs::remove_all(folder);
  for (const char* arc : {"a.up", "a.down", "b.up", "b.down", "c.up", "c.down"}) {
    EXPECT_NE(links.find(fmt::format("\n{},access,1,0,100000000,", arc)), std::string::npos)
        << links;
  }
}

// An island that had the result sent it again, when an exchange was planned anew, and was not done
// with that when the others were: the exchange was gone. What it then did depended on what had
// taken its place in memory; preset sanitize sees it.
TEST(SoakFound, WhoSendsAgainMayOutlastTheExchange) {
  const RandomScenario made{.text = R"(gyre: 1
name: again
seed: 703
network:
  topology:
    switches: [{name: S0}, {name: S1}, {name: S2}]
    islands:
      - {name: I0, at: S0, up: 19325910538 bps}
      - {name: I1, at: S1, up: 10986832759 bps, down: 17446186744 bps}
      - {name: I2, at: S0, up: 77988140871 bps, down: 5847737068 bps}
      - {name: I3, at: S0, latency: 196.186955 us}
    links:
      - between: [S1, S0]
        latency: 4223.948949 us
        bandwidth: 241892788949 bps
        reverse_bandwidth: 143781328182 bps
        reverse_latency: 0 us
      - between: [S2, S1]
        latency: 5792.134437 us
        bandwidth: 62662523725 bps
        reverse_bandwidth: 9001136205 bps
        reverse_latency: 707.038001 us
      - between: [S1, S0]
        latency: 88.628308 us
        bandwidth: 77021844186 bps
        reverse_latency: 142.985625 us
      - between: [S2, S1]
        latency: 388.261103 us
        bandwidth: 266396841723 bps
        reverse_bandwidth: 138621817866 bps
  access: {bandwidth: 103482967885 bps}
  modes: [neither]
  faults:
    - {switch: S0, from: 81725.412220 us, to: 239205.003564 us}
    - {every_link: true, availability: 0.6120, mean_outage: 77368.078631 us}
    - {link: [S2, S1], from: 284811.938855 us, to: 294224.429360 us}
  in_flight: reroute
  transport:
    chunk: 78 B
    packet: 28 B
    header: 3 B
    loss: 0.023985
    recovery: {timeout: 1124795.584100 us, give_up: 160635698.207494 us, then: drop}
job:
  payload: 1489 B
  compute:
    step_time: 130532.871680 us
    islands: [{island: I0, step_time: 86204.920277 us}, {island: I1, step_time: 120559.737025 us}]
task: {kind: quadratic, optima: [-0.668, 2.104, -0.841, -0.244]}
schedules:
  - {policy: explicit, rounds: [I2+I1|I3+I0, I3+I1+I2, I0+I2+I1+I3], exchange: best}
stop: {max_rounds: 4, max_time: 100 s}
)",
                            .fidelity = Fidelity::kPacket,
                            .mean = {}};
  expect_sound(made);
}

// A chunk that was under way at the end counted at the arc's rate on the map: as less than nothing.
TEST(SoakFound, AChunkThatIsUnderWayAtTheEndCountsAtItsRate) {
  RandomScenario made = of_three(
      Fidelity::kPacket,
      "  transport: {chunk: 500 MB}\n  changes: [{at: 1 ms, arcs: [a.up], bandwidth: 100 Mbps}]",
      "local_steps: 1");
  made.text.replace(made.text.find("max_rounds: 2"), 13, "max_time: 2 s");
  expect_sound(made);
}

// Of an arc that is away the plan is to take next to nothing, a billionth of what the others have.
// The solver's tolerance was more than that, for which all the rest of the plan was scaled down.
TEST(SoakFound, ArcsWithNextToNothingDoNotSlowDownAPlan) {
  const RandomScenario made{.text = R"(gyre: 1
name: nothing
seed: 788
network:
  topology:
    switches: [{name: S0}, {name: S1}, {name: S2}]
    islands:
      - {name: I0, at: S2}
      - {name: I1, at: S0}
      - {name: I2, at: S0, up: 7222952028 bps}
      - {name: I3, at: S2, down: 4906447304 bps}
      - {name: I4, at: S1, up: 74775598105 bps}
    links:
      - {between: [S1, S0], latency: 0 s, bandwidth: 40259915616 bps}
      - {between: [S2, S1], latency: 0 s, bandwidth: 1356603919 bps}
      - {between: [S0, S2], latency: 0 s, bandwidth: 3180707019 bps}
      - between: [S1, S0]
        latency: 0 s
        bandwidth: 31968294529 bps
        reverse_bandwidth: 102309610735 bps
      - {between: [S0, S2], latency: 0 s, bandwidth: 43291169145 bps}
      - {between: [S0, S1], latency: 0 s, bandwidth: 19973696530 bps}
  access: {bandwidth: 1709748911 bps}
  modes: [neither]
  faults: [{link: [S2, S1], availability: 0.5443, mean_outage: 14354653.301680 us}]
  in_flight: drop
job:
  payload: 234245454 B
  local_steps: 5
  overlap: {kind: delayed, steps: 10, local_weight: 0}
  compute: {step_time: 5 s, islands: [{island: I0, step_time: 1546671.413732 us}]}
task: {kind: quadratic, optima: [-0.335, -2.963, -1.803, 0.331, -0.349]}
schedules:
  - policy: adaptive-cliques
    objective: window
    max_period: 1
    window: 339850600.006529 us
    rounds: [I4+I0|I1+I2|I3, I1|I0+I4+I2+I3, I0+I2+I3+I4|I1]
    exchange: tree
stop: {max_rounds: 2}
)",
                            .fidelity = Fidelity::kFlow,
                            .mean = {}};
  expect_sound(made);
}

}  // namespace
}  // namespace gyre
