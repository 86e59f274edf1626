// Each limit of models/limits.hpp, one step beyond it: refused with its place, before it takes time
// or memory. What would take minutes without a limit runs into the time-out of the test.

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/error.hpp"
#include "models/limits.hpp"
#include "tests/fuzz/readers.hpp"

namespace gyre {
namespace {

/// What the reader of that name says of the bytes; empty if they load.
std::string said(std::string_view reader, const std::string& bytes) {
  for (const FedReader& one : fed_readers()) {
    if (one.name == reader) return one.read(bytes);
  }
  return "no such reader";
}

testing::AssertionResult refused(std::string_view reader, const std::string& bytes,
                                 std::string_view part) {
  const std::string message = said(reader, bytes);
  if (message.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << reader << " says '" << message << "', not '" << part << "'";
}

/// `part(0)`, `part(1)`, … joined.
std::string many(std::size_t count, const std::function<std::string(std::size_t)>& part) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += part(i);
  return text;
}

std::string repeated(std::string_view part, std::size_t count) {
  return many(count, [part](std::size_t) { return std::string(part); });
}

std::string topology(std::size_t switches, std::size_t islands) {
  return "gyre: 1\nswitches:\n" +
         many(switches, [](std::size_t i) { return fmt::format("  - {{name: s{}}}\n", i); }) +
         "islands:\n" +
         many(islands, [](std::size_t i) { return fmt::format("  - {{name: i{}, at: s0}}\n", i); });
}

std::string scenario(std::size_t islands, const std::string& schedules,
                     const std::string& task =
                         "{kind: scaling-law, parameters: 1e6, "
                         "tokens_per_step: 1e3, penalty: none}") {
  std::string inside = topology(1, islands).substr(std::string_view("gyre: 1\n").size());
  for (std::size_t at = 0; at < inside.size(); at = inside.find('\n', at) + 1) {
    inside.insert(at, "    ");
    if (inside.find('\n', at) == std::string::npos) break;
  }
  return "gyre: 1\nname: limits\nnetwork:\n  access: {bandwidth: 10 Gbps}\n  topology:\n" + inside +
         "job: {payload: 1 MB, compute: {step_time: 1 ms}}\ntask: " + task + "\nschedules:\n" +
         schedules;
}

TEST(InputLimits, ValuesKeysAndListsOfYaml) {
  EXPECT_EQ(said("scenario", scenario(2, "  - {policy: all-reduce}\n")), "");
  EXPECT_TRUE(refused("scenario", repeated("- b\n", kMostValues),
                      "scenario.yaml:1000000:3: [999999]: more than 1000000 values"));
  // Before the parser looks through all of it.
  EXPECT_TRUE(refused("scenario", "a: [" + repeated("b,", kMostValues) + "]",
                      "scenario.yaml:1:2000001: a[999998]: more than 1000000 values"));
  EXPECT_TRUE(refused("scenario", repeated("[\n", 4 * kMostValues + 1),
                      "scenario.yaml:4000001:1: more than 4000000 brackets and commas"));
  const auto key = [](std::size_t i) { return fmt::format("k{}: 1\n", i); };
  EXPECT_TRUE(refused("scenario", many(kMostKeys + 1, key),
                      "scenario.yaml:101:1: more than 100 keys in one mapping"));
  EXPECT_TRUE(refused("scenario", std::string(kLongestKey + 1, 'k') + ": 1",
                      "scenario.yaml:1:1: a key of 257 bytes; at most 256"));
  const std::string rounds = repeated("'-',", kMostEntries + 1);
  EXPECT_TRUE(refused("scenario", scenario(2, "  - {policy: explicit, rounds: [" + rounds + "]}\n"),
                      "schedules[0].rounds: a list of 100001 entries; at most 100000 are allowed"));
}

// Each of the values asks for its column, of up to a million characters.
TEST(InputLimits, ColumnsOfOneLongLine) {
  const std::string line = "a: [" + repeated("é,", 499'999) + "]]";
  EXPECT_TRUE(refused("scenario", line, "scenario.yaml:1:1000004: "));
}

TEST(InputLimits, SizeAndNamesOfAMap) {
  EXPECT_TRUE(refused("topology", topology(kMostSwitches + 1, 1),
                      "topology.yaml:3:3: switches: a map of 10001 switches; at "
                      "most 10000 are allowed"));
  EXPECT_TRUE(refused("topology", topology(1, kMostIslands + 1),
                      "islands: a map of 10001 islands; at most 10000"));
  const std::string name(kLongestName, 'n');
  const std::string head = "gyre: 1\nswitches: [{name: X}]\nislands: [{at: X, name: ";
  EXPECT_EQ(said("topology", head + name + "}]"), "");
  EXPECT_TRUE(refused("topology", head + name + "n}]",
                      "islands[0].name: a name of 513 bytes for an island"));
}

// Only brackets that are no part of a name nest.
TEST(InputLimits, NamesFullOfBrackets) {
  const auto link = [](std::size_t i) {
    return fmt::format("s{0}{1},s{2}{1},1,1\n", i, std::string(200, '['), i + 1);
  };
  EXPECT_EQ(said("csv", "from,to,latency_ms,bandwidth_gbps\n" + many(100, link)), "");
}

TEST(InputLimits, SchedulesAndTheirRounds) {
  const auto schedule = [](std::size_t i) {
    return fmt::format("  - {{policy: none, name: s{}}}\n", i);
  };
  EXPECT_TRUE(refused("scenario", scenario(2, many(kMostSchedules + 1, schedule)),
                      "schedules: 1001 schedules; at most 1000 are allowed"));
  const std::string rounds =
      "  - policy: explicit\n    rounds:\n" + repeated("      - '-'\n", 60'000);
  EXPECT_TRUE(refused("scenario", scenario(200, rounds),
                      "schedules[0].rounds: 60000 rounds are listed so far for 200 islands; at "
                      "most 50000"));
}

TEST(InputLimits, KeyPathsOfTheCommandLine) {
  EXPECT_TRUE(refused("override", repeated("a.", kDeepestNesting + 1) + "a=1",
                      "a key path of more than 64 steps"));
  EXPECT_TRUE(refused("override", std::string(kLongestKey + 1, 'a') + "=1",
                      "a key path of 257 bytes; at most 256"));
}

TEST(InputLimits, PointsOfAStudy) {
  const std::string head = "gyre: 1\nname: s\nscenario: s.yaml\nmax_runs: 10000000\naxes:\n";
  const auto axis = [](std::size_t i) {
    return fmt::format("  - {{key: job.key{}, range: {{from: 1, to: 3000}}}}\n", i);
  };
  EXPECT_EQ(said("study", head + axis(0)), "");
  EXPECT_TRUE(refused("study", head + axis(0) + axis(1), "study.yaml:7:5: axes[1]"));
  EXPECT_TRUE(refused("study", head + axis(0) + axis(1), "GiB; at most 1 are allowed"));
  EXPECT_TRUE(refused("study",
                      head + "  - {key: a, range: {from: 1, to: 2}, unit: " +
                          std::string(kLongestKey + 1, 'u') + "}\n",
                      "257 bytes; at most 256 are allowed"));
  const auto zipped = [](std::size_t i) {
    return fmt::format("    - {{key: k{}, range: {{from: 1, to: 99999}}}}\n", i);
  };
  EXPECT_TRUE(refused("study", head + "  - zip:\n" + many(200, zipped), "GiB; at most 1"));
}

TEST(InputLimits, ColumnsAndStepsOfATrace) {
  EXPECT_TRUE(refused("trace", repeated("A,", kMostIslands + 1),
                      "trace.csv:1:1: more than 10000 values in one line"));
  EXPECT_TRUE(refused("trace", "A,B,C,D\n" + repeated("1,1,1,1\n", kMostTracedSteps / 10 + 1),
                      "trace.csv:1000002:1: more than 1000000 steps of 4 islands"));
}

TEST(InputLimits, ValuesOfForeignMaps) {
  EXPECT_TRUE(
      refused("gml", repeated("a 1 ", kMostValues + 1), "map:1:4000001: more than 1000000 pairs"));
  EXPECT_TRUE(refused("graphml", "<graphml>" + repeated("<a/>", kMostValues),
                      "more than 1000000 elements and attributes"));
  EXPECT_TRUE(refused("simgrid", "<platform " + repeated("a='' ", kMostValues + 1) + "/>",
                      "more than 1000000 elements and attributes"));
  EXPECT_TRUE(refused("csv", "from,to\n" + repeated("A,B\n", kMostCsvRows + 1),
                      "map:220002:1: more than 220000 rows"));
  EXPECT_TRUE(refused("csv", repeated("from,", kMostKeys + 1), "more than 100 fields in one row"));
  EXPECT_TRUE(refused(
      "graphml",
      "<graphml>" + repeated("<key attr.name='a' id='b'/>", kMostKeys + 1) + "<graph/></graphml>",
      "more than 100 <key>s"));
}

TEST(InputLimits, SizeAndNamesOfForeignMaps) {
  const auto node = [](std::size_t i) { return fmt::format("node [ id {} ]\n", i); };
  const auto link = [](std::size_t i) { return fmt::format("s{},s{},1,1\n", i, i + 1); };
  const std::string header = "from,to,latency_ms,bandwidth_gbps\n";
  EXPECT_TRUE(refused("gml", "graph [\n" + many(20'001, node) + "]",
                      "map:20002:1: more than 20000 nodes in one map"));
  const std::string edges = repeated("edge [ source 0 target 1 ]\n", 220'001);
  EXPECT_TRUE(refused("gml", "graph [\n" + node(0) + node(1) + edges + "]",
                      "more than 220000 links in one map"));
  EXPECT_TRUE(refused("csv", header + many(kMostSwitches, link),
                      "map: makes a map of 10001 nodes; at most 10000 are allowed"));
  EXPECT_TRUE(refused("csv",
                      header + repeated("A,B,1,1\n", 2 * kMostParallelLinks + 1) + "B,A,1,1\n",
                      "more than 1000 links of one pair"));
  EXPECT_TRUE(refused("csv", header + "A," + std::string(kLongestLabel + 1, 'b') + ",1,1\n",
                      "map:2:3: a name or id of 245 bytes; at most 244 are allowed"));
}

// 8192 names of '+' and '|' all become the same: each is told apart by the first free number.
TEST(InputLimits, NamesThatBecomeTheSame) {
  const auto link = [](std::size_t i) {
    std::string name;
    for (std::size_t bit = 0; bit < 13; ++bit) name += (i >> bit & 1U) != 0 ? '+' : '|';
    return fmt::format("hub,x{},1,1\n", name);
  };
  EXPECT_EQ(said("csv", "from,to,latency_ms,bandwidth_gbps\n" + many(8192, link)), "");
}

// What Boost's parser would take for other tags than we, and so for deeper ones.
TEST(InputLimits, TagsThatHideTheirDepth) {
  const std::string deep = repeated("<a>", 100'000);
  for (const std::string disguise :
       {"<graphml><a\"><b\">", "<graphml><a<b>", "<graphml><!DOCTYPE[>", "<graphml><!x \">",
        "<graphml><!-->\"-->"}) {
    EXPECT_TRUE(refused("graphml", disguise + deep, "map:1:")) << disguise;
  }
  const std::string closing = repeated("<a><!--></a>-->", 100'000);
  EXPECT_TRUE(refused("graphml", "<graphml>" + closing, "nested too deeply; at most 64 levels"));
}

TEST(InputLimits, ModelsOfATask) {
  const std::string one = "  - {policy: all-reduce}\n";
  EXPECT_TRUE(refused("scenario", scenario(2, one, "{kind: mlp, hidden: [16384, 16384]}"),
                      "task.hidden: the models of 2 islands come to"));
  EXPECT_TRUE(refused("scenario", scenario(2, one, "{kind: mlp, hidden: [16384], batch: 60000}"),
                      "a batch of 60000"));
  EXPECT_TRUE(refused("scenario", scenario(300, one, "{kind: noisy-quadratic, dimensions: 10000}"),
                      "task.dimensions: the covariances of 300 islands in 10000 dimensions"));
}

TEST(InputLimits, LengthOfAMessage) {
  const std::string letters = repeated("é", kLongestMessage);
  const std::string message = InputError("subject", letters).what();
  EXPECT_LT(message.size(), kLongestMessage);
  EXPECT_NE(message.find(" bytes left out] é"), std::string::npos);
  EXPECT_EQ(message.find("subject: é"), 0U);
  std::vector<std::string> names(kMostListed + 2, "n");
  EXPECT_EQ(one_of(names), repeated("n, ", kMostListed - 1) + "n or 2 others");
  names.pop_back();
  EXPECT_EQ(one_of(names), repeated("n, ", kMostListed - 1) + "n or n");
  const std::string longest(kLongestCorrected, 'n');
  EXPECT_NE(did_you_mean(longest, {longest + "n"}), "");
  EXPECT_EQ(did_you_mean(longest + "n", {longest}), "");
}

}  // namespace
}  // namespace gyre
