#include "sim/sweep_workers.hpp"

#include <csignal>

namespace gyre {

void LocalWorkers::start(std::size_t run) {
  const std::size_t child = pool_.start([this, run](const ChildPool::Report& report) {
    report(body_(run));
    return 0;
  });
  under_way_[child] = {.run = run, .line = {}, .exit_status = 0};
}

std::optional<SweepEnd> LocalWorkers::next(std::chrono::milliseconds patience) {
  const std::optional<ChildEvent> event = pool_.next(patience);
  if (!event) return std::nullopt;
  SweepEnd& end = under_way_.at(event->child);
  if (event->line) end.line = *event->line;
  if (!event->exit_status) return std::nullopt;
  end.exit_status = *event->exit_status;
  SweepEnd done = std::move(end);
  under_way_.erase(event->child);
  return done;
}

void LocalWorkers::interrupt() { pool_.signal_all(SIGINT); }

}  // namespace gyre
