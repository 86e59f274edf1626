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
  double time_s = 0.0;
  double ratio = 0.0;  ///< to the bound of its rounds
};

/// The mean over the seeds of those schedules whose runs all reached the target.
std::vector<Candidate> reached(const Results& results, const std::string& mode) {
  std::map<std::string, std::vector<const SummaryRow*>> rows;
  for (const ResultRun& run : results.runs) {
    if (run.mode == mode && run.summary) rows[run.schedule].push_back(&*run.summary);
  }
  std::vector<Candidate> all;
  for (const auto& [schedule, seeds] : rows) {
    Candidate one{.schedule = schedule, .policy = seeds.front()->policy};
    const bool whole = std::all_of(seeds.begin(), seeds.end(), [](const SummaryRow* row) {
      return row->time_to_accuracy_s.has_value();
    });
    if (!whole) continue;
    for (const SummaryRow* row : seeds) {
      one.time_s += *row->time_to_accuracy_s / static_cast<double>(seeds.size());
      one.ratio += row->ratio_to_bound.value_or(0.0) / static_cast<double>(seeds.size());
    }
    all.push_back(std::move(one));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.time_s < b.time_s; });
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
    const std::vector<Candidate> all = reached(results, mode);
    const auto colocated = std::find_if(
        all.begin(), all.end(), [](const Candidate& one) { return one.policy == "colocated"; });
    const auto best = std::find_if(all.begin(), all.end(),
                                   [](const Candidate& one) { return one.policy != "colocated"; });
    if (best == all.end()) {
      answers.sentences.push_back(fmt::format("{} no schedule reaches it.", mode_text(mode)));
      continue;
    }
    std::string sentence = fmt::format("{}, {} reaches it first, in {:.5g} s", mode_text(mode),
                                       best->schedule, best->time_s);
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
