#include "sim/status_line.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace gyre {

StatusLine::StatusLine(bool quiet) : shown_(!quiet && ::isatty(STDERR_FILENO) == 1) {}

StatusLine::~StatusLine() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
}

bool StatusLine::due() const {
  return shown_ && Clock::now() - drawn_ >= std::chrono::milliseconds(100);
}

void StatusLine::draw(const std::string& text) {
  if (!due()) return;
  drawn_ = Clock::now();
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
}

double StatusLine::elapsed_s() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

std::string progress_text(double share, double elapsed_s) {
  const std::string left =
      share > 0.02 ? fmt::format(", {:.0f} s left", elapsed_s * (1.0 / share - 1.0)) : "";
  return fmt::format("{:.0f} %{}", 100.0 * share, left);
}

}  // namespace gyre
