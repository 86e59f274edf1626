#include "sim/interrupt.hpp"

#include <csignal>

namespace gyre {
namespace {

std::atomic<bool> was_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void note_interrupt(int signal) {
  if (was_interrupted.exchange(true)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

const std::atomic<bool>& interrupted() { return was_interrupted; }

void watch_interrupts() {
  std::signal(SIGINT, note_interrupt);
  std::signal(SIGTERM, note_interrupt);
}

}  // namespace gyre
