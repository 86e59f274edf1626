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

/// The first schedule of each mode that crosses the WAN and reached the target.
std::string shift(const std::vector<SummaryRow>& rows) {
  std::string text;
  std::string mode;
  for (const SummaryRow& row : rows) {
    if (row.mode == mode || row.wan_gb.value_or(0.0) <= 0.0 || !row.time_to_accuracy_s) continue;
    mode = row.mode;
    text +=
        fmt::format("  {:<12} {} ({:.1f} s)\n", row.mode, row.schedule, *row.time_to_accuracy_s);
  }
  return text.empty() ? "" : "First over the WAN, by what the switches can do:\n" + text;
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
  const std::string first = shift(rows);
  if (!first.empty()) text += "\n" + first;
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
