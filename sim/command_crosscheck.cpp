#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/columns.hpp"
#include "analysis/csv.hpp"
#include "analysis/table.hpp"
#include "models/error.hpp"
#include "sim/cli.hpp"
#include "sim/cross_check.hpp"
#include "sim/interrupt.hpp"
#include "sim/json_cell.hpp"
#include "sim/run_setup.hpp"
#include "sim/status_line.hpp"

namespace gyre {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> csv_fields(const CrossCheck& row) {
  const auto figure = [&row](double value) { return row.failure.empty() ? number(value) : ""; };
  return {row.schedule,
          row.mode,
          row.round,
          number(row.flow_s),
          figure(row.packet_s),
          figure(row.packet_s - row.flow_s),
          figure(row.granularity_s),
          number(row.granularity_limit_s),
          figure(row.headers_s),
          figure(row.limits_s),
          figure(row.loss_s),
          number(row.bound_s),
          std::to_string(row.lost),
          std::to_string(row.retransmissions),
          main_reason(row)};
}

void print_json(const std::vector<CrossCheck>& rows) {
  Json list = Json::array();
  for (const CrossCheck& row : rows) {
    list.push_back(json_row(crosscheck_columns(), csv_fields(row)));
  }
  fmt::print("{}\n", list.dump(2));
}

void print_table(const LoadedScenario& loaded, const std::vector<CrossCheck>& rows) {
  const TransportSpec transport = loaded.scenario.network.transport.value_or(TransportSpec());
  fmt::print("{}: each round by itself at both fidelities, chunks of {}, {} an island\n",
             loaded.scenario.name.value, to_text(transport.chunk),
             to_text(loaded.scenario.job.payload_bytes()));
  // A part that no round has is left out.
  const auto has = [&rows](double CrossCheck::*part) {
    return std::any_of(rows.begin(), rows.end(),
                       [part](const CrossCheck& row) { return row.*part != 0.0; });
  };
  struct Part {
    const char* heading;
    double CrossCheck::*value;
  };
  std::vector<Part> parts{{"granularity", &CrossCheck::granularity_s},
                          {"at most", &CrossCheck::granularity_limit_s}};
  std::string sum = "granularity";
  for (const Part& part :
       {Part{"headers", &CrossCheck::headers_s}, Part{"limits", &CrossCheck::limits_s},
        Part{"loss", &CrossCheck::loss_s}}) {
    if (!has(part.value)) continue;
    parts.push_back(part);
    sum += fmt::format(" + {}", part.heading);
  }
  fmt::print("packet - flow = {}; in seconds\n\n", sum);
  const auto right = TextTable::Align::kRight;
  std::vector<TextTable::Heading> headings{{.text = "schedule"},
                                           {.text = "mode"},
                                           {.text = "flow", .align = right},
                                           {.text = "packet", .align = right},
                                           {.text = "differ", .align = right}};
  for (const Part& part : parts) headings.push_back({.text = part.heading, .align = right});
  headings.push_back({.text = "bound", .align = right});
  headings.push_back({.text = "mainly"});
  headings.push_back({.text = "round"});
  TextTable table(std::move(headings));
  for (const CrossCheck& row : rows) {
    const bool ended = row.failure.empty();
    const auto figure = [ended](double value) {
      return ended ? fmt::format("{:.6f}", value) : std::string("-");
    };
    std::vector<std::string> cells{
        row.schedule, row.mode, fmt::format("{:.6f}", row.flow_s), figure(row.packet_s),
        ended ? fmt::format("{:+.3f} %", 100.0 * (row.packet_s / row.flow_s - 1.0)) : "-"};
    for (const Part& part : parts) cells.push_back(figure(row.*part.value));
    cells.push_back(fmt::format("{:.6f}", row.bound_s));
    cells.push_back(main_reason(row));
    cells.push_back(row.round);
    table.row(cells);
  }
  fmt::print("{}", table.render());
}

}  // namespace

int command_crosscheck(const CrosscheckOptions& options) {
  const LoadedScenario loaded = load(options.common);
  const Format format = chosen_format(options.common.format);
  CrossCheckRequest request;
  if (options.schedule) request.schedule = chosen_schedule(options.schedule, loaded.scenario);
  if (options.mode) request.mode = chosen_mode(options.mode, loaded.scenario);
  request.rounds = options.rounds;
  watch_interrupts();
  std::vector<CrossCheck> rows;
  {
    StatusLine line(options.common.quiet);
    rows = cross_check(loaded, request, [&line](double share) {
      if (line.due()) line.draw(progress_text(share, line.elapsed_s()));
      return !interrupted();
    });
  }
  if (rows.empty() && !interrupted()) {
    throw InputError("gyre crosscheck", "nothing to check: no schedule exchanges over the network");
  }
  switch (format) {
    case Format::kTable:
      print_table(loaded, rows);
      break;
    case Format::kCsv:
      fmt::print("{}", csv_header(crosscheck_columns()));
      for (const CrossCheck& row : rows) fmt::print("{}", csv_line(csv_fields(row)));
      break;
    case Format::kJson:
      print_json(rows);
      break;
  }
  double longest_s = 0.0;
  for (const CrossCheck& row : rows) longest_s = std::max(longest_s, row.packet_s);
  warn_of_late_faults(loaded, longest_s);
  bool failed = false;
  for (const CrossCheck& row : rows) {
    if (row.failure.empty()) continue;
    failed = true;
    fmt::print(stderr, "failed: {}, {}: {}\n", row.schedule, row.mode, row.failure);
  }
  if (interrupted()) {
    fmt::print(stderr, "interrupted: the table is not complete\n");
    return kExitFailed;
  }
  return failed ? kExitFailed : kExitDone;
}

}  // namespace gyre
