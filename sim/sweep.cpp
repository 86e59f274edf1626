#include "sim/sweep.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "analysis/csv.hpp"
#include "models/error.hpp"
#include "models/rng.hpp"
#include "models/units.hpp"
#include "scenarios/study.hpp"
#include "sim/cli.hpp"
#include "sim/interrupt.hpp"
#include "sim/progress.hpp"
#include "sim/run_summary.hpp"
#include "sim/study_store.hpp"
#include "sim/version.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;

struct SweepRun {
  std::size_t point = 0;
  RunChoice choice;
  std::string schedule;  ///< its label
};

/// The study's runs by number, and what decides them.
struct SweepPlan {
  LoadedStudy study;
  std::vector<SweepRun> runs;
  std::vector<std::size_t> chosen;  ///< numbers of those to run
  std::string key;
  std::string scenario_text;
};

/// As `gyre run` takes it.
std::string setting_of(const StudyPoint& point) {
  std::string setting;
  for (const Override& one : point.overrides) {
    setting += fmt::format("{}--set '{}={}'", setting.empty() ? "" : " ", one.key_path, one.value);
  }
  return setting;
}

LoadedScenario scenario_at(const LoadedStudy& study, const StudyPoint& point, Fidelity fidelity) {
  LoadedScenario loaded = load_scenario(study.scenario_path, point.overrides);
  loaded.fidelity = fidelity;
  check_fidelity(loaded.scenario, fidelity);
  return loaded;
}

SweepPlan plan_of(const SweepSettings& settings) {
  SweepPlan plan{.study = load_study(settings.study),
                 .runs = {},
                 .chosen = {},
                 .key = {},
                 .scenario_text = {}};
  const Study& study = plan.study.study;
  std::string keys = fmt::format("gyre {}\n", kVersion);
  for (std::size_t p = 0; p < plan.study.points.size(); ++p) {
    const StudyPoint& point = plan.study.points[p];
    const LoadedScenario loaded = [&] {
      try {
        return scenario_at(plan.study, point, settings.fidelity);
      } catch (const InputError& error) {
        if (point.overrides.empty()) throw;
        throw InputError(settings.study, fmt::format("at {}: {}", setting_of(point), error.what()));
      }
    }();
    keys += scenario_key(loaded) + "\n";
    plan.scenario_text = loaded.text;
    for (const RunChoice& choice : all_runs(loaded.scenario)) {
      plan.runs.push_back({.point = p,
                           .choice = choice,
                           .schedule = loaded.scenario.schedules[choice.schedule].label.value});
    }
    if (plan.runs.size() > static_cast<std::size_t>(study.max_runs)) {
      throw InputError(study.max_runs_where,
                       fmt::format("the study comes to more than {} runs; vary less, or set "
                                   "`max_runs`",
                                   study.max_runs));
    }
  }
  plan.chosen.resize(plan.runs.size());
  std::iota(plan.chosen.begin(), plan.chosen.end(), std::size_t{0});
  if (study.sample) {
    Rng rng = Rng::stream(static_cast<std::uint64_t>(study.sample->seed), "sample");
    rng.shuffle(plan.chosen);
    plan.chosen.resize(std::min(plan.chosen.size(), static_cast<std::size_t>(study.sample->runs)));
    std::sort(plan.chosen.begin(), plan.chosen.end());
    keys += fmt::format("sample {} {}\n", study.sample->runs, study.sample->seed);
  }
  plan.key = name_uuid(keys);
  return plan;
}

/// Keeps a run's totals, without files.
class TotalsObserver final : public RunObserver {
 public:
  void on_clique(const CliqueRow& row) override { totals.add(row); }
  RunTotals totals;
};

/// A line cannot hold line breaks.
std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// Simulates a run and returns its status, failure and summary as a line of CSV.
std::string simulate_run(const SweepPlan& plan, Fidelity fidelity, std::size_t number) {
  const SweepRun& run = plan.runs[number];
  const LoadedScenario loaded = scenario_at(plan.study, plan.study.points[run.point], fidelity);
  if (loaded.scenario.task != nullptr) loaded.scenario.task->load();
  const Topology fabric = colocated_topology(loaded.topology, loaded.scenario.network.fabric);
  const RunSpec spec = run_spec(loaded, run.choice, fabric);
  TotalsObserver observer;
  const RunResult result = simulate(spec, observer, interrupted());
  const SummaryRow row = summarise(loaded, run.choice, spec, result, observer.totals);
  std::vector<std::string> cells{in_one_line(result.failure)};
  for (std::string& field : row.fields()) cells.push_back(in_one_line(std::move(field)));
  std::string line = csv_line(cells);
  line.pop_back();
  return line;
}

std::string minutes_text(double seconds) {
  if (seconds < 60.0) return fmt::format("{:.0f} s", std::max(seconds, 1.0));
  if (seconds < 3600.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

class Sweep {
 public:
  Sweep(const SweepSettings& settings, const SweepPlan& plan, SweepWorkers& workers)
      : settings_(settings),
        plan_(plan),
        workers_(workers),
        file_(settings.output.value_or(fs::path("results") /
                                       (plan.study.study.name.value + ".sqlite"))) {}

  int run() {
    if (!settings_.dry_run) {
      store_.emplace(file_,
                     StudyStore::Identity{.name = plan_.study.study.name.value,
                                          .version = std::string(kVersion),
                                          .key = plan_.key,
                                          .study = plan_.study.text,
                                          .scenario = plan_.scenario_text,
                                          .keys = plan_.study.keys},
                     settings_.overwrite);
    }
    const std::set<std::size_t> there =
        store_ ? store_->runs(!settings_.retry_failed) : std::set<std::size_t>{};
    std::vector<std::size_t> waiting;
    for (const std::size_t run : plan_.chosen) {
      if (!there.contains(run)) waiting.push_back(run);
    }
    say(fmt::format("{}: {} of {} runs at {} points{}, {} at a time", plan_.study.study.name.value,
                    waiting.size(), plan_.chosen.size(), plan_.study.points.size(),
                    there.empty() ? "" : fmt::format(" ({} are there)", there.size()),
                    workers_.places()));
    // One run of each schedule first: they tell how long the others will take.
    const auto rest = pilots_first(waiting);
    const auto pilots = static_cast<std::size_t>(rest - waiting.begin());
    Progress progress(waiting.size(), settings_.quiet || settings_.dry_run);
    bool told = false;
    std::size_t next = 0;
    std::size_t ended = 0;
    bool passed_on = false;
    while (ended < waiting.size()) {
      const bool stops = interrupted() || (settings_.dry_run && next >= pilots);
      while (!stops && next < waiting.size() && workers_.idle() > 0) {
        started_[waiting[next]] = {next, std::chrono::steady_clock::now()};
        workers_.start(waiting[next++]);
      }
      if (workers_.running() == 0) break;
      if (interrupted() && !passed_on) {
        workers_.interrupt();
        passed_on = true;
      }
      const std::optional<SweepEnd> end = workers_.next(std::chrono::milliseconds(100));
      if (!end) continue;
      ++ended;
      take(*end, progress);
      if (!told && ended >= pilots && !interrupted()) {
        told = true;
        estimate(waiting, pilots);
      }
    }
    return finish();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void say(const std::string& text) const {
    if (settings_.dry_run) fmt::print("{}\n", text);
    if (!settings_.dry_run && !settings_.quiet) fmt::print(stderr, "{}\n", text);
  }

  std::vector<std::size_t>::iterator pilots_first(std::vector<std::size_t>& waiting) const {
    std::set<std::string> known;
    return std::stable_partition(waiting.begin(), waiting.end(), [&](std::size_t run) {
      return known.insert(plan_.runs[run].schedule).second;
    });
  }

  void estimate(const std::vector<std::size_t>& waiting, std::size_t pilots) const {
    if (waiting.size() <= pilots) return;
    double seconds = 0.0;
    for (std::size_t w = pilots; w < waiting.size(); ++w) {
      const auto pilot = seconds_.find(plan_.runs[waiting[w]].schedule);
      if (pilot != seconds_.end()) seconds += pilot->second;
    }
    say(fmt::format("about {} for the other {} runs, by the first of each schedule",
                    minutes_text(seconds / static_cast<double>(workers_.places())),
                    waiting.size() - pilots));
  }

  void take(const SweepEnd& end, Progress& progress) {
    const auto& [place, start] = started_.at(end.run);
    const SweepRun& run = plan_.runs[end.run];
    seconds_.try_emplace(run.schedule, std::chrono::duration<double>(Clock::now() - start).count());
    StudyResult result = result_of(end);
    const std::string& status = result.summary.status;
    const std::string what =
        fmt::format("{}, {}, seed {}, {}: {}", run.schedule, name_of(run.choice.mode),
                    run.choice.seed, setting_of(plan_.study.points[run.point]),
                    result.failure.empty() ? status : result.failure);
    if (status == "truncated") return;  // interrupted: it is run again
    if (store_) store_->add(result);
    progress.end(place, what);
  }

  StudyResult result_of(const SweepEnd& end) const {
    const SweepRun& run = plan_.runs[end.run];
    const StudyPoint& point = plan_.study.points[run.point];
    StudyResult result{.run = end.run,
                       .values = {},
                       .setting = fmt::format("{} --schedule '{}' --mode {}", setting_of(point),
                                              run.schedule, name_of(run.choice.mode)),
                       .summary = {},
                       .failure = {}};
    for (const Override& one : point.overrides) result.values.push_back(one.value);
    auto cells = parse_csv_line(end.line);
    if (end.exit_status == 0 && cells && !cells->empty()) {
      result.failure = cells->front();
      cells->erase(cells->begin());
      if (auto summary = parse_summary_row(*cells)) {
        result.summary = std::move(*summary);
        return result;
      }
    }
    result.summary.schedule = run.schedule;
    result.summary.mode = name_of(run.choice.mode);
    result.summary.seed = run.choice.seed;
    result.summary.status = interrupted() ? "truncated" : "failed";
    result.failure = end.exit_status > 128
                         ? fmt::format("its process was ended by signal {}", end.exit_status - 128)
                         : fmt::format("its process ended with status {}", end.exit_status);
    return result;
  }

  int finish() const {
    if (settings_.dry_run) return interrupted() ? kExitFailed : kExitDone;
    const std::size_t all_complete = store_->runs(false).size();
    const std::size_t all_ended = store_->runs(true).size();
    fmt::print("{}: {} runs, {} complete, {} failed{}\n", plan_.study.study.name.value,
               plan_.chosen.size(), all_complete, all_ended - all_complete,
               all_ended < plan_.chosen.size()
                   ? fmt::format(", {} to do", plan_.chosen.size() - all_ended)
                   : "");
    std::fflush(stdout);
    say(fmt::format("results in {}: gyre query {}", file_.string(), file_.string()));
    if (interrupted()) {
      fmt::print(stderr, "interrupted: what has ended is kept; run again to go on\n");
    }
    return all_complete == plan_.chosen.size() ? kExitDone : kExitFailed;
  }

  const SweepSettings& settings_;
  const SweepPlan& plan_;
  SweepWorkers& workers_;
  fs::path file_;
  std::optional<StudyStore> store_;
  std::map<std::size_t, std::pair<std::size_t, Clock::time_point>> started_;  ///< place, when
  std::map<std::string, double> seconds_;  ///< that the first run of a schedule took
};

/// Reads the images before the processes part, so that each has them.
std::optional<LoadedScenario> shared_data(const SweepSettings& settings, const SweepPlan& plan) {
  LoadedScenario first = scenario_at(plan.study, plan.study.points.front(), settings.fidelity);
  if (first.scenario.task != nullptr) first.scenario.task->load();
  return first;
}

}  // namespace

int sweep(const SweepSettings& settings, MpiWorld& world) {
  const SweepPlan plan = plan_of(settings);
  watch_interrupts();
  const SweepBody body = [&](std::size_t run) {
    return simulate_run(plan, settings.fidelity, run);
  };
  const std::optional<LoadedScenario> data = shared_data(settings, plan);
  if (!world.leads()) {
    world.serve(body);
    return kExitDone;
  }
  if (!MpiWorld::present()) {
    LocalWorkers workers(settings.jobs, body);
    return Sweep(settings, plan, workers).run();
  }
  const std::unique_ptr<SweepWorkers> workers = world.workers(body);
  return Sweep(settings, plan, *workers).run();
}

}  // namespace gyre
