#include "sim/print_rows.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/csv.hpp"
#include "analysis/table.hpp"
#include "sim/json_cell.hpp"

namespace gyre {

void print_csv(const Cells& columns, const std::vector<Cells>& rows) {
  fmt::print("{}", csv_line(columns));
  for (const Cells& row : rows) fmt::print("{}", csv_line(row));
}

void print_json(const Cells& columns, const std::vector<Cells>& rows) {
  auto list = nlohmann::ordered_json::array();
  for (const Cells& row : rows) {
    auto entry = nlohmann::ordered_json::object();
    for (std::size_t c = 0; c < row.size(); ++c) entry[columns[c]] = json_cell(row[c]);
    list.push_back(std::move(entry));
  }
  fmt::print("{}\n", list.dump(2));
}

void print_table(const Cells& columns, const std::vector<Cells>& rows) {
  std::vector<TextTable::Heading> headings;
  headings.reserve(columns.size());
  for (const std::string& column : columns) headings.push_back({.text = column});
  TextTable table(std::move(headings));
  for (const Cells& row : rows) table.row(row);
  fmt::print("{}", table.render());
}

}  // namespace gyre
