// `gyre sweep` and `gyre query` as processes: what a study comes to, and that nothing is lost or
// done twice, whatever happens.

#include <csignal>
#include <fstream>
#include <random>
#include <thread>

#include "scenarios/study.hpp"
#include "tests/cli.hpp"

namespace gyre {
namespace {

class Sweep : public Cli {
 protected:
  /// A study of the two islands: 3 schedules, 2 modes and 2 seeds at each of 6 points.
  [[nodiscard]] std::string study(const std::string& more = "", std::int64_t rounds = 20) const {
    return file("study.yaml", fmt::format(R"(gyre: 1
name: two
scenario: {}
axes:
  - {{key: network.access.bandwidth, values: [1 Gbps, 10 Gbps]}}
  - {{key: job.local_steps, range: {{from: 1, to: 3}}}}
  - {{key: seed, values: [1, 2]}}
  - zip: [{{key: stop.max_rounds, values: [{}]}}, {{key: stop.loss, values: [0.001]}}]
{}
)",
                                          shipped("two-islands.yaml"), rounds, more));
  }
  /// The runs as CSV.
  [[nodiscard]] std::string runs(const std::string& store) const {
    const Outcome outcome = gyre("query " + store);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    return outcome.output;
  }
  static constexpr std::size_t kRuns = 2 * 3 * 2 * 3 * 2;
};

TEST_F(Sweep, CrossesItsAxesTheLastOneFastest) {
  const LoadedStudy loaded = load_study(file("axes.yaml", R"(gyre: 1
name: axes
scenario: s.yaml
axes:
  - {key: a, values: [x, "{b: 1}"]}
  - {key: b, log_range: {from: 1, to: 100, count: 3}, unit: Gbps}
  - zip: [{key: c, range: {from: 0, to: 0.3, step: 0.1}}, {key: d, values: [p, q, r, s]}]
)"));
  ASSERT_EQ(loaded.points.size(), 2U * 3U * 4U);
  EXPECT_EQ(loaded.keys, (std::vector<std::string>{"a", "b", "c", "d"}));
  const auto values = [&loaded](std::size_t point) {
    std::string text;
    for (const Override& one : loaded.points[point].overrides) text += one.value + "|";
    return text;
  };
  EXPECT_EQ(values(0), "x|1 Gbps|0|p|");
  EXPECT_EQ(values(1), "x|1 Gbps|0.1|q|");
  EXPECT_EQ(values(3), "x|1 Gbps|0.3|s|");
  EXPECT_EQ(values(4), "x|10 Gbps|0|p|");
  EXPECT_EQ(values(23), "{b: 1}|100 Gbps|0.3|s|");
}

// The same numbers as of the runs one by one.
TEST_F(Sweep, RunsWhatCompareRuns) {
  const Outcome outcome = gyre("sweep " + study() + " -o two.sqlite --quiet");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, fmt::format("two: {0} runs, {0} complete, 0 failed\n", kRuns));
  const auto table = parse_csv(runs("two.sqlite"));
  ASSERT_EQ(table.size(), kRuns + 1);
  const auto column = [&table](const std::string& name) {
    return static_cast<std::size_t>(std::find(table[0].begin(), table[0].end(), name) -
                                    table[0].begin());
  };
  const std::vector<std::string>& last = table.back();
  EXPECT_EQ(last[column("run")], std::to_string(kRuns - 1));
  EXPECT_EQ(last[column("network.access.bandwidth")], "10 Gbps");
  EXPECT_EQ(last[column("job.local_steps")], "3");
  const Outcome compared =
      gyre("compare " + shipped("two-islands.yaml") + " " +
           last[column("setting")].substr(0, last[column("setting")].find(" --schedule")) +
           " -o out --quiet --format csv");
  ASSERT_EQ(compared.status, 0) << compared.errors;
  bool found = false;
  for (const auto& row : parse_csv(compared.output)) {
    if (row[0] != last[column("schedule")] || row[3] != last[column("mode")]) continue;
    found = true;
    for (std::size_t c = 0; c < row.size(); ++c) {
      EXPECT_EQ(row[c], last[column("schedule") + c]) << table[0][column("schedule") + c];
    }
  }
  EXPECT_TRUE(found);
}

TEST_F(Sweep, WhatIsThereIsNotRunAgain) {
  const std::string command = "sweep " + study() + " -o two.sqlite";
  ASSERT_EQ(gyre(command + " --quiet").status, 0);
  const std::string before = read(folder_ / "two.sqlite");
  const Outcome again = gyre(command);
  EXPECT_EQ(again.status, 0);
  EXPECT_NE(again.errors.find(fmt::format("0 of {} runs", kRuns)), std::string::npos)
      << again.errors;
  // Another study may not take its place unasked.
  const Outcome other = gyre("sweep " + study("", 21) + " -o two.sqlite --quiet");
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.errors.find("another study"), std::string::npos) << other.errors;
  EXPECT_EQ(gyre("sweep " + study("", 21) + " -o two.sqlite --quiet --overwrite").status, 0);
}

TEST_F(Sweep, ASampleIsASubsetOfTheRuns) {
  ASSERT_EQ(gyre("sweep " + study() + " -o all.sqlite --quiet").status, 0);
  ASSERT_EQ(gyre("sweep " + study("sample: {runs: 7, seed: 3}") + " -o some.sqlite --quiet").status,
            0);
  const auto all = parse_csv(runs("all.sqlite"));
  const auto some = parse_csv(runs("some.sqlite"));
  ASSERT_EQ(some.size(), 1U + 7U);
  for (std::size_t r = 1; r < some.size(); ++r) EXPECT_EQ(some[r], all[std::stoul(some[r][0]) + 1]);
}

TEST_F(Sweep, ADryRunOnlySays) {
  const Outcome outcome = gyre("sweep " + study() + " -o two.sqlite --dry-run");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NE(outcome.output.find(fmt::format("{0} of {0} runs at 12 points", kRuns)),
            std::string::npos)
      << outcome.output;
  EXPECT_NE(outcome.output.find("for the other"), std::string::npos) << outcome.output;
  EXPECT_FALSE(fs::exists(folder_ / "two.sqlite"));
}

// Killed at any moment, twenty times, it comes to what an undisturbed one comes to.
TEST_F(Sweep, KilledAtAnyMomentItGoesOn) {
  const std::string command = "sweep " + study("", 12000) + " --quiet -o ";
  ASSERT_EQ(gyre(command + "undisturbed.sqlite").status, 0);
  std::mt19937 engine(7);
  for (int kill = 0; kill < 20; ++kill) {
    const double seconds = 0.05 + 0.4 * static_cast<double>(engine() % 1000) / 1000.0;
    (void)shell(
        fmt::format("timeout -s KILL {:.3f} '{}' {}killed.sqlite", seconds, kGyre, command));
  }
  ASSERT_EQ(gyre(command + "killed.sqlite").status, 0);
  EXPECT_EQ(runs("killed.sqlite"), runs("undisturbed.sqlite"));
}

TEST_F(Sweep, InterruptedItSaysSoAndGoesOn) {
  const std::string command = "sweep " + study("", 30000) + " --quiet -o two.sqlite";
  const Outcome outcome =
      shell(fmt::format("timeout -s INT --preserve-status 1 '{}' {}", kGyre, command));
  EXPECT_EQ(outcome.status, 1) << outcome.errors;
  EXPECT_NE(outcome.errors.find("run again to go on"), std::string::npos) << outcome.errors;
  for (const auto& row : parse_csv(runs("two.sqlite"))) {
    EXPECT_EQ(std::count(row.begin(), row.end(), "truncated"), 0);
  }
}

// A run that crashes is a row like others, with how to run it alone.
TEST_F(Sweep, ARunThatCrashesDoesNotStopTheOthers) {
  const std::string command = "sweep " + study("", 60000) + " --jobs 1 --quiet -o two.sqlite";
  const Outcome outcome = shell(fmt::format(
      "'{}' {} & sweep=$!; sleep 0.4; for try in $(seq 50); do child=$(cat "
      "/proc/$sweep/task/$sweep/children); [ -n \"$child\" ] && kill -SEGV $child && break; "
      "sleep 0.02; done; sleep 0.3; kill -INT $sweep; wait $sweep",
      kGyre, command));
  EXPECT_EQ(outcome.status, 1) << outcome.errors;
  const Outcome failed =
      gyre("query two.sqlite \"SELECT failure, setting FROM runs WHERE status = 'failed'\"");
  EXPECT_NE(failed.output.find("ended by signal 11"), std::string::npos) << failed.output;
  EXPECT_NE(failed.output.find("--schedule"), std::string::npos) << failed.output;
  // It is not tried again unless asked for.
  const auto rows = [this] {
    return gyre("query two.sqlite \"SELECT run FROM runs WHERE status = 'failed'\"").output;
  };
  const std::string before = rows();
  (void)shell(fmt::format("timeout -s INT 0.4 '{}' {}", kGyre, command));
  EXPECT_EQ(rows(), before);
}

TEST_F(Sweep, OneAtATimeOnAFile) {
  const std::string command = "sweep " + study("", 60000) + " --quiet -o two.sqlite";
  const Outcome outcome = shell(fmt::format(
      "'{0}' {1} & first=$!; sleep 0.5; '{0}' {1}; second=$?; kill -INT $first; wait $first; exit "
      "$second",
      kGyre, command));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.errors.find("another gyre is writing there"), std::string::npos)
      << outcome.errors;
}

// As when the disk is full: what was written stays, and it goes on.
TEST_F(Sweep, AFileThatCannotGrowEndsItWithoutLoss) {
  const std::string command = "sweep " + study() + " --quiet -o two.sqlite";
  const Outcome outcome = shell(fmt::format("trap '' XFSZ; ulimit -f 48; '{}' {}", kGyre, command));
  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_NE(outcome.errors.find("cannot be written"), std::string::npos) << outcome.errors;
  const std::size_t kept = parse_csv(runs("two.sqlite")).size() - 1;
  EXPECT_GT(kept, 0U);
  EXPECT_LT(kept, kRuns);
  ASSERT_EQ(gyre(command).status, 0);
  ASSERT_EQ(gyre("sweep " + study() + " --quiet -o other.sqlite").status, 0);
  EXPECT_EQ(runs("two.sqlite"), runs("other.sqlite"));
}

TEST_F(Sweep, RefusesWhatMakesNoSense) {
  const auto refused = [this](const std::string& text, const std::string& why) {
    const Outcome outcome = gyre("sweep " + file("bad.yaml", text).string() + " -o bad.sqlite");
    EXPECT_EQ(outcome.status, 2) << text;
    EXPECT_NE(outcome.errors.find(why), std::string::npos) << outcome.errors;
    EXPECT_FALSE(fs::exists(folder_ / "bad.sqlite"));
  };
  const std::string head =
      fmt::format("gyre: 1\nname: bad\nscenario: {}\n", shipped("two-islands.yaml"));
  refused(head + "axes:\n  - {key: job.local_step, values: [1]}\n", "did you mean 'local_steps'");
  refused(head + "axes:\n  - {key: job.local_steps, values: [1], range: {from: 1, to: 2}}\n",
          "bad.yaml:5:5: axes[0]: the values are to be given once");
  refused(head + "axes:\n  - {key: seed, range: {from: 2, to: 1}}\n", "lies before");
  refused(head + "axes:\n  - {key: seed, log_range: {from: 0, to: 1, count: 2}}\n", "above 0");
  refused(head + "axes:\n  - {key: seed, range: {from: 0, to: 1e9}}\n", "at most");
  refused(head + "axes:\n  - {key: seed, values: [1]}\n  - {key: seed, values: [2]}\n", "twice");
  refused(head + "axes:\n  - zip: [{key: seed, values: [1]}, {key: name, values: [a, b]}]\n",
          "as many values as each other");
  refused(head + "axes:\n  - {key: seed, range: {from: 1, to: 50}}\nmax_runs: 20\n", "max_runs");
  refused(head + "axes:\n  - {key: seed, values: [1]}\nextra: 1\n", "extra");
  refused("gyre: 1\nname: bad\nscenario: nowhere.yaml\naxes: [{key: seed, values: [1]}]\n",
          "nowhere.yaml");
  (void)file("text.sqlite", "no database, but long enough to be taken for one: see for yourself");
  EXPECT_EQ(gyre("sweep " + study() + " -o text.sqlite --quiet").status, 2);
  EXPECT_EQ(gyre("sweep " + study() + " -o . --quiet").status, 2);
  EXPECT_EQ(gyre("query text.sqlite").status, 2);
  EXPECT_EQ(gyre("query nowhere.sqlite").status, 2);
}

TEST_F(Sweep, QueriesAreSqlAndChangeNothing) {
  ASSERT_EQ(gyre("sweep " + study() + " -o two.sqlite --quiet").status, 0);
  const std::string before = read(folder_ / "two.sqlite");
  const Outcome count = gyre(
      "query two.sqlite 'SELECT mode, count(*) AS runs FROM runs GROUP BY mode' --format table");
  EXPECT_NE(count.output.find("neither  36"), std::string::npos) << count.output;
  EXPECT_EQ(gyre("query two.sqlite 'DELETE FROM runs'").status, 2);
  const Outcome unknown = gyre("query two.sqlite 'SELECT nowhere FROM runs'");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.errors.find("no such column"), std::string::npos) << unknown.errors;
  EXPECT_EQ(read(folder_ / "two.sqlite"), before);
}

// By the processes of mpirun it comes to the same.
TEST_F(Sweep, ByMpiComesToTheSame) {
  if (shell("mpirun --version").status != 0) GTEST_SKIP() << "no mpirun";
  const std::string mpirun =
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 3 ";
  const std::string command = "sweep " + study() + " --quiet -o ";
  ASSERT_EQ(gyre(command + "local.sqlite --jobs 2").status, 0);
  const Outcome outcome = shell(fmt::format("{}'{}' {}mpi.sqlite", mpirun, kGyre, command));
  if (outcome.errors.find("built without MPI") != std::string::npos) GTEST_SKIP() << "no MPI";
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, fmt::format("two: {0} runs, {0} complete, 0 failed\n", kRuns));
  EXPECT_EQ(runs("mpi.sqlite"), runs("local.sqlite"));
  // What is wrong is said once.
  const Outcome wrong = shell(fmt::format("{}'{}' sweep nowhere.yaml", mpirun, kGyre));
  EXPECT_NE(wrong.status, 0);
  const std::size_t first = wrong.errors.find("nowhere.yaml");
  EXPECT_NE(first, std::string::npos) << wrong.errors;
  EXPECT_EQ(wrong.errors.find("nowhere.yaml", first + 1), std::string::npos) << wrong.errors;
}

// The README shows what its study of outages comes to.
class SlowOutages : public Cli {};

TEST_F(SlowOutages, AreWhatTheReadmeShows) {
  const std::string readme = read(kSource / "README.md");
  const std::string open = "```sql\n";
  const std::size_t from = readme.find(open) + open.size();
  const std::string sql = readme.substr(from, readme.find("```", from) - from);
  const std::string question = file("question.sql", sql).string();
  const std::string study = (kSource / "scenarios/studies/outages.yaml").string();
  const Outcome swept = gyre("sweep '" + study + "' -o outages.sqlite --quiet");
  ASSERT_EQ(swept.status, 0) << swept.errors;
  const Outcome asked = gyre("query outages.sqlite --format table \"$(cat '" + question + "')\"");
  ASSERT_EQ(asked.status, 0) << asked.errors;
  EXPECT_NE(readme.find("```text\n" + asked.output + "```"), std::string::npos) << asked.output;
}

}  // namespace
}  // namespace gyre
