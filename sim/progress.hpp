#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace gyre {

/// Progress of a batch on standard error: on a terminal one line that is drawn over, with an
/// estimate of the time left; elsewhere a plain line when a run ends.
class Progress {
 public:
  Progress(std::size_t runs, bool quiet);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// A run is `share` (0 … 1) through.
  void advance(std::size_t run, double share, const std::string& what);
  /// A run ended; `what` says which and how.
  void end(std::size_t run, const std::string& what);

 private:
  void draw(const std::string& what);
  void clear() const;

  bool quiet_;
  bool terminal_;
  std::vector<double> shares_;
  std::size_t ended_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point drawn_;
};

}  // namespace gyre
