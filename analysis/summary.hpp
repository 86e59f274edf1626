#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gyre {

/// One run's row of a comparison: the columns of `summary_columns()`, in that order.
struct SummaryRow {
  std::string schedule;
  std::string policy;
  std::string exchange;
  std::string mode;
  std::int64_t seed = 1;
  std::string status;
  std::optional<double> time_to_accuracy_s;
  std::optional<double> final_accuracy_average;
  std::optional<double> final_accuracy_worst;
  std::optional<std::int64_t> rounds;  ///< like all numbers below, absent if never measured
  std::optional<double> mean_round_s;
  std::optional<double> bound_round_s;
  std::optional<double> ratio_to_bound;
  std::optional<double> communication_share;
  std::optional<double> wan_gb;
  std::string binding_arc;
  std::string bound_by;
  std::optional<double> wait_share;
  std::optional<double> mean_communication_s;
  std::optional<double> final_loss_average;
  std::optional<double> simulated_s;

  [[nodiscard]] std::vector<std::string> fields() const;
};

/// The row that `fields()` wrote, or nothing if the fields are not such a row.
std::optional<SummaryRow> parse_summary_row(const std::vector<std::string>& fields);

/// Sorts by mode (in the order first met), then: complete runs before others, reached targets by
/// time, then the rest by final accuracy (falling) or loss (rising). Ties keep their order.
void rank(std::vector<SummaryRow>& rows);

}  // namespace gyre
