#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "analysis/csv.hpp"
#include "sim/run_totals.hpp"
#include "sim/simulation.hpp"

namespace gyre {

/// Writes a run's files as it goes: trace.csv, rounds.csv, routes.csv, timeline.json and, at
/// fidelity `packet`, switches.csv while it runs (a line is on disk when the next evaluation
/// begins), links.csv and islands.csv at its end. Memory does not grow with the run.
/// `timeline.json` is Chrome's trace event format: one thread an island, time in microseconds.
class Recorder final : public RunObserver {
 public:
  /// Makes `folder` and its files. Errors: `std::runtime_error` naming what cannot be written.
  /// switches.csv is written at fidelity `packet`.
  /// events.csv only where the run has events; each is written with the evaluation after it.
  Recorder(const std::filesystem::path& folder, const Topology& topology, bool packets,
           bool events = false);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  /// Events after which nothing was evaluated are written as well, whatever ended the run.
  ~Recorder() override;

  void on_trace(const TraceRow& row) override;
  void on_clique(const CliqueRow& row) override;
  void on_span(const Span& span) override;
  void on_switch(const SwitchRow& row) override;
  void on_event(const EventRow& row) override;
  void on_routes(const RoutesRow& row) override;

  /// Writes links.csv and islands.csv and closes all files.
  /// Errors: `std::runtime_error` if anything could not be written.
  void finish(const RunResult& result);

  [[nodiscard]] const RunTotals& totals() const { return totals_; }
  [[nodiscard]] double wall_s() const { return wall_s_; }

 private:
  [[nodiscard]] std::ofstream open(const std::string& file) const;
  void write_links(std::ofstream& file, const RunResult& result) const;
  void write_islands(std::ofstream& file, const RunResult& result) const;
  void write_events(const Evaluation* after);

  std::filesystem::path folder_;
  const Topology* topology_;
  std::ofstream trace_file_;
  std::ofstream rounds_file_;
  std::ofstream routes_file_;
  std::ofstream timeline_;
  std::ofstream switches_file_;
  std::ofstream events_file_;
  CsvWriter trace_;
  CsvWriter rounds_;
  CsvWriter routes_;
  std::optional<CsvWriter> switches_;
  std::optional<CsvWriter> events_;
  std::vector<EventRow> new_events_;  ///< since the last evaluation
  std::optional<Evaluation> last_evaluated_;
  std::int64_t plans_ = 0;  ///< whose routes are written
  RunTotals totals_;
  double wall_s_ = 0.0;  ///< spent here, for display only
};

}  // namespace gyre
