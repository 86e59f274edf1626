#include "sim/paper_figures.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "models/error.hpp"
#include "sim/batch.hpp"
#include "sim/cli.hpp"
#include "sim/figure_files.hpp"
#include "sim/interrupt.hpp"
#include "sim/manifest.hpp"
#include "sim/paper_data.hpp"
#include "sim/path_lock.hpp"
#include "sim/report_table.hpp"
#include "sim/version.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;

/// What is under way.
class PaperFigures {
 public:
  explicit PaperFigures(const PaperFigureOptions& options) : options_(options) {
    std::vector<std::string> names;
    for (const PaperFigure& figure : paper_figures()) names.emplace_back(figure.name);
    if (options_.figure) {
      wanted_.push_back(
          &paper_figures()[chosen("gyre reproduce figures", *options_.figure, names)]);
    } else {
      for (const PaperFigure& figure : paper_figures()) wanted_.push_back(&figure);
    }
  }

  int run() {
    make_folder();
    const PathLock lock(options_.folder);
    watch_interrupts();
    if (!plan() || !simulate()) {
      fmt::print(stderr, "interrupted: what is done is kept; run again to go on\n");
      return kExitFailed;
    }
    if (!failures_.empty()) {
      for (const std::string& failure : failures_) fmt::print(stderr, "failed: {}\n", failure);
      return kExitFailed;
    }
    std::vector<PaperResult> results;
    for (const PaperFigure* figure : wanted_) results.push_back(result_of(*figure));
    check_changed(results);
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      write_figure(options_.folder, wanted_[i]->name, results[i].drawing);
      write_file(options_.folder / fmt::format("{}.txt", wanted_[i]->name),
                 caption(*wanted_[i]) + "\n");
      names.push_back(wanted_[i]->name);
    }
    for (std::size_t i = 0; i < wanted_.size(); ++i) print(*wanted_[i], results[i]);
    std::fflush(stdout);
    if (!draw_figures(options_.folder, names)) return kExitFailed;
    if (!options_.quiet) {
      fmt::print(stderr, "{} figure{} in {}\n", names.size(), names.size() == 1 ? "" : "s",
                 options_.folder.string());
    }
    return kExitDone;
  }

 private:
  [[nodiscard]] bool wants(std::string_view name) const {
    return std::any_of(wanted_.begin(), wanted_.end(),
                       [name](const PaperFigure* figure) { return figure->name == name; });
  }

  void make_folder() const {
    const fs::path& folder = options_.folder;
    std::error_code error;
    if (folder.empty()) throw InputError("--output", "is empty; expected the name of a folder");
    if (fs::exists(folder, error) && !fs::is_directory(folder, error)) {
      throw InputError(folder.string(), "exists and is not a folder");
    }
    const bool ours = fs::exists(folder / "work", error);
    if (fs::exists(folder, error) && !fs::is_empty(folder, error) && !ours) {
      throw InputError(folder.string(),
                       "holds something else than the figures of this command; choose another "
                       "folder with --output");
    }
    fs::create_directories(folder / "work", error);
    if (error) {
      throw InputError(folder.string(), fmt::format("cannot be made: {}", error.message()));
    }
  }

  /// False if it was interrupted.
  bool plan() {
    std::vector<PlanPointRequest> requests;
    if (wants("schedules")) requests = schedules_requests();
    const std::size_t of_schedules = requests.size();
    if (wants("exchange-rate")) {
      std::vector<PlanPointRequest> more = exchange_rate_requests();
      std::move(more.begin(), more.end(), std::back_inserter(requests));
    }
    if (requests.empty()) return true;
    const auto points =
        plan_points(options_.folder / "work/plans", requests, options_.jobs, options_.quiet);
    if (!points) return false;
    const auto middle = points->begin() + static_cast<std::ptrdiff_t>(of_schedules);
    schedules_.assign(points->begin(), middle);
    rates_.assign(middle, points->end());
    return true;
  }

  /// False if it was interrupted.
  bool simulate() {
    std::vector<BatchRun> runs;
    const fs::path comparison = options_.folder / "work/time-to-accuracy";
    std::shared_ptr<const LoadedScenario> accuracy;
    if (wants("time-to-accuracy")) {
      accuracy = accuracy_scenario();
      runs = runs_below(comparison, *accuracy);
    }
    const std::size_t of_accuracy = runs.size();
    if (wants("sensitivity")) points_ = sensitivity_points();
    // Points that come to the same share their runs.
    std::vector<std::vector<std::size_t>> runs_of_point;
    for (const SensitivityPoint& point : points_) {
      std::vector<std::size_t>& mine = runs_of_point.emplace_back();
      for (const RunChoice& choice : all_runs(point.loaded->scenario)) {
        BatchRun run{
            .loaded = point.loaded.get(),
            .choice = choice,
            .folder = options_.folder / "work/sensitivity" / run_key(*point.loaded, choice)};
        const auto same = std::find_if(runs.begin(), runs.end(), [&run](const BatchRun& other) {
          return other.folder == run.folder;
        });
        mine.push_back(static_cast<std::size_t>(same - runs.begin()));
        if (same == runs.end()) runs.push_back(std::move(run));
      }
    }
    if (runs.empty()) return true;
    if (accuracy) {
      fs::create_directories(comparison);
      write_comparison_manifest(comparison, *accuracy, all_runs(accuracy->scenario),
                                RunStatus::kTruncated);
    }
    // The folders are this command's own: what another version left there is replaced.
    const BatchOutcome outcome = run_batch(
        runs,
        {.jobs = options_.jobs, .quiet = options_.quiet, .overwrite = true, .plan_in_runs = true});
    failures_ = outcome.failures;
    if (interrupted()) return false;
    if (!failures_.empty()) return true;
    const auto row_of = [&outcome](std::size_t r) {
      check(outcome.row_of[r].has_value(), "every run has a row");
      return outcome.rows[*outcome.row_of[r]];
    };
    if (accuracy) {
      std::vector<SummaryRow> rows;
      for (std::size_t r = 0; r < of_accuracy; ++r) rows.push_back(row_of(r));
      rank(rows);
      write_file(comparison / "summary.csv", comparison_csv(rows));
      write_comparison_manifest(comparison, *accuracy, all_runs(accuracy->scenario),
                                RunStatus::kComplete);
    }
    for (const std::vector<std::size_t>& mine : runs_of_point) {
      std::vector<SummaryRow>& rows = rows_of_point_.emplace_back();
      for (const std::size_t r : mine) rows.push_back(row_of(r));
    }
    return true;
  }

  [[nodiscard]] PaperResult result_of(const PaperFigure& figure) const {
    if (figure.name == "topology") return topology_figure(figure, *paper_scenario());
    if (figure.name == "schedules") return schedules_figure(figure, *paper_scenario(), schedules_);
    if (figure.name == "exchange-rate") {
      return exchange_rate_figure(figure, *paper_scenario(), rates_);
    }
    if (figure.name == "time-to-accuracy") {
      return accuracy_figure(
          figure, read_results(options_.folder / "work/time-to-accuracy", std::string(kVersion)));
    }
    return sensitivity_figure(figure, points_, rows_of_point_);
  }

  /// Refuses to replace a source or data that somebody changed.
  void check_changed(const std::vector<PaperResult>& results) const {
    if (options_.overwrite) return;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      for (const auto& [ending, content] :
           {std::pair("csv", &results[i].drawing.csv), std::pair("gp", &results[i].drawing.plot)}) {
        const fs::path file = options_.folder / fmt::format("{}.{}", wanted_[i]->name, ending);
        std::ifstream stream(file, std::ios::binary);
        if (!stream) continue;
        const std::string there{std::istreambuf_iterator<char>(stream), {}};
        if (there == *content) continue;
        throw InputError(file.string(),
                         "is there and differs from what would be written; choose another folder "
                         "with --output or replace it with --overwrite");
      }
    }
  }

  static void print(const PaperFigure& figure, const PaperResult& result) {
    fmt::print("{}: {}\n", figure.name, figure.title);
    fmt::print("  reproduced: {}.\n  our reading: {}.\n", figure.reproduced, figure.reading);
    for (const std::string& finding : result.findings) fmt::print("  - {}\n", finding);
    fmt::print("\n");
  }

  const PaperFigureOptions& options_;
  std::vector<const PaperFigure*> wanted_;
  std::vector<PlanPoint> schedules_;
  std::vector<PlanPoint> rates_;
  std::vector<SensitivityPoint> points_;
  std::vector<std::vector<SummaryRow>> rows_of_point_;
  std::vector<std::string> failures_;
};

}  // namespace

int reproduce_paper_figures(const PaperFigureOptions& options) {
  return PaperFigures(options).run();
}

}  // namespace gyre
