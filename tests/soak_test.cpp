// Random small scenarios, each simulated in a process of its own, and what has to hold whatever
// they are. A failing one is printed with its number and text; to play it again:
//
//   GYRE_SOAK_SEED=<its number> GYRE_SOAK_COUNT=1 gyre_soak_tests --gtest_filter='SlowSoak.*'

#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <regex>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "models/capabilities.hpp"
#include "schedules/policy.hpp"
#include "sim/child_process.hpp"
#include "tests/soak_play.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;

constexpr rlim_t kMostSeconds = 10;      ///< of the processor
constexpr unsigned kMostWaiting = 100;   ///< seconds until a process that sleeps has hung
constexpr std::int64_t kTwiceEvery = 8;  ///< scenarios of which one runs twice

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
        to_text(random_scenario(static_cast<std::uint64_t>(number))));
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

/// What changes in the network and among the islands, as it stands in scenarios.
constexpr auto kChanging = {"\n  changes: .*bandwidth: ",
                            "\n  changes: .*latency: ",
                            "\n  traces: network.csv",
                            "\n  background: .*rate: ",
                            "\n  background: .*share: ",
                            "\n  background: .*mean_on: .*mean_off: ",
                            "\nchurn: .*island: \"",
                            "\nchurn: .*every_island",
                            "\nchurn: .*slowdown",
                            "\nchurn: .*from: [^}]*to: ",
                            "\nchurn: .*from: [^,}]*\\}",
                            "\nchurn: .*availability: [^}]*mean_outage: ",
                            "\nchurn: .*without_member: shrink",
                            "\nchurn: .*without_member: skip",
                            "\nchurn: .*without_member: stall, deadline: ",
                            "\nschedules: .*without_member: shrink",
                            "\nschedules: .*without_member: skip",
                            "\nschedules: .*without_member: stall.*\nchurn: .*deadline: "};
/// An arc gets narrower, longer, or both.
constexpr auto kTraceLines = {"bps,\\r?\\n", ",,[0-9.]+ us", "bps,[0-9.]+ us"};

TEST(RandomScenarios, HoldEveryPolicyExchangeModeAndRule) {
  std::string all;
  std::vector<RandomScenario> made;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) made.push_back(random_scenario(seed));
  for (const RandomScenario& one : made) all += one.text;
  const auto count = [&made](const char* what, std::string RandomScenario::*of) {
    const std::regex wanted(what);
    return std::ranges::count_if(
        made, [&](const RandomScenario& one) { return std::regex_search(one.*of, wanted); });
  };
  for (const char* what : kChanging) EXPECT_GT(count(what, &RandomScenario::text), 0) << what;
  for (const char* what : kTraceLines) EXPECT_GT(count(what, &RandomScenario::trace), 0) << what;
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

}  // namespace
}  // namespace gyre
