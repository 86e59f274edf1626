#include <fstream>
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analysis/columns.hpp"
#include "analysis/csv.hpp"
#include "scenarios/scenario.hpp"
#include "schedules/round_plan.hpp"
#include "sim/exchange_probe.hpp"
#include "tests/cli.hpp"
#include "tests/support.hpp"

namespace gyre {
namespace {

class PlanCli : public Cli {};

/// The rows of a CSV by column name.
std::vector<std::map<std::string, std::string>> rows_of(const std::string& text) {
  const auto lines = parse_csv(text);
  std::vector<std::map<std::string, std::string>> rows;
  for (std::size_t l = 1; l < lines.size(); ++l) {
    auto& row = rows.emplace_back();
    for (std::size_t c = 0; c < lines[l].size(); ++c) row[lines[0][c]] = lines[l][c];
  }
  return rows;
}

TEST_F(PlanCli, CsvHasARowForEachModeAndRank) {
  const Outcome outcome =
      gyre("plan " + shipped("nine-city.yaml") +
           " --set plan.objective=consensus --set plan.exchange=tree --format csv --quiet");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.output.substr(0, outcome.output.find('\n')),
            "mode,routing,exchange,objective,rank,schedule,rounds,time_s,drift,bound_s,gap,"
            "period_s,consensus_s,plan_s");
  std::set<std::string> modes;
  for (const auto& row : rows_of(outcome.output)) {
    modes.insert(row.at("mode"));
    EXPECT_EQ(row.at("exchange"), "tree");
    EXPECT_EQ(row.at("objective"), "consensus");
    EXPECT_GE(std::stod(row.at("time_s")), std::stod(row.at("bound_s")) * (1.0 - 1e-9));
    if (row.at("rank") == "1") {
      EXPECT_EQ(row.at("schedule"), "AMS+BAR+FRA+LAX+LON+NYC+SEO+SIN+TYO");
      EXPECT_NEAR(std::stod(row.at("time_s")), 3.0476, 6e-5);
      EXPECT_EQ(std::stod(row.at("gap")), 0.0);
      EXPECT_GE(std::stod(row.at("plan_s")), std::stod(row.at("period_s")) * (1.0 - 1e-6));
    }
  }
  EXPECT_EQ(modes.size(), 4U);
}

// The schedule that plan writes is one that explicit runs, in the time that plan says.
TEST_F(PlanCli, WritesAScheduleThatRuns) {
  const std::string planned =
      "plan " + shipped("nine-city.yaml") +
      " --mode neither --set plan.objective=consensus --set network.routing=engineered"
      " --format csv --quiet -o " +
      (folder_ / "planned.yaml").string();
  const Outcome outcome = gyre(planned);
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto row = rows_of(outcome.output).front();
  EXPECT_NEAR(std::stod(row.at("time_s")), 6.6410, 6e-5);
  EXPECT_EQ(gyre(planned).status, 2) << "an existing file is not lost";
  EXPECT_EQ(gyre(planned + " --overwrite").status, 0);

  const auto programs = nlohmann::json::parse(read(folder_ / "planned.programs.json"));
  EXPECT_EQ(programs.at("mode"), "neither");
  ASSERT_EQ(programs.at("rounds").size(), 2U);
  for (const auto& round : programs.at("rounds")) EXPECT_EQ(round.at("exchanges").size(), 3U);

  std::string scenario = read(kSource / "scenarios/two-rounds-3x3.yaml");
  const std::string topology = "topologies/doublezero-nine-city.yaml";
  scenario.replace(scenario.find(topology), topology.size(),
                   (kSource / "scenarios" / topology).string());
  const std::size_t schedules = scenario.find("schedules:");
  scenario.replace(schedules, scenario.find("\nstop:") - schedules,
                   "schedules:\n  - {policy: explicit, exchange: direct, barrier: true, "
                   "file: planned.yaml}");
  std::ofstream(folder_ / "run.yaml") << scenario;
  const Outcome run = gyre("run " + (folder_ / "run.yaml").string() +
                           " --mode neither --set stop.max_rounds=2 --set stop.loss=1e-9"
                           " --set network.routing=engineered --format csv --quiet -o " +
                           (folder_ / "out").string());
  ASSERT_EQ(run.status, 0) << run.errors;
  const auto summary = rows_of(run.output).front();
  EXPECT_NEAR(2.0 * std::stod(summary.at("mean_round_s")), std::stod(row.at("plan_s")),
              1e-6 * std::stod(row.at("plan_s")));
}

// What the optimiser found is, simulated by the engine, what it predicted.
TEST(PlannedRounds, AreSimulatedInThePredictedTime) {
  const Topology topology = nine_city();
  const Routes routes(topology);
  const Bytes payload = Bytes::count(2'000'000'000);
  for (const Mode mode : kAllModes) {
    const Capabilities able = capabilities(topology, mode);
    const Network network{.topology = topology, .routes = routes, .capabilities = able};
    for (const Routing routing : {Routing::kShortest, Routing::kEngineered}) {
      for (const Exchange exchange : {Exchange::kDirect, Exchange::kTree}) {
        const std::vector<std::string> texts{"SEO+TYO+SIN+LAX+NYC+BAR+LON+AMS+FRA",
                                             "SEO+LAX+NYC|TYO+SIN+FRA|BAR+LON+AMS",
                                             "SEO+TYO+SIN+NYC|LAX+BAR+LON+AMS+FRA"};
        std::vector<Round> rounds;
        for (const std::string& text : texts) rounds.push_back(round_of(text, topology));
        const ProbeResult result =
            probe(topology, able, payload, exchange, rounds, {.routing = routing});
        for (std::size_t r = 0; r < rounds.size(); ++r) {
          Duration predicted;
          for (const ExchangePlan& plan :
               plan_round(network, rounds[r], payload, exchange, routing)) {
            predicted = std::max(predicted, plan.predicted.total());
          }
          // Alone planned cliques may meet on an arc; then only engineered rounds are predicted.
          if (routing == Routing::kShortest && r > 0) continue;
          if (routing == Routing::kShortest && exchange == Exchange::kDirect) {
            EXPECT_LE(result.rounds[r].time, predicted * (1.0 + 1e-6));
            continue;
          }
          EXPECT_NEAR(result.rounds[r].time / predicted, 1.0, 1e-6)
              << texts[r] << ' ' << name_of(mode) << ' ' << name_of(exchange);
        }
      }
    }
  }
}

// A small pool sets the pace in the engine too, and the row says whose.
TEST(PlannedRounds, SayWhichSwitchLimitsThem) {
  const Topology topology = nine_city();
  SwitchLimits limits;
  limits.memory = Bytes::count(2 << 20);
  limits.discipline = AggregationDiscipline::kAckClocked;
  const ProbeResult result =
      probe(topology, capabilities(topology, Mode::kBoth), Bytes::count(2'000'000'000),
            Exchange::kInNetwork, {round_of("AMS+FRA+LON", topology)}, {.limits = &limits});
  EXPECT_NEAR(16.0 / result.rounds[0].bandwidth.in_seconds(), 3.976, 0.0006);
  EXPECT_EQ(result.rounds[0].cliques.at(0).bound_by.rfind("switch memory ", 0), 0U);
}

// Impossible limits and keys are explained in one sentence, with status 2.
TEST_F(PlanCli, ImpossiblePlansAreExplained) {
  const std::string plan = "plan " + shipped("nine-city.yaml") + " --quiet ";
  const auto problem = [&](const std::string& options) {
    const Outcome outcome = gyre(plan + options);
    EXPECT_EQ(outcome.status, 2) << options;
    EXPECT_EQ(outcome.output, "") << options;
    return outcome.errors;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(
      has(problem("--set plan.exchange=in-network --set 'network.capable={aggregation: []}'"),
          "none does in this mode"));
  EXPECT_TRUE(has(problem("--set plan.exchange=ring"), "one order at a time"));
  EXPECT_TRUE(has(problem("--set plan.objective=window"), "needs `window`"));
  EXPECT_TRUE(has(problem("--set plan.window='1 s'"), "has no effect"));
  EXPECT_TRUE(has(problem("--mode both --set 'plan={objective: window, window: 1 ms}'"),
                  "no round communicates within 1 ms"));
  EXPECT_TRUE(has(problem("--set 'network.aggregator={memory: 0 B}'"), "must be at least 1 B"));
  EXPECT_TRUE(has(problem("--set plan.epsilon=2"), "below 1"));
}

// A window decides the cliques: what fits, and no more.
TEST_F(PlanCli, AWindowKeepsRoundsWithinIt) {
  const Outcome outcome =
      gyre("plan " + shipped("nine-city.yaml") +
           " --mode neither --set 'plan={objective: window, window: 3.4 s}' --format csv --quiet");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto row = rows_of(outcome.output).front();
  EXPECT_LE(std::stod(row.at("period_s")), 3.4 * std::stod(row.at("rounds")));
  EXPECT_GT(std::stod(row.at("drift")), std::stod(row.at("bound_s")));
}

TEST_F(PlanCli, TheSameSeedGivesTheSamePlan) {
  const std::string plan =
      "plan " + shipped("nine-city.yaml") + " --mode neither --format json --quiet";
  const Outcome first = gyre(plan);
  EXPECT_EQ(first.status, 0) << first.errors;
  EXPECT_EQ(gyre(plan).output, first.output);
}

TEST_F(PlanCli, ListsItsReproductions) {
  const Outcome outcome = gyre("list reproductions");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.output.find("capability-shift"), std::string::npos);
  EXPECT_NE(outcome.output.find("memory-shift"), std::string::npos);
  EXPECT_EQ(gyre("reproduce nothing").status, 2);
}

class SlowReproductions : public Cli {};

// No value of the independent annealer is better than ours.
TEST_F(SlowReproductions, CapabilityShiftIsMatchedOrBeaten) {
  const Outcome outcome = gyre("reproduce capability-shift --format csv --quiet");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto rows = rows_of(outcome.output);
  EXPECT_EQ(rows.size(), 28U);
  for (const auto& row : rows) {
    EXPECT_LE(std::stod(row.at("difference")), 1e-4);
    EXPECT_GE(std::stod(row.at("ours")), std::stod(row.at("bound")) - 1e-4);
  }
}

// With memory the optimum moves from rotating cliques to the global one; aligned launches need
// least.
TEST_F(SlowReproductions, MemoryShiftsTheOptimum) {
  const Outcome outcome = gyre("reproduce memory-shift --format csv --quiet");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  std::map<std::string, std::vector<std::string>> largest;
  for (const auto& row : rows_of(outcome.output)) {
    largest[row.at("discipline")].push_back(row.at("largest_clique"));
  }
  for (const std::string discipline : {"ack-clocked", "open-loop"}) {
    EXPECT_NE(largest.at(discipline).front(), "9");
    EXPECT_EQ(largest.at(discipline).back(), "9");
  }
  EXPECT_EQ(largest.at("aligned").front(), "9");
}

}  // namespace
}  // namespace gyre
