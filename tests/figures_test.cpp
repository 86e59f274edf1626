// What the figures show, as numbers: golden data of two-islands and of results made by hand.

#include "analysis/figures.hpp"

#include <algorithm>

#include "analysis/spread.hpp"
#include "models/error.hpp"
#include "tests/cli.hpp"

namespace gyre {
namespace {

class Figures : public Cli {
 protected:
  static DrawnFigure drawn(std::string_view name, const Results& results) {
    const auto figure = std::find_if(figures().begin(), figures().end(),
                                     [name](const Figure& one) { return one.name == name; });
    EXPECT_NE(figure, figures().end());
    return figure->draw(*figure, results);
  }
  [[nodiscard]] Results results() const { return read_results(folder_ / "out", "0.1.0"); }
  [[nodiscard]] Drawing drawing(std::string_view name) const {
    return std::get<Drawing>(drawn(name, results()));
  }
};

TEST_F(Figures, HaveEachAnOutputTable) {
  for (const Figure& figure : figures()) {
    EXPECT_TRUE(std::any_of(output_tables().begin(), output_tables().end(),
                            [&figure](const OutputTable& table) {
                              return table.name == figure.name &&
                                     table.columns.data() == figure.columns.data();
                            }))
        << figure.name;
  }
}

// By hand: 1 s of compute, then 1 GB over 10 Gbps and 20 ms; colocated without the 0.8 s.
TEST_F(Figures, RoundTimeOfTwoIslands) {
  compare();
  EXPECT_EQ(drawing("round-time").csv,
            "mode,place,schedule,compute_s,communication_s,wait_s,round_s,bound_s,seeds\n"
            "neither,1,none,1,0,0,1,1,1\n"
            "neither,2,colocated,1,0.02001,0,1.02001,1.02001,1\n"
            "neither,3,all-reduce/direct,1,0.82,0,1.82,1.82,1\n"
            "both,1,none,1,0,0,1,1,1\n"
            "both,2,colocated,1,0.02001,0,1.02001,1.02001,1\n"
            "both,3,all-reduce/direct,1,0.82,0,1.82,1.82,1\n");
}

// The two islands have heard from each other after one exchange.
TEST_F(Figures, SpreadOfTwoIslands) {
  compare();
  const std::string csv = drawing("spread").csv;
  EXPECT_NE(csv.find("both,3,all-reduce/direct,0,0,0,0,1\n"
                     "both,3,all-reduce/direct,1,1,1,1,1\n"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find("both,1,none,1,0,0,0,1\n"), std::string::npos) << csv;
}

TEST_F(Figures, LinkUtilisationOfTwoIslands) {
  compare();
  const std::string csv = drawing("link-utilisation").csv;
  // 0.8 s of each 1.82 s.
  EXPECT_NE(csv.find("neither,3,all-reduce/direct,1,east.up,access,0.43956043956,1,1\n"),
            std::string::npos)
      << csv;
  EXPECT_NE(csv.find(",EAST->WEST,core,0.43956043956,1,1\n"), std::string::npos) << csv;
}

TEST_F(Figures, TimeToAccuracyShowsTheLossWhereThereIsNoAccuracy) {
  compare();
  const Drawing shown = drawing("time-to-accuracy");
  EXPECT_NE(shown.csv.find("neither,3,all-reduce/direct,0,loss_average,13,13,13,1\n"
                           "neither,3,all-reduce/direct,1.82,loss_average,2.01970818238,"
                           "2.01970818238,2.01970818238,1\n"),
            std::string::npos)
      << shown.csv;
  EXPECT_NE(shown.plot.find("target = 0.51\n"), std::string::npos);
  EXPECT_NE(shown.plot.find("'simulated time (s)'"), std::string::npos);
  EXPECT_NE(shown.plot.find("'loss of the average model (task''s own)'"), std::string::npos);
  EXPECT_EQ(shown.plot.find("filledcurves"), std::string::npos) << "a band of one seed";
}

// Two seeds: their mean where both were evaluated, between evaluations on the straight line, and
// after a run's last evaluation that one.
TEST_F(Figures, SeedsBecomeABand) {
  compare("--set 'seeds=[1, 2]'");
  for (const std::string id : {"none.both.seed1", "none.both.seed2"}) {
    const fs::path trace = folder_ / "out/runs" / id / "trace.csv";
    const std::string header = csv_header(trace_columns());
    const bool first = id.back() == '1';
    std::ofstream(trace) << header
                         << (first
                                 ? "0,0,0,0,,,,8,8,8,0\n2,1,1,1,,,,4,4,4,0\n"
                                 : "0,0,0,0,,,,8,8,8,0\n1,1,1,1,,,,2,2,2,0\n4,2,1,1,,,,1,1,1,0\n");
  }
  const Drawing shown = drawing("time-to-accuracy");
  EXPECT_NE(shown.csv.find("both,1,none,0,loss_average,8,8,8,2\n"
                           "both,1,none,1,loss_average,4,2,6,2\n"
                           "both,1,none,2,loss_average,2.83333333333,1.66666666667,4,2\n"
                           "both,1,none,4,loss_average,2.5,1,4,2\n"),
            std::string::npos)
      << shown.csv;
  EXPECT_NE(shown.plot.find("filledcurves"), std::string::npos);
}

TEST_F(Figures, ConsensusNamesWhoAlwaysAgrees) {
  compare();
  const Drawing shown = drawing("consensus");
  ASSERT_EQ(shown.notes.size(), 1U);
  EXPECT_NE(shown.notes[0].find("colocated, all-reduce/direct"), std::string::npos)
      << shown.notes[0];
  // Their data are there all the same.
  EXPECT_NE(shown.csv.find("both,3,all-reduce/direct,1.82,0,0,0,1\n"), std::string::npos);
  compare("--overwrite --set 'schedules=[{policy: colocated}]'");
  EXPECT_NE(std::get<LeftOut>(drawn("consensus", results())).reason.find("equal"),
            std::string::npos);
}

// A run that did not end counts only where none did.
TEST_F(Figures, LeaveOutRunsThatDidNotEnd) {
  compare("--set 'seeds=[1, 2]'");
  const fs::path manifest = folder_ / "out/runs/none.both.seed2/manifest.json";
  std::string text = read(manifest);
  const std::string complete = "\"status\": \"complete\"";
  ASSERT_NE(text.find(complete), std::string::npos);
  text.replace(text.find(complete), complete.size(), "\"status\": \"truncated\"");
  std::ofstream(manifest) << text;
  const std::string csv = drawing("round-time").csv;
  EXPECT_NE(csv.find("both,1,none,1,0,0,1,1,1\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("neither,1,none,1,0,0,1,1,2\n"), std::string::npos) << csv;
}

// Two switches without coordinates: on a circle, one above the other; the two directions of the
// fibre beside each other.
TEST_F(Figures, MapOfTwoIslands) {
  compare();
  const std::string csv = drawing("map").csv;
  const auto rows = parse_csv(csv);
  ASSERT_EQ(rows.size(), 1U + 2U * 6U) << csv;
  EXPECT_EQ(rows[1][1], "all-reduce/direct");
  EXPECT_EQ(rows[1][3], "EAST->WEST");
  EXPECT_EQ(rows[1][8], "0.43956043956");
  EXPECT_EQ(rows[3][2], "switch");
  EXPECT_EQ(rows[5][2], "island");
  EXPECT_EQ(rows[5][8], "0.43956043956");
  EXPECT_NEAR(std::stod(rows[1][4]), -std::stod(rows[2][4]), 1e-6);
}

/// Rounds of four islands by hand.
class SpreadByHand : public Figures {
 protected:
  [[nodiscard]] std::vector<double> informed(const std::string& rows, std::int64_t over) const {
    Results results;
    for (const char* name : {"A", "B", "C", "D"}) results.map.islands.push_back({.name = name});
    ResultRun run;
    run.folder = folder_;
    run.summary.emplace();
    run.summary->rounds = over;
    (void)file("rounds.csv", "round,members,exchange,outcome\n" + rows);
    const Spread spread = spread_of(results, run);
    return spread.informed;
  }
};

// Pairs, then pairs across: 4 of 12 ordered pairs, then all.
TEST_F(SpreadByHand, FollowsCliques) {
  EXPECT_EQ(informed("0,A+B,direct,averaged\n1,A+C,direct,averaged\n0,C+D,direct,averaged\n"
                     "1,B+D,direct,averaged\n2,A+B,direct,averaged\n",
                     3),
            (std::vector<double>{0.0, 4.0 / 12.0, 1.0}));
}

// What is sent in a round is what was there before it; dropped exchanges inform nobody; a round
// that is not over for all does not count.
TEST_F(SpreadByHand, OnlyOfWhatArrivedInRoundsThatAreOver) {
  EXPECT_EQ(informed("0,A+B,direct,averaged\n0,C,,\n0,D,,\n1,C+D,direct,dropped\n"
                     "2,A+B+C+D,direct,averaged\n",
                     2),
            (std::vector<double>{0.0, 2.0 / 12.0, 2.0 / 12.0}));
}

// B takes from A, C from B: what A sends reaches C a round later, and nothing goes back.
TEST_F(SpreadByHand, FollowsTheEdgesOfAnOverlay) {
  Results results;
  for (const char* name : {"A", "B", "C"}) results.map.islands.push_back({.name = name});
  ResultRun run;
  run.folder = folder_;
  run.summary.emplace();
  run.summary->rounds = 2;
  (void)file("rounds.csv",
             "round,members,exchange,outcome,receiver\n0,A,,,A\n0,A+B,,,B\n0,B+C,,,C\n"
             "1,A,,,A\n1,A+B,,,B\n1,B+C,,,C\n");
  const Spread spread = spread_of(results, run);
  EXPECT_EQ(spread.informed, (std::vector<double>{0.0, 2.0 / 6.0, 3.0 / 6.0}));
  using Row = std::vector<std::optional<std::size_t>>;
  EXPECT_EQ(spread.first, (std::vector<Row>{Row{0, std::nullopt, std::nullopt},
                                            Row{1, 0, std::nullopt}, Row{2, 1, 0}}));
}

TEST_F(Figures, HeardOfTwoIslands) {
  compare();
  EXPECT_EQ(drawing("heard").csv,
            "mode,schedule,receiver,sender,row,column,rounds\n"
            "neither,all-reduce/direct,east,east,1,1,0\n"
            "neither,all-reduce/direct,east,west,1,2,1\n"
            "neither,all-reduce/direct,west,east,2,1,1\n"
            "neither,all-reduce/direct,west,west,2,2,0\n"
            "both,all-reduce/direct,east,east,1,1,0\n"
            "both,all-reduce/direct,east,west,1,2,1\n"
            "both,all-reduce/direct,west,east,2,1,1\n"
            "both,all-reduce/direct,west,west,2,2,0\n");
}

// Four islands in a row of switches, two rounds of pairs: each clique in its colour on the links
// between its members; a period is shown once.
TEST_F(Figures, CliquesLieOnTheWaysBetweenTheirMembers) {
  const std::string scenario = file("row.yaml", R"(gyre: 1
name: row
network:
  topology:
    switches: [{name: P}, {name: Q}, {name: R}, {name: S}]
    islands: [{name: p, at: P}, {name: q, at: Q}, {name: r, at: R}, {name: s, at: S}]
    links:
      - {between: [P, Q], latency: 1 ms, bandwidth: 1 Gbps}
      - {between: [Q, R], latency: 1 ms, bandwidth: 1 Gbps}
      - {between: [R, S], latency: 1 ms, bandwidth: 1 Gbps}
      - {between: [P, S], latency: 9 ms, bandwidth: 1 Gbps}
  access: {bandwidth: 1 Gbps}
  modes: [neither]
job: {payload: 1 MB, compute: {step_time: 1 ms}}
task: {kind: quadratic, optima: [0, 1, 2, 3]}
schedules: [{policy: explicit, rounds: [p+q|r+s, p+s|q+r]}]
stop: {max_rounds: 5}
)");
  const Outcome outcome = gyre("compare " + scenario + " -o out --quiet");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  std::vector<std::string> ways;
  std::size_t panels = 0;
  for (const auto& row : parse_csv(drawing("cliques").csv)) {
    if (row[2] == "way") ways.push_back(row[0] + " " + row[3] + " " + row[8]);
    panels = row[0] == "panel" ? 0 : std::max(panels, std::stoul(row[0]));
  }
  EXPECT_EQ(panels, 2U);
  EXPECT_EQ(ways, (std::vector<std::string>{"1 P-Q 1", "1 R-S 2", "2 P-Q 1", "2 Q-R 1", "2 R-S 1",
                                            "2 Q-R 2"}));
}

// gnuplot cuts CSV cells at commas even where they are quoted.
TEST_F(Figures, NamesWithCommasBecomeReadable) {
  compare(
      "--set 'network.topology.switches=[{name: EAST}, {name: \"WEST, 2nd\"}]' --set "
      "'network.topology.islands[1].at=WEST, 2nd' --set "
      "'network.topology.links[0].between=[EAST, \"WEST, 2nd\"]'");
  for (const char* name : {"link-utilisation", "map", "cliques"}) {
    const Drawing shown = drawing(name);
    EXPECT_NE(shown.csv.find("EAST"), std::string::npos) << name;
    for (const auto& row : parse_csv(shown.csv)) {
      for (const std::string& cell : row) EXPECT_EQ(cell.find(','), std::string::npos) << cell;
    }
  }
}

}  // namespace
}  // namespace gyre
