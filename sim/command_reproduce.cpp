#include <fmt/format.h>

#include "analysis/table.hpp"
#include "models/error.hpp"
#include "models/units.hpp"
#include "sim/cli.hpp"
#include "sim/cli_reproduce.hpp"
#include "sim/interrupt.hpp"
#include "sim/paper_figures.hpp"
#include "sim/print_rows.hpp"
#include "sim/reproductions.hpp"
#include "sim/status_line.hpp"

namespace gyre {
namespace {

void print_table(const Reproduction& reproduction, const ReproducedTable& table) {
  fmt::print("{}: {}\nsource: {}\n\n", reproduction.name, reproduction.summary,
             reproduction.source);
  std::vector<TextTable::Heading> headings;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const bool text = c == 0 || c + 1 == table.columns.size();
    headings.push_back({.text = table.columns[c],
                        .align = text ? TextTable::Align::kLeft : TextTable::Align::kRight});
  }
  TextTable text(std::move(headings));
  for (const auto& row : table.rows) text.row(row);
  fmt::print("{}\n", text.render());
  for (const std::string& finding : table.findings) fmt::print("{}\n", finding);
}

constexpr std::string_view kFigures = "figures";

int reproduce_figures(const ReproduceOptions& options) {
  if (options.format != "table") {
    throw InputError("--format", "has no effect on figures; their data are CSV files beside them");
  }
  return reproduce_paper_figures({.folder = options.output.value_or("results/paper-figures"),
                                  .figure = options.figure,
                                  .jobs = job_count(options.jobs),
                                  .quiet = options.quiet,
                                  .overwrite = options.overwrite});
}

void check_table_options(const ReproduceOptions& options) {
  const auto refuse = [&options](std::string_view option) {
    throw InputError(std::string(option),
                     fmt::format("has no effect on the table {}; it is for `gyre reproduce {}`",
                                 options.name, kFigures));
  };
  if (options.figure) refuse("FIGURE");
  if (options.output) refuse("--output");
  if (options.jobs) refuse("--jobs");
  if (options.overwrite) refuse("--overwrite");
}

}  // namespace

int command_reproduce(const ReproduceOptions& options) {
  const Format format = chosen_format(options.format);
  if (options.name == kFigures) return reproduce_figures(options);
  std::vector<std::string> names;
  for (const Reproduction& one : reproductions()) names.emplace_back(one.name);
  names.emplace_back(kFigures);
  const Reproduction& reproduction = reproductions()[chosen("gyre reproduce", options.name, names)];
  check_table_options(options);
  watch_interrupts();
  ReproducedTable table;
  {
    StatusLine line(options.quiet);
    table = reproduction.run([&line](double share) {
      if (line.due()) line.draw(progress_text(share, line.elapsed_s()));
      return !interrupted();
    });
  }
  switch (format) {
    case Format::kTable:
      print_table(reproduction, table);
      break;
    case Format::kCsv:
      print_csv(table.columns, table.rows);
      break;
    case Format::kJson:
      print_json(table.columns, table.rows);
      break;
  }
  if (interrupted()) {
    fmt::print(stderr, "interrupted: the table is not complete\n");
    return kExitFailed;
  }
  return kExitDone;
}

}  // namespace gyre
