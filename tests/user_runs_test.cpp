// Kinds of faults that users of simulators report, from the user's side: what a seed decides (F16),
// and what is left of runs that stop early (F19).

#include <set>

#include "tests/cli.hpp"

namespace gyre {
namespace {

/// Of everything random, each by itself: how to ask for it, and the file that shows it.
struct RandomPart {
  const char* name;
  const char* options;
  const char* file;
};
constexpr std::array<RandomPart, 6> kParts{{
    {"pairs", "--set 'schedules=[{policy: noloco}]'", "rounds.csv"},
    {"jitter", "--set 'job.compute.jitter={kind: uniform, low: 0.8, high: 1.2}'", "rounds.csv"},
    {"faults",
     "--set 'network.faults=[{arc: P->Q, availability: 0.7, mean_outage: 300 ms}]' --set "
     "network.in_flight=wait",
     "events.csv"},
    {"churn",
     "--set 'churn={events: [{island: c, availability: 0.8, mean_outage: 400 ms}], "
     "without_member: shrink}'",
     "events.csv"},
    {"background",
     "--set 'network.background=[{arc: P->Q, rate: 900 Mbps, mean_on: 1 s, mean_off: 1 s}]'",
     "rounds.csv"},
    {"loss",
     "--fidelity packet --set 'network.transport={chunk: 500 KB, packet: 500 KB, loss: 0.05}'",
     "rounds.csv"},
}};

class UserRuns : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    ASSERT_TRUE(fs::exists(file("chance.yaml", R"(gyre: 1
name: chance
seed: 3
network:
  topology:
    switches: [{name: P}, {name: Q}, {name: R}]
    islands: [{name: a, at: P}, {name: b, at: Q}, {name: c, at: P}, {name: d, at: Q}]
    links:
      - {between: [P, Q], latency: 10 ms, bandwidth: 1 Gbps}
      - {between: [P, R], latency: 20 ms, bandwidth: 1 Gbps}
  access: {bandwidth: 10 Gbps}
  modes: [neither]
job: {payload: 20 MB, compute: {step_time: 100 ms}}
task: {kind: quadratic, optima: [0, 1, 2, 3]}
evaluate: {every_rounds: 1}
schedules: [{policy: all-reduce, exchange: direct}]
stop: {max_rounds: 12}
)")));
  }
  /// The files of the only run of a comparison.
  std::map<std::string, std::string> played(const std::string& options) const {
    const Outcome outcome =
        gyre("compare chance.yaml -o out --overwrite --quiet --format csv " + options);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    std::map<std::string, std::string> files;
    for (const auto& run : fs::directory_iterator(folder_ / "out/runs")) files = tree(run.path());
    return files;
  }
  /// The seeds of a comparison's runs, as the names of their folders have them.
  std::set<std::string> seeds(const std::string& options) const {
    played(options);
    std::set<std::string> seeds;
    for (const auto& run : fs::directory_iterator(folder_ / "out/runs")) {
      const std::string name = run.path().filename();
      seeds.insert(name.substr(name.rfind(".seed") + 5));
    }
    return seeds;
  }
  /// Some columns of a table.
  static std::string columns(const std::string& table, const std::set<std::string>& names) {
    const auto rows = parse_csv(table);
    std::string text;
    for (const auto& row : rows) {
      for (std::size_t c = 0; c < row.size(); ++c) {
        if (names.contains(rows[0][c])) text += row[c] + ',';
      }
      text += '\n';
    }
    return text;
  }
};

TEST_F(UserRuns, F16TheSeedDecidesEachRandomPartAndNothingElseDoes) {
  for (const RandomPart& part : kParts) {
    const std::string options = part.options;
    const auto one = played(options + " --seed 1");
    EXPECT_EQ(played(options + " --seed 1 --jobs 2"), one) << part.name;
    const auto other = played(options + " --seed 2");
    EXPECT_NE(other.at(part.file), one.at(part.file)) << part.name;
  }
  // Where nothing is random the seed is in the manifest only.
  auto one = played("--seed 1");
  auto other = played("--seed 2");
  one.erase("manifest.json");
  other.erase("manifest.json");
  EXPECT_EQ(one, other);
}

// What is drawn for one part does not shift what is drawn for another.
TEST_F(UserRuns, F16StreamsAreIndependent) {
  const std::string pairs = kParts[0].options;
  const std::string jitter = kParts[1].options;
  const auto alone = played(pairs + ' ' + jitter);
  // Faults and background where nothing is sent change nothing at all.
  const std::string faults =
      "--set 'network.faults=[{arc: P->R, availability: 0.7, mean_outage: 300 ms}]' --set "
      "network.in_flight=wait ";
  const auto with_faults = played(
      pairs + ' ' + jitter + ' ' + faults +
      "--set 'network.background=[{arc: R->P, rate: 900 Mbps, mean_on: 1 s, mean_off: 1 s}]'");
  for (const char* file : {"rounds.csv", "trace.csv", "links.csv", "islands.csv"}) {
    EXPECT_EQ(with_faults.at(file), alone.at(file)) << file;
  }
  const std::string struck = with_faults.at("events.csv");
  EXPECT_GT(parse_csv(struck).size(), 5U);
  // Nor do other random things, which do have an effect, change who is paired with whom.
  const std::set<std::string> who{"round", "members"};
  const auto pairs_of = [&](const std::string& options) {
    auto rows = parse_csv(columns(played(options).at("rounds.csv"), who));
    std::sort(rows.begin(), rows.end());
    return rows;
  };
  const auto paired = pairs_of(pairs);
  for (std::size_t other : {1U, 2U, 4U, 5U}) {
    EXPECT_EQ(pairs_of(pairs + ' ' + kParts[other].options), paired) << kParts[other].name;
  }
  // Nor one fault another's times, as long as the run lasts.
  const auto both = played(
      pairs + ' ' + jitter +
      " --set 'network.faults=[{arc: R->P, availability: 0.5, mean_outage: 200 ms}, {arc: P->R, "
      "availability: 0.7, mean_outage: 300 ms}]' --set network.in_flight=wait");
  const auto of_first = [](const std::string& events) {
    std::string first;
    std::istringstream lines(events);
    for (std::string line; std::getline(lines, line);) {
      if (line.find(",P->R,") != std::string::npos) first += line + '\n';
    }
    return first;
  };
  EXPECT_EQ(of_first(both.at("events.csv")), of_first(struck));
}

// README: `--seed N` holds instead of the scenario's `seed` or `seeds`, also where --set gives
// them; --set holds instead of the file, the last one of several.
TEST_F(UserRuns, F16ThePrecedenceOfSeedsIsAsDocumented) {
  using Seeds = std::set<std::string>;
  EXPECT_NE(
      read(kSource / "README.md").find("this seed instead of the scenario's `seed` or `seeds`"),
      std::string::npos);
  EXPECT_EQ(seeds(""), Seeds{"3"});
  EXPECT_EQ(seeds("--set seed=5"), Seeds{"5"});
  EXPECT_EQ(seeds("--set 'seeds=[4, 6]'"), (Seeds{"4", "6"}));
  EXPECT_EQ(seeds("--set seed=5 --set 'seeds=[4, 6]'"), (Seeds{"4", "6"}));
  EXPECT_EQ(seeds("--set 'seeds=[4, 6]' --set seed=5"), Seeds{"5"});
  EXPECT_EQ(seeds("--seed 9"), Seeds{"9"});
  EXPECT_EQ(seeds("--seed 9 --set seed=5"), Seeds{"9"});
  EXPECT_EQ(seeds("--set seed=5 --seed 9"), Seeds{"9"});
  EXPECT_EQ(seeds("--set 'seeds=[4, 6]' --seed 9"), Seeds{"9"});
  // A run is the same, from wherever its seed comes.
  const auto from_file = played(std::string(kParts[0].options) + " --seed 3");
  EXPECT_EQ(played(kParts[0].options).at("rounds.csv"), from_file.at("rounds.csv"));
  // Both in one file are refused: it would be nobody's guess which holds.
  const fs::path two = file("two.yaml", read(folder_ / "chance.yaml") + "seeds: [1, 2]\n");
  const Outcome refused = gyre(fmt::format("compare '{}' -o two", two.string()));
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.errors.find("two.yaml:3:7: seed: `seeds` is given as well"), std::string::npos)
      << refused.errors;
  EXPECT_FALSE(fs::exists(folder_ / "two"));
}

/// Shell: waits until the run in out/ has streamed some rows.
const std::string kStreaming =
    "for i in $(seq 400); do [ \"$(cat $(find out -name trace.csv) /dev/null | wc -l)\" -gt 20 ] "
    "&& break; sleep 0.05; done;";

// The run's own process and its parent killed at once, by a signal that nobody can handle.
TEST_F(UserRuns, F19WhatIsKilledLeavesAStreamedTraceThatIsMarked) {
  for (const char* command :
       {"run chance.yaml --schedule all-reduce/direct --mode neither", "compare chance.yaml"}) {
    const std::string options = " -o out --set stop.max_rounds=100000000 --quiet";
    const Outcome killed =
        shell(fmt::format("setsid '{}' {}{} & pid=$!; {} env kill -KILL -- -$pid; wait $pid", kGyre,
                          command, options, kStreaming));
    EXPECT_EQ(killed.status, 128 + 9) << killed.errors;
    fs::path run = folder_ / "out";
    if (fs::exists(run / "runs")) {
      EXPECT_EQ(nlohmann::json::parse(read(run / "manifest.json")).at("status"), "truncated");
      run = fs::directory_iterator(run / "runs")->path();
    }
    const auto manifest = nlohmann::json::parse(read(run / "manifest.json"));
    EXPECT_EQ(manifest.at("status"), "truncated") << command;
    EXPECT_EQ(manifest.dump().find("\"complete\""), std::string::npos);
    const auto trace = parse_csv(read(run / "trace.csv"));
    ASSERT_GT(trace.size(), 20U) << command;
    for (std::size_t r = 1; r < trace.size(); ++r) {
      EXPECT_EQ(trace[r].size(), trace[0].size());
      EXPECT_EQ(trace[r][1], std::to_string(r - 1));
    }
    EXPECT_GT(read(run / "rounds.csv").size(), 200U);
    // It is nobody's finished result: the same command, with an end in sight, runs it.
    const Outcome again =
        gyre(std::string(command) + " -o out --quiet --overwrite --set stop.max_rounds=50");
    EXPECT_EQ(again.status, 0) << again.errors;
    EXPECT_EQ(parse_csv(read(run / "trace.csv")).size(), 52U);
    fs::remove_all(folder_ / "out");
  }
}

// While an exchange waits and only the clock goes on, an interrupt ends the run.
TEST_F(UserRuns, F19AnInterruptIsSeenWhileEverybodyWaits) {
  for (const char* signal : {"INT", "TERM"}) {
    const Outcome outcome = shell(fmt::format(
        "'{}' run chance.yaml --schedule all-reduce/direct --mode neither -o out --overwrite "
        "--quiet --set network.in_flight=wait --set 'network.faults=[{{arc: P->Q, from: 50 ms, to: "
        "1000000000 s}}, {{arc: P->R, availability: 0.5, mean_outage: 1 ms}}]' & pid=$!; for i in "
        "$(seq 200); do [ -s out/events.csv ] && break; sleep 0.05; done; kill -{} $pid; wait "
        "$pid",
        kGyre, signal));
    EXPECT_EQ(outcome.status, 1) << signal << outcome.errors;
    EXPECT_EQ(nlohmann::json::parse(read(folder_ / "out/manifest.json")).at("status"), "truncated");
    EXPECT_EQ(read(folder_ / "out/events.csv").find("time_s,what"), 0U);
    fs::remove_all(folder_ / "out");
  }
}

// The scenario's own ends are ends: status 0, complete, and the target that was not reached is no
// number. What fails on the way is 1, marked, with its trace.
TEST_F(UserRuns, F19EndsAndFailuresAreToldApart) {
  const std::string run =
      "run chance.yaml --schedule all-reduce/direct --mode neither -o out "
      "--overwrite --format json ";
  const auto manifest = [this] {
    return nlohmann::json::parse(read(folder_ / "out/manifest.json"));
  };
  for (const char* end : {"--set stop.max_rounds=5", "--set 'stop.max_time=1 s'"}) {
    const Outcome outcome = gyre(run + "--set stop.loss=1e-9 " + end);
    EXPECT_EQ(outcome.status, 0) << end << outcome.errors;
    EXPECT_EQ(manifest().at("status"), "complete");
    const auto row = nlohmann::json::parse(outcome.output).at(0);
    EXPECT_EQ(row.at("status"), "complete");
    EXPECT_TRUE(row.at("time_to_accuracy_s").is_null());
  }
  EXPECT_NE(gyre("compare chance.yaml -o c --set stop.loss=1e-9").output.find("not reached"),
            std::string::npos);
  const Outcome failed =
      gyre(run +
           "--fidelity packet --set 'network.faults=[{arc: P->Q, from: 800 ms}]' --set "
           "network.in_flight=wait --set network.transport.recovery.give_up='1 s'");
  EXPECT_EQ(failed.status, 1);
  EXPECT_EQ(manifest().at("status"), "failed");
  EXPECT_NE(failed.errors.find("failed: all-reduce/direct, neither, seed 3: round "),
            std::string::npos)
      << failed.errors;
  EXPECT_EQ(nlohmann::json::parse(failed.output).at(0).at("status"), "failed");
  EXPECT_GE(parse_csv(read(folder_ / "out/trace.csv")).size(), 2U);
  EXPECT_GT(parse_csv(read(folder_ / "out/links.csv")).size(), 5U);
}

}  // namespace
}  // namespace gyre
