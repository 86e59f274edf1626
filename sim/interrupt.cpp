#include "sim/interrupt.hpp"

#include <csignal>
#include <ctime>

namespace gyre {
namespace {

std::atomic<bool> was_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

/// Sooner than this nobody means a second one: `timeout` sends its signal to the process and to
/// its group, so that it arrives twice.
constexpr double kOneInterrupt_s = 0.25;
timespec first{};

void note_interrupt(int signal) {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  if (!was_interrupted.exchange(true)) {
    first = now;
    return;
  }
  const double since_first_s = static_cast<double>(now.tv_sec - first.tv_sec) +
                               1e-9 * static_cast<double>(now.tv_nsec - first.tv_nsec);
  if (since_first_s < kOneInterrupt_s) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

const std::atomic<bool>& interrupted() { return was_interrupted; }

void watch_interrupts() {
  std::signal(SIGINT, note_interrupt);
  std::signal(SIGTERM, note_interrupt);
}

}  // namespace gyre
