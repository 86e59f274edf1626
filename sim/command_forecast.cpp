#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/columns.hpp"
#include "analysis/csv.hpp"
#include "analysis/table.hpp"
#include "sim/cli.hpp"
#include "sim/forecast.hpp"
#include "sim/interrupt.hpp"
#include "sim/json_cell.hpp"
#include "sim/run_setup.hpp"
#include "sim/status_line.hpp"

namespace gyre {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> ratio(const Forecast& row) {
  if (!row.days || !(row.bound_days.value_or(0.0) > 0.0)) return {};
  return *row.days / *row.bound_days;
}

std::vector<std::string> csv_fields(const Forecast& row) {
  return {row.schedule,
          row.mode,
          std::to_string(row.local_steps),
          row.failure.empty() ? (row.tokens ? "reached" : "never") : "failed",
          number(row.islands),
          number(row.tokens),
          number(row.steps),
          number(row.rounds),
          number(row.days),
          number(row.bound_days),
          number(ratio(row)),
          number(row.round_s),
          number(row.utilisation),
          number(row.sent_gb),
          number(row.peak_gbps),
          number(row.cost_per_site),
          number(row.cost),
          std::to_string(row.simulated_rounds)};
}

void print_json(const std::vector<Forecast>& rows, const std::vector<std::string>& cautions) {
  Json list = Json::array();
  for (const Forecast& row : rows) {
    list.push_back(json_row(forecast_columns(), csv_fields(row)));
  }
  fmt::print("{}\n", Json{{"forecasts", list}, {"cautions", cautions}}.dump(2));
}

/// Three digits or more.
std::string days_text(double days) {
  if (days >= 100.0) return fmt::format("{:.0f}", days);
  return fmt::format("{:.{}f}", days, days >= 10.0 ? 1 : days >= 1.0 ? 2 : 3);
}

std::string shown(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

/// As many digits as a price of that size is read by.
std::string money(std::optional<double> value) {
  return shown(value, value.value_or(0.0) < 1000.0 ? 2 : 0);
}

void print_mode(const std::vector<Forecast>& rows, bool priced) {
  const auto right = TextTable::Align::kRight;
  std::vector<TextTable::Heading> headings{{.text = "#", .align = right}, {.text = "schedule"}};
  for (const char* text : {"H", "islands", "tokens", "steps", "days", "bound", "x bound", "round",
                           "util.", "GB/site", "peak Gbps"}) {
    headings.push_back({.text = text, .align = right});
  }
  if (priced) headings.push_back({.text = "cost/site", .align = right});
  TextTable table(std::move(headings));
  std::size_t place = 0;
  for (const Forecast& row : rows) {
    const std::string days = row.failure.empty() ? "never" : "failed";
    std::vector<std::string> cells{std::to_string(++place),
                                   row.schedule,
                                   std::to_string(row.local_steps),
                                   shown(row.islands, 2),
                                   row.tokens ? fmt::format("{:.4g}", *row.tokens) : "-",
                                   shown(row.steps, 0),
                                   row.days ? days_text(*row.days) : days,
                                   row.bound_days ? days_text(*row.bound_days) : "-",
                                   shown(ratio(row), 2),
                                   fmt::format("{:.3f} s", row.round_s),
                                   fmt::format("{:.1f} %", 100.0 * row.utilisation),
                                   shown(row.sent_gb, 0),
                                   shown(row.peak_gbps, 2)};
    if (priced) cells.push_back(money(row.cost_per_site));
    table.row(std::move(cells));
  }
  fmt::print("{}", table.render());
}

void print_table(const LoadedScenario& loaded, const std::vector<Forecast>& rows,
                 const std::vector<std::string>& cautions) {
  const Scenario& scenario = loaded.scenario;
  fmt::print("{}: {} islands to loss {}, {} exchanged; step {} (mean of the slowest island)\n",
             scenario.name.value, loaded.topology.island_count(), *scenario.stop.loss,
             to_text(scenario.job.payload_bytes()), step_time_text(loaded, 1));
  for (const ResolvedValue& value : loaded.resolved) {
    if (value.key_path == "task.penalty") {
      fmt::print("penalty for islands that exchange seldom: {}\n", value.value);
    }
  }
  const bool priced = scenario.forecast && scenario.forecast->prices;
  if (priced) fmt::print("prices in {}\n", scenario.forecast->prices->currency.value);
  for (const Mode mode : scenario.network.modes) {
    std::vector<Forecast> of_mode;
    for (const Forecast& row : rows) {
      if (row.mode == name_of(mode)) of_mode.push_back(row);
    }
    if (of_mode.empty()) continue;
    std::stable_sort(of_mode.begin(), of_mode.end(), [](const Forecast& a, const Forecast& b) {
      return a.days && (!b.days || *a.days < *b.days);
    });
    fmt::print("\nmode {}\n", name_of(mode));
    print_mode(of_mode, priced);
  }
  if (!rows.empty()) {
    const auto [least, most] =
        std::minmax_element(rows.begin(), rows.end(), [](const Forecast& a, const Forecast& b) {
          return a.simulated_rounds < b.simulated_rounds;
        });
    std::string rounds = std::to_string(least->simulated_rounds);
    if (most->simulated_rounds > least->simulated_rounds) {
      rounds += fmt::format(" to {}", most->simulated_rounds);
    }
    fmt::print(
        "\nfrom {} simulated rounds each; days and GB are extrapolated from their second half\n",
        rounds);
  }
  for (const std::string& one : cautions) fmt::print("caution: {}\n", one);
}

}  // namespace

int command_forecast(const ForecastOptions& options) {
  const LoadedScenario loaded = load(options.common);
  const Format format = chosen_format(options.common.format);
  watch_interrupts();
  std::vector<Forecast> rows;
  {
    StatusLine line(options.common.quiet);
    rows = forecast(loaded, [&line](double share) {
      if (line.due()) line.draw(progress_text(share, line.elapsed_s()));
      return !interrupted();
    });
  }
  const std::vector<std::string> cautions = forecast_cautions(loaded, rows);
  switch (format) {
    case Format::kTable:
      print_table(loaded, rows, cautions);
      break;
    case Format::kCsv:
      fmt::print("{}", csv_header(forecast_columns()));
      for (const Forecast& row : rows) fmt::print("{}", csv_line(csv_fields(row)));
      for (const std::string& one : cautions) fmt::print(stderr, "caution: {}\n", one);
      break;
    case Format::kJson:
      print_json(rows, cautions);
      break;
  }
  bool failed = false;
  for (const Forecast& row : rows) {
    if (row.failure.empty()) continue;
    failed = true;
    fmt::print(stderr, "failed: {}, {}, H = {}: {}\n", row.schedule, row.mode, row.local_steps,
               row.failure);
  }
  if (interrupted()) {
    fmt::print(stderr, "interrupted: the table is not complete\n");
    return kExitFailed;
  }
  return failed ? kExitFailed : kExitDone;
}

}  // namespace gyre
