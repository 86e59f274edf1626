#include "sim/progress.hpp"

#include <cmath>
#include <cstdio>
#include <numeric>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace gyre {
namespace {

std::string minutes(double seconds) {
  const auto whole = std::lround(seconds);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

Progress::Progress(std::size_t runs, bool quiet)
    : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) != 0), shares_(runs, 0.0) {}

Progress::~Progress() { clear(); }

void Progress::advance(std::size_t run, double share, const std::string& what) {
  shares_[run] = share;
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  draw(what);
}

void Progress::end(std::size_t run, const std::string& what) {
  shares_[run] = 1.0;
  ++ended_;
  if (quiet_) return;
  if (terminal_) {
    draw(what);
  } else {
    fmt::print(stderr, "[{}/{}] {}\n", ended_, shares_.size(), what);
  }
}

void Progress::draw(const std::string& what) {
  if (quiet_) return;
  const double done =
      std::accumulate(shares_.begin(), shares_.end(), 0.0) / static_cast<double>(shares_.size());
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const std::string left =
      done > 0.01 ? fmt::format("about {} left", minutes(elapsed / done - elapsed)) : "estimating";
  std::string line =
      fmt::format("{}/{} runs, {:.0f} %, {}, {}", ended_, shares_.size(), 100.0 * done, left, what);
  if (line.size() >= terminal_width()) line.resize(terminal_width() - 1);
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
}

void Progress::clear() const {
  if (quiet_ || !terminal_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace gyre
