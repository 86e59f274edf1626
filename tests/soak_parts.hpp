#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tests/soak_checks.hpp"
#include "tests/soak_tables.hpp"

namespace gyre {

/// What was found wrong; a long list says no more than a short one.
class Complaints {
 public:
  template <class... Args>
  void require(bool holds, fmt::format_string<Args...> text, Args&&... args) {
    constexpr std::size_t kMost = 8;
    if (holds || all_.size() >= kMost) return;
    all_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(all_); }

 private:
  std::vector<std::string> all_;
};

/// Numbers of the files have 12 digits, and the engine's clock goes in steps of a nanosecond's
/// part.
inline bool at_least(double value, double least) {
  return value >= least - 1e-9 - 1e-9 * std::max(std::abs(value), std::abs(least));
}
inline bool about(double value, double other, double relative = 1e-9) {
  const double size = std::max(std::abs(value), std::abs(other));
  return std::abs(value - other) <= relative * size + 1e-9;
}

/// What a run left, as read.
struct SoakFiles {
  explicit SoakFiles(const std::filesystem::path& folder)
      : trace(folder / "trace.csv"),
        rounds(folder / "rounds.csv"),
        links(folder / "links.csv"),
        islands(folder / "islands.csv"),
        routes(folder / "routes.csv"),
        events(folder / "events.csv"),
        switches(folder / "switches.csv") {}

  SoakTable trace;
  SoakTable rounds;
  SoakTable links;
  SoakTable islands;
  SoakTable routes;
  SoakTable events;
  SoakTable switches;
};

/// Islands joined by `+`; none where the cell is empty.
inline std::vector<std::string> named(const std::string& cell) {
  std::vector<std::string> names;
  std::istringstream stream(cell);
  for (std::string name; std::getline(stream, name, '+');) names.push_back(name);
  return names;
}

/// Whether all of its rounds were played to their end, and nothing but them.
inline bool is_whole(const EndedRun& run) {
  return run.result.status == RunStatus::kComplete && !run.result.time_to_target &&
         run.result.rounds == run.spec.stop.max_rounds;
}

/// A time in which an island was away, by events.csv.
struct Absence {
  IslandId island;
  double from_s = 0.0;
  std::int64_t left_in = 0;    ///< round
  std::optional<double> to_s;  ///< none: until the run's end
  std::optional<std::int64_t> back_in;
  std::optional<IslandId> source;  ///< whose model it then had
};
/// In the order in which they begin.
std::vector<Absence> absences_of(const SoakFiles& files, const Topology& topology);

/// The part of `wrong_with` that is about islands that leave and return: they do so when they are
/// to, meanwhile compute nothing and wait for nobody, and each round goes without those that are
/// away, and without nobody else.
void check_churn(const EndedRun& run, const SoakFiles& files, Complaints& wrong);

/// The part of `wrong_with` that is about bytes.
void check_bytes(const EndedRun& run, const SoakFiles& files, Complaints& wrong);

}  // namespace gyre
