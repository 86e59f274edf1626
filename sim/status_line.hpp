#pragma once

#include <chrono>
#include <string>

namespace gyre {

/// A line on standard error that is drawn over, for long work in this process: shown on a terminal
/// only, at most ten times a second, and gone in the end.
class StatusLine {
 public:
  explicit StatusLine(bool quiet);
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  ~StatusLine();

  /// Whether a line drawn now would be seen.
  [[nodiscard]] bool due() const;
  void draw(const std::string& text);
  [[nodiscard]] double elapsed_s() const;

 private:
  using Clock = std::chrono::steady_clock;
  bool shown_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_;
};

/// `35 %, 12 s left`
std::string progress_text(double share, double elapsed_s);

}  // namespace gyre
