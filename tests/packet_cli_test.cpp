// Fidelity `packet` as its user meets it.

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/cli.hpp"

namespace gyre {
namespace {

class PacketCli : public Cli {
 protected:
  const std::string scenario_ = shipped("small-switches.yaml");
  /// `gyre run` of a schedule at fidelity packet, into `folder`.
  [[nodiscard]] Outcome run(const std::string& folder, const std::string& more = "") const {
    return gyre("run " + scenario_ + " --schedule all-reduce/in-network --fidelity packet -o " +
                folder + " --format csv " + more);
  }
  [[nodiscard]] std::vector<std::map<std::string, std::string>> rows(const fs::path& file) const {
    return table(read(folder_ / file));
  }
  static std::vector<std::map<std::string, std::string>> table(const std::string& text) {
    const auto lines = parse_csv(text);
    std::vector<std::map<std::string, std::string>> result;
    for (std::size_t r = 1; r < lines.size(); ++r) {
      std::map<std::string, std::string>& row = result.emplace_back();
      for (std::size_t c = 0; c < lines[0].size(); ++c) row[lines[0][c]] = lines[r].at(c);
    }
    return result;
  }
};

TEST_F(PacketCli, RecordsTheSwitches) {
  const Outcome outcome = run("out");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto switches = rows("out/switches.csv");
  ASSERT_GT(switches.size(), 50U);
  double most = 0.0;
  double before_s = 0.0;
  for (const auto& row : switches) {
    EXPECT_GE(std::stod(row.at("time_s")), before_s);
    before_s = std::stod(row.at("time_s"));
    EXPECT_LE(std::stod(row.at("memory_bytes")), std::stod(row.at("peak_memory_bytes")));
    most = std::max(most, std::stod(row.at("peak_memory_bytes")));
  }
  // Half of the 16 MB are for copies, as something can be lost: 16 slots of 500 KB, twice.
  EXPECT_GT(most, 8e6);
  EXPECT_LE(most, 16e6);
  EXPECT_NE(read(folder_ / "out/manifest.json").find("\"fidelity\": \"packet\""),
            std::string::npos);
  for (const auto& row : rows("out/rounds.csv")) {
    EXPECT_EQ(row.at("outcome"), "averaged");
    EXPECT_GE(std::stod(row.at("ratio_to_bound")), 1.0);
  }
}

// F15: the same bytes again, and whatever the number of jobs.
TEST_F(PacketCli, IsByteIdentical) {
  ASSERT_EQ(run("one").status, 0);
  ASSERT_EQ(run("two").status, 0);
  for (const char* file : {"trace.csv", "rounds.csv", "switches.csv", "links.csv", "islands.csv",
                           "timeline.json", "manifest.json"}) {
    EXPECT_EQ(read(folder_ / "one" / file), read(folder_ / "two" / file)) << file;
  }
  for (const char* jobs : {"1", "4"}) {
    ASSERT_EQ(gyre("compare " + scenario_ + " --fidelity packet --jobs " + jobs + " -o all" + jobs)
                  .status,
              0);
  }
  EXPECT_EQ(tree(folder_ / "all1"), tree(folder_ / "all4"));
}

TEST_F(PacketCli, AFolderOfOneFidelityIsNotTakenForTheOther) {
  const std::string two = shipped("two-islands.yaml") + " --mode both --schedule all-reduce/direct";
  ASSERT_EQ(gyre("run " + two + " -o out").status, 0);
  EXPECT_EQ(gyre("run " + two + " -o out --fidelity packet").status, 2);
  ASSERT_EQ(gyre("run " + two + " -o out --fidelity packet --overwrite").status, 0);
  EXPECT_TRUE(fs::exists(folder_ / "out/switches.csv"));
  ASSERT_EQ(gyre("run " + two + " -o out --overwrite").status, 0);
  EXPECT_FALSE(fs::exists(folder_ / "out/switches.csv"));
}

// The parts of a difference add up, and granularity keeps to its limit.
TEST_F(PacketCli, CrosscheckExplainsTheDifference) {
  const Outcome outcome = gyre("crosscheck " + scenario_ + " --format csv");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const auto checked = table(outcome.output);
  ASSERT_EQ(checked.size(), 3U);  // one round, and two that rotate
  for (const auto& row : checked) {
    const auto value = [&row](const char* column) { return std::stod(row.at(column)); };
    EXPECT_NEAR(value("difference_s"), value("packet_s") - value("flow_s"), 1e-9);
    EXPECT_NEAR(value("difference_s"),
                value("granularity_s") + value("headers_s") + value("limits_s") + value("loss_s"),
                1e-9);
    EXPECT_LE(std::abs(value("granularity_s")), value("granularity_limit_s"));
    EXPECT_GE(value("packet_s"), value("bound_s"));
    EXPECT_EQ(row.at("mainly"), "loss and recovery");
  }
  const Outcome one =
      gyre("crosscheck " + scenario_ + " --schedule two-rounds-3x3 --rounds 1 --format json");
  ASSERT_EQ(one.status, 0);
  EXPECT_NE(one.output.find("\"mainly\""), std::string::npos);
  EXPECT_EQ(gyre("crosscheck " + scenario_ + " --rounds 0").status, 2);
}

// F13: what an exchange that cannot get through does is the scenario's word.
TEST_F(PacketCli, AnExchangeThatGivesUpIsDroppedOrFails) {
  const std::string dead =
      "--set 'network.faults=[{arc: BAR.up, from: 12 s}]' --set network.in_flight=wait "
      "--set network.transport.recovery.give_up="
      "\"2 s\" --set stop.max_rounds=4 ";
  const Outcome dropped = run("dropped", dead);
  ASSERT_EQ(dropped.status, 0) << dropped.errors;
  std::vector<std::string> outcomes;
  for (const auto& row : rows("dropped/rounds.csv")) outcomes.push_back(row.at("outcome"));
  ASSERT_EQ(outcomes.size(), 4U);
  EXPECT_EQ(outcomes.front(), "averaged");
  EXPECT_EQ(outcomes.back(), "dropped");
  const Outcome failed = run("failed", dead + "--set network.transport.recovery.then=fail");
  EXPECT_EQ(failed.status, 1);
  EXPECT_NE(failed.errors.find("gave up"), std::string::npos) << failed.errors;
  EXPECT_NE(failed.errors.find("BAR.up"), std::string::npos) << failed.errors;
  EXPECT_NE(read(folder_ / "failed/manifest.json").find("\"status\": \"failed\""),
            std::string::npos);
  const Outcome alone = gyre("exchange " + scenario_ + " --fidelity packet " + dead +
                             "--set 'network.faults=[{switch: NYC, from: 0 s}]' --set "
                             "network.transport.recovery.then=fail");
  EXPECT_EQ(alone.status, 1);
  EXPECT_NE(alone.errors.find("gave up"), std::string::npos) << alone.errors;
}

// A time-out below the round trip of 203 ms is refused before anything runs, or forced.
TEST_F(PacketCli, ATimeoutBelowTheRoundTripIsRefusedOrForced) {
  const std::string early = "--set network.transport.recovery.timeout=\"10 ms\" ";
  const Outcome refused = run("out", early);
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.errors.find("network.transport.recovery.timeout"), std::string::npos);
  EXPECT_NE(refused.errors.find("round trip of 20"), std::string::npos) << refused.errors;
  EXPECT_FALSE(fs::exists(folder_ / "out/trace.csv"));
  EXPECT_EQ(gyre("crosscheck " + scenario_ + " " + early).status, 2);
  ASSERT_EQ(run("calm", "--set stop.max_rounds=1").status, 0);
  ASSERT_EQ(run("storm", early + "--set network.transport.recovery.force=true --set "
                                 "stop.max_rounds=1")
                .status,
            0);
  const auto repeated = [this](const char* folder) {
    return std::stod(rows(fs::path(folder) / "rounds.csv").at(0).at("retransmissions"));
  };
  EXPECT_GT(repeated("storm"), 1000.0 + 10.0 * repeated("calm"));
}

// What the switches compute with reaches the models; an overflow fails the run.
TEST_F(PacketCli, NumbersReachTheModels) {
  const auto numbers = [](const std::string& how) {
    return "--set 'network.aggregator.numbers={" + how + "}' ";
  };
  ASSERT_EQ(run("exact").status, 0);
  ASSERT_EQ(run("coarse", numbers("format: fixed, scale: 4")).status, 0);
  ASSERT_EQ(run("bf16", numbers("format: bf16")).status, 0);
  EXPECT_EQ(rows("exact/rounds.csv").at(0).at("sum_error"), "0");
  const double error = std::stod(rows("coarse/rounds.csv").at(0).at("sum_error"));
  EXPECT_GT(error, 0.0);
  EXPECT_LE(error, 1.0 / 8.0);
  EXPECT_NE(read(folder_ / "exact/trace.csv"), read(folder_ / "coarse/trace.csv"));
  EXPECT_NE(read(folder_ / "exact/trace.csv"), read(folder_ / "bf16/trace.csv"));
  const Outcome overflow = run("overflow", numbers("format: fixed, scale: 1e9"));
  EXPECT_EQ(overflow.status, 1);
  EXPECT_NE(overflow.errors.find("leave the 32 bits"), std::string::npos) << overflow.errors;
}

// FRA is 300 ms late every round: where the others launch at once they hold its absence as memory.
TEST_F(PacketCli, WhoIsEarlyHoldsMemory) {
  const std::string open = "--set 'network.transport={chunk: 500 KB}' --set stop.max_rounds=2 ";
  const auto peak = [this](const char* folder) {
    double most = 0.0;
    for (const auto& row : rows(fs::path(folder) / "switches.csv")) {
      most = std::max(most, std::stod(row.at("peak_memory_bytes")));
    }
    return most;
  };
  const std::string roomy = open + "--set 'network.aggregator={memory: 1 GB, launch: ";
  const Outcome together = run("together", roomy + "together}'");
  ASSERT_EQ(together.status, 0) << together.errors;
  ASSERT_EQ(run("eager", roomy + "eager}'").status, 0);
  ASSERT_EQ(run("aligned", roomy + "aligned}'").status, 0);
  EXPECT_LT(peak("aligned"), 8e6);
  EXPECT_GT(peak("together"), 100e6);
  EXPECT_GT(peak("eager"), 190e6);
  // Together, the farthest (101.58 ms from NYC) begins when FRA (49.16 ms) is ready; eagerly its
  // contributions are there by then, and FRA decides.
  const auto end_s = [this](const char* folder) {
    return std::stod(rows(fs::path(folder) / "trace.csv").back().at("time_s"));
  };
  EXPECT_NEAR(end_s("together") - end_s("eager"), 2.0 * (0.10158 - 0.04916), 0.005);
}

// Cliques out of step, with memories of one chunk: exchanges wait for their slots, in turn.
TEST_F(PacketCli, CliquesOutOfStepShareSmallMemories) {
  const std::string cliques =
      "run " + shipped("nine-city.yaml") +
      " --fidelity packet --mode both --overwrite -o out --set job.parameters=1e7 --set "
      "'schedules=[{policy: random-cliques, size: 4, exchange: in-network, name: r}]' --set "
      "'network.modes=[both]' --set 'job.compute.jitter={kind: lognormal, sigma: 0.3}' --set "
      "stop.max_rounds=10 ";
  for (const char* how : {"{memory: 1 MB, discipline: ack-clocked}", "{memory: 1 MB}",
                          "{memory: 2 MB, launch: eager}", "{launch: eager}"}) {
    for (const char* seed : {"1", "2", "4", "147"}) {
      const Outcome outcome =
          gyre(cliques + "--set 'network.aggregator=" + how + "' --seed " + seed);
      EXPECT_EQ(outcome.status, 0) << how << ' ' << seed << '\n' << outcome.errors;
    }
  }
}

// Sums carry a bitmap of 64 islands: more are refused before anything runs.
TEST_F(PacketCli, MoreIslandsThanASumCarriesAreRefused) {
  std::string islands;
  for (int i = 0; i < 65; ++i) islands += fmt::format("      - {{name: i{}, at: s}}\n", i);
  const fs::path big = file(
      "big.yaml",
      "gyre: 1\nname: big\nnetwork:\n  topology:\n    switches: [{name: s}]\n"
      "    islands:\n" +
          islands +
          "    links: []\n  access: {bandwidth: 10 Gbps}\n  modes: [both]\n"
          "job: {payload: 1 MB, compute: {step_time: 1 ms}}\n"
          "task: {kind: quadratic, optima: [" +
          [] {
            std::string zeros = "0";
            for (int i = 1; i < 65; ++i) zeros += ", 0";
            return zeros;
          }() +
          "]}\nschedules: [{policy: all-reduce, exchange: direct}]\n"
          "stop: {max_rounds: 1}\n");
  ASSERT_TRUE(fs::exists(big));
  for (const char* command : {"exchange big.yaml", "run big.yaml -o out", "crosscheck big.yaml"}) {
    const std::string fidelity =
        std::string(command).starts_with("cross") ? "" : " --fidelity packet";
    const Outcome outcome = gyre(command + fidelity);
    EXPECT_EQ(outcome.status, 2) << command << '\n' << outcome.errors;
    EXPECT_NE(outcome.errors.find("64 islands"), std::string::npos) << outcome.errors;
  }
  EXPECT_EQ(gyre("run big.yaml -o out --overwrite").status, 0);
}

}  // namespace
}  // namespace gyre
