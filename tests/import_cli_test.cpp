#include "tests/cli.hpp"

namespace gyre {
namespace {

class ImportCli : public Cli {
 protected:
  void put(const std::string& name, const std::string& content) const {
    ASSERT_TRUE(fs::exists(file(name, content)));
  }
  void SetUp() override {
    Cli::SetUp();
    put("map.csv",
        "from,to,latency_ms,bandwidth_gbps\nOslo,Bergen,4.5,10\nBergen,Paris,7,10\n"
        "Paris,Oslo,6.25,10\n");
  }
};

// What is written is what a scenario runs on.
TEST_F(ImportCli, WritesATopologyThatAScenarioLoads) {
  const Outcome outcome = gyre("import map.csv --islands Paris,Oslo -o map.yaml");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, "");
  EXPECT_NE(outcome.errors.find("map.csv (csv): 3 nodes, 2 islands, 3 links, lengths unknown"),
            std::string::npos)
      << outcome.errors;
  const std::string text = read(folder_ / "map.yaml");
  EXPECT_NE(text.find("--islands Paris,Oslo"), std::string::npos) << text;

  std::string scenario = read(kSource / "scenarios/nine-city.yaml");
  const std::string topology = "topologies/doublezero-nine-city.yaml";
  scenario.replace(scenario.find(topology), topology.size(), "map.yaml");
  put("run.yaml", scenario);
  const Outcome checked = gyre(
      "check run.yaml --set 'schedules=[{policy: all-reduce}]' "
      "--format csv");
  ASSERT_EQ(checked.status, 0) << checked.errors;
  std::map<std::string, std::string> values;
  for (const auto& row : parse_csv(checked.output)) values[row[0]] = row[1];
  EXPECT_EQ(values.at("network.topology.links[2].latency"), "6.25 ms");
  EXPECT_EQ(values.at("network.topology.islands[0].name"), "Paris");
}

TEST_F(ImportCli, PrintsWithoutOutputAndTheSameTwice) {
  const Outcome first = gyre("import map.csv --quiet");
  EXPECT_EQ(first.status, 0);
  EXPECT_EQ(first.errors, "");
  EXPECT_NE(first.output.find("  - {between: [Oslo, Bergen], latency: 4.5 ms, bandwidth: 10 Gbps}"),
            std::string::npos)
      << first.output;
  EXPECT_EQ(gyre("import map.csv --quiet").output, first.output);
}

TEST_F(ImportCli, LosesNothing) {
  ASSERT_EQ(gyre("import map.csv -o map.yaml").status, 0);
  const Outcome again = gyre("import map.csv -o map.yaml --name other");
  EXPECT_EQ(again.status, 2);
  EXPECT_NE(again.errors.find("exists"), std::string::npos);
  EXPECT_EQ(read(folder_ / "map.yaml").find("name: other"), std::string::npos);
  EXPECT_EQ(gyre("import map.csv -o map.yaml --name other --overwrite").status, 0);
  EXPECT_NE(read(folder_ / "map.yaml").find("name: other"), std::string::npos);
  EXPECT_EQ(gyre("import map.csv -o map.csv --overwrite").status, 2) << "the input is not lost";
}

TEST_F(ImportCli, WrongInputExits2AndWritesNothing) {
  put("bad.csv", "from,to,latency_ms,bandwidth_gbps\nA,B,-1,1\n");
  fs::create_directories(folder_ / "folder");
  const auto before = tree(folder_);
  for (const std::string arguments :
       {"nowhere.csv", "bad.csv -o out.yaml", "map.csv --format-of gmll",
        "map.csv -o none/out.yaml", "map.csv -o folder --overwrite", "map.csv --overwrite",
        "map.csv --bandwidth 10", "map.csv --bandwidth 0Gbps", "map.csv --bandwidth 10Gbps",
        "map.csv --ms-per-km fast", "map.csv --ms-per-km -1", "map.csv --ms-per-link 1",
        "map.csv --force-bandwidth", "map.csv --islands Rome", "map.csv --name ''",
        "map.csv --nodes nowhere.csv", "folder", ""}) {
    const Outcome outcome = gyre("import " + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments << '\n' << outcome.errors;
    EXPECT_EQ(outcome.output, "") << arguments;
    EXPECT_FALSE(outcome.errors.empty()) << arguments;
    EXPECT_EQ(tree(folder_), before) << arguments << " wrote something";
  }
  EXPECT_NE(gyre("import bad.csv").errors.find("bad.csv:2:5: latency_ms: -1 is negative"),
            std::string::npos);
}

}  // namespace
}  // namespace gyre
