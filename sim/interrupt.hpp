#pragma once

#include <atomic>

namespace gyre {

/// Set by Ctrl-C (SIGINT) or SIGTERM once `watch_interrupts` was called; a second signal, 0.25 s or
/// more later, kills.
const std::atomic<bool>& interrupted();
void watch_interrupts();

}  // namespace gyre
