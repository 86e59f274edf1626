#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/cli.hpp"
#include "tests/support.hpp"

namespace gyre {

/// Runs with islands that leave, return, or are slow.
class ChurnRuns : public Cli {
 protected:
  /// Three islands on one switch, 1 GB at 1 Gbit/s: an exchange of three takes 16 s, of two 8 s; it
  /// begins after 1 s of compute.
  [[nodiscard]] std::string scenario(const std::string& churn, int rounds,
                                     const std::string& schedule = "all-reduce, exchange: direct",
                                     const std::string& mode = "neither") const {
    return file("churn.yaml", fmt::format(R"(gyre: 1
name: churn
{}  modes: [{}]
job: {{payload: 1 GB, compute: {{step_time: 1 s}}}}
task: {{kind: quadratic, optima: [0, 1, 5]}}
evaluate: {{every_rounds: 1}}
schedules: [{{policy: {}}}]
churn: {}
stop: {{max_rounds: {}}}
)",
                                          kThreeOnASwitch, mode, schedule, churn, rounds))
        .string();
  }
  void run(const std::string& file, const std::string& more = "") const {
    const Outcome outcome = gyre("compare " + file + " -o out --overwrite --quiet " + more);
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
  }
  [[nodiscard]] fs::path folder() const {
    return fs::directory_iterator(folder_ / "out/runs")->path();
  }
  [[nodiscard]] std::vector<std::string> cells(const std::string& table,
                                               const std::string& column) const {
    const auto rows = parse_csv(read(folder() / table));
    const auto at = static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), column) -
                                             rows[0].begin());
    std::vector<std::string> found;
    for (std::size_t r = 1; r < rows.size(); ++r) found.push_back(rows[r].at(at));
    return found;
  }
  using Cells = std::vector<std::string>;
};

}  // namespace gyre
