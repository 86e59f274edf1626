#pragma once

#include <vector>

#include "sim/simulation.hpp"

namespace gyre {

/// Keeps when each evaluated round ended; the first entry is the start.
class RoundEnds final : public RunObserver {
 public:
  void on_trace(const TraceRow& row) override { at_s.push_back(row.time.in_seconds()); }
  std::vector<double> at_s;
};

}  // namespace gyre
