#include "scenarios/network_trace.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace gyre {
namespace {

namespace fs = std::filesystem;

class NetworkTrace : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / fmt::format("gyre-{}-{}", info->name(), ::getpid());
    fs::create_directories(folder_ / "data");
    std::ofstream(folder_ / "s.yaml") << R"(gyre: 1
name: traces
network:
  topology:
    switches: [{name: X}, {name: Y}]
    islands: [{name: a, at: X}, {name: b, at: Y}]
    links: [{between: [X, Y], latency: 1 ms, bandwidth: 10 Gbps}]
  access: {bandwidth: 10 Gbps}
  traces: data/t.csv
  changes: [{at: 3 s, arcs: [X->Y, Y->X], latency: 2 ms}]
job: {payload: 1 MB, compute: {step_time: 1 ms}}
task: {kind: quadratic, optima: [-1, 1]}
schedules: [{policy: all-reduce}]
stop: {max_rounds: 3}
)";
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] LoadedScenario load(const std::string& trace) const {
    std::ofstream(folder_ / "data/t.csv") << trace;
    return load_scenario((folder_ / "s.yaml").string());
  }
  /// The error text, without the folder.
  [[nodiscard]] std::string problem(const std::string& trace) const {
    try {
      static_cast<void>(load(trace));
    } catch (const InputError& error) {
      std::string message = error.what();
      const std::string folder = folder_.string() + "/";
      for (std::size_t at = 0; (at = message.find(folder)) != std::string::npos;) {
        message.erase(at, folder.size());
      }
      return message;
    }
    return "no error";
  }

  fs::path folder_;
};

std::string digest_of(const LoadedScenario& loaded) {
  for (const ResolvedValue& value : loaded.resolved) {
    if (value.key_path == "network.traces.text") return value.value;
  }
  return {};
}

TEST_F(NetworkTrace, IsReadBehindTheOtherChanges) {
  const LoadedScenario loaded = load(
      "# measured\n"
      "time,arc,bandwidth,latency\r\n"
      "0 s,X->Y,5 Gbps,\r\n"
      "\n"
      " 1 min , a.up ,, 4 ms\n"
      "1 min,X->Y,10 Gbps,1 ms\n");
  std::string text;
  for (const ChangeSpec& change : loaded.scenario.network.changes) {
    text += fmt::format("{} {} {} {} line {}\n", to_text(change.at), change.arcs.front().value,
                        change.bandwidth ? to_text(*change.bandwidth) : "-",
                        change.latency ? to_text(*change.latency) : "-", change.where.line);
  }
  EXPECT_EQ(text,
            "3 s X->Y - 2 ms line 10\n"
            "0 s X->Y 5 Gbps - line 3\n"
            "60 s a.up - 4 ms line 5\n"
            "60 s X->Y 10 Gbps 1 ms line 6\n");
  // What tells runs apart has the text of the file in it.
  const std::string known = digest_of(loaded);
  EXPECT_EQ(known.find("3 changes, "), 0U) << known;
  EXPECT_NE(digest_of(load("time,arc,bandwidth,latency\n0 s,X->Y,5 Gbps,\n0 s,X->Y,5 Gbps,\n"
                           "0 s,X->Y,5 Gbps,\n")),
            known);
}

TEST_F(NetworkTrace, WhatIsNoTraceIsRefusedWithPlaceAndReason) {
  const std::string first = "time,arc,bandwidth,latency\n";
  const std::string arcs =
      " is no arc of the map; written as X->Y between switches, X.up or X.down between island X "
      "and its switch";
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"",
       "s.yaml:9:11: network.traces: data/t.csv holds no changes; wanted are a line "
       "'time,arc,bandwidth,latency' and lines as '12 s,NYC->LON,4 Gbps,60 ms'"},
      {first,
       "s.yaml:9:11: network.traces: data/t.csv holds no changes; wanted are a line "
       "'time,arc,bandwidth,latency' and lines as '12 s,NYC->LON,4 Gbps,60 ms'"},
      {"time,arc,bandwidth\n1 s,X->Y,1 Gbps\n",
       "data/t.csv:1:1: the columns are 'time,arc,bandwidth'; must be "
       "'time,arc,bandwidth,latency'"},
      {first + "1 s,X->Y,1 Gbps\n",
       "data/t.csv:2:1: has 3 cells; must be 4, as in '12 s,NYC->LON,4 Gbps,60 ms'"},
      {first + "2 s,X->Y,1 Gbps,\n\n1 s,X->Y,2 Gbps,\n",
       "data/t.csv:4:1: 1 s is before the 2 s of the line above; must be at least that"},
      {first + ",X->Y,1 Gbps,\n", "data/t.csv:2:1: the time is missing; must be as in '12 s'"},
      {first + "-1 s,X->Y,1 Gbps,\n", "data/t.csv:2:1: -1 s is out of range; must be at least 0 s"},
      {first + "1,X->Y,1 Gbps,\n",
       "data/t.csv:2:1: '1' lacks a unit; legal units: " + std::string(kDurationUnits)},
      {first + "1 s, X->Y,1 gb,\n",
       "data/t.csv:2:11: unknown unit 'gb'; legal units: " + std::string(kBandwidthUnits)},
      {first + "1 s,X->Y,0 Gbps,\n", "data/t.csv:2:10: 0 bps is out of range; must be above 0 bps"},
      {first + "1 s,X->Y,,\n",
       "data/t.csv:2:1: changes nothing; give a bandwidth, a latency or both"},
      {first + "1 s,X-Z,1 Gbps,\n", "data/t.csv:2:5: 'X-Z'" + arcs},
      {first + "1 s,X->Y,11 Gbps,\n",
       "data/t.csv:2:10: is more than the 10 Gbps that 'X->Y' has on the map; must be at most "
       "that"},
      {first + "1 s,X->Y,,0.5 ms\n",
       "data/t.csv:2:11: is less than the 1 ms that 'X->Y' has on the map; must be at least "
       "that"}};
  for (const auto& [trace, message] : wrong) EXPECT_EQ(problem(trace), message);
}

TEST_F(NetworkTrace, AFileThatIsNotThereIsRefusedAtItsKey) {
  try {
    load_scenario((folder_ / "s.yaml").string());
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("s.yaml:9:11: network.traces: "), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace gyre
