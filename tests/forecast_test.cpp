// gyre forecast and the published numbers of large models, through scenarios as users write them.

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/cli.hpp"

namespace gyre {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<Row> rows_of(const std::string& csv) {
  const auto lines = parse_csv(csv);
  std::vector<Row> rows;
  for (std::size_t l = 1; l < lines.size(); ++l) {
    Row& row = rows.emplace_back();
    for (std::size_t c = 0; c < lines[0].size(); ++c) row[lines[0][c]] = lines[l].at(c);
  }
  return rows;
}

class ForecastCli : public Cli {
 protected:
  /// Nine islands on one switch without latency: an exchange is its bandwidth alone.
  [[nodiscard]] std::string flat_map(const std::string& more) const {
    std::string text = R"(gyre: 1
name: flat
network:
  topology:
    switches: [{name: hub}]
    islands:
)";
    for (int i = 0; i < 9; ++i) text += fmt::format("      - {{name: I{}, at: hub}}\n", i);
    text += R"(    links: []
  access: {bandwidth: 10 Gbps}
  modes: [both]
job:
  parameters: 1e10
  bytes_per_parameter: 2
  local_steps: 100
  compute:
    accelerators: {count: 64, peak: 989 TFLOPS, utilisation: 0.4, memory: 80 GB}
    tokens_per_step: 2097152
task: {kind: scaling-law, penalty: none}
schedules:
  - {policy: all-reduce, exchange: ring}
  - {policy: all-reduce, exchange: in-network}
)";
    return file("flat.yaml", text + more).string();
  }
};

// N = 1e10 to loss 2.20: 7.2155e10 tokens, 34,406 steps of 0.5522 s. With H = 100 and 10 Gbps the
// islands compute 55.22 s and exchange 2·8/9·16 s around the ring, 16 s in the network.
TEST_F(ForecastCli, TheWorkedCaseOfNineIslands) {
  const Outcome outcome = gyre("forecast " + flat_map("stop: {loss: 2.20}\n") + " --format csv");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const std::vector<Row> rows = rows_of(outcome.output);
  ASSERT_EQ(rows.size(), 2U);
  const double step_s = 6e10 * 2097152 / 9.0 / (64 * 989e12 * 0.4);
  EXPECT_NEAR(step_s, 0.5522, 5e-5);
  const double tokens =
      std::pow(2085.43 / (2.20 - 1.8172 - 482.01 / std::pow(1e10, 0.3478)), 1.0 / 0.3658);
  EXPECT_NEAR(tokens, 7.2155e10, 5e5);
  for (const auto& [row, exchange_s, utilisation] :
       {std::tuple{rows[0], 2.0 * 8.0 / 9.0 * 16.0, 0.660}, {rows[1], 16.0, 0.775}}) {
    const double round_s = 100.0 * step_s + exchange_s;
    EXPECT_NEAR(std::stod(row.at("tokens")), tokens, 1e-9 * tokens);
    EXPECT_EQ(std::llround(std::stod(row.at("steps"))), 34406);
    EXPECT_NEAR(std::stod(row.at("round_s")), round_s, 1e-6);
    EXPECT_NEAR(std::stod(row.at("compute_utilisation")), 100.0 * step_s / round_s, 1e-6);
    EXPECT_NEAR(std::stod(row.at("compute_utilisation")), utilisation, 5e-4);
    EXPECT_NEAR(std::stod(row.at("days")), tokens / 2097152 / 100 * round_s / 86400.0, 1e-6);
    EXPECT_EQ(row.at("effective_islands"), "9");
    EXPECT_GE(std::stod(row.at("ratio_to_bound")), 1.0 - 1e-9);
  }
  EXPECT_NEAR(std::stod(rows[0].at("site_sent_gb")),
              tokens / 2097152 / 100 * 2.0 * 8.0 / 9.0 * 20.0, 1e-3);
  EXPECT_NEAR(std::stod(rows[1].at("site_peak_gbps")), 10.0, 1e-6);
}

// The traffic of H local steps is the H-th part of that of one, to the byte.
TEST_F(ForecastCli, TrafficFallsWithTheLocalSteps) {
  const Outcome outcome = gyre(
      "forecast " + flat_map("forecast: {local_steps: [1, 10, 100, 500]}\nstop: {loss: 2.20}\n") +
      " --format csv");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const std::vector<Row> rows = rows_of(outcome.output);
  ASSERT_EQ(rows.size(), 8U);
  for (const std::size_t first : {0U, 4U}) {
    const double every_step = std::stod(rows[first].at("site_sent_gb"));
    for (std::size_t i = first; i < first + 4; ++i) {
      const double steps = std::stod(rows[i].at("local_steps"));
      EXPECT_NEAR(std::stod(rows[i].at("site_sent_gb")) * steps / every_step, 1.0, 1e-10);
    }
  }
}

// The same of a run's own counters: 100 steps with H = 1 and H = 10.
TEST_F(ForecastCli, ARunCountsTheBytesOfItsExchanges) {
  std::vector<double> bytes;
  for (const int steps : {1, 10}) {
    const Outcome outcome = gyre(fmt::format(
        "run {} --schedule all-reduce/ring --quiet -o r{} --set job.local_steps={} --set "
        "stop.max_rounds={}",
        flat_map("stop: {max_rounds: 2}\n"), steps, steps, 100 / steps));
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    double sum = 0.0;
    for (const Row& row : rows_of(read(folder_ / fmt::format("r{}/links.csv", steps)))) {
      sum += std::stod(row.at("bytes"));
    }
    bytes.push_back(sum);
  }
  EXPECT_EQ(bytes[0], 10.0 * bytes[1]);
}

// What compression says of the bytes is what crosses the wire, and what it withholds shows in what
// is learnt: 7850 parameters of softmax in 4 bits, with and without error feedback.
TEST_F(ForecastCli, CompressionShowsOnTheWireAndInTheModels) {
  const std::string scenario = file("four.yaml", R"(gyre: 1
name: four
network:
  topology:
    switches: [{name: hub}]
    islands: [{name: A, at: hub}, {name: B, at: hub}]
    links: []
  access: {bandwidth: 1 Gbps}
  modes: [neither]
job:
  parameters: 7850
  bytes_per_parameter: 4
  local_steps: 10
  compute: {step_time: 1 ms}
task: {kind: softmax}
schedules:
  - {policy: all-reduce, exchange: direct, name: whole}
  - {policy: all-reduce, exchange: direct, name: int8, compression: {kind: int8}}
  - {policy: all-reduce, exchange: direct, name: int4, compression: {kind: int4, block: 64}}
  - policy: all-reduce
    name: top-k
    exchange: direct
    compression: {kind: top-k, keep: 0.02}
  - policy: all-reduce
    name: forgetful
    exchange: direct
    compression: {kind: top-k, keep: 0.02, error_feedback: false}
stop: {max_rounds: 20}
)")
                                   .string();
  const Outcome outcome = gyre("compare " + scenario + " --quiet -o four --format csv");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const std::map<std::string, double> bytes{{"whole", 7850.0 * 4.0},
                                            {"int8", 7850.0 + 31.0 * 4.0},
                                            {"int4", 3925.0 + 123.0 * 4.0},
                                            {"top-k", 157.0 * 8.0},
                                            {"forgetful", 157.0 * 8.0}};
  std::map<std::string, double> losses;
  for (const Row& row : rows_of(outcome.output)) {
    const std::string& name = row.at("schedule");
    losses[name] = std::stod(row.at("final_loss_average"));
    const auto links = rows_of(read(folder_ / ("four/runs/" + name + ".neither.seed1/links.csv")));
    for (const Row& link : links) {
      EXPECT_EQ(std::stod(link.at("bytes")), 20.0 * bytes.at(name)) << name << link.at("arc");
    }
  }
  EXPECT_NEAR(losses["int8"], losses["whole"], 2e-3 * losses["whole"]);
  EXPECT_NEAR(losses["int4"], losses["whole"], 2e-2 * losses["whole"]);
  EXPECT_NEAR(losses["top-k"], losses["whole"], 2e-2 * losses["whole"]);
  EXPECT_GT(losses["forgetful"], 1.2 * losses["whole"]);  // 98 % of each change is lost for good
}

TEST_F(ForecastCli, PricesAddUp) {
  const Outcome outcome = gyre(
      "forecast " +
      flat_map("forecast: {prices: {accelerator_hour: 2, sent_gb: 0.05}}\nstop: {loss: 2.20}\n") +
      " --format csv");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  for (const Row& row : rows_of(outcome.output)) {
    const double expected =
        64.0 * 2.0 * 24.0 * std::stod(row.at("days")) + 0.05 * std::stod(row.at("site_sent_gb"));
    EXPECT_NEAR(std::stod(row.at("site_cost")), expected, 1e-6 * expected);
    EXPECT_NEAR(std::stod(row.at("cost")), 9.0 * expected, 1e-5 * expected);
  }
}

// Cliques that never meet the others train as three islands; the penalty is theirs, and the tokens
// of the others do not reach them.
TEST_F(ForecastCli, StaticCliquesTrainOnTheirOwnTokens) {
  std::string scenario = read(flat_map("stop: {loss: 2.20}\n"));
  const std::size_t at = scenario.find("  - {policy: all-reduce, exchange: ring}");
  scenario.insert(at,
                  "  - {policy: static-cliques, cliques: 'I0+I1+I2|I3+I4+I5|I6+I7+I8', exchange: "
                  "direct}\n  - {policy: none}\n");
  const Outcome outcome =
      gyre("forecast " + file("cliques.yaml", scenario).string() + " --format csv");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const std::vector<Row> rows = rows_of(outcome.output);
  EXPECT_EQ(rows[0].at("effective_islands"), "3");
  EXPECT_EQ(rows[1].at("effective_islands"), "1");
  EXPECT_EQ(std::llround(std::stod(rows[0].at("steps"))), std::llround(3 * 34406.19));
  EXPECT_EQ(std::llround(std::stod(rows[1].at("steps"))), std::llround(9 * 34406.19));
}

// Islands by themselves, eight at a step a second and one ten times slower: eight and a tenth
// islands' tokens a second, until the end. A quorum's rounds end in bursts, no sooner than the
// bound.
TEST_F(ForecastCli, FastIslandsGoOnWhileOthersEndTheirRounds) {
  std::string scenario = read(flat_map("stop: {loss: 2.20}\n"));
  const std::size_t at = scenario.find("  - {policy: all-reduce, exchange: ring}");
  scenario.insert(at,
                  "  - {policy: none}\n  - {policy: all-reduce, name: late, exchange: direct, "
                  "stragglers: {rule: quorum, quorum: 0.5, deadline: 0 s}}\n");
  const Outcome outcome = gyre(
      "forecast " + file("fast.yaml", scenario).string() +
      " --format csv --set 'job.compute={step_time: 1 s, islands: [{island: I8, step_time: 10 s}]}'"
      " --set task.tokens_per_step=2097152");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const std::vector<Row> rows = rows_of(outcome.output);
  const double steps_s = std::stod(rows[0].at("days")) * 86400.0 * 8.1 / 9.0;
  EXPECT_NEAR(std::stod(rows[0].at("steps")) / steps_s, 1.0, 0.01);
  for (const Row& row : rows) EXPECT_GE(std::stod(row.at("ratio_to_bound")), 1.0 - 1e-9);
}

TEST_F(ForecastCli, SaysNeverWhereNoTokensLeadToTheLoss) {
  const Outcome outcome = gyre("forecast " + flat_map("stop: {loss: 1.9}\n") + " --format csv");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  for (const Row& row : rows_of(outcome.output)) {
    EXPECT_EQ(row.at("outcome"), "never");
    EXPECT_EQ(row.at("days"), "");
  }
}

TEST_F(ForecastCli, NeedsALawAndALoss) {
  const Outcome no_law = gyre("forecast " + shipped("two-islands.yaml"));
  EXPECT_EQ(no_law.status, 2);
  EXPECT_NE(no_law.errors.find("scaling-law"), std::string::npos);
  const Outcome no_loss = gyre("forecast " + flat_map("stop: {max_rounds: 5}\n"));
  EXPECT_EQ(no_loss.status, 2);
  EXPECT_NE(no_loss.errors.find("stop.loss"), std::string::npos);
}

// An extrapolated run is the run itself: simulated to its target, it takes as long.
TEST_F(ForecastCli, AgreesWithTheWholeRun) {
  const std::string scenario =
      flat_map("stop: {loss: 2.20, max_rounds: 400}\nevaluate: {every_rounds: 1}\n");
  const std::vector<Row> forecasts = rows_of(gyre("forecast " + scenario + " --format csv").output);
  const std::vector<Row> runs =
      rows_of(gyre("compare " + scenario + " --quiet --format csv").output);
  ASSERT_EQ(runs.size(), 2U);
  for (const Row& run : runs) {
    for (const Row& one : forecasts) {
      if (one.at("schedule") != run.at("schedule")) continue;
      const double whole_s = std::stod(run.at("time_to_accuracy_s"));
      const double forecast_s = std::stod(one.at("days")) * 86400.0;
      EXPECT_LE(forecast_s, whole_s);  // the run ends with the round in which it gets there
      EXPECT_GE(forecast_s, whole_s - std::stod(one.at("round_s")) * (1.0 + 1e-9));
    }
  }
}

// INTELLECT-1 (arXiv 2412.01152): 38 minutes of local steps and an all-reduce of 103, 382 or 469 s:
// 95.7, 85.6 and (by our reckoning 82.9) 83.0 %.
TEST_F(ForecastCli, Intellect1ComputesAsMuchAsPublished) {
  struct Case {
    const char* bandwidth;
    double exchange_s;
    double published;
  };
  for (const Case& c : {Case{"1.4426Gbps", 103.0, 0.957}, Case{"389Mbps", 382.0, 0.856},
                        Case{"317Mbps", 469.0, 0.830}}) {
    const Outcome outcome =
        gyre(fmt::format("forecast {} --format csv --set network.access.bandwidth={}",
                         shipped("intellect-1.yaml"), c.bandwidth));
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const Row row = rows_of(outcome.output).at(0);
    EXPECT_NEAR(std::stod(row.at("round_s")), 2280.0 + c.exchange_s, 1.0);
    EXPECT_NEAR(std::stod(row.at("compute_utilisation")), c.published, 1e-3);
  }
}

// Streaming DiLoCo (arXiv 2501.18512), Table 4: every cell within one step of the published grid,
// and at least 85 % of them the very point. Six are one step off: the published figures there do
// not follow from the closed form either (see the table's source in the README).
TEST_F(ForecastCli, StreamingDiLoCoTable) {
  const Outcome outcome = gyre("reproduce streaming-diloco --format csv --quiet");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const std::vector<Row> rows = rows_of(outcome.output);
  ASSERT_EQ(rows.size(), 50U);
  std::size_t exact = 0;
  for (const Row& row : rows) {
    const int steps = std::stoi(row.at("grid_steps"));
    EXPECT_LE(std::abs(steps), 1) << row.at("model") << row.at("method");
    if (steps == 0) ++exact;
  }
  EXPECT_GE(exact, 43U);
}

TEST_F(ForecastCli, PublishedPhases) {
  const Outcome outcome = gyre("reproduce phases --format csv --quiet");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const std::vector<Row> rows = rows_of(outcome.output);
  ASSERT_EQ(rows.size(), 4U);
  for (const Row& row : rows) EXPECT_LE(std::abs(std::stod(row.at("difference_%"))), 0.06);
}

}  // namespace
}  // namespace gyre
