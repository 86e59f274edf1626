#include "analysis/results.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/error.hpp"
#include "tests/cli.hpp"

namespace gyre {
namespace {

class ReadResults : public Cli {
 protected:
  [[nodiscard]] std::string problem_of(const fs::path& folder) const {
    try {
      (void)read_results(folder, "0.1.0");
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(ReadResults, AsTheyWereWritten) {
  compare();
  const Results results = read_results(folder_ / "out", "0.1.0");
  EXPECT_EQ(results.scenario, "two-islands");
  EXPECT_EQ(results.status, "complete");
  EXPECT_TRUE(results.notes.empty());
  ASSERT_EQ(results.runs.size(), 6U);
  // In the order of summary.csv.
  const auto summary = parse_csv(read(folder_ / "out/summary.csv"));
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(results.runs[i].schedule, summary[i + 1][0]);
    EXPECT_EQ(results.runs[i].mode, summary[i + 1][3]);
    EXPECT_EQ(results.runs[i].summary->fields(), summary[i + 1]);
  }
  ASSERT_EQ(results.map.switches.size(), 2U);
  EXPECT_EQ(results.map.switches[1].name, "WEST");
  EXPECT_FALSE(results.map.placed());
  ASSERT_EQ(results.map.islands.size(), 2U);
  EXPECT_EQ(results.map.islands[1].at, 1U);
  ASSERT_EQ(results.map.links.size(), 1U);
  EXPECT_EQ(results.map.links[0].latency_ms, 20.0);
  const ResultTable trace(results.runs[0].folder / "trace.csv");
  EXPECT_EQ(trace.value(0, "time_s"), 0.0);
  EXPECT_EQ(trace.value(0, "accuracy_average"), std::nullopt);
  EXPECT_EQ(trace.value(0, "no such column"), std::nullopt);
}

// A latency is written in the shortest unit, whichever that is.
TEST_F(ReadResults, LatenciesInAnyUnit) {
  for (const auto& [text, ms] : {std::pair{"500 ps", 5e-7}, {"3 us", 3e-3}, {"2 s", 2000.0}}) {
    compare(std::string("--overwrite --set 'network.topology.links[0].latency=") + text + "'");
    EXPECT_NEAR(read_results(folder_ / "out", "0.1.0").map.links[0].latency_ms, ms, 1e-9 * ms);
  }
}

TEST_F(ReadResults, OfASingleRun) {
  const Outcome outcome =
      gyre("run " + shipped("two-islands.yaml") + " --schedule none --mode both -o out --quiet");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const Results results = read_results(folder_ / "out", "0.1.0");
  ASSERT_EQ(results.runs.size(), 1U);
  EXPECT_EQ(results.map.links.size(), 1U);
  EXPECT_EQ(results.value("job.local_steps"), "10");
}

TEST_F(ReadResults, SayWhatIsMissingOrOfAnotherVersion) {
  compare();
  fs::remove_all(folder_ / "out/runs/none.both.seed1");
  EXPECT_NE(read_results(folder_ / "out", "0.1.0").notes.at(0).find("1 of 6 runs are missing"),
            std::string::npos);
  EXPECT_NE(read_results(folder_ / "out", "9.9").notes.at(1).find("written by gyre 0.1.0"),
            std::string::npos);
}

TEST_F(ReadResults, RefuseWhatIsNoResult) {
  EXPECT_NE(problem_of(folder_).find("holds no results"), std::string::npos);
  EXPECT_NE(problem_of(folder_ / "nowhere").find("holds no results"), std::string::npos);
  compare();
  const std::string good = read(folder_ / "out/manifest.json");
  for (const std::string bad : {"", "{", "[]", R"({"gyre": 1})", R"({"gyre": "0.1.0"})"}) {
    (void)file("out/manifest.json", bad);
    EXPECT_NE(problem_of(folder_ / "out"), "no error") << bad;
  }
  (void)file("out/manifest.json", good);
  EXPECT_EQ(problem_of(folder_ / "out"), "no error");
}

// A table that was cut off in the middle of a line ends with its last whole line.
TEST_F(ReadResults, ATableThatWasCutOff) {
  const ResultTable table(file("t.csv", "time_s,round\n1,2\n3,"));
  EXPECT_EQ(table.rows(), 1U);
  EXPECT_EQ(table.value(0, "round"), 2.0);
  EXPECT_EQ(ResultTable(folder_ / "none.csv").rows(), 0U);
  EXPECT_THROW(ResultTable(file("u.csv", "a,b\n1\n")), InputError);
}

}  // namespace
}  // namespace gyre
