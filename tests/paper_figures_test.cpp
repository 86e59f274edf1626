// `gyre reproduce figures`: what the figures say, by hand and against published or independently
// computed values, and how the command treats its folder.

#include "analysis/paper_figures.hpp"

#include <algorithm>
#include <map>

#include "sim/paper_data.hpp"
#include "tests/cli.hpp"

namespace gyre {
namespace {

const PaperFigure& figure_named(std::string_view name) {
  return *std::find_if(paper_figures().begin(), paper_figures().end(),
                       [name](const PaperFigure& one) { return one.name == name; });
}

// By hand on the least-latency ways of the map: NYC reaches SEO and TYO by LAX, and by LON AMS, FRA
// and SIN (LON-AMS-FRA is shorter than LON-FRA).
TEST(PaperFigures, CopiesOnTheNineCities) {
  const PaperResult result = topology_figure(figure_named("topology"), *paper_scenario());
  std::map<std::string, std::map<std::string, std::string>> copies;
  std::map<std::string, std::string> does;
  for (const auto& row : parse_csv(result.drawing.csv)) {
    if (row[2] == "way") copies[row[1]][row[3]] = row[9];
    if (row[2] == "switch" && row[10] != "-") does[row[1]] += row[3] + " " + row[10] + ",";
  }
  using Copies = std::map<std::string, std::string>;
  EXPECT_EQ(copies["neither"], (Copies{{"NYC->LAX", "3"},
                                       {"LAX->TYO", "2"},
                                       {"TYO->SEO", "1"},
                                       {"NYC->BAR", "1"},
                                       {"NYC->LON", "4"},
                                       {"LON->AMS", "3"},
                                       {"AMS->FRA", "2"},
                                       {"FRA->SIN", "1"}}));
  EXPECT_EQ(copies["multicast"], (Copies{{"NYC->LAX", "1"},
                                         {"LAX->TYO", "1"},
                                         {"TYO->SEO", "1"},
                                         {"NYC->BAR", "1"},
                                         {"NYC->LON", "1"},
                                         {"LON->AMS", "1"},
                                         {"AMS->FRA", "1"},
                                         {"FRA->SIN", "1"}}));
  EXPECT_EQ(copies["aggregation"].size(), 8U);
  EXPECT_EQ(copies["aggregation"]["SIN->FRA"], "1");
  EXPECT_EQ(copies["both"].size(), 16U);
  EXPECT_EQ(does["neither"], "");
  EXPECT_EQ(does["multicast"],
            "AMS replicates,FRA replicates,LAX replicates,LON replicates,NYC replicates,TYO "
            "replicates,");
  EXPECT_EQ(does["aggregation"], "AMS adds,FRA adds,LAX adds,LON adds,NYC adds,TYO adds,");
  EXPECT_EQ(does["both"], "AMS both,FRA both,LAX both,LON both,NYC both,TYO both,");
  EXPECT_EQ(result.findings[0],
            "neither: NYC sends to all: 17 copies on the links, at most 8 on an access link");
}

TEST(PaperFigures, HaveEachAnOutputTable) {
  for (const PaperFigure& figure : paper_figures()) {
    EXPECT_TRUE(std::any_of(output_tables().begin(), output_tables().end(),
                            [&figure](const OutputTable& table) {
                              return table.columns.data() == figure.columns.data();
                            }))
        << figure.name;
    EXPECT_NE(caption(figure).find("Reproduced: "), std::string::npos);
    EXPECT_NE(caption(figure).find("Our reading: "), std::string::npos);
  }
}

// Of the sensitivity figure: the cells that are best of both worlds take the first in the ranking,
// colocated runs and those without an exchange do not count as schedules of the WAN.
TEST(PaperFigures, SensitivityTakesTheFirstOfEachLine) {
  const auto row = [](std::string schedule, std::string policy, std::string exchange, Mode mode,
                      std::optional<double> time) {
    SummaryRow one;
    one.schedule = std::move(schedule);
    one.policy = std::move(policy);
    one.exchange = std::move(exchange);
    one.mode = name_of(mode);
    one.status = "complete";
    one.time_to_accuracy_s = time;
    return one;
  };
  const std::vector<SensitivityPoint> points{
      {.panel = 0, .value = 1.0, .setting = "a=1", .loaded = paper_scenario()}};
  const std::vector<std::vector<SummaryRow>> rows{
      {row("colocated", "colocated", "best", Mode::kNeither, 1.0),
       row("all-reduce/best", "all-reduce", "best", Mode::kNeither, 5.0),
       row("all-reduce/direct", "all-reduce", "direct", Mode::kNeither, 9.0),
       row("rotating", "rotating-cliques", "direct", Mode::kNeither, 7.0),
       row("all-reduce/best", "all-reduce", "best", Mode::kBoth, std::nullopt)}};
  const auto lines =
      parse_csv(sensitivity_figure(figure_named("sensitivity"), points, rows).drawing.csv);
  std::map<std::string, std::string> taken;
  for (std::size_t r = 1; r < lines.size(); ++r) taken[lines[r][1]] = lines[r][4] + lines[r][5];
  EXPECT_EQ(taken,
            (std::map<std::string, std::string>{{"colocated", "colocated1"},
                                                {"any exchange: neither", "all-reduce/best5"},
                                                {"direct exchange: neither", "rotating7"},
                                                {"any exchange: both", "all-reduce/best"}}));
}

class PaperFiguresCli : public Cli {};

// Design, section 4: the two rounds of 3 x 3 cliques take 8.22 s on shortest paths, the global
// clique with both capabilities 1.60 + 0.203 s.
TEST_F(PaperFiguresCli, SchedulesAreTheKnownOnesAndAreKept) {
  const std::string command = "reproduce figures schedules -o paper --quiet";
  const Outcome outcome = gyre(command);
  EXPECT_EQ(outcome.status, has_gnuplot() ? 0 : 1) << outcome.errors;
  EXPECT_NE(outcome.output.find("neither: all agree after 8.22 s of exchange, in 2 rounds"),
            std::string::npos)
      << outcome.output;
  EXPECT_NE(outcome.output.find("both: all agree after 1.80 s of exchange, in 1 round"),
            std::string::npos)
      << outcome.output;
  EXPECT_NE(read(folder_ / "paper/schedules.txt").find("Our reading"), std::string::npos);
  // Again, from what was kept: even if nothing can be planned.
  const auto before = tree(folder_ / "paper/work");
  EXPECT_EQ(before.size(), 4U);
  EXPECT_EQ(gyre(command).output, outcome.output);
  EXPECT_EQ(tree(folder_ / "paper/work"), before);
  // A source that somebody changed is not replaced unasked.
  (void)file("paper/schedules.gp", "# mine");
  const Outcome refused = gyre(command);
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.errors.find("--overwrite"), std::string::npos) << refused.errors;
  EXPECT_EQ(read(folder_ / "paper/schedules.gp"), "# mine");
  EXPECT_EQ(gyre(command + " --overwrite").output, outcome.output);
  EXPECT_NE(read(folder_ / "paper/schedules.gp"), "# mine");
}

TEST_F(PaperFiguresCli, RefuseWhatMakesNoSense) {
  fs::create_directories(folder_ / "mine");
  (void)file("mine/notes.txt", "mine");
  for (const char* arguments :
       {"figures nothing", "figures topology --format csv", "figures topology --jobs 0",
        "roofnet topology", "roofnet -o x", "roofnet --jobs 2", "figures topology -o mine",
        "figures topology -o mine/notes.txt", "figures topology -o ''"}) {
    const Outcome outcome = gyre(fmt::format("reproduce {}", arguments));
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_NE(outcome.errors, "") << arguments;
  }
  EXPECT_EQ(read(folder_ / "mine/notes.txt"), "mine");
  EXPECT_FALSE(fs::exists(folder_ / "results"));
}

}  // namespace
}  // namespace gyre
