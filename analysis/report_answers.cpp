#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "analysis/report.hpp"

namespace gyre {
namespace {

/// One schedule in one mode, its seeds together.
struct Candidate {
  std::string schedule;
  std::string policy;
  std::size_t seeds = 0;
  std::size_t reached = 0;  ///< of them the target
  double time_s = 0.0;      ///< mean of those
  double ratio = 0.0;       ///< to the bound of their rounds
  bool over_wan = false;
};

/// Schedules that reach the target: with every seed before those with some of them, then by time.
std::vector<Candidate> ranked(const Results& results, const std::string& mode) {
  std::map<std::string, std::vector<const SummaryRow*>> rows;
  for (const ResultRun& run : results.runs) {
    if (run.mode == mode && run.summary) rows[run.schedule].push_back(&*run.summary);
  }
  std::vector<Candidate> all;
  for (const auto& [schedule, seeds] : rows) {
    Candidate one{.schedule = schedule, .policy = seeds.front()->policy, .seeds = seeds.size()};
    for (const SummaryRow* row : seeds) {
      one.over_wan = one.over_wan || row->wan_gb.value_or(0.0) > 0.0;
      if (!row->time_to_accuracy_s) continue;
      ++one.reached;
      one.time_s += *row->time_to_accuracy_s;
      one.ratio += row->ratio_to_bound.value_or(0.0);
    }
    if (one.reached == 0) continue;
    one.time_s /= static_cast<double>(one.reached);
    one.ratio /= static_cast<double>(one.reached);
    all.push_back(std::move(one));
  }
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    const bool a_whole = a.reached == a.seeds;
    const bool b_whole = b.reached == b.seeds;
    return a_whole != b_whole ? a_whole : a.time_s < b.time_s;
  });
  return all;
}

std::string target_text(const Results& results) {
  if (const auto accuracy = results.value("stop.accuracy"); !accuracy.empty()) {
    return fmt::format("an accuracy of {}", accuracy);
  }
  if (const auto loss = results.value("stop.loss"); !loss.empty()) {
    return fmt::format("a loss of {}", loss);
  }
  return {};
}

std::string mode_text(const std::string& mode) {
  if (mode == "neither") return "Without any capability of the switches";
  if (mode == "both") return "With both capabilities";
  return "With " + mode + " alone";
}

}  // namespace

Answers answers_of(const Results& results) {
  const std::string target = target_text(results);
  Answers answers;
  if (target.empty()) {
    answers.question = fmt::format("How do these schedules fare in {}?", results.scenario);
    answers.sentences.emplace_back(
        "The scenario sets no target, so that nothing is ranked by the time to it; the table shows "
        "how far each run came.");
    return answers;
  }
  answers.question =
      fmt::format("In {}, which schedule reaches {} first over the wide-area network?",
                  results.scenario, target);
  std::vector<std::string> modes;
  for (const ResultRun& run : results.runs) {
    if (std::find(modes.begin(), modes.end(), run.mode) == modes.end()) modes.push_back(run.mode);
  }
  for (const std::string& mode : modes) {
    const std::vector<Candidate> all = ranked(results, mode);
    const auto colocated = std::find_if(all.begin(), all.end(), [](const Candidate& one) {
      return one.policy == "colocated" && one.reached == one.seeds;
    });
    const auto best =
        std::find_if(all.begin(), all.end(), [](const Candidate& one) { return one.over_wan; });
    // What is missing might have been quicker.
    const std::string so_far = results.whole ? "" : " of the runs so far";
    if (best == all.end()) {
      answers.sentences.push_back(fmt::format("{}, none{} reaches it over the network.",
                                              mode_text(mode),
                                              results.whole ? " of the schedules" : so_far));
      continue;
    }
    std::string sentence = fmt::format("{}, '{}' reaches it first{}, in {:.5g} s", mode_text(mode),
                                       best->schedule, so_far, best->time_s);
    if (best->reached < best->seeds) {
      sentence += fmt::format(" with {} of {} seeds (none with all)", best->reached, best->seeds);
    }
    if (best->ratio > 0.0) {
      sentence += fmt::format(": {:.2f} × the bound of its rounds", best->ratio);
    }
    if (colocated != all.end() && colocated->time_s > 0.0) {
      sentence += fmt::format("{} {:.2f} × one data centre", best->ratio > 0.0 ? "," : ":",
                              best->time_s / colocated->time_s);
    }
    answers.sentences.push_back(sentence + ".");
  }
  return answers;
}

}  // namespace gyre
