// Random small scenarios, each simulated in a process of its own, and what has to hold whatever
// they are. A failing one is printed with its number and text; to play it again:
//
//   GYRE_SOAK_SEED=<its number> GYRE_SOAK_COUNT=1 gyre_soak_tests --gtest_filter='SlowSoak.*'

#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "models/error.hpp"
#include "sim/child_process.hpp"
#include "sim/manifest.hpp"
#include "sim/recorder.hpp"
#include "sim/run_setup.hpp"
#include "sim/run_summary.hpp"
#include "tests/run_log.hpp"
#include "tests/soak_checks.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;

constexpr rlim_t kMostSeconds = 10;      ///< of the processor
constexpr unsigned kMostWaiting = 100;   ///< seconds until a process that sleeps has hung
constexpr std::int64_t kTwiceEvery = 8;  ///< scenarios of which one runs twice

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// All files of a folder with their names.
std::string digest_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files[entry.path().filename().string()] = content_of(entry.path());
  }
  std::string all;
  for (const auto& [name, content] : files) all += name + content;
  return name_uuid(all);
}

/// Writes the run's files and looks at them. Reports `refused WHY`, or `wrong WHY` for each thing
/// that is, `ended HOW`, and `digest UUID`.
void play(
    const RandomScenario& made, const fs::path& folder, const ChildPool::Report& report,
    const std::function<void(const fs::path&)>& tamper = [](const fs::path&) {}) {
  fs::create_directories(folder);
  // The manifest names the scenario's file.
  fs::current_path(folder);
  std::ofstream("soak.yaml") << made.text;
  std::optional<LoadedScenario> loaded;
  const fs::path results = "run";
  try {
    loaded = load_scenario("soak.yaml");
    loaded->fidelity = made.fidelity;
    check_fidelity(loaded->scenario, made.fidelity);
    const RunChoice choice = all_runs(loaded->scenario).at(0);
    const Topology fabric = colocated_topology(loaded->topology, loaded->scenario.network.fabric);
    const RunSpec spec = run_spec(*loaded, choice, fabric);
    Recorder recorder(results, *spec.topology, spec.packets.has_value(), !spec.faults.empty());
    const RunResult result = simulate(spec, recorder, kNever);
    recorder.finish(result);
    const SummaryRow summary = summarise(*loaded, choice, spec, result, recorder.totals());
    write_run_manifest(results, *loaded, choice,
                       {.key = run_key(*loaded, choice),
                        .status = result.status,
                        .failure = result.failure,
                        .summary = summary});
    tamper(results);
    for (const std::string& what : wrong_with({.made = made,
                                   .spec = spec,
                                   .result = result,
                                   .summary = summary,
                                   .folder = results})) {
      report("wrong " + one_line(what));
    }
    report(one_line(fmt::format("ended {} {}", summary.status, result.failure)));
  } catch (const InputError& error) {
    report(one_line(fmt::format("refused {}", error.what())));
    return;
  }
  report("digest " + digest_of(results));
}

/// What became of one scenario.
struct Verdict {
  std::vector<std::string> wrong;
  std::vector<std::string> digests;
  std::string ended;    ///< how
  std::string refused;  ///< why
};

class Soak {
 public:
  Soak(std::int64_t first, std::int64_t count) : first_(first), end_(first + count) {
    folder_ = fs::temp_directory_path() / fmt::format("gyre-soak-{}", ::getpid());
  }
  ~Soak() { fs::remove_all(folder_); }
  Soak(const Soak&) = delete;
  Soak& operator=(const Soak&) = delete;

  void run() {
    // A pool looks through all that it ever started.
    constexpr std::int64_t kOfOnePool = 100;
    for (std::int64_t from = first_; from < end_; from += kOfOnePool) {
      run_some(from, std::min(end_, from + kOfOnePool));
    }
    tell();
  }

 private:
  void run_some(std::int64_t from, std::int64_t to) {
    constexpr std::size_t kAtATime = 2;
    std::vector<std::pair<std::int64_t, int>> waiting;  // number, and which time
    for (std::int64_t number = from; number < to; ++number) {
      waiting.emplace_back(number, 0);
      if (number % kTwiceEvery == 0) waiting.emplace_back(number, 1);
    }
    std::map<std::int64_t, Verdict> verdicts;
    std::vector<std::pair<std::int64_t, int>> started;
    ChildPool pool;
    while (started.size() < waiting.size() || pool.running() > 0) {
      while (started.size() < waiting.size() && pool.running() < kAtATime) {
        const auto [number, time] = waiting[started.size()];
        const fs::path folder = folder_of(number, time);
        started.emplace_back(number, time);
        pool.start([number = number, folder](const ChildPool::Report& report) {
          const rlimit limit{.rlim_cur = kMostSeconds, .rlim_max = kMostSeconds + 1};
          ::setrlimit(RLIMIT_CPU, &limit);
          ::alarm(kMostWaiting);
          play(random_scenario(static_cast<std::uint64_t>(number)), folder, report);
          return 0;
        });
      }
      const std::optional<ChildEvent> event = pool.next(std::chrono::seconds(1));
      if (!event) continue;
      const auto [number, time] = started[event->child];
      Verdict& verdict = verdicts[number];
      if (event->line) take(verdict, *event->line);
      if (!event->exit_status) continue;
      if (*event->exit_status != 0) {
        verdict.wrong.push_back(fmt::format("its process ended with {}", *event->exit_status));
      }
      fs::remove_all(folder_of(number, time));
    }
    for (auto& [number, verdict] : verdicts) judge(number, verdict);
  }

  [[nodiscard]] fs::path folder_of(std::int64_t number, int time) const {
    return folder_ / fmt::format("{}-{}", number, time);
  }

  static void take(Verdict& verdict, const std::string& line) {
    const std::size_t space = line.find(' ');
    const std::string what = line.substr(0, space);
    const std::string rest = line.substr(space + 1);
    if (what == "wrong") verdict.wrong.push_back(rest);
    if (what == "digest") verdict.digests.push_back(rest);
    if (what == "ended") verdict.ended = rest;
    if (what == "refused") verdict.refused = rest;
  }

  void judge(std::int64_t number, Verdict& verdict) {
    if (verdict.digests.size() == 2 && verdict.digests[0] != verdict.digests[1]) {
      verdict.wrong.emplace_back("it does not give the same files twice");
    }
    if (!verdict.refused.empty()) {
      refused_.push_back(fmt::format("{}: {}", number, verdict.refused));
      if (tells_) fmt::print("refused {}\n", refused_.back());
    } else if (verdict.ended != "complete ") {
      failed_.push_back(fmt::format("{}: {}", number, verdict.ended));
      if (tells_) fmt::print("failed {}\n", failed_.back());
    }
    if (verdict.wrong.empty()) return;
    if (tells_) fmt::print("wrong {}: {}\n", number, verdict.wrong.front());
    constexpr std::size_t kMostPrinted = 10;
    wrong_.push_back(number);
    if (wrong_.size() > kMostPrinted) return;
    ADD_FAILURE() << fmt::format(
        "scenario {} ({}; GYRE_SOAK_SEED={} GYRE_SOAK_COUNT=1 plays it again):\n  {}\n{}", number,
        verdict.ended, number, fmt::join(verdict.wrong, "\n  "),
        random_scenario(static_cast<std::uint64_t>(number)).text);
  }

  void tell() const {
    fmt::print("{} scenarios: {} wrong, {} refused, {} did not complete\n", end_ - first_,
               wrong_.size(), refused_.size(), failed_.size());
    EXPECT_TRUE(wrong_.empty()) << fmt::format("wrong: {}", fmt::join(wrong_, " "));
    // Each of them is an answer to the input, but a soak of refusals would test nothing.
    const auto count = static_cast<std::size_t>(end_ - first_);
    EXPECT_LE(refused_.size(), 1 + count / 20) << fmt::format("{}", fmt::join(refused_, "\n"));
    EXPECT_LE(failed_.size(), 1 + count / 20) << fmt::format("{}", fmt::join(failed_, "\n"));
  }

  std::int64_t first_;
  std::int64_t end_;
  bool tells_ = std::getenv("GYRE_SOAK_TELL") != nullptr;  ///< of each that is not sound
  fs::path folder_;
  std::vector<std::int64_t> wrong_;
  std::vector<std::string> refused_;
  std::vector<std::string> failed_;
};

std::int64_t from_environment(const char* name, std::int64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::stoll(value);
}

TEST(Soak, AHundredRandomScenariosAreSound) { Soak(1, 100).run(); }

TEST(SlowSoak, ManyRandomScenariosAreSound) {
  Soak(from_environment("GYRE_SOAK_SEED", 1001), from_environment("GYRE_SOAK_COUNT", 10'000)).run();
}

TEST(RandomScenarios, HoldEveryPolicyExchangeModeAndRule) {
  std::string all;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) all += random_scenario(seed).text;
  EXPECT_EQ(random_scenario(7).text, random_scenario(7).text);
  const auto expect = [&all](const std::string& key, std::string_view value) {
    EXPECT_NE(all.find(fmt::format("{}: {}", key, value)), std::string::npos) << key << value;
  };
  for (const PolicyEntry& policy : policy_table()) expect("policy", policy.name);
  for (const std::string_view exchange : kExchangeNames) expect("exchange", exchange);
  for (const std::string_view mode : kModeNames) expect("modes", fmt::format("[{}]", mode));
  for (const std::string_view rule : kInFlightNames) expect("in_flight", rule);
  for (const std::string_view rule : kGiveUpRuleNames) expect("then", rule);
}

/// Three islands at two switches, of which each exchange takes 0.8 s in either direction and 10 ms.
const RandomScenario kSound{
    .text = R"(gyre: 1
name: sound
network:
  topology:
    switches: [{name: S}, {name: T}]
    islands: [{name: a, at: S}, {name: b, at: S}, {name: c, at: T}]
    links: [{between: [S, T], latency: 10 ms, bandwidth: 1 Gbps}]
  access: {bandwidth: 1 Gbps}
  modes: [neither]
job: {payload: 50 MB, local_steps: 2, compute: {step_time: 100 ms}}
task: {kind: quadratic, optima: [0, 1, 2], curvatures: [0.5], learning_rate: 0.1, start: 3}
evaluate: {every_rounds: 1}
schedules: [{policy: all-reduce, exchange: direct}]
stop: {max_rounds: 3}
)",
    .fidelity = Fidelity::kFlow,
    .mean = MeanLaw{.curvature = 0.5, .rate = 0.1, .start = 3.0, .optima = {0.0, 1.0, 2.0}}};

/// What is multiplied in the last row of a file of a sound run, and what is said of it.
struct Tampering {
  const char* file;
  const char* column;
  double factor;
  const char* said;
};

void tamper_with(const fs::path& file, const Tampering& with) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(content_of(file));
  for (std::string line; std::getline(lines, line);) rows.push_back(parse_csv_line(line).value());
  const auto at = std::find(rows[0].begin(), rows[0].end(), with.column) - rows[0].begin();
  std::string& cell = rows.back().at(static_cast<std::size_t>(at));
  cell = number(std::stod(cell) * with.factor);
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  for (const std::vector<std::string>& row : rows) out << csv_line(row);
}

std::string played(const RandomScenario& made, const std::optional<Tampering>& with) {
  const fs::path folder = fs::temp_directory_path() / fmt::format("gyre-sound-{}", ::getpid());
  const std::string said = in_child([&] {
    std::string all;
    const auto note = [&all](std::string_view line) { all += std::string(line) + "\n"; };
    const auto tamper = [&with](const fs::path& results) {
      if (with) tamper_with(results / with->file, *with);
    };
    play(made, folder, note, tamper);
    return all;
  });
  fs::remove_all(folder);
  return said;
}

TEST(SoakChecks, SeeWhatIsWrong) {
  const std::string sound = played(kSound, {});
  EXPECT_EQ(sound.find("wrong"), std::string::npos) << sound;
  for (const Tampering& with : std::vector<Tampering>{
           {"rounds.csv", "communication_s", 0.3, "below its bound"},
           {"rounds.csv", "communication_s", 3.0, "but the run ended"},
           {"rounds.csv", "compute_s", -1.0, "computes"},
           {"rounds.csv", "wan_bytes", 2.0, "bytes over core arcs"},
           {"rounds.csv", "round", 0.5, "is in it 2 times"},
           {"links.csv", "bytes", 2.0, "bytes go into switch"},
           {"links.csv", "mean_utilisation", 9.0, "utilisation"},
           {"links.csv", "busy_s", 9.0, "was busy"},
           {"routes.csv", "bytes", 0.5, "the plan of"},
           {"routes.csv", "bytes", 2.0, "the plans say"},
           {"trace.csv", "loss_average", 1.001, "the average model has the loss"},
           {"trace.csv", "time_s", 0.1, "goes back"},
           {"trace.csv", "round", 0.5, "lacks"},
           {"islands.csv", "compute_s", 2.0, "in timeline.json"},
       }) {
    const std::string said = played(kSound, with);
    EXPECT_NE(said.find(with.said), std::string::npos) << with.file << ", " << with.column << ":\n"
                                                       << said;
  }
}

/// Three islands on one switch; each exchange begins after 1 s and takes 8 s, sent directly.
RandomScenario of_three(Fidelity fidelity, const std::string& network, const std::string& job) {
  return {.text = fmt::format(R"(gyre: 1
name: three
network:
  topology:
    switches: [{{name: S}}]
    islands: [{{name: a, at: S}}, {{name: b, at: S}}, {{name: c, at: S}}]
    links: []
  access: {{bandwidth: 1 Gbps}}
  modes: [neither]
{}
job: {{payload: 500 MB, compute: {{step_time: 1 s}}, {}}}
task: {{kind: quadratic, optima: [0, 1, 2]}}
schedules: [{{policy: all-reduce, exchange: direct}}]
stop: {{max_rounds: 2}}
)",
                              network, job),
          .fidelity = fidelity,
          .mean = {}};
}

// What had been sent of an exchange that was dropped was counted flow by flow, and the run may end
// with the first of them.
TEST(SoakFound, TheLastExchangeCountsWhereItIsDropped) {
  const std::string said = played(
      of_three(Fidelity::kFlow, "  faults: [{arc: a.up, from: 12 s, to: 14 s}]\n  in_flight: drop",
               "overlap: {kind: delayed, steps: 1, local_weight: 0}"),
      {});
  EXPECT_EQ(said.find("wrong"), std::string::npos) << said;
  EXPECT_NE(said.find("ended complete"), std::string::npos) << said;
}

// A flow that was cancelled counted as carried until the engine's next instant: here for 1 s, in
// which the islands compute.
TEST(SoakFound, WhatIsCancelledCarriesNothingMore) {
  const std::string said = played(
      of_three(Fidelity::kFlow, "  faults: [{arc: a.up, from: 3 s, to: 3.5 s}]\n  in_flight: drop",
               "local_steps: 1"),
      {});
  EXPECT_EQ(said.find("wrong"), std::string::npos) << said;
}

// Cliques that share the switches' limits are planned together, which had no way for an island that
// is cut off, in whose clique the others are not.
TEST(SoakFound, CliquesArePlannedAnewWithoutThoseThatAreCutOff) {
  const RandomScenario made{.text = R"(gyre: 1
name: cut-off
network:
  topology:
    switches: [{name: S}]
    islands: [{name: a, at: S}, {name: b, at: S}, {name: c, at: S}, {name: d, at: S}]
    links: []
  access: {bandwidth: 1 Gbps}
  modes: [aggregation]
  aggregator: {fan_in: 2}
  faults: [{arc: a.down, from: 0 s, to: 20 s}]
  in_flight: reroute
job: {payload: 500 MB, compute: {step_time: 1 s}}
task: {kind: quadratic, optima: [0, 1, 2, 3]}
schedules: [{policy: static-cliques, cliques: a+b|c+d, exchange: hub}]
stop: {max_rounds: 2}
)",
                            .fidelity = Fidelity::kFlow,
                            .mean = {}};
  const std::string said = played(made, {});
  EXPECT_EQ(said.find("wrong"), std::string::npos) << said;
  EXPECT_NE(said.find("ended complete"), std::string::npos) << said;
}

// Outages by chance were drawn for a million seconds before the run began: here 10^9 of them.
TEST(SoakFound, OutagesOfPacketsAreDrawnAsTimeGoesOn) {
  const std::string said =
      played(of_three(Fidelity::kPacket,
                      "  faults: [{switch: S, availability: 0.9, mean_outage: 100 us}]\n"
                      "  transport: {chunk: 100 KB, recovery: {timeout: 1 s, give_up: 500 s}}",
                      "local_steps: 1"),
             {});
  EXPECT_EQ(said.find("wrong"), std::string::npos) << said;
  EXPECT_NE(said.find("ended complete"), std::string::npos) << said;
}

}  // namespace
}  // namespace gyre
