// `gyre figures` as a process: which files it makes, what it refuses, what it says.

#include <nlohmann/json.hpp>

#include "analysis/figures.hpp"
#include "tests/cli.hpp"

namespace gyre {
namespace {

class FiguresCli : public Cli {
 protected:
  /// All went well, but that nothing could be drawn where there is no gnuplot.
  static void expect_done(const Outcome& outcome) {
    EXPECT_EQ(outcome.status, has_gnuplot() ? 0 : 1) << outcome.errors;
  }
};

TEST_F(FiguresCli, OfAComparisonAreThereInEachFormat) {
  compare();
  const Outcome outcome = gyre("figures out");
  expect_done(outcome);
  EXPECT_EQ(outcome.output, "");
  // In two-islands a line in all figures but the consensus distance of those that always agree.
  for (const Figure& figure : figures()) {
    const fs::path base = folder_ / "out/figures" / figure.name;
    const std::string csv = read(base.string() + ".csv");
    EXPECT_EQ(csv.substr(0, csv.find('\n') + 1), csv_header(figure.columns)) << figure.name;
    EXPECT_FALSE(read(base.string() + ".gp").empty()) << figure.name;
    if (!has_gnuplot()) continue;
    EXPECT_EQ(read(base.string() + ".pdf").substr(0, 5), "%PDF-") << figure.name;
    EXPECT_EQ(read(base.string() + ".png").substr(1, 3), "PNG") << figure.name;
    const std::string svg = read(base.string() + ".svg");
    EXPECT_NE(svg.find("<svg"), std::string::npos) << figure.name;
    EXPECT_NE(svg.find("mode both"), std::string::npos) << figure.name;
  }
}

// The source needs nothing but its data.
TEST_F(FiguresCli, CanBeDrawnAgainWithoutGyre) {
  compare();
  expect_done(gyre("figures out -o drawn --quiet"));
  EXPECT_FALSE(fs::exists(folder_ / "out/figures"));
  if (!has_gnuplot()) GTEST_SKIP() << "no gnuplot";
  for (const Figure& figure : figures()) {
    const Outcome again = shell(fmt::format(
        "mkdir {0} && cp drawn/{0}.csv drawn/{0}.gp {0} && cd {0} && gnuplot {0}.gp", figure.name));
    EXPECT_EQ(again.status, 0) << again.errors;
    EXPECT_EQ(again.errors, "") << figure.name;
    EXPECT_EQ(read(folder_ / figure.name / fmt::format("{}.svg", figure.name)),
              read(folder_ / fmt::format("drawn/{}.svg", figure.name)));
  }
}

TEST_F(FiguresCli, WithoutGnuplotLeaveDataAndSource) {
  compare();
  const Outcome outcome = shell(fmt::format("PATH=/nowhere '{}' figures out", kGyre));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.errors.find("gnuplot-nox"), std::string::npos) << outcome.errors;
  EXPECT_TRUE(fs::exists(folder_ / "out/figures/round-time.csv"));
  EXPECT_TRUE(fs::exists(folder_ / "out/figures/round-time.gp"));
}

TEST_F(FiguresCli, RefuseWhatIsNotThereOrInTheWay) {
  for (const std::string& arguments : {std::string("nowhere"), std::string(".")}) {
    const Outcome outcome = gyre("figures " + arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.errors.find("holds no results"), std::string::npos) << outcome.errors;
  }
  compare();
  (void)file("a-file", "mine");
  for (const std::string& folder :
       {std::string("a-file"), std::string("''"), std::string("a-file/below")}) {
    EXPECT_EQ(gyre("figures out -o " + folder).status, 2) << folder;
  }
  EXPECT_EQ(read(folder_ / "a-file"), "mine");
  EXPECT_EQ(gyre("figures").status, 2);
}

TEST_F(FiguresCli, ReplaceOnlyFiguresAndOnlyWhenAsked) {
  compare();
  expect_done(gyre("figures out --quiet"));
  const auto before = tree(folder_ / "out/figures");
  (void)file("out/figures/round-time.gp", "# my own");
  (void)file("out/figures/mine.gp", "# my own");
  const Outcome refused = gyre("figures out --quiet");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.errors.find("--overwrite"), std::string::npos) << refused.errors;
  EXPECT_EQ(read(folder_ / "out/figures/round-time.gp"), "# my own");
  expect_done(gyre("figures out --quiet --overwrite"));
  EXPECT_EQ(read(folder_ / "out/figures/mine.gp"), "# my own");
  EXPECT_EQ(read(folder_ / "out/figures/round-time.gp"), before.at("round-time.gp"));
  // The comparison goes on in its folder as before.
  compare();
}

TEST_F(FiguresCli, OfASingleRun) {
  const Outcome run =
      gyre("run " + shipped("two-islands.yaml") + " --schedule none --mode both -o out --quiet");
  ASSERT_EQ(run.status, 0) << run.errors;
  const Outcome outcome = gyre("figures out");
  expect_done(outcome);
  EXPECT_NE(outcome.errors.find("map: left out, since no run sends anything over the WAN"),
            std::string::npos)
      << outcome.errors;
  EXPECT_FALSE(fs::exists(folder_ / "out/figures/map.gp"));
  EXPECT_TRUE(fs::exists(folder_ / "out/figures/time-to-accuracy.gp"));
}

// Nothing was simulated yet, or its tables are lost.
TEST_F(FiguresCli, OfNothingAreRefused) {
  compare();
  for (const auto& entry : fs::directory_iterator(folder_ / "out/runs")) {
    for (const char* name : {"trace.csv", "rounds.csv", "links.csv", "islands.csv"}) {
      fs::remove(entry.path() / name);
    }
  }
  fs::remove_all(folder_ / "out/runs/all-reduce+direct.both.seed1");
  fs::remove_all(folder_ / "out/runs/all-reduce+direct.neither.seed1");
  const Outcome outcome = gyre("figures out");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.errors.find("holds nothing that could be drawn"), std::string::npos)
      << outcome.errors;
  EXPECT_FALSE(fs::exists(folder_ / "out/figures"));
}

}  // namespace
}  // namespace gyre
