#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/csv.hpp"
#include "analysis/table.hpp"
#include "models/error.hpp"
#include "sim/cli.hpp"
#include "sim/cli_sweep.hpp"
#include "sim/json_cell.hpp"
#include "sim/study_store.hpp"
#include "sim/sweep.hpp"

namespace gyre {

int command_sweep(const SweepOptions& options) {
  const SweepSettings settings{
      .study = options.study,
      .output =
          options.output ? std::optional<std::filesystem::path>(*options.output) : std::nullopt,
      .jobs = job_count(options.jobs),
      .fidelity = static_cast<Fidelity>(
          chosen("--fidelity", options.fidelity, {kFidelityNames.begin(), kFidelityNames.end()})),
      .dry_run = options.dry_run,
      .retry_failed = options.retry_failed,
      .overwrite = options.overwrite,
      .quiet = options.quiet};
  if (options.output && options.output->empty()) {
    throw InputError("--output", "is empty; expected the name of a file");
  }
  if (options.jobs && MpiWorld::present()) {
    throw InputError("--jobs", "has no effect under mpirun, where each process does one run");
  }
  MpiWorld world;
  try {
    return sweep(settings, world);
  } catch (const InputError&) {
    // All processes find the same fault: one says it.
    if (world.leads()) throw;
    return kExitBadInput;
  }
}

int command_query(const QueryOptions& options) {
  const Format format = chosen_format(options.format);
  const QueryResult result = query_study(options.file, options.sql);
  if (format == Format::kCsv) {
    fmt::print("{}", csv_line(result.columns));
    for (const auto& row : result.rows) fmt::print("{}", csv_line(row));
    return kExitDone;
  }
  if (format == Format::kJson) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& row : result.rows) {
      nlohmann::ordered_json entry = nlohmann::ordered_json::object();
      for (std::size_t c = 0; c < row.size(); ++c) entry[result.columns[c]] = json_cell(row[c]);
      list.push_back(std::move(entry));
    }
    fmt::print("{}\n", list.dump(2));
    return kExitDone;
  }
  std::vector<TextTable::Heading> headings;
  for (const std::string& column : result.columns) headings.push_back({.text = column});
  TextTable table(std::move(headings));
  for (const auto& row : result.rows) table.row(row);
  fmt::print("{}", table.render());
  return kExitDone;
}

}  // namespace gyre
