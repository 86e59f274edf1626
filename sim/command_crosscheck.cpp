#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/columns.hpp"
#include "analysis/csv.hpp"
#include "analysis/table.hpp"
#include "models/error.hpp"
#include "sim/cli.hpp"
#include "sim/cross_check.hpp"
#include "sim/interrupt.hpp"
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
    const std::vector<std::string> fields = csv_fields(row);
    Json entry = Json::object();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const std::optional<double> value = parse_number(fields[i]);
      const std::string name(crosscheck_columns()[i].name);
      entry[name] = value ? Json(*value) : Json(fields[i]);
    }
    list.push_back(std::move(entry));
  }
  fmt::print("{}\n", list.dump(2));
}

void print_table(const LoadedScenario& loaded, const std::vector<CrossCheck>& rows) {
  const TransportSpec transport = loaded.scenario.network.transport.value_or(TransportSpec());
  fmt::print("{}: each round by itself at both fidelities, chunks of {}, {} an island\n",
             loaded.scenario.name.value, to_text(transport.chunk),
             to_text(loaded.scenario.job.payload_bytes()));
  fmt::print("difference = granularity + headers + limits + loss; seconds where not %\n\n");
  const auto right = TextTable::Align::kRight;
  std::string before;
  TextTable table({{.text = "schedule"},
                   {.text = "mode"},
                   {.text = "flow", .align = right},
                   {.text = "packet", .align = right},
                   {.text = "differ %", .align = right},
                   {.text = "granularity", .align = right},
                   {.text = "(limit)", .align = right},
                   {.text = "headers", .align = right},
                   {.text = "limits", .align = right},
                   {.text = "loss", .align = right},
                   {.text = "bound", .align = right},
                   {.text = "mainly"},
                   {.text = "round"}});
  for (const CrossCheck& row : rows) {
    const auto figure = [&row](double value) {
      return row.failure.empty() ? fmt::format("{:.6f}", value) : "-";
    };
    table.row({row.schedule, row.mode, fmt::format("{:.6f}", row.flow_s), figure(row.packet_s),
               row.failure.empty()
                   ? fmt::format("{:+.3f}", 100.0 * (row.packet_s / row.flow_s - 1.0))
                   : "-",
               figure(row.granularity_s), fmt::format("{:.6f}", row.granularity_limit_s),
               figure(row.headers_s), figure(row.limits_s), figure(row.loss_s),
               fmt::format("{:.6f}", row.bound_s), main_reason(row), row.round});
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
