#include "sim/report_table.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/columns.hpp"
#include "analysis/csv.hpp"
#include "analysis/table.hpp"
#include "sim/json_cell.hpp"
#include "sim/run_setup.hpp"

namespace gyre {
namespace {

using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

/// A number in a table's form, `-` where there is none.
std::string shown(std::optional<double> value, std::string_view form) {
  return value ? fmt::format(fmt::runtime(form), *value) : "-";
}

TextTable make_table(bool several_seeds, bool has_accuracy) {
  std::vector<TextTable::Heading> headings{{.text = "#", .align = Align::kRight},
                                           {.text = "schedule"}};
  if (several_seeds) headings.push_back({.text = "seed", .align = Align::kRight});
  headings.push_back({.text = "to target", .align = Align::kRight});
  if (has_accuracy) {
    headings.push_back({.text = "accuracy", .align = Align::kRight});
    headings.push_back({.text = "worst", .align = Align::kRight});
  } else {
    headings.push_back({.text = "loss", .align = Align::kRight});
  }
  for (const char* text : {"rounds", "round", "bound", "x bound", "comm.", "WAN GB"}) {
    headings.push_back({.text = text, .align = Align::kRight});
  }
  headings.push_back({.text = "busiest arc"});
  headings.push_back({.text = "bound by"});
  return TextTable(std::move(headings));
}

std::vector<std::string> cells(const SummaryRow& row, std::size_t place, bool several_seeds,
                               bool has_accuracy) {
  std::vector<std::string> cells{std::to_string(place), row.schedule};
  if (several_seeds) cells.push_back(std::to_string(row.seed));
  if (row.status != "complete") {
    cells.push_back(row.status);
  } else {
    cells.push_back(row.time_to_accuracy_s ? fmt::format("{:.1f} s", *row.time_to_accuracy_s)
                                           : "not reached");
  }
  if (has_accuracy) {
    cells.push_back(shown(row.final_accuracy_average, "{:.4f}"));
    cells.push_back(shown(row.final_accuracy_worst, "{:.4f}"));
  } else {
    cells.push_back(shown(row.final_loss_average, "{:.4g}"));
  }
  cells.push_back(row.rounds ? std::to_string(*row.rounds) : "-");
  cells.push_back(shown(row.mean_round_s, "{:.3f} s"));
  cells.push_back(shown(row.bound_round_s, "{:.3f} s"));
  cells.push_back(shown(row.ratio_to_bound, "{:.2f}"));
  cells.push_back(
      row.communication_share ? fmt::format("{:.0f} %", 100.0 * *row.communication_share) : "-");
  cells.push_back(shown(row.wan_gb, "{:.0f}"));
  cells.push_back(row.binding_arc.empty() ? "-" : row.binding_arc);
  cells.push_back(row.bound_by.empty() ? "-" : row.bound_by);
  return cells;
}

/// What all runs have in common.
std::string heading(const LoadedScenario& loaded) {
  const Scenario& scenario = loaded.scenario;
  std::string target = "no target";
  if (scenario.stop.accuracy) {
    target = fmt::format("target: accuracy {} of the average model", *scenario.stop.accuracy);
  }
  if (scenario.stop.loss) target = fmt::format("target: loss {}", *scenario.stop.loss);
  return fmt::format("{}: {} islands, {} exchanged, {} local steps of {} a round; {}\n",
                     scenario.name.value, loaded.topology.island_count(),
                     to_text(scenario.job.payload_bytes()), scenario.job.local_steps,
                     step_time_text(loaded, 1), target);
}

/// The first schedule of a mode that crosses the WAN and reached the target: any, or of those that
/// exchange as named. Null if there is none. Requires ranked rows.
const SummaryRow* first_of(const std::vector<SummaryRow>& rows, std::string_view mode,
                           std::optional<std::string_view> exchange) {
  for (const SummaryRow& row : rows) {
    if (row.mode != mode || row.wan_gb.value_or(0.0) <= 0.0 || !row.time_to_accuracy_s) continue;
    if (!exchange || row.exchange == *exchange) return &row;
  }
  return nullptr;
}

/// The time of the colocated schedule in a mode, if it reached the target.
std::optional<double> colocated_time(const std::vector<SummaryRow>& rows, std::string_view mode) {
  for (const SummaryRow& row : rows) {
    if (row.mode == mode && row.policy == "colocated") return row.time_to_accuracy_s;
  }
  return {};
}

/// Rows of one kind of exchange: each mode's first schedule, its gap to colocated, and how much of
/// the gap without any capability that leaves closed.
void add_gaps(const LoadedScenario& loaded, const std::vector<SummaryRow>& rows,
              std::optional<std::string_view> exchange, TextTable& table) {
  std::optional<double> widest;
  for (const Mode mode : loaded.scenario.network.modes) {
    const SummaryRow* first = first_of(rows, name_of(mode), exchange);
    if (first == nullptr) continue;
    const double time_s = *first->time_to_accuracy_s;
    const std::optional<double> colocated = colocated_time(rows, name_of(mode));
    std::optional<double> gap;
    if (colocated) gap = time_s - *colocated;
    if (mode == Mode::kNeither) widest = gap;
    const bool closes = gap && widest && mode != Mode::kNeither && *widest > 0.0;
    table.row({std::string(name_of(mode)), std::string(exchange.value_or("any")), first->schedule,
               fmt::format("{:.1f} s", time_s), gap ? fmt::format("{:.1f} s", *gap) : "-",
               colocated ? fmt::format("{:.2f}", time_s / *colocated) : "-",
               closes ? fmt::format("{:.0f} %", 100.0 * (1.0 - *gap / *widest)) : "-"});
  }
}

/// What the switches' help is worth, where several schedules or modes reached the target.
std::string shift(const LoadedScenario& loaded, const std::vector<SummaryRow>& rows) {
  TextTable table({{.text = "mode"},
                   {.text = "exchange"},
                   {.text = "first schedule"},
                   {.text = "to target", .align = Align::kRight},
                   {.text = "gap", .align = Align::kRight},
                   {.text = "x colocated", .align = Align::kRight},
                   {.text = "closed", .align = Align::kRight}});
  add_gaps(loaded, rows, {}, table);
  if (table.empty()) return "";
  const std::string_view direct = name_of(Exchange::kDirect);
  const bool several = std::any_of(rows.begin(), rows.end(), [direct](const SummaryRow& row) {
    return !row.exchange.empty() && row.exchange != direct && row.policy != "colocated";
  });
  if (several) add_gaps(loaded, rows, direct, table);
  return "First over the WAN, by what the switches can do; its gap to colocated, and how much of "
         "the "
         "gap of mode neither that closes\n" +
         table.render();
}

}  // namespace

std::string comparison_text(const LoadedScenario& loaded, const std::vector<SummaryRow>& rows) {
  std::string text = heading(loaded);
  const bool several_seeds = loaded.scenario.seeds.size() > 1;
  const bool has_accuracy = std::any_of(rows.begin(), rows.end(), [](const SummaryRow& row) {
    return row.final_accuracy_average.has_value();
  });
  for (auto from = rows.begin(); from != rows.end();) {
    const auto to = std::find_if(from, rows.end(),
                                 [&from](const SummaryRow& row) { return row.mode != from->mode; });
    TextTable table = make_table(several_seeds, has_accuracy);
    for (auto row = from; row != to; ++row) {
      table.row(cells(*row, static_cast<std::size_t>(row - from) + 1, several_seeds, has_accuracy));
    }
    text += fmt::format("\nmode {}\n{}", from->mode, table.render());
    from = to;
  }
  const std::string first = shift(loaded, rows);
  if (!first.empty()) text += "\n" + first;
  for (const std::string& one : cautions(loaded)) text += fmt::format("caution: {}\n", one);
  return text;
}

std::string comparison_csv(const std::vector<SummaryRow>& rows) {
  std::string text = csv_header(summary_columns());
  for (const SummaryRow& row : rows) text += csv_line(row.fields());
  return text;
}

std::string comparison_json(const std::vector<SummaryRow>& rows) {
  Json list = Json::array();
  for (const SummaryRow& row : rows) {
    const std::vector<std::string> fields = row.fields();
    Json entry = Json::object();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      entry[std::string(summary_columns()[i].name)] =
          fields[i].empty() ? Json() : json_cell(fields[i]);
    }
    list.push_back(entry);
  }
  return list.dump(2) + "\n";
}

}  // namespace gyre
