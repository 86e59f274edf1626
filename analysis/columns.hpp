#pragma once

#include <span>
#include <string_view>

namespace gyre {

/// A column of an output table: the one place for its name, unit and meaning. The CSV headers, the
/// help and the checks of what is written all read it.
struct Column {
  std::string_view name;
  std::string_view unit;  ///< `-` for text and plain counts
  std::string_view definition;
};

struct OutputTable {
  std::string_view name;  ///< `summary`, or the file without `.csv`
  std::string_view summary;
  std::span<const Column> columns;
};

/// summary.csv: one row a run.
std::span<const Column> summary_columns();
/// trace.csv: one row an evaluation.
std::span<const Column> trace_columns();
/// rounds.csv: one row a round and clique.
std::span<const Column> rounds_columns();
/// routes.csv: one row an arc of a plan.
std::span<const Column> routes_columns();
/// links.csv: one row an arc.
std::span<const Column> links_columns();
/// switches.csv: one row a switch and change of its state.
std::span<const Column> switches_columns();
/// events.csv: one row a fault, a return, or what an exchange made of it.
std::span<const Column> events_columns();
/// islands.csv: one row an island.
std::span<const Column> islands_columns();
/// `gyre exchange --format csv`: one row.
std::span<const Column> exchange_columns();
/// `gyre plan --format csv`: one row a mode and rank.
std::span<const Column> forecast_columns();
std::span<const Column> plan_columns();

/// `gyre crosscheck --format csv`: one row a round.
std::span<const Column> crosscheck_columns();

// The data of the figures (analysis/figures.hpp).
std::span<const Column> time_to_accuracy_columns();
std::span<const Column> round_time_columns();
std::span<const Column> link_utilisation_columns();
std::span<const Column> consensus_columns();
std::span<const Column> spread_columns();
std::span<const Column> map_columns();
std::span<const Column> heard_columns();
std::span<const Column> cliques_columns();

// The data of the paper's figures (analysis/paper_figures.hpp).
std::span<const Column> exchange_rate_columns();
std::span<const Column> sensitivity_columns();

/// The column of that name. Requires that there is one.
const Column& column_named(std::span<const Column> columns, std::string_view name);

/// All of them.
std::span<const OutputTable> output_tables();

}  // namespace gyre
