// The shipped comparison of every policy: it names all of them, and it can be cut off and resumed.

#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "schedules/policy.hpp"
#include "tests/cli.hpp"

namespace gyre {
namespace {

class Baselines : public Cli {};

TEST_F(Baselines, NameEveryPolicy) {
  const Outcome outcome = gyre("check " + shipped("baselines.yaml") + " --format json");
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  for (const PolicyEntry& entry : policy_table()) {
    EXPECT_NE(read(kSource / "scenarios/baselines.yaml").find("policy: " + entry.name),
              std::string::npos)
        << entry.name;
  }
}

// Without learning and planning, three rounds each: cut off, the runs that ended stay, and the
// second time the others follow; in the end all is as if nothing had happened.
TEST_F(Baselines, GoOnWhereTheyWereCutOff) {
  const std::string command = "compare " + shipped("baselines.yaml") +
                              " --quiet --set 'stop={max_rounds: 3}' "
                              "--set 'task={kind: noisy-quadratic, learning_rate: 0.05}' "
                              "--set 'schedules[8]={policy: rotating-cliques, rounds: [SEO+TYO]}' "
                              "--set 'schedules[9]={policy: adaptive-cliques, rounds: [SEO+TYO]}' "
                              "-o ";
  const Outcome whole = gyre(command + "whole");
  ASSERT_EQ(whole.status, 0) << whole.errors;
  // Ctrl-C as soon as some runs have ended.
  const Outcome cut = shell(
      "'" + kGyre + "' " + command +
      "cut & pid=$!; for i in $(seq 1000); do [ $(ls cut/runs 2>/dev/null | wc -l) -ge 20 ] && "
      "break; sleep 0.02; done; kill -INT $pid; wait $pid");
  EXPECT_EQ(cut.status, 1) << cut.errors;
  EXPECT_EQ(nlohmann::json::parse(read(folder_ / "cut/manifest.json")).at("status"), "truncated");
  const Outcome rest = gyre(command + "cut");
  EXPECT_EQ(rest.status, 0) << rest.errors;
  EXPECT_EQ(tree(folder_ / "cut"), tree(folder_ / "whole"));
  EXPECT_EQ(parse_csv(read(folder_ / "cut/summary.csv")).size(), 1 + 4 * 25U);
}

// What changes in a run has no part in a plan, an exported map or a round by itself: each says so.
TEST_F(Baselines, WhatSeesNoChangesSaysSo) {
  const std::string changed =
      " --set \"network.changes=[{at: 1 s, arcs: ['EAST->WEST'], bandwidth: 1 Gbps}]\" "
      "--set \"network.background=[{every_link: true, rate: 500 Mbps}]\" ";
  for (const std::string command :
       {"plan", "exchange --mode neither",
        "export --to graphml --schedule all-reduce/direct --mode both"}) {
    const std::size_t space = command.find(' ');
    const Outcome outcome =
        gyre(command.substr(0, space) + " " + shipped("two-islands.yaml") + changed +
             (space == std::string::npos ? "" : command.substr(space)));
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_NE(outcome.errors.find("`network.changes` and `network.background` do not strike it"),
              std::string::npos)
        << command << outcome.errors;
  }
}

}  // namespace
}  // namespace gyre
