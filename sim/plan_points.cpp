#include "sim/plan_points.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "analysis/csv.hpp"
#include "models/bounds.hpp"
#include "models/error.hpp"
#include "models/units.hpp"
#include "sim/interrupt.hpp"
#include "sim/manifest.hpp"
#include "sim/planned_mode.hpp"
#include "sim/progress.hpp"
#include "sim/sweep_workers.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;

/// What any exchange could bring at most, in rounds as long as the exchange or a window.
double most_models_per_s(const LoadedScenario& loaded) {
  const Topology& topology = loaded.topology;
  const std::size_t n = topology.island_count();
  check(n <= 16, "all cliques are looked at, which takes a small map");
  const Routes routes(topology);
  const Bounds bounds(topology, routes);
  const std::optional<Duration> window = loaded.scenario.plan.spec.window;
  double most = 0.0;
  for (std::size_t set = 1; set < std::size_t{1} << n; ++set) {
    Clique clique;
    for (std::size_t i = 0; i < n; ++i) {
      if ((set >> i & 1U) != 0) clique.push_back(IslandId::at(i));
    }
    if (clique.size() < 2) continue;
    const Duration least = bounds.cut(clique, loaded.scenario.job.payload_bytes()).time;
    if (window && least > *window) continue;
    most = std::max(most,
                    static_cast<double>(clique.size() - 1) / window.value_or(least).in_seconds());
  }
  return most;
}

/// Nothing if it was interrupted.
std::optional<PlanPoint> plan(const PlanPointRequest& request) {
  const LoadedScenario& loaded = *request.loaded;
  PlanPoint point{.models_per_s = {},
                  .round_s = {},
                  .consensus_s = {},
                  .bound_per_s = most_models_per_s(loaded),
                  .largest = 0,
                  .schedule = {}};
  check_plan(loaded, request.mode);
  const PlannedMode planned = [&] {
    try {
      return plan_mode(loaded, request.mode, [](double, double, double) { return !interrupted(); });
    } catch (const InputError&) {
      // Checked above: what is left is that no round fits the window.
      return PlannedMode{};
    }
  }();
  if (interrupted()) return std::nullopt;
  if (planned.result.ranked.empty()) return point;
  const PlannedSchedule& best = planned.result.ranked.front();
  double pairs = 0.0;
  for (const PlannedRound& round : best.rounds) {
    for (const Clique& clique : round.round.cliques) {
      pairs += static_cast<double>(clique.size() * (clique.size() - 1));
    }
  }
  const auto rounds = static_cast<double>(best.rounds.size());
  const Duration round = loaded.scenario.plan.spec.window.value_or(best.period / rounds);
  point.round_s = round.in_seconds();
  point.models_per_s =
      pairs / static_cast<double>(loaded.topology.island_count()) / (rounds * round.in_seconds());
  if (best.consensus.time_s < kNeverMixes) point.consensus_s = best.consensus.time_s;
  point.largest = largest_clique(best);
  point.schedule = to_text(best, loaded.topology);
  return point;
}

void write(const fs::path& file, const PlanPoint& point) {
  write_file(file, csv_line(std::vector<std::string>{
                       number(point.models_per_s), number(point.round_s), number(point.consensus_s),
                       number(point.bound_per_s), std::to_string(point.largest), point.schedule}));
}

std::optional<PlanPoint> read(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line)) return std::nullopt;
  const auto cells = parse_csv_line(line);
  if (!cells || cells->size() != 6) return std::nullopt;
  const std::optional<double> bound = parse_number((*cells)[3]);
  const std::optional<double> largest = parse_number((*cells)[4]);
  if (!bound || !largest) return std::nullopt;
  return PlanPoint{.models_per_s = parse_number((*cells)[0]),
                   .round_s = parse_number((*cells)[1]),
                   .consensus_s = parse_number((*cells)[2]),
                   .bound_per_s = *bound,
                   .largest = static_cast<std::size_t>(*largest),
                   .schedule = (*cells)[5]};
}

}  // namespace

std::optional<std::vector<PlanPoint>> plan_points(const fs::path& folder,
                                                  const std::vector<PlanPointRequest>& requests,
                                                  std::size_t jobs, bool quiet) {
  fs::create_directories(folder);
  const auto file_of = [&](const PlanPointRequest& request) {
    return folder / fmt::format("{}.{}.csv", scenario_key(*request.loaded), name_of(request.mode));
  };
  std::vector<std::size_t> waiting;
  std::set<fs::path> planning;  // two requests may be for the same
  for (std::size_t r = 0; r < requests.size(); ++r) {
    const fs::path file = file_of(requests[r]);
    if (!read(file) && planning.insert(file).second) waiting.push_back(r);
  }
  Progress progress(waiting.size(), quiet);
  LocalWorkers workers(jobs, [&](std::size_t place) {
    const PlanPointRequest& request = requests[waiting[place]];
    if (const std::optional<PlanPoint> point = plan(request)) write(file_of(request), *point);
    return std::string();
  });
  std::size_t next = 0;
  bool passed_on = false;
  while (true) {
    while (!interrupted() && next < waiting.size() && workers.idle() > 0) workers.start(next++);
    if (workers.running() == 0) break;
    if (interrupted() && !passed_on) {
      workers.interrupt();
      passed_on = true;
    }
    const std::optional<SweepEnd> end = workers.next(std::chrono::milliseconds(100));
    if (!end) continue;
    const std::string& what = requests[waiting[end->run]].what;
    if (end->exit_status != 0 && !interrupted()) {
      throw std::runtime_error(
          fmt::format("{}: its process ended with status {}", what, end->exit_status));
    }
    progress.end(end->run, what);
  }
  if (interrupted()) return std::nullopt;
  std::vector<PlanPoint> points;
  for (const PlanPointRequest& request : requests) {
    const std::optional<PlanPoint> point = read(file_of(request));
    if (!point) throw std::runtime_error(fmt::format("{}: its point is gone", request.what));
    points.push_back(*point);
  }
  return points;
}

}  // namespace gyre
