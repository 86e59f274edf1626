#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/summary.hpp"

namespace gyre {

/// The names in a cell of `members`, `A+B+C`.
std::vector<std::string_view> members_in(std::string_view clique);

/// Numbers of islands by name.
using IslandNumbers = std::map<std::string, std::size_t, std::less<>>;
/// The same as numbers; without names that are no island's.
std::vector<std::size_t> members_in(std::string_view clique, const IslandNumbers& numbers);

/// A CSV table of a results folder.
class ResultTable {
 public:
  /// Reads a table; empty where there is no such file. Errors: `InputError` for one that is not
  /// a CSV table. A last line that was cut off is left out.
  explicit ResultTable(const std::filesystem::path& file);

  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  /// The cell as text; empty where there is no such column.
  [[nodiscard]] std::string_view text(std::size_t row, std::string_view column) const;
  /// The cell as a number; none where it is empty or no number.
  [[nodiscard]] std::optional<double> value(std::size_t row, std::string_view column) const;

 private:
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
};

struct ResultRun {
  std::string id;  ///< the name of its folder
  std::filesystem::path folder;
  std::string schedule;
  std::string mode;
  std::int64_t seed = 1;
  std::string status;  ///< complete, truncated or failed
  std::string failure;
  std::optional<SummaryRow> summary;
};

/// The map of a results folder, as its scenario gives it.
struct ResultMap {
  struct Switch {
    std::string name;
    std::optional<double> latitude;
    std::optional<double> longitude;
  };
  struct Island {
    std::string name;
    std::size_t at = 0;  ///< index of its switch
  };
  struct Link {
    std::size_t first = 0;
    std::size_t second = 0;
    double latency_ms = 0.0;  ///< of first → second
  };
  std::vector<Switch> switches;
  std::vector<Island> islands;
  std::vector<Link> links;

  [[nodiscard]] IslandNumbers island_numbers() const;
  /// Whether all switches have coordinates.
  [[nodiscard]] bool placed() const;
};

/// A results folder of `gyre compare` or `gyre run`, read back.
struct Results {
  std::filesystem::path folder;
  std::string version;  ///< of the gyre that wrote it
  std::string scenario;
  std::string description;
  std::string fidelity;
  std::string status;
  /// Every value of the scenario by its key path, defaults included, in the scenario's order.
  std::vector<std::pair<std::string, std::string>> resolved;
  std::string scenario_text;
  std::vector<std::pair<std::string, std::string>> engine;  ///< its name, version and options
  std::vector<ResultRun> runs;                              ///< ranked as in summary.csv
  ResultMap map;
  bool whole = true;               ///< no run is missing, truncated or failed
  std::vector<std::string> notes;  ///< what a reader has to know: other versions, missing runs

  /// A resolved value, or an empty string.
  [[nodiscard]] std::string_view value(std::string_view key_path) const;
};

/// Reads a results folder. Another version's folder is read with a note. Errors: `InputError` for a
/// folder that holds no results, or damaged ones.
Results read_results(const std::filesystem::path& folder, std::string_view version);

}  // namespace gyre
