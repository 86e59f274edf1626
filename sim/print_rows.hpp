#pragma once

#include <string>
#include <vector>

namespace gyre {

// Rows of cells under columns, on standard output.
using Cells = std::vector<std::string>;

void print_csv(const Cells& columns, const std::vector<Cells>& rows);
/// A list of objects; cells that are numbers become such.
void print_json(const Cells& columns, const std::vector<Cells>& rows);
void print_table(const Cells& columns, const std::vector<Cells>& rows);

}  // namespace gyre
