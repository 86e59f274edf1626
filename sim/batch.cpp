#include "sim/batch.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "models/error.hpp"
#include "sim/child_process.hpp"
#include "sim/interrupt.hpp"
#include "sim/manifest.hpp"
#include "sim/prepared_plan.hpp"
#include "sim/progress.hpp"
#include "sim/recorder.hpp"
#include "sim/run_summary.hpp"
#include "sim/wall_clock.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;

/// Reports how far a run is to the parent, on top of recording it.
class ReportingRecorder final : public RunObserver {
 public:
  ReportingRecorder(Recorder& recorder, const RunSpec& spec, const ChildPool::Report& report)
      : recorder_(&recorder), spec_(&spec), report_(&report) {}
  void on_trace(const TraceRow& row) override {
    recorder_->on_trace(row);
    const double share =
        static_cast<double>(row.round) / static_cast<double>(spec_->stop.max_rounds);
    (*report_)(fmt::format("at {} round {}{}", share, row.round,
                           row.evaluation.accuracy_average
                               ? fmt::format(", accuracy {:.3f}", *row.evaluation.accuracy_average)
                               : ""));
  }
  void on_clique(const CliqueRow& row) override { recorder_->on_clique(row); }
  void on_span(const Span& span) override { recorder_->on_span(span); }
  void on_switch(const SwitchRow& row) override { recorder_->on_switch(row); }
  void on_event(const EventRow& row) override { recorder_->on_event(row); }
  void on_routes(const RoutesRow& row) override { recorder_->on_routes(row); }

 private:
  Recorder* recorder_;
  const RunSpec* spec_;
  const ChildPool::Report* report_;
};

/// The body of a run's process.
int run_one(const BatchRun& run, const ChildPool::Report& report) {
  const LoadedScenario& loaded = *run.loaded;
  const Topology fabric = colocated_topology(loaded.topology, loaded.scenario.network.fabric);
  const RunSpec spec = run_spec(loaded, run.choice, fabric);
  RunManifest manifest{.key = run_key(loaded, run.choice),
                       .status = RunStatus::kTruncated,
                       .failure = "",
                       .summary = {}};
  fs::create_directories(run.folder);
  write_run_manifest(run.folder, loaded, run.choice, manifest);

  Recorder recorder(run.folder, *spec.topology, spec.packets.has_value(),
                    spec.has_events());
  ReportingRecorder observer(recorder, spec, report);
  const RunResult result = simulate(spec, observer, interrupted());
  recorder.finish(result);
  manifest.status = result.status;
  manifest.failure = result.failure;
  manifest.summary = summarise(loaded, run.choice, spec, result, recorder.totals());
  write_run_manifest(run.folder, loaded, run.choice, manifest);
  report(
      fmt::format("wall {} {} {}", result.total_wall_s, result.learning_wall_s, recorder.wall_s()));
  return result.status == RunStatus::kComplete ? 0 : 1;
}

/// Everything of `run_batch` that its loop shares.
class Batch {
 public:
  Batch(const std::vector<BatchRun>& runs, const BatchOptions& options)
      : runs_(runs), options_(options), progress_(runs.size(), options.quiet) {}

  BatchOutcome run() {
    const WallClock clock;
    find_finished();
    options_.on_begin();
    load_tasks();
    if (!options_.plan_in_runs) prepare_policies();
    while (true) {
      while (!interrupted() && !waiting_.empty() && pool_.running() < options_.jobs) {
        const std::size_t next = waiting_.front();
        waiting_.erase(waiting_.begin());
        const std::size_t child = pool_.start(
            [this, next](const ChildPool::Report& report) { return run_one(runs_[next], report); });
        run_of_child_[child] = next;
      }
      if (pool_.running() == 0) break;
      if (interrupted() && !passed_on_) {
        pool_.signal_all(SIGINT);
        passed_on_ = true;
      }
      if (const auto event = pool_.next(std::chrono::milliseconds(100))) handle(*event);
    }
    if (!waiting_.empty()) worsen(RunStatus::kTruncated);
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      outcome_.row_of.emplace_back();
      if (!rows_.contains(r)) continue;
      outcome_.row_of.back() = outcome_.rows.size();
      outcome_.rows.push_back(rows_.at(r));
    }
    outcome_.elapsed_s = clock.elapsed_s();
    return std::move(outcome_);
  }

 private:
  void find_finished() {
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      const BatchRun& run = runs_[r];
      const std::optional<RunManifest> found = read_run_manifest(run.folder);
      const bool mine = found && found->key == run_key(*run.loaded, run.choice);
      if (mine && found->status == RunStatus::kComplete && found->summary) {
        rows_[r] = *found->summary;
        ++outcome_.reused;
        progress_.end(r, name(r) + ": reused");
        continue;
      }
      if (!mine && !options_.overwrite && fs::exists(run.folder / "manifest.json")) {
        throw InputError(run.folder.string(),
                         "holds the results of another scenario or version; choose another folder "
                         "with --output, or replace them with --overwrite");
      }
      waiting_.push_back(r);
    }
  }

  void load_tasks() const {
    const Task* last = nullptr;  // a scenario's runs follow each other
    for (const std::size_t r : waiting_) {
      Task* task = runs_[r].loaded->scenario.task.get();
      if (task != nullptr && task != last) task->load();
      last = task;
    }
  }

  /// What policies plan, they plan before the processes part, so that all of them have it.
  void prepare_policies() {
    for (const std::size_t r : waiting_) {
      if (interrupted()) return;
      const LoadedScenario& loaded = *runs_[r].loaded;
      const Topology fabric = colocated_topology(loaded.topology, loaded.scenario.network.fabric);
      const RunSpec spec = run_spec(loaded, runs_[r].choice, fabric);
      const Routes routes(*spec.topology);
      const ExchangeContext exchanges =
          exchange_context(spec, {*spec.topology, routes, spec.capabilities, spec.limits});
      spec.policy->start({.topology = *spec.topology, .seed = spec.seed, .exchanges = &exchanges});
      if (spec.policy->prepares() && !options_.quiet) {
        fmt::print(stderr, "planning the rounds of {}\n", name(r));
      }
      spec.policy->prepare([] { return !interrupted(); });
      if (spec.packets) {
        check_first_rounds(spec, {*spec.topology, routes, spec.capabilities, spec.limits});
      }
    }
  }

  /// Refuses what packets of a run's first rounds could not do. (Later rounds of other cliques end
  /// the run.)
  static void check_first_rounds(const RunSpec& spec, const Network& network) {
    constexpr std::int64_t kRounds = 16;
    const std::int64_t count = std::min(kRounds, spec.stop.max_rounds);
    std::vector<Round> rounds;
    rounds.reserve(static_cast<std::size_t>(count));
    for (std::int64_t number = 0; number < count; ++number) {
      rounds.push_back(spec.policy->round(number));
    }
    check_packets(
        network, {.exchange = spec.exchange, .routing = spec.routing, .keep_rates = false},
        sync_timing(spec).pieces(0).front().bytes, spec.packets.value_or(PacketSettings()), rounds);
  }

  void handle(const ChildEvent& event) {
    const std::size_t r = run_of_child_.at(event.child);
    if (event.line) {
      note(r, *event.line);
      return;
    }
    const std::optional<RunManifest> manifest = read_run_manifest(runs_[r].folder);
    RunStatus status = manifest ? manifest->status : RunStatus::kFailed;
    std::string failure = manifest ? manifest->failure : "";
    if (manifest && manifest->summary) {
      rows_[r] = *manifest->summary;
    } else if (!interrupted()) {
      status = RunStatus::kFailed;
      failure = fmt::format("its process ended with status {}", event.exit_status.value_or(-1));
      mark_failed(r, failure);
      rows_[r] = named_row(runs_[r].loaded->scenario, runs_[r].choice, status);
    }
    worsen(status);
    if (status == RunStatus::kFailed) outcome_.failures.push_back(name(r) + ": " + failure);
    progress_.end(r, name(r) + ": " + describe(r, status));
  }

  void note(std::size_t r, const std::string& line) {
    if (line.starts_with("at ")) {
      const std::size_t space = line.find(' ', 3);
      const double share = parse_number(line.substr(3, space - 3)).value_or(0.0);
      progress_.advance(r, share, name(r) + ": " + line.substr(space + 1));
      return;
    }
    double total = 0.0;
    double learning = 0.0;
    double output = 0.0;
    if (std::sscanf(line.c_str(), "wall %lf %lf %lf", &total, &learning, &output) != 3) return;
    outcome_.wall.simulation_s += total - learning - output;
    outcome_.wall.learning_s += learning;
    outcome_.wall.output_s += output;
  }

  void mark_failed(std::size_t r, const std::string& failure) const {
    if (!fs::exists(runs_[r].folder)) return;
    const BatchRun& run = runs_[r];
    write_run_manifest(run.folder, *run.loaded, run.choice,
                       {.key = run_key(*run.loaded, run.choice),
                        .status = RunStatus::kFailed,
                        .failure = failure,
                        .summary = {}});
  }

  [[nodiscard]] std::string describe(std::size_t r, RunStatus status) const {
    if (status != RunStatus::kComplete) {
      return std::string(kRunStatusNames[static_cast<std::size_t>(status)]);
    }
    const SummaryRow& row = rows_.at(r);
    return row.time_to_accuracy_s
               ? fmt::format("target after {:.1f} s", *row.time_to_accuracy_s)
               : fmt::format("{} rounds, target not reached", row.rounds.value_or(0));
  }

  [[nodiscard]] std::string name(std::size_t r) const {
    const RunChoice& choice = runs_[r].choice;
    const Scenario& scenario = runs_[r].loaded->scenario;
    return fmt::format("{}, {}, seed {}", scenario.schedules[choice.schedule].label.value,
                       name_of(choice.mode), choice.seed);
  }

  void worsen(RunStatus status) { outcome_.status = std::max(outcome_.status, status); }

  const std::vector<BatchRun>& runs_;
  const BatchOptions& options_;
  Progress progress_;
  ChildPool pool_;
  std::vector<std::size_t> waiting_;
  std::map<std::size_t, std::size_t> run_of_child_;
  std::map<std::size_t, SummaryRow> rows_;
  bool passed_on_ = false;
  BatchOutcome outcome_;
};

}  // namespace

BatchOutcome run_batch(const std::vector<BatchRun>& runs, const BatchOptions& options) {
  return Batch(runs, options).run();
}

std::vector<BatchRun> runs_below(const fs::path& folder, const LoadedScenario& loaded) {
  std::vector<BatchRun> runs;
  for (const RunChoice& choice : all_runs(loaded.scenario)) {
    runs.push_back({.loaded = &loaded,
                    .choice = choice,
                    .folder = folder / "runs" / run_id(loaded.scenario, choice)});
  }
  return runs;
}

}  // namespace gyre
