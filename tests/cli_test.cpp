// The program as its users meet it: run as a process, judged by what it prints, writes and returns.

#include "tests/cli.hpp"

#include <cctype>
#include <set>

#include <nlohmann/json.hpp>

#include "analysis/columns.hpp"

namespace gyre {
namespace {

TEST_F(Cli, HelpNamesEveryCommandAndExits0) {
  const Outcome help = gyre("--help");
  EXPECT_EQ(help.status, 0);
  for (const char* command :
       {"check", "exchange", "plan", "run", "compare", "sweep", "query", "forecast", "crosscheck",
        "reproduce", "import", "export", "figures", "report", "generate", "list"}) {
    EXPECT_NE(help.output.find(fmt::format("  {} ", command)), std::string::npos) << command;
    EXPECT_EQ(gyre(fmt::format("{} --help", command)).status, 0);
  }
  EXPECT_EQ(gyre("--version").status, 0);
}

TEST_F(Cli, BadCommandLinesExit2) {
  const std::string two = shipped("two-islands.yaml");
  for (const std::string& arguments : {std::string(),
                                       std::string("frobnicate"),
                                       std::string("run"),
                                       "check " + two + " --frob",
                                       "run " + two,
                                       "run " + two + " --schedule none --mode aggregation",
                                       "run " + two + " --schedule nine --mode both",
                                       "compare " + two + " --jobs 0",
                                       "compare " + two + " --jobs many",
                                       "compare " + two + " --seed -1",
                                       "compare " + two + " --seed 99999999999999999999",
                                       "compare " + two + " --seed 1.5",
                                       "compare " + two + " -o ''",
                                       "compare " + two + " --fidelity packets",
                                       "check " + two + " --set job",
                                       "check " + two + " --set job.local_steps=0",
                                       "check " + two + " --set job.local_step=5",
                                       "check " + two + " --format xml",
                                       "exchange " + two + " --mode both --round east",
                                       "exchange " + two + " --mode both --round east+north",
                                       "exchange " + two + " --mode both --exchange fast",
                                       "exchange " + two + " --mode neither --exchange in-network",
                                       std::string("check nowhere.yaml"),
                                       std::string("list things")}) {
    const Outcome outcome = gyre(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments << '\n' << outcome.errors;
    EXPECT_FALSE(outcome.errors.empty()) << arguments;
    EXPECT_EQ(outcome.errors.find("terminate"), std::string::npos) << arguments;
    EXPECT_EQ(tree(folder_).size(), 0U) << arguments << " wrote something";
  }
}

// A single run lies below the comparison of its scenario by default; neither is in the other's way.
TEST_F(Cli, ARunDoesNotBlockTheComparison) {
  const std::string two = shipped("two-islands.yaml");
  EXPECT_EQ(gyre("run " + two + " --schedule all-reduce/direct --mode both --quiet").status, 0);
  const Outcome outcome = gyre("compare " + two + " --quiet");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(gyre("run " + two + " --schedule none --mode both --quiet").status, 0);
  EXPECT_EQ(gyre("compare " + two + " --quiet").status, 0);
}

TEST_F(Cli, InputErrorsNamePlaceKeyAndWhatIsAllowed) {
  const fs::path bad =
      file("bad.yaml", read(kSource / "scenarios/two-islands.yaml") + "\nstopp: 1\n");
  const Outcome outcome = gyre("compare bad.yaml");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.errors.find("bad.yaml:"), std::string::npos);
  EXPECT_NE(outcome.errors.find("stopp: "), std::string::npos);
  EXPECT_NE(outcome.errors.find("did you mean 'stop'?"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "results"));
}

TEST_F(Cli, CheckPrintsEveryValueWithItsOrigin) {
  const Outcome outcome = gyre("check " + shipped("nine-city.yaml") +
                               " --set network.access.bandwidth=100Gbps --format csv");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  std::map<std::string, std::pair<std::string, std::string>> values;
  for (const auto& row : parse_csv(outcome.output)) values[row[0]] = {row[1], row[2]};
  EXPECT_EQ(values.at("network.access.bandwidth").first, "100 Gbps");
  EXPECT_EQ(values.at("network.access.bandwidth").second, "--set");
  EXPECT_EQ(values.at("network.access.latency").second, "default");
  EXPECT_NE(values.at("job.local_steps").second.find("nine-city.yaml:"), std::string::npos);
  EXPECT_NE(
      values.at("network.topology.links[0].latency").second.find("doublezero-nine-city.yaml:"),
      std::string::npos);
}

TEST_F(Cli, ExchangePrintsTheKnownTime) {
  const Outcome outcome = gyre("exchange " + shipped("nine-city.yaml") +
                               " --exchange direct --mode neither --format csv"
                               " --round 'SEO+TYO+SIN|LAX+NYC+BAR|LON+AMS+FRA'");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto rows = parse_csv(outcome.output);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(outcome.output.substr(0, outcome.output.find('\n')),
            "round,exchange,mode,routing,time_s,bandwidth_s,latency_s,bound_s,ratio_to_bound,"
            "binding_arc");
  EXPECT_NEAR(std::stod(rows[1][4]), 3.28104, 1e-6);
  EXPECT_NEAR(std::stod(rows[1][5]), 3.2, 1e-6);
  EXPECT_NEAR(std::stod(rows[1][6]), 0.08104, 1e-6);
  // LAX -> BAR: 1.6 s through the access link and 81.04 ms.
  EXPECT_NEAR(std::stod(rows[1][7]), 1.68104, 1e-9);
}

TEST_F(Cli, FormatsAgree) {
  const std::string command = "exchange " + shipped("nine-city.yaml") + " --mode both --format ";
  const auto csv = parse_csv(gyre(command + "csv").output);
  const auto json = nlohmann::json::parse(gyre(command + "json").output);
  for (std::size_t c = 0; c < csv[0].size(); ++c) {
    const auto& value = json.at(csv[0][c]);
    EXPECT_EQ(csv[1][c],
              value.is_string() ? value.get<std::string>() : number(value.get<double>()));
  }
}

TEST_F(Cli, ComparisonWritesWhatItSays) {
  const Outcome outcome = gyre("compare " + shipped("two-islands.yaml") + " -o out --format csv");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, read(folder_ / "out/summary.csv"));
  EXPECT_EQ(outcome.output.substr(0, outcome.output.find('\n') + 1), csv_header(summary_columns()));
  const auto manifest = nlohmann::json::parse(read(folder_ / "out/manifest.json"));
  EXPECT_EQ(manifest.at("status"), "complete");
  EXPECT_EQ(manifest.at("scenario_text"), read(kSource / "scenarios/two-islands.yaml"));
  EXPECT_EQ(manifest.at("engine").at("options").at("network/model"), "CM02");
  const std::map<std::string, std::string> headers{{"trace.csv", csv_header(trace_columns())},
                                                   {"rounds.csv", csv_header(rounds_columns())},
                                                   {"routes.csv", csv_header(routes_columns())},
                                                   {"links.csv", csv_header(links_columns())},
                                                   {"islands.csv", csv_header(islands_columns())}};
  for (const auto& id : manifest.at("runs")) {
    const fs::path run = folder_ / "out/runs" / id.get<std::string>();
    for (const auto& [name, header] : headers) {
      const std::string text = read(run / name);
      EXPECT_EQ(text.substr(0, header.size()), header) << run << name;
      for (const auto& row : parse_csv(text)) EXPECT_EQ(row.size(), parse_csv(header)[0].size());
    }
    const auto timeline = nlohmann::json::parse(read(run / "timeline.json"));
    EXPECT_GT(timeline.size(), 3U);
    EXPECT_EQ(nlohmann::json::parse(read(run / "manifest.json")).at("status"), "complete");
  }
}

// F15, F16: the same results byte by byte, whatever the number of jobs; another seed, other
// results.
TEST_F(Cli, ResultsAreByteIdentical) {
  const std::string scenario = shipped("nine-city.yaml") +
                               " --set stop.max_rounds=4 --set evaluate.every_rounds=2"
                               " --set 'network.modes=[neither, both]' --quiet";
  ASSERT_EQ(gyre("compare " + scenario + " -o one --jobs 1").status, 0);
  ASSERT_EQ(gyre("compare " + scenario + " -o eight --jobs 8").status, 0);
  ASSERT_EQ(gyre("compare " + scenario + " -o other --jobs 8 --seed 2").status, 0);
  const auto one = tree(folder_ / "one");
  EXPECT_GT(one.size(), 20U);
  EXPECT_EQ(one, tree(folder_ / "eight"));
  EXPECT_NE(read(folder_ / "one/summary.csv"), read(folder_ / "other/summary.csv"));
}

TEST_F(Cli, RunWritesOneRun) {
  const Outcome outcome = gyre("run " + shipped("two-islands.yaml") +
                               " --schedule all-reduce/direct --mode neither -o out --format csv");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  for (const char* name : {"manifest.json", "trace.csv", "rounds.csv", "routes.csv", "links.csv",
                           "islands.csv", "timeline.json"}) {
    EXPECT_TRUE(fs::exists(folder_ / "out" / name)) << name;
  }
  // By hand: 1 s of compute, 0.8 s at 10 Gbps and 20 ms a round.
  EXPECT_NEAR(std::stod(parse_csv(outcome.output)[1][10]), 1.82, 1e-9);
}

// What sends nothing over the WAN is not first over the WAN.
TEST_F(Cli, NoneIsNotFirstOverTheWan) {
  const Outcome outcome = gyre("compare " + shipped("two-islands.yaml") +
                               " -o out --set 'schedules=[{policy: none}]' --set stop.loss=10");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output.find("First over the WAN"), std::string::npos) << outcome.output;
}

TEST_F(Cli, ListsEverything) {
  for (const char* what : {"policies", "tasks", "exchanges", "topologies", "columns", "figures"}) {
    const Outcome outcome = gyre(fmt::format("list {} --format csv", what));
    EXPECT_EQ(outcome.status, 0) << what;
    EXPECT_GT(parse_csv(outcome.output).size(), 2U) << what;
  }
}

// Progress is for terminals; elsewhere a line a run, and with --quiet nothing.
TEST_F(Cli, ProgressIsQuietWhenAsked) {
  const Outcome loud = gyre("compare " + shipped("two-islands.yaml") + " -o loud");
  EXPECT_NE(loud.errors.find("[6/6] "), std::string::npos);
  EXPECT_EQ(loud.errors.find('\r'), std::string::npos);
  const Outcome quiet = gyre("compare " + shipped("two-islands.yaml") + " -o quiet --quiet");
  EXPECT_EQ(quiet.errors, "");
}

/// The shell commands of the README's code blocks that start with `gyre` or the built executable.
std::vector<std::string> readme_commands() {
  std::vector<std::string> commands;
  std::istringstream stream(read(kSource / "README.md"));
  bool in_code = false;
  std::string pending;
  for (std::string line; std::getline(stream, line);) {
    if (line.compare(0, 3, "```") == 0) {
      in_code = line == "```sh";
      continue;
    }
    if (!in_code) continue;
    pending += line;
    if (!pending.empty() && pending.back() == '\\') {
      pending.pop_back();
      continue;
    }
    if (pending.compare(0, 5, "gyre ") == 0) commands.push_back(pending.substr(5));
    if (pending.compare(0, 19, "build/release/gyre ") == 0) commands.push_back(pending.substr(19));
    pending.clear();
  }
  return commands;
}

class SlowDemo : public Cli {};

// The README shows what the demo prints.
TEST_F(SlowDemo, PrintsTheReadmesTable) {
  const Outcome outcome = gyre("compare " + shipped("nine-city.yaml") + " -o out --quiet");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NE(read(kSource / "README.md").find("```text\n" + outcome.output + "```"),
            std::string::npos)
      << outcome.output;
}

// F22: every documented command works.
TEST_F(Cli, ReadmeCommandsRun) {
  const std::vector<std::string> commands = readme_commands();
  ASSERT_GE(commands.size(), 6U);
  fs::create_symlink(kSource / "scenarios", folder_ / "scenarios");
  for (const std::string& command : commands) {
    // The full comparison is the demo's; here it runs for two rounds.
    const bool runs = command.compare(0, 4, "run ") == 0 || command.compare(0, 8, "compare ") == 0;
    const Outcome outcome =
        gyre(command +
             (runs ? " --overwrite --set stop.max_rounds=2 --set evaluate.every_rounds=1" : ""));
    const bool draws =
        command.compare(0, 8, "figures ") == 0 || command.compare(0, 18, "reproduce figures ") == 0;
    EXPECT_EQ(outcome.status, draws && !has_gnuplot() ? 1 : 0) << command << '\n' << outcome.errors;
  }
}

// F23: each option that the README names exists, and each option that exists is in the README.
TEST_F(Cli, ReadmeAndParserKnowTheSameOptions) {
  const auto options_in = [](const std::string& text) {
    std::set<std::string> options;
    for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at + 2)) {
      if (at > 0 && (std::isalnum(text[at - 1]) != 0 || text[at - 1] == '-')) continue;
      std::size_t end = at + 2;
      while (end < text.size() && (std::islower(text[end]) != 0 || text[end] == '-')) ++end;
      if (end > at + 2) options.insert(text.substr(at, end - at));
    }
    return options;
  };
  std::set<std::string> known{"--version"};
  for (const char* command :
       {"check", "exchange", "plan", "run", "compare", "sweep", "query", "forecast", "crosscheck",
        "reproduce", "import", "export", "figures", "report", "generate random-geometric",
        "generate regions", "generate torus", "list"}) {
    known.merge(options_in(gyre(fmt::format("{} --help", command)).output));
  }
  std::set<std::string> documented;
  for (const std::string& command : readme_commands()) documented.merge(options_in(command));
  const std::string readme = read(kSource / "README.md");
  for (const std::string& option : documented) EXPECT_EQ(known.count(option), 1U) << option;
  for (const std::string& option : known) {
    if (option == "--help") continue;
    EXPECT_NE(readme.find(option), std::string::npos) << option << " is not in the README";
  }
}

}  // namespace
}  // namespace gyre
