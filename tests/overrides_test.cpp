// `--set KEY.PATH=VALUE`: what it reaches, replaces, leaves out and refuses.

#include "scenarios/overrides.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/error.hpp"

namespace gyre {
namespace {

const std::string kScenarios = std::string(GYRE_SOURCE_DIR) + "/scenarios/";
const std::string kNineCity = kScenarios + "nine-city.yaml";

/// What is wrong with the nine cities where this value is set.
std::string set(const std::string& key, const std::string& value) {
  try {
    load_scenario(kNineCity, {{key, value}});
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Overrides, ReachMappingsListsAndTheTopologyFile) {
  const LoadedScenario loaded =
      load_scenario(kNineCity, {{"network.access.bandwidth", "100Gbps"},
                                {"network.fabric", "{latency: 1 us}"},
                                {"schedules[1].barrier", "true"},
                                {"network.topology.links[0].latency", "7 ms"},
                                {"stop.max_rounds", "5"},
                                {"stop.max_rounds", "6"}});
  EXPECT_EQ(loaded.scenario.network.access.bandwidth, Bandwidth::gigabits_per_second(100));
  EXPECT_EQ(loaded.scenario.network.fabric.latency, Duration::seconds(1e-6));
  EXPECT_TRUE(loaded.scenario.schedules[1].barrier);
  EXPECT_EQ(loaded.scenario.network.topology.links[0].latency, Duration::seconds(0.007));
  EXPECT_EQ(loaded.scenario.stop.max_rounds, 6);
}

TEST(Overrides, LeaveAKeyOut) {
  const LoadedScenario loaded = load_scenario(kNineCity, {{"stop.accuracy", "null"},
                                                          {"network.fabric.latency", "7 ms"},
                                                          {"network.fabric.latency", "null"}});
  EXPECT_FALSE(loaded.scenario.stop.accuracy);
  EXPECT_EQ(loaded.scenario.network.fabric.latency,
            load_scenario(kNineCity).scenario.network.fabric.latency);
  const auto left_out = [](const std::string& key) { return set(key, "null"); };
  EXPECT_NE(left_out("job").find("job: this key is missing; it is required"), std::string::npos);
  // A name that is not there may be a slip of the pen.
  for (const char* key : {"stop.acuracy", "stop.loss", "network.faults[0].arc", "name.first"}) {
    EXPECT_EQ(left_out(key).substr(0, 7 + std::string(key).size()), "--set: " + std::string(key));
  }
  EXPECT_EQ(left_out("stop.acuracy"),
            "--set: stop.acuracy: cannot be left out (null), since it is not there");
  EXPECT_EQ(left_out("schedules[1]"),
            "--set: schedules[1]: is an entry of a list; only a key can be left out");
}

TEST(Overrides, ReplaceTheirRivals) {
  const auto load = [](const std::string& key, const std::string& value) {
    return load_scenario(kNineCity, {{key, value}}).scenario;
  };
  EXPECT_EQ(load("job.payload", "1 GB").job.payload_bytes(), Bytes::count(1'000'000'000));
  EXPECT_EQ(load("seeds", "[5, 6]").seeds, (std::vector<std::int64_t>{5, 6}));
  EXPECT_FALSE(load("stop.loss", "0.5").stop.accuracy);
}

TEST(Overrides, AreRefusedAsSuchWhereWrong) {
  EXPECT_EQ(set("netwrok.modes", "[both]")
                .find("--set: netwrok: unknown key (did you mean 'network'?); "),
            0U);
  EXPECT_EQ(set("network.access.bandwidth", "10"),
            "--set: network.access.bandwidth: '10' lacks a unit; legal units: " +
                std::string(kBandwidthUnits));
  EXPECT_EQ(set("job.local_steps", ""),
            "--set: job.local_steps: the value is missing; a whole number is wanted");
  EXPECT_EQ(
      set("schedules[10].barrier", "true"),
      "--set: schedules[10]: 'schedules' has 10 entries, counted from 0; only these can be set");
  EXPECT_EQ(set("job[0]", "1"),
            "--set: job[0]: 'job' is a mapping, which has no entries by number");
  EXPECT_EQ(set("name.first", "x"),
            "--set: name.first: 'name' is a single value, which has no keys");
  for (const char* path :
       {"", ".", "a.", ".a", "a..b", "a[", "a[]", "a[x]", "a[0", "a[0]b", "[0]", "a[-1]"}) {
    EXPECT_NE(set(path, "1").find("is not a key path"), std::string::npos) << path;
  }
  EXPECT_EQ(set("network.topology", "nowhere.yaml"),
            "--set: network.topology: '" + kScenarios +
                "nowhere.yaml': cannot be read: No such file or directory");
  EXPECT_EQ(set("stop", "{accuracy: 0.5"),
            "--set: stop: '{accuracy: 0.5' is not a single YAML value such as 10 Gbps, [1, 2] or "
            "{bandwidth: 10 Gbps}");
}

}  // namespace
}  // namespace gyre
