#include "scenarios/scenario.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/error.hpp"
#include "scenarios/topology_file.hpp"

namespace gyre {
namespace {

const std::string kScenarios = std::string(GYRE_SOURCE_DIR) + "/scenarios/";
const std::string kNineCity = kScenarios + "nine-city.yaml";

/// A scenario file that lives as long as its test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : path_(testing::TempDir() + "gyre_scenario_test_" +
              testing::UnitTest::GetInstance()->current_test_info()->name() + ".yaml") {
    std::ofstream(path_, std::ios::binary) << text;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::remove(path_.c_str()); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string problem(const std::string& path, const std::vector<Override>& overrides = {}) {
  try {
    load_scenario(path, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Scenario, NineCity) {
  const LoadedScenario loaded = load_scenario(kNineCity);
  const Scenario& scenario = loaded.scenario;
  EXPECT_EQ(scenario.name.value, "nine-city");
  EXPECT_EQ(scenario.job.payload_bytes(), Bytes::count(2'000'000'000));
  EXPECT_EQ(scenario.job.local_steps, 10);
  EXPECT_EQ(scenario.job.compute.step_time, Duration::seconds(0.12));
  EXPECT_EQ(scenario.task_name, "softmax");
  EXPECT_EQ(scenario.network.modes.size(), 4U);
  EXPECT_EQ(scenario.evaluate_every, 10);
  std::vector<std::string> labels;
  labels.reserve(scenario.schedules.size());
  for (const ScheduleSpec& schedule : scenario.schedules) labels.push_back(schedule.label.value);
  EXPECT_EQ(labels, (std::vector<std::string>{"colocated", "all-reduce/direct", "all-reduce/ring",
                                              "all-reduce/best", "rotating-cliques/direct",
                                              "two-rounds-3x3", "static-cliques/direct",
                                              "gossip-pairs/best", "random-cliques/best", "none"}));
  EXPECT_EQ(
      loaded.topology.island_names(),
      (std::vector<std::string>{"AMS", "BAR", "FRA", "LAX", "LON", "NYC", "SEO", "SIN", "TYO"}));
  EXPECT_EQ(loaded.topology.island(IslandId::at(0)).up, Bandwidth::gigabits_per_second(10));
}

/// The links as `A-B: latency bandwidth`, sorted.
std::map<std::string, double> latencies_ms(const std::string& topology) {
  const LoadedScenario loaded =
      load_scenario(kNineCity, {{"network.topology", "topologies/" + topology},
                                {"task", "{kind: softmax}"},
                                {"schedules", "[{policy: all-reduce}]"}});
  std::map<std::string, double> result;
  const Topology& map = loaded.topology;
  for (std::size_t a = 2 * map.island_count(); a < map.arc_count(); ++a) {
    const Arc& arc = map.arc(ArcId::at(a));
    result[map.name(ArcId::at(a))] = arc.latency.in_milliseconds();
    EXPECT_EQ(arc.capacity, Bandwidth::gigabits_per_second(10));
  }
  return result;
}

// Source: tests/private_links.csv of doublezerofoundation/network-shapley-rs.
TEST(Scenario, TheNineCityMapHasTheFiguresOfItsSource) {
  const std::vector<std::pair<std::string, double>> source{
      {"SEO->TYO", 4.50},  {"TYO->LAX", 57.62}, {"TYO->SIN", 44.95}, {"SIN->LAX", 121.56},
      {"SIN->FRA", 52.42}, {"LAX->NYC", 25.72}, {"NYC->BAR", 55.32}, {"NYC->LON", 45.60},
      {"LON->AMS", 1.45},  {"LON->FRA", 4.96},  {"AMS->FRA", 2.11}};
  const auto links = latencies_ms("doublezero-nine-city.yaml");
  EXPECT_EQ(links.size(), 2 * source.size());
  for (const auto& [name, latency] : source) {
    EXPECT_DOUBLE_EQ(links.at(name), latency) << name;
    EXPECT_DOUBLE_EQ(links.at(name.substr(5) + "->" + name.substr(0, 3)), latency) << name;
  }
}

// The same source, and the two metro links that we add.
TEST(Scenario, TheDeviceMapHasTheFiguresOfItsSource) {
  const std::vector<std::pair<std::string, double>> source{
      {"SEO1->TYO2", 4.50},  {"TYO1->LAX1", 57.62}, {"TYO1->SIN1", 44.95}, {"SIN1->LAX1", 121.56},
      {"SIN1->SIN2", 0.20},  {"SIN2->FRA2", 52.42}, {"LAX1->LAX2", 0.30},  {"LAX1->NYC1", 25.72},
      {"NYC1->NYC4", 0.10},  {"NYC2->NYC4", 0.10},  {"NYC3->NYC4", 0.10},  {"NYC3->BAR1", 55.32},
      {"NYC2->LON2", 45.60}, {"LON1->AMS1", 1.45},  {"LON1->FRA1", 4.96},  {"AMS1->FRA1", 2.11},
      {"FRA1->FRA2", 0.40},  {"TYO1->TYO2", 0.10},  {"LON1->LON2", 0.10}};
  const auto links = latencies_ms("doublezero-devices.yaml");
  EXPECT_EQ(links.size(), 2 * source.size());
  for (const auto& [name, latency] : source) EXPECT_DOUBLE_EQ(links.at(name), latency) << name;
}

// Measured round-trip times in ms (95th percentile); a link's latency is one way.
TEST(Scenario, TheMeasuredMapHasHalfTheRoundTrips) {
  const std::vector<std::pair<std::string, double>> round_trips{
      {"LON->SIN", 153.37}, {"AMS->LON", 5.76},  {"SIN->TYO", 67.23}, {"LAX->NYC", 68.42},
      {"NYC->LON", 67.30},  {"LON->FRA", 11.06}, {"TYO->LAX", 98.76}};
  const auto links = latencies_ms("measured-seven-city.yaml");
  EXPECT_EQ(links.size(), 2 * round_trips.size());
  for (const auto& [name, rtt] : round_trips) EXPECT_DOUBLE_EQ(links.at(name), rtt / 2) << name;
}

TEST(Scenario, EveryShippedScenarioLoads) {
  for (const auto& entry : std::filesystem::directory_iterator(kScenarios)) {
    if (entry.path().extension() != ".yaml") continue;
    EXPECT_EQ(problem(entry.path().string()), "no error");
  }
}

const char* const kWhole = R"(gyre: 1
name: whole
description: every key has a value of its own
seeds: [3, 4]
network:
  topology:
    name: map
    source: nowhere
    switches: [{name: X}, {name: Y}]
    islands:
      - {name: a, at: X, up: 1 Gbps, down: 2 Gbps, latency: 3 ms}
      - {name: b, at: Y}
    links:
      - between: [X, Y]
        latency: 4 ms
        bandwidth: 5 Gbps
        reverse_latency: 6 ms
        reverse_bandwidth: 7 Gbps
  access: {bandwidth: 8 Gbps, latency: 9 ms}
  modes: [both, multicast]
  capable: {multicast: [X], aggregation: []}
  fabric: {bandwidth: 10 Gbps, latency: 11 us}
  routing: shortest
job:
  payload: 12 MB
  local_steps: 13
  compute: {step_time: 14 ms, islands: [{island: b, step_time: 15 ms}]}
  outer_optimizer: {learning_rate: 0.16, momentum: 0.17}
task: {kind: quadratic, optima: [-1, 1]}
evaluate: {every_rounds: 18}
schedules:
  - {policy: all-reduce, exchange: direct, modes: [both], barrier: true, name: first}
  - {policy: none}
  - {policy: colocated}
stop: {loss: 0.19, max_rounds: 20, max_time: 21 h}
)";

TEST(Scenario, EveryKeyLandsInItsMember) {
  const TemporaryFile file(kWhole);
  const LoadedScenario loaded = load_scenario(file.path());
  const Scenario& s = loaded.scenario;
  EXPECT_EQ(loaded.text, kWhole);
  EXPECT_EQ(s.name.value, "whole");
  EXPECT_EQ(s.description.value, "every key has a value of its own");
  EXPECT_EQ(s.seeds, (std::vector<std::int64_t>{3, 4}));
  const Topology& map = loaded.topology;
  EXPECT_EQ(map.name(), "map");
  EXPECT_EQ(s.network.topology.source.value, "nowhere");
  const Topology::Island& a = map.island(IslandId::at(0));
  EXPECT_EQ(a.up, Bandwidth::gigabits_per_second(1));
  EXPECT_EQ(a.down, Bandwidth::gigabits_per_second(2));
  EXPECT_EQ(a.latency, Duration::seconds(0.003));
  const Topology::Island& b = map.island(IslandId::at(1));
  EXPECT_EQ(b.up, Bandwidth::gigabits_per_second(8));
  EXPECT_EQ(b.down, Bandwidth::gigabits_per_second(8));
  EXPECT_EQ(b.latency, Duration::seconds(0.009));
  EXPECT_EQ(map.arc(ArcId::at(4)).latency, Duration::seconds(0.004));
  EXPECT_EQ(map.arc(ArcId::at(4)).capacity, Bandwidth::gigabits_per_second(5));
  EXPECT_EQ(map.arc(ArcId::at(5)).latency, Duration::seconds(0.006));
  EXPECT_EQ(map.arc(ArcId::at(5)).capacity, Bandwidth::gigabits_per_second(7));
  EXPECT_EQ(s.network.modes, (std::vector<Mode>{Mode::kBoth, Mode::kMulticast}));
  const std::vector<Text> multicast = s.network.capable.multicast.value_or(std::vector<Text>{});
  ASSERT_EQ(multicast.size(), 1U);
  EXPECT_EQ(multicast[0].value, "X");
  EXPECT_EQ(s.network.capable.aggregation.value_or(std::vector<Text>(1)).size(), 0U);
  EXPECT_EQ(s.network.fabric.bandwidth, Bandwidth::gigabits_per_second(10));
  EXPECT_EQ(s.network.fabric.latency, Duration::seconds(11e-6));
  EXPECT_EQ(s.job.payload_bytes(), Bytes::count(12'000'000));
  EXPECT_EQ(s.job.local_steps, 13);
  EXPECT_EQ(s.job.compute.step_time, Duration::seconds(0.014));
  EXPECT_EQ(s.job.compute.islands.at(0).step_time, Duration::seconds(0.015));
  const OuterOptimizerSpec outer = s.job.training.outer_optimizer.value_or(OuterOptimizerSpec{});
  EXPECT_EQ(outer.learning_rate, 0.16);
  EXPECT_EQ(outer.momentum, 0.17);
  EXPECT_EQ(s.task_name, "quadratic");
  EXPECT_EQ(s.evaluate_every, 18);
  ASSERT_EQ(s.schedules.size(), 3U);
  EXPECT_EQ(s.schedules[0].label.value, "first");
  EXPECT_EQ(s.schedules[0].exchange, Exchange::kDirect);
  EXPECT_EQ(s.schedules[0].modes, std::vector<Mode>{Mode::kBoth});
  EXPECT_TRUE(s.schedules[0].barrier);
  EXPECT_EQ(s.schedules[1].policy_name, "none");
  EXPECT_FALSE(s.stop.accuracy);
  EXPECT_EQ(s.stop.loss, 0.19);
  EXPECT_EQ(s.stop.max_rounds, 20);
  EXPECT_EQ(s.stop.max_time, Duration::seconds(75'600));
}

// Fault F18.
TEST(Scenario, ByteOrderMarkAndCrLfMeanTheSame) {
  std::string other = "\xEF\xBB\xBF";
  for (const char c : std::string_view(kWhole)) {
    if (c == '\n') other += '\r';
    other += c;
  }
  const auto resolved = [](const std::string& text) {
    const TemporaryFile file(text);
    std::string all;
    for (const ResolvedValue& value : load_scenario(file.path()).resolved) {
      all += value.key_path + "=" + value.value + " " + value.origin + "\n";
    }
    return all;
  };
  EXPECT_EQ(resolved(other), resolved(kWhole));
}

// Faults F10 and F18: a name is a text, whatever it looks like.
TEST(Scenario, IslandsMayBeCalledLikeNumbersAndWords) {
  const TemporaryFile file(R"(gyre: 1
name: 7
network:
  topology:
    switches: [{name: true}]
    islands: [{name: NO, at: true}, {name: 010, at: true}]
  access: {bandwidth: 1 Gbps}
job: {payload: 1 MB, compute: {step_time: 1 ms}}
task: {kind: quadratic, optima: [0, 1]}
schedules: [{policy: explicit, rounds: [NO+010]}]
)");
  EXPECT_EQ(load_scenario(file.path()).topology.island_names(),
            (std::vector<std::string>{"NO", "010"}));
}

// Fault F9: one island alone is a scenario.
TEST(Scenario, OneIslandWorks) {
  const TemporaryFile file(R"(gyre: 1
name: alone
network:
  topology: {switches: [{name: X}], islands: [{name: a, at: X}]}
  access: {bandwidth: 1 Gbps}
job: {payload: 1 MB, compute: {step_time: 1 ms}}
task: {kind: quadratic, optima: [0]}
schedules: [{policy: all-reduce}, {policy: gossip-pairs}, {policy: none}]
)");
  EXPECT_EQ(problem(file.path()), "no error");
}

TEST(Scenario, TwoLinksOfOnePairAreTwoFibres) {
  const LoadedScenario loaded =
      load_scenario(kScenarios + "two-islands.yaml",
                    {{"network.topology.links",
                      "[{between: [EAST, WEST], latency: 1 ms, bandwidth: 1 Gbps}, "
                      "{between: [EAST, WEST], latency: 2 ms, bandwidth: 3 Gbps}]"}});
  EXPECT_EQ(loaded.topology.arc_count(), 2U * 2U + 2U * 2U);
}

TEST(Scenario, ScaleIsAFactorOnTheLinksOfTheMap) {
  const Topology topology =
      load_scenario(kScenarios + "two-islands.yaml",
                    {{"network.topology.links[0].reverse_bandwidth", "1 Gbps"},
                     {"network.access.bandwidth", "7 Gbps"},
                     {"network.scale", "{bandwidth: 2.5, latency: 0.1}"}})
          .topology;
  const Arc& there = topology.arc(topology.find_arc("EAST->WEST").value());
  EXPECT_EQ(there.capacity, Bandwidth::gigabits_per_second(25));
  EXPECT_DOUBLE_EQ(there.latency.in_seconds(), 0.002);
  const Arc& back = topology.arc(topology.find_arc("WEST->EAST").value());
  EXPECT_EQ(back.capacity, Bandwidth::bits_per_second(2'500'000'000));
  EXPECT_EQ(topology.arc(topology.up(IslandId::at(0))).capacity, Bandwidth::gigabits_per_second(7));
}

/// The scenario's values by key path, with the origin of each.
std::map<std::string, ResolvedValue> resolved_values(const std::vector<Override>& overrides) {
  std::map<std::string, ResolvedValue> values;
  for (const ResolvedValue& value : load_scenario(kNineCity, overrides).resolved) {
    EXPECT_TRUE(values.emplace(value.key_path, value).second) << value.key_path;
  }
  return values;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// Another legal value for a key of nine-city.yaml, or nothing where a change of this key alone has
/// to change others: kinds and policies (their keys), and the names that topology and rounds share.
std::string other_value(const std::string& key, const std::string& value) {
  if (key == "gyre" || ends_with(key, "topology.gyre") || key == "network.routing") return {};
  if (key == "network.topology" || ends_with(key, ".kind") || ends_with(key, ".policy")) return {};
  const bool in_map = key.starts_with("network.topology.");
  if (in_map && ends_with(key, "].name")) return {};
  const std::map<std::string_view, std::string> by_end{
      {"seed", "2"},
      {"accuracy", "0.5"},
      {"name", "other"},
      {"description", "other"},
      {"source", "other"},
      {"].at", "LON"},
      {".modes", "[both]"},
      {".rounds", "[SEO+TYO]"},
      {".cliques", "SEO+TYO"},
      {".exchange", value == "tree" ? "direct" : "tree"},
      {".size", "2"},
      {".data", "other"},
      {".objective", value == "window" ? "drift" : "pairs"},
      {".epsilon", "0.5"},
      {".latitude", "1"},
      {".longitude", "1"}};
  for (const auto& [end, other] : by_end) {
    if (ends_with(key, end)) return value == other ? "AMS" : other;
  }
  if (ends_with(key, ".between")) {  // the same fibre, from its other end
    return "[" + value.substr(6, 3) + ", " + value.substr(1, 3) + "]";
  }
  if (value == "false") return "true";
  if (value == "true") return "false";
  return "1" + value;
}

TEST(Scenario, EachKeyChangesOnlyItsOwnField) {
  int changed = 0;
  for (const auto& [key, before] : resolved_values({})) {
    const std::string other = other_value(key, before.value);
    if (other.empty()) continue;
    // The exchange is part of the default name: give the schedule a fixed one.
    std::vector<Override> overrides;
    if (ends_with(key, "].exchange")) {
      overrides.push_back({key.substr(0, key.rfind('.')) + ".name", "fixed"});
    }
    auto expected = resolved_values(overrides);
    overrides.push_back({key, other});
    const auto actual = resolved_values(overrides);
    ASSERT_EQ(actual.size(), expected.size()) << key;
    EXPECT_NE(actual.at(key).value, before.value) << key;
    EXPECT_EQ(actual.at(key).origin, "--set") << key;
    for (const auto& [other_key, value] : actual) {
      if (other_key == key) continue;
      EXPECT_EQ(value.value, expected.at(other_key).value) << key << " changed " << other_key;
      EXPECT_EQ(value.origin, expected.at(other_key).origin) << key << " changed " << other_key;
    }
    ++changed;
  }
  EXPECT_GE(changed, 70);
}

TEST(Scenario, ErrorsInATopologyFileHaveItsPlace) {
  const TemporaryFile file("gyre: 1\nswitches: [{name: X}]\nislands: [{name: a, at: Y}]\n");
  EXPECT_EQ(problem(kNineCity, {{"network.topology", file.path()}}),
            file.path() + ":3:25: islands[0].at: unknown switch 'Y'; must be X");
}

TEST(Scenario, ATopologyFileStatesItsFormat) {
  const TemporaryFile file("switches: [{name: X}]\nislands: [{name: a, at: X}]\n");
  EXPECT_EQ(
      problem(kNineCity, {{"network.topology", file.path()}}),
      file.path() + ":1:1: gyre: this key is missing; it is required: Version of the file format.");
}

TEST(Scenario, UnreadableScenarios) {
  EXPECT_EQ(problem("no/such.yaml"), "no/such.yaml: cannot be read: No such file or directory");
  const TemporaryFile file("");
  EXPECT_EQ(problem(file.path()),
            file.path() + ": the file is empty; a mapping of keys is expected");
}

TEST(Scenario, InNetworkIsAllowedWhereBothIsTheOnlyMode) {
  EXPECT_EQ(
      problem(kNineCity, {{"network.modes", "[both]"}, {"schedules[1].exchange", "in-network"}}),
      "no error");
  EXPECT_EQ(problem(kNineCity, {{"schedules[0].exchange", "in-network"}}), "no error");
}

}  // namespace
}  // namespace gyre
