#pragma once

#include <chrono>

namespace gyre {

/// Wall-clock time since it was made; for display and benchmarks, never in results.
class WallClock {
 public:
  [[nodiscard]] double elapsed_s() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace gyre
