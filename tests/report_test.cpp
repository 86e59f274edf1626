#include "analysis/report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/error.hpp"
#include "tests/cli.hpp"

namespace gyre {
namespace {

using Json = nlohmann::json;

/// What the page shows.
class Report : public Cli {
 protected:
  [[nodiscard]] std::string page() const {
    const Outcome outcome = gyre("report out --quiet");
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    return read(folder_ / "out/report.html");
  }
};

TEST_F(Report, HoldsTheSummaryAsItIs) {
  compare();
  const Json data = report_data(page());
  const auto summary = parse_csv(read(folder_ / "out/summary.csv"));
  ASSERT_EQ(data.at("summary").at("rows").size(), summary.size() - 1);
  for (std::size_t i = 1; i < summary.size(); ++i) {
    EXPECT_EQ(data.at("summary").at("rows").at(i - 1), Json(summary[i]));
  }
  for (std::size_t c = 0; c < summary[0].size(); ++c) {
    EXPECT_EQ(data.at("summary").at("columns").at(c).at("name"), summary[0][c]);
  }
}

// The traces, rounds and links that the charts show are those of the run's tables.
TEST_F(Report, HoldsWhatTheRunsRecorded) {
  compare();
  const Json data = report_data(page());
  EXPECT_EQ(data.at("quantity"), "loss");
  EXPECT_EQ(data.at("target"), 0.51);
  for (const Json& run : data.at("runs")) {
    const fs::path folder = folder_ / "out/runs" / run.at("id").get<std::string>();
    const auto trace = parse_csv(read(folder / "trace.csv"));
    ASSERT_EQ(run.at("trace").size(), trace.size() - 1);
    for (std::size_t i = 1; i < trace.size(); ++i) {
      EXPECT_NEAR(run.at("trace").at(i - 1).at(0).get<double>(), std::stod(trace[i][0]), 1e-4);
      EXPECT_NEAR(run.at("trace").at(i - 1).at(1).get<double>(), std::stod(trace[i][7]), 1e-4);
    }
    const auto rounds = parse_csv(read(folder / "rounds.csv"));
    // In one data centre nothing is on the map.
    if (run.at("schedule") == "colocated") {
      EXPECT_TRUE(run.at("rounds").empty());
      continue;
    }
    EXPECT_EQ(run.at("rounds").size(), std::stoul(rounds.back()[0]) + 1);
    const bool exchanges = run.at("schedule") != "none";
    EXPECT_EQ(run.at("rounds").at(0).at("cliques").size(), exchanges ? 1U : 0U);
    EXPECT_FALSE(run.at("spans").empty());
  }
}

TEST_F(Report, AnswersInASentenceAMode) {
  compare();
  const Json data = report_data(page());
  EXPECT_EQ(
      data.at("question"),
      "In two-islands, which schedule reaches a loss of 0.51 first over the wide-area network?");
  ASSERT_EQ(data.at("answers").size(), 2U);
  const auto rows = parse_csv(read(folder_ / "out/summary.csv"));
  // Who trains alone would be first here, but not over the network.
  EXPECT_EQ(
      data.at("answers").at(0),
      "Without any capability of the switches, 'all-reduce/direct' reaches it first, in 7.28 s: "
      "1.00 × the bound of its rounds, 1.78 × one data centre.");
}

// Nothing is looked up over a network, whatever stands in the scenario.
TEST_F(Report, IsSelfContainedAndSafe) {
  compare("--set 'description=\"</script><script>alert(1)</script>\"'");
  const std::string html = page();
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_EQ(report_data(html).at("description"), "</script><script>alert(1)</script>");
  for (const char* link : {"src=\"http", "href=\"http", "@import", "url(http", "src='http"}) {
    EXPECT_EQ(html.find(link), std::string::npos) << link;
  }
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  EXPECT_LT(html.size(), 5'000'000U);
}

TEST_F(Report, OfOneRunOfCutRunsAndOfNone) {
  ASSERT_EQ(
      gyre("run " + shipped("two-islands.yaml") + " --schedule none --mode both -o out --quiet")
          .status,
      0);
  EXPECT_EQ(report_data(page()).at("runs").size(), 1U);

  compare("--overwrite");
  const fs::path cut = folder_ / "out/runs/none.both.seed1";
  Json manifest = Json::parse(read(cut / "manifest.json"));
  manifest["status"] = "truncated";
  (void)file("out/runs/none.both.seed1/manifest.json", manifest.dump());
  for (const char* name : {"trace.csv", "rounds.csv", "timeline.json"}) {
    const std::string whole = read(cut / name);
    (void)file(std::string("out/runs/none.both.seed1/") + name, whole.substr(0, whole.size() - 7));
  }
  fs::remove_all(folder_ / "out/runs/none.neither.seed1");
  const Json data = report_data(page());
  EXPECT_EQ(data.at("runs").size(), 5U);
  EXPECT_EQ(data.at("notes").size(), 2U);

  fs::remove_all(folder_ / "out/runs");
  const Outcome none = gyre("report out");
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.errors.find("holds no run yet"), std::string::npos) << none.errors;
  EXPECT_EQ(gyre("report nowhere").status, 2);
}

TEST_F(Report, OfHundredsOfRuns) {
  std::string seeds = "1";
  for (int seed = 2; seed <= 35; ++seed) seeds += fmt::format(", {}", seed);
  compare(fmt::format("--set 'seeds=[{}]'", seeds));
  const std::string html = page();
  EXPECT_EQ(report_data(html).at("runs").size(), 210U);
  EXPECT_LT(html.size(), 5'000'000U);
}

TEST_F(Report, LeavesFilesOfOthersAlone) {
  compare();
  (void)file("thesis.html", "years of work");
  EXPECT_EQ(gyre("report out -o thesis.html").status, 2);
  EXPECT_EQ(read(folder_ / "thesis.html"), "years of work");
  EXPECT_EQ(gyre("report out -o thesis.html --overwrite").status, 0);
  EXPECT_EQ(gyre("report out").status, 0);
  EXPECT_EQ(gyre("report out").status, 0);
}

class SlowReport : public Report {};

// In a real browser: tests/browser_report.py says what.
TEST_F(SlowReport, InABrowser) {
  if (shell("command -v chromium && command -v chromedriver && command -v python3").status != 0) {
    GTEST_SKIP() << "needs the Debian packages chromium, chromium-driver and python3";
  }
  const Outcome made = gyre("compare " + shipped("nine-city.yaml") +
                            " -o out --quiet --set stop.max_rounds=20 --set stop.accuracy=0.7");
  ASSERT_EQ(made.status, 0) << made.errors;
  (void)page();
  const Outcome outcome =
      shell(fmt::format("python3 '{}' out", (kSource / "tests/browser_report.py").string()));
  EXPECT_EQ(outcome.status, 0) << outcome.output << outcome.errors;
}

}  // namespace
}  // namespace gyre
