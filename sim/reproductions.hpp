#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gyre {

/// A table to show or to write: what was published (or computed elsewhere) beside ours.
struct ReproducedTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> findings;  ///< what the table says, in sentences
};

/// Called with the share done; false ends the work early.
using ReproductionWatch = std::function<bool(double share)>;

struct Reproduction {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  ReproducedTable (*run)(const ReproductionWatch& watch);
};

/// All of them, sorted by name.
std::span<const Reproduction> reproductions();

}  // namespace gyre
