#include "sim/run_totals.hpp"

#include <algorithm>

namespace gyre {

void RunTotals::add(const CliqueRow& row) {
  seconds_bound_by_[row.bound_by] +=
      std::max(row.compute.in_seconds(), row.communication.in_seconds());
  if (!row.exchange) return;
  communication_ += row.communication;
  ++exchanges_;
}

std::string RunTotals::mostly_bound_by() const {
  const auto most =
      std::max_element(seconds_bound_by_.begin(), seconds_bound_by_.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == seconds_bound_by_.end() ? "" : most->first;
}

Duration RunTotals::mean_communication() const {
  return exchanges_ == 0 ? Duration() : communication_ / static_cast<double>(exchanges_);
}

}  // namespace gyre
