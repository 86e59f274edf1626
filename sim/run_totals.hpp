#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/simulation.hpp"

namespace gyre {

/// What a run's summary says of all its exchanges.
class RunTotals {
 public:
  void add(const CliqueRow& row);
  /// What most of the rounds' time went to, by `CliqueRow::bound_by`; empty before the first row.
  [[nodiscard]] std::string mostly_bound_by() const;
  /// Mean communication time of the cliques of two and more; 0 where there are none.
  [[nodiscard]] Duration mean_communication() const;

 private:
  std::map<std::string, double> seconds_bound_by_;
  Duration communication_;
  std::int64_t exchanges_ = 0;
};

}  // namespace gyre
