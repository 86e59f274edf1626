// Results folders that exist already, and runs that are cut off: nothing is lost, all is marked.

#include <nlohmann/json.hpp>

#include "analysis/columns.hpp"
#include "tests/cli.hpp"

namespace gyre {
namespace {

/// Shell: waits until the comparison or run is under way in out/, whatever else the machine does.
const std::string kUnderWay =
    "for i in $(seq 200); do [ -s out/manifest.json ] && break; sleep 0.05; done; sleep 0.2;";

class Interruption : public Cli {};

TEST_F(Interruption, ComparisonReusesFinishedRuns) {
  const std::string command = "compare " + shipped("two-islands.yaml") + " -o out";
  ASSERT_EQ(gyre(command).status, 0);
  const auto before = tree(folder_ / "out");
  // A run that was cut off is run again; the others are not.
  const fs::path cut = folder_ / "out/runs/none.both.seed1";
  auto manifest = nlohmann::json::parse(read(cut / "manifest.json"));
  manifest["status"] = "truncated";
  std::ofstream(cut / "manifest.json") << manifest.dump();
  std::ofstream(cut / "trace.csv") << "cut";
  const Outcome again = gyre(command);
  EXPECT_EQ(again.status, 0);
  EXPECT_NE(again.errors.find("5 of them reused"), std::string::npos) << again.errors;
  EXPECT_EQ(tree(folder_ / "out"), before);
}

TEST_F(Interruption, NothingThatExistedIsLost) {
  const std::string two = "compare " + shipped("two-islands.yaml") + " -o out";
  ASSERT_EQ(gyre(two).status, 0);
  const auto before = tree(folder_ / "out");
  const Outcome other = gyre(two + " --set job.local_steps=3");
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.errors.find("--overwrite"), std::string::npos);
  EXPECT_EQ(tree(folder_ / "out"), before);
  EXPECT_EQ(gyre(two + " --set job.local_steps=3 --overwrite").status, 0);
  fs::create_directories(folder_ / "mine");
  std::ofstream(folder_ / "mine/thesis.txt") << "years of work";
  EXPECT_EQ(gyre("compare " + shipped("two-islands.yaml") + " -o mine").status, 2);
  EXPECT_EQ(read(folder_ / "mine/thesis.txt"), "years of work");
  EXPECT_EQ(tree(folder_ / "mine").size(), 1U);
}

// A damaged manifest is nobody's result: refused, and replaced when asked.
TEST_F(Interruption, ADamagedManifestIsNotAResult) {
  const std::string command = "compare " + shipped("two-islands.yaml") + " -o out";
  ASSERT_EQ(gyre(command).status, 0);
  for (const char* damage : {R"({"gyre": 3})", "[]", "{", R"({"gyre": "0.1.0", "kind": "run"})"}) {
    std::ofstream(folder_ / "out/runs/none.both.seed1/manifest.json") << damage;
    const Outcome refused = gyre(command);
    EXPECT_EQ(refused.status, 2) << damage << refused.errors;
    EXPECT_NE(refused.errors.find("none.both.seed1"), std::string::npos) << refused.errors;
    EXPECT_EQ(gyre(command + " --overwrite").status, 0) << damage;
  }
}

TEST_F(Interruption, OverwriteLeavesNoOldRuns) {
  const std::string command = "compare " + shipped("two-islands.yaml") + " -o out";
  ASSERT_EQ(gyre(command).status, 0);
  ASSERT_EQ(gyre(command + " --overwrite --set 'schedules=[{policy: gossip-pairs}]'").status, 0);
  std::size_t runs = 0;
  for (const auto& entry : fs::directory_iterator(folder_ / "out/runs")) {
    EXPECT_EQ(entry.path().filename().string().find("gossip-pairs"), 0U) << entry.path();
    ++runs;
  }
  EXPECT_EQ(runs, 2U);
}

// A run cut off in mid-round: what was not measured is empty, what was counts up to the cut.
TEST_F(Interruption, ARunCutInMidRoundKeepsItsBooks) {
  const Outcome outcome = gyre("run " + shipped("two-islands.yaml") +
                               " --schedule all-reduce/direct --mode neither -o out --format json"
                               " --set stop.loss=1e-9 --set 'stop.max_time=1.5 s'");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto row = nlohmann::json::parse(outcome.output).at(0);
  EXPECT_EQ(row.at("rounds"), 0);  // the first round ends at 1.82 s
  EXPECT_TRUE(row.at("mean_round_s").is_null());
  EXPECT_TRUE(row.at("ratio_to_bound").is_null());
  EXPECT_NEAR(row.at("communication_share").get<double>(), 0.5 / 1.5, 1e-9);
  const auto islands = parse_csv(read(folder_ / "out/islands.csv"));
  EXPECT_NEAR(std::stod(islands[1][2]), 1.0, 1e-9);
  EXPECT_NEAR(std::stod(islands[1][4]), 0.5, 1e-9);
  const Outcome longer = gyre("run " + shipped("two-islands.yaml") +
                              " --schedule all-reduce/direct --mode neither -o longer --format json"
                              " --set stop.loss=1e-9 --set 'stop.max_time=3 s'");
  const auto later = nlohmann::json::parse(longer.output).at(0);
  EXPECT_NEAR(later.at("mean_round_s").get<double>(), 1.82, 1e-9);
  EXPECT_NEAR(later.at("ratio_to_bound").get<double>(), 1.0, 1e-9);
}

// Two on one folder: the second is refused and says why; afterwards the folder is free.
TEST_F(Interruption, ASecondGyreOnTheFolderIsRefused) {
  const std::string command = fmt::format("compare {} -o out", shipped("two-islands.yaml"));
  const std::string endless = " --set stop.max_rounds=100000000 --set stop.loss=1e-9 --quiet";
  const Outcome outcome =
      shell(fmt::format("'{0}' {1}{2} & pid=$!; {3} '{0}' {1}; second=$?; kill -INT $pid; "
                        "wait $pid; exit $second",
                        kGyre, command, endless, kUnderWay));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.errors.find("another gyre is writing there"), std::string::npos)
      << outcome.errors;
}

// The parent killed outright: its processes end with it, and the folder can be gone on with.
TEST_F(Interruption, AKilledComparisonLeavesNobodyAndCanGoOn) {
  const std::string command = fmt::format(
      "compare {} -o out --jobs 2 --set stop.max_rounds=60000 --set stop.loss=1e-9"
      " --set evaluate.every_rounds=1000 --quiet",
      shipped("two-islands.yaml"));
  const Outcome killed =
      shell(fmt::format("'{}' {} & pid=$!; {} children=$(pgrep -P $pid); kill -KILL $pid; "
                        "wait $pid; sleep 0.3;"
                        " for c in $children; do ps -o stat= -p $c | grep -v Z; done",
                        kGyre, command, kUnderWay));
  EXPECT_EQ(killed.output, "");
  EXPECT_EQ(nlohmann::json::parse(read(folder_ / "out/manifest.json")).at("status"), "truncated");
  EXPECT_EQ(gyre(command).status, 0);
  EXPECT_EQ(nlohmann::json::parse(read(folder_ / "out/manifest.json")).at("status"), "complete");
}

// A single round of many steps sees Ctrl-C too; `timeout` sends its signal twice.
TEST_F(Interruption, CtrlCEndsALongRound) {
  const std::string command =
      fmt::format("run {} --schedule none --mode neither -o out --set job.local_steps=100000000000",
                  shipped("two-islands.yaml"));
  const Outcome outcome = shell(fmt::format(
      "timeout 20 '{}' {} & pid=$!; {} kill -INT $pid; wait $pid", kGyre, command, kUnderWay));
  EXPECT_EQ(outcome.status, 1) << outcome.errors;
  EXPECT_EQ(nlohmann::json::parse(read(folder_ / "out/manifest.json")).at("status"), "truncated");
}

// F19: Ctrl-C ends with readable, marked traces and status 1; running again completes them.
TEST_F(Interruption, CtrlCLeavesMarkedReadableTraces) {
  const std::string command =
      fmt::format("compare {} -o out --set stop.max_rounds=100000000 --set stop.loss=1e-9 --quiet",
                  shipped("two-islands.yaml"));
  const Outcome outcome = shell(fmt::format(
      "'{}' {} & pid=$!; {} sleep 1; kill -INT $pid; wait $pid", kGyre, command, kUnderWay));
  EXPECT_EQ(outcome.status, 1) << outcome.errors;
  EXPECT_EQ(nlohmann::json::parse(read(folder_ / "out/manifest.json")).at("status"), "truncated");
  std::size_t truncated = 0;
  for (const auto& entry : fs::directory_iterator(folder_ / "out/runs")) {
    const auto manifest = nlohmann::json::parse(read(entry.path() / "manifest.json"));
    if (manifest.at("status") != "truncated") continue;
    ++truncated;
    const auto rows = parse_csv(read(entry.path() / "trace.csv"));
    EXPECT_GT(rows.size(), 1U);
    for (const auto& row : rows) EXPECT_EQ(row.size(), trace_columns().size());
    EXPECT_TRUE(nlohmann::json::accept(read(entry.path() / "timeline.json")));
  }
  EXPECT_GE(truncated, 1U);
}

// A run killed outright says of itself that it is truncated.
TEST_F(Interruption, AKilledRunIsMarked) {
  const std::string command = fmt::format(
      "run {} --schedule none --mode both -o out --set stop.max_rounds=100000000 --set "
      "stop.loss=1e-9 --quiet",
      shipped("two-islands.yaml"));
  const Outcome outcome = shell(fmt::format("'{}' {} & pid=$!; {} pkill -KILL -P $pid; wait $pid",
                                            kGyre, command, kUnderWay));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.errors.find("failed"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(read(folder_ / "out/manifest.json")).at("status"), "failed");
}

TEST_F(Interruption, AFullDiskFailsTheRun) {
  fs::create_directories(folder_ / "out");
  const Outcome outcome = gyre("run " + shipped("two-islands.yaml") +
                               " --schedule none --mode both -o /proc/1/nowhere");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.errors.find("cannot be made"), std::string::npos) << outcome.errors;
}

}  // namespace
}  // namespace gyre
