#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "tests/cli.hpp"

namespace gyre {
namespace {

class ExportCli : public Cli {
 protected:
  [[nodiscard]] nlohmann::json json(const std::string& name) const {
    return nlohmann::json::parse(read(folder_ / name));
  }
  static bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
};

/// Arguments that export `scenario`, one of the shipped ones.
std::string of(const std::string& scenario, const std::string& arguments) {
  return fmt::format("export '{}' {}", (kSource / "scenarios" / scenario).string(), arguments);
}

// What a scenario runs on is what comes back, and runs as it did.
TEST_F(ExportCli, AScenarioRunsOnItsMapThatCameBack) {
  for (const std::string format : {"simgrid", "graphml"}) {
    const std::string map = format == "simgrid" ? "map.xml" : "map.graphml";
    const Outcome outcome =
        gyre(of("small-switches.yaml", fmt::format("--to {} -o {}", format, map)));
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.output, "");
    EXPECT_TRUE(has(outcome.errors, "written: " + map)) << outcome.errors;
    ASSERT_EQ(gyre(fmt::format("import {} --overwrite -o back.yaml", map)).status, 0);
    const std::string exchange = "exchange " + shipped("small-switches.yaml") +
                                 " --mode both --fidelity packet --format csv";
    const Outcome before = gyre(exchange);
    ASSERT_EQ(before.status, 0) << before.errors;
    const Outcome after = gyre(
        fmt::format("{} --set network.topology={}", exchange, (folder_ / "back.yaml").string()));
    EXPECT_EQ(after.status, 0) << after.errors;
    EXPECT_EQ(after.output, before.output);
  }
}

TEST_F(ExportCli, PrintsWithoutOutputAndTheSameTwice) {
  const Outcome first = gyre(of("nine-city.yaml", "--to graphml --quiet"));
  EXPECT_EQ(first.status, 0);
  EXPECT_EQ(first.errors, "");
  EXPECT_TRUE(first.output.starts_with("<?xml")) << first.output;
  EXPECT_FALSE(has(first.output, "node_multicast")) << "the scenario has several modes";
  EXPECT_EQ(gyre(of("nine-city.yaml", "--to graphml --quiet")).output, first.output);
}

TEST_F(ExportCli, ATopologyFileGoesByItself) {
  const std::string topology = "topologies/doublezero-nine-city.yaml";
  const Outcome outcome = gyre(of(topology,
                                  "--to graphml --set network.access.bandwidth=100Gbps"
                                  " --set 'network.topology.links[0].reverse_latency=1 ms'"
                                  " --set 'network.capable.multicast=[AMS]' --mode both"));
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_TRUE(has(outcome.output, "edgedefault=\"directed\""));
  EXPECT_TRUE(has(outcome.output, "100000000000"));
  EXPECT_TRUE(has(outcome.output,
                  "<data key=\"node_label\">AMS</data><data "
                  "key=\"node_multicast\">true</data>"));
  EXPECT_TRUE(has(outcome.output,
                  "<data key=\"node_label\">BAR</data><data "
                  "key=\"node_multicast\">false</data>"));
  EXPECT_EQ(gyre(of(topology, "--to simgrid --set network.access.bandwidth=1Gbps")).status, 0);
}

// The programs of a schedule are those that `gyre plan` writes for the same rounds.
TEST_F(ExportCli, ProgramsAreThoseOfThePlan) {
  // Few islands, which are soon planned.
  const std::string few = "'" +
                          file("few.yaml", R"(
gyre: 1
name: few
network:
  topology:
    switches: [{name: A}, {name: B}, {name: C}, {name: D}]
    islands: [{name: A, at: A}, {name: B, at: B}, {name: C, at: C}, {name: D, at: D}]
    links:
      - {between: [A, B], latency: 5 ms, bandwidth: 10 Gbps}
      - {between: [B, C], latency: 50 ms, bandwidth: 1 Gbps}
      - {between: [C, D], latency: 5 ms, bandwidth: 10 Gbps}
      - {between: [D, A], latency: 50 ms, bandwidth: 1 Gbps}
  access: {bandwidth: 10 Gbps}
  modes: [neither]
job: {payload: 1 GB, local_steps: 10, compute: {step_time: 100 ms}}
task: {kind: quadratic, curvatures: [1], optima: [-1, 0, 0, 1], start: 5, learning_rate: 0.1}
schedules: [{policy: rotating-cliques, exchange: direct, objective: consensus}]
plan: {objective: consensus}
stop: {loss: 0.51, max_rounds: 100}
)")
                              .string() +
                          "'";
  const Outcome plan = gyre("plan " + few + " --quiet -o plan.yaml");
  ASSERT_EQ(plan.status, 0) << plan.errors;
  const Outcome outcome = gyre("export " + few + " --to programs -o programs.json");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto programs = json("programs.json");
  EXPECT_EQ(programs.at("rounds"), json("plan.programs.json").at("rounds"));
  EXPECT_EQ(programs.at("schedule"), "rotating-cliques/direct");
  EXPECT_EQ(programs.at("repeats"), true);
  EXPECT_EQ(programs.at("rounds").size(), 2U);
}

TEST_F(ExportCli, RoundsAreAPeriodOrAsManyAsWereAskedFor) {
  const auto rounds = [&](const std::string& options) {
    const Outcome outcome =
        gyre(of("nine-city.yaml", "--to programs --quiet --mode both " + options));
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    return nlohmann::json::parse(outcome.output);
  };
  EXPECT_EQ(rounds("--schedule two-rounds-3x3").at("rounds").size(), 2U);
  const auto three = rounds("--schedule two-rounds-3x3 --rounds 3");
  EXPECT_EQ(three.at("rounds").size(), 3U);
  EXPECT_EQ(three.at("repeats"), false);
  EXPECT_EQ(rounds("--schedule two-rounds-3x3 --rounds 4").at("repeats"), true);
  const std::string random = "--schedule random-cliques/best --rounds 2 --seed ";
  EXPECT_EQ(rounds(random + "1"), rounds(random + "1"));
  EXPECT_NE(rounds(random + "1").at("rounds"), rounds(random + "2").at("rounds"));
  EXPECT_EQ(rounds("--schedule gossip-pairs/best --rounds 130").at("rounds").size(), 130U);
}

// What a switch gets on an arc under a label is for one row, whatever clique it is of.
TEST_F(ExportCli, LabelsAreUniqueInARound) {
  for (const std::string schedule : {"two-rounds-3x3", "static-cliques/direct"}) {
    const Outcome outcome =
        gyre(of("nine-city.yaml",
                fmt::format("--to programs --quiet --mode multicast --schedule {}", schedule)));
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const auto programs = nlohmann::json::parse(outcome.output);
    for (const auto& round : programs.at("rounds")) {
      std::set<std::pair<std::string, int>> seen;
      for (const auto& exchange : round.at("exchanges")) {
        for (const auto& rows : exchange.at("switches")) {
          for (const auto& row : rows) {
            for (const auto& port : row.at("in")) {
              EXPECT_TRUE(seen.emplace(port.at("arc"), port.at("label")).second) << port;
            }
          }
        }
      }
      EXPECT_GT(seen.size(), 20U);
    }
  }
}

// An overlay's islands send over trees too, which switches replicate where they can.
TEST_F(ExportCli, OverlaysHaveProgramsAndWeights) {
  const std::string overlay = "--set 'schedules=[{policy: star}]' --schedule star ";
  for (const std::string mode : {"neither", "multicast"}) {
    const Outcome outcome = gyre(
        of("nine-city.yaml", fmt::format("{} --to programs --quiet --mode {}", overlay, mode)));
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    const auto round = nlohmann::json::parse(outcome.output).at("rounds").at(0);
    const auto& exchange = round.at("exchanges").at(0);
    EXPECT_EQ(exchange.at("exchange"), "overlay");
    EXPECT_EQ(round.at("weights").size(), 16U) << "eight leaves, both ways";
    EXPECT_EQ(exchange.at("streams").size(), mode == "neither" ? 16U : 9U);
    EXPECT_EQ(has(outcome.output, "\"kind\": \"replicate\""), mode == "multicast");
  }
  const Outcome graph = gyre(of("nine-city.yaml", overlay + "--to graphml --quiet --mode both"));
  EXPECT_TRUE(has(graph.output, "<graph id=\"round_1\" edgedefault=\"directed\">"));
}

TEST_F(ExportCli, LosesNothing) {
  const std::string simgrid =
      of("two-islands.yaml", "--to simgrid --schedule all-reduce/direct --mode both -o map.xml");
  ASSERT_EQ(gyre(simgrid).status, 0);
  EXPECT_TRUE(has(gyre(simgrid).errors, "map.xml: exists"));
  fs::remove(folder_ / "map.xml");
  const Outcome again = gyre(simgrid);
  EXPECT_EQ(again.status, 2);
  EXPECT_TRUE(has(again.errors, "map.deployment.xml: exists")) << again.errors;
  EXPECT_FALSE(fs::exists(folder_ / "map.xml"));
  EXPECT_EQ(gyre(simgrid + " --overwrite").status, 0);
  fs::copy_file(kSource / "scenarios/two-islands.yaml", folder_ / "two.yaml");
  EXPECT_EQ(gyre("export two.yaml --to graphml -o two.yaml --overwrite").status, 2);
  EXPECT_TRUE(has(read(folder_ / "two.yaml"), "gyre: 1"));
}

TEST_F(ExportCli, WrongInputExits2AndWritesNothing) {
  fs::create_directories(folder_ / "folder");
  fs::copy_file(kSource / "scenarios/two-islands.yaml", folder_ / "two.yaml");
  fs::copy_file(kSource / "scenarios/nine-city.yaml", folder_ / "nine.yaml");
  fs::create_directory_symlink(kSource / "scenarios/topologies", folder_ / "topologies");
  fs::copy_file(kSource / "scenarios/topologies/measured-seven-city.yaml", folder_ / "map.yaml");
  const auto before = tree(folder_);
  struct Wrong {
    const char* arguments;
    const char* message;  ///< how standard error begins
  };
  for (const auto& [arguments, message] : std::vector<Wrong>{
           {"two.yaml", "--to is required"},
           {"two.yaml --to simgird", "--to: 'simgird' is unknown (did you mean 'simgrid'?)"},
           {"nowhere.yaml --to graphml", "nowhere.yaml: cannot be read"},
           {"two.yaml --to graphml -o none/map.graphml", "none/map.graphml: its folder does not"},
           {"two.yaml --to graphml -o folder --overwrite", "folder: is a folder"},
           {"two.yaml --to graphml -o ''", "--output: is empty"},
           {"two.yaml --to graphml --overwrite", "--overwrite: has no effect without --output"},
           {"two.yaml --to graphml --set job.payload=1", "--set: job.payload: '1' lacks a unit"},
           {"two.yaml --to graphml --rounds 2 -o a", "--rounds: has no effect without --schedule"},
           {"two.yaml --to simgrid --seed 2 -o a", "--seed: has no effect without --schedule"},
           {"two.yaml --to graphml --mode all -o a", "--mode: 'all' is no mode of the scenario"},
           {"two.yaml --to programs -o a", "--schedule: needed, since the scenario has several"},
           {"two.yaml --to programs --schedule all-reduce/direct -o a", "--mode: needed"},
           {"two.yaml --to programs --schedule all -o a", "--schedule: 'all' is no schedule"},
           {"two.yaml --to programs --schedule none --mode both -o a", "--schedule: 'none' never"},
           {"two.yaml --to graphml --schedule colocated -o a", "--schedule: 'colocated' trains in"},
           {"two.yaml --to simgrid --schedule all-reduce/direct --mode both", "--output: needed"},
           {"two.yaml --to programs --schedule all-reduce/direct --mode both --rounds 0 -o a",
            "--rounds: "},
           {"nine.yaml --to graphml --schedule gossip-pairs/best --mode both -o a",
            "--rounds: needed, since the schedule 'gossip-pairs/best' does not begin again"},
           {"map.yaml --to graphml -o a",
            "map.yaml:19:12: islands[0].name: island 'AMS' has no access bandwidth"},
           {"map.yaml --to programs -o a", "--to programs: needs a scenario"},
           {"map.yaml --to graphml --schedule none -o a", "--schedule: needs a scenario"},
           {"map.yaml --to graphml --set job.payload=1GB -o a",
            "--set job.payload: has no effect on a topology file"},
           {"folder --to graphml", "folder: cannot be read"}}) {
    const Outcome outcome = gyre(fmt::format("export {}", arguments));
    EXPECT_EQ(outcome.status, 2) << arguments << '\n' << outcome.errors;
    EXPECT_EQ(outcome.output, "") << arguments;
    EXPECT_EQ(outcome.errors.rfind(message, 0), 0U) << arguments << '\n' << outcome.errors;
    EXPECT_EQ(tree(folder_), before) << arguments << " wrote something";
  }
}

}  // namespace
}  // namespace gyre
