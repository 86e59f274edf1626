#pragma once

#include <string>

#include "analysis/results.hpp"

namespace gyre {

/// The answers of a results folder in sentences: the question, and for each mode the schedule that
/// reaches the target first over the WAN, how far that is from the bound of its rounds and from one
/// data centre. Times of several seeds count as their mean, and only if all of them got there.
struct Answers {
  std::string question;
  std::vector<std::string> sentences;
};
Answers answers_of(const Results& results);

/// One self-contained HTML page: answers, ranked table, curves, the map round by round, timelines,
/// links, the scenario with its defaults and the definition of every column. It asks for nothing
/// over a network: styles, script and the library D3 stand in it. Of long runs it holds the first
/// rounds, and of long traces a selection of points with the first and the last. Errors:
/// `InputError` for damaged results and for those without any run.
std::string report_html(const Results& results);

}  // namespace gyre
