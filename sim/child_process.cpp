#include "sim/child_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gyre {
namespace {

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // nobody listens any more
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

int exit_status_of(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

[[noreturn]] void run_body(const ChildPool::Body& body, int pipe) {
  int status = 1;
  try {
    status = body([pipe](std::string_view line) { write_all(pipe, std::string(line) + "\n"); });
  } catch (const std::exception& error) {
    fmt::print(stderr, "gyre: {}\n", error.what());
  }
  std::fflush(nullptr);
  ::close(pipe);
  std::_Exit(status);
}

}  // namespace

ChildPool::~ChildPool() {
  signal_all(SIGKILL);
  for (Child& child : children_) {
    if (!child.open) continue;
    ::close(child.pipe);
    exit_status_of(child.pid);
  }
}

std::size_t ChildPool::start(const Body& body) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid == 0) {
    // Ctrl-C goes to the whole foreground group: only the parent is to see it, and passes it on
    // once. If the parent is killed, the child must not go on alone.
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) std::_Exit(1);
    ::close(ends[0]);
    // A sibling's end held open here would keep its reader waiting after the sibling has died.
    for (const Child& sibling : children_) {
      if (sibling.open) ::close(sibling.pipe);
    }
    run_body(body, ends[1]);
  }
  ::close(ends[1]);
  children_.push_back({.pid = pid, .pipe = ends[0], .pending = {}, .open = true});
  return children_.size() - 1;
}

std::size_t ChildPool::running() const {
  std::size_t count = 0;
  for (const Child& child : children_) count += child.open ? 1 : 0;
  return count;
}

void ChildPool::signal_all(int signal) {
  for (const Child& child : children_) {
    if (child.open) ::kill(child.pid, signal);
  }
}

std::optional<ChildEvent> ChildPool::next(std::chrono::milliseconds patience) {
  while (true) {
    std::vector<pollfd> files;
    std::vector<std::size_t> owners;
    for (std::size_t c = 0; c < children_.size(); ++c) {
      Child& child = children_[c];
      const std::size_t end = child.pending.find('\n');
      if (end != std::string::npos) {
        ChildEvent event{.child = c, .line = child.pending.substr(0, end), .exit_status = {}};
        child.pending.erase(0, end + 1);
        return event;
      }
      if (!child.open) continue;
      files.push_back({.fd = child.pipe, .events = POLLIN, .revents = 0});
      owners.push_back(c);
    }
    if (files.empty()) return std::nullopt;
    const int ready = ::poll(files.data(), files.size(), static_cast<int>(patience.count()));
    if (ready <= 0) return std::nullopt;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (files[i].revents == 0) continue;
      Child& child = children_[owners[i]];
      std::array<char, 65536> buffer{};
      const ssize_t count = ::read(child.pipe, buffer.data(), buffer.size());
      if (count > 0) {
        child.pending.append(buffer.data(), static_cast<std::size_t>(count));
        break;
      }
      if (count < 0 && errno == EINTR) break;
      ::close(child.pipe);
      child.open = false;
      return ChildEvent{.child = owners[i], .line = {}, .exit_status = exit_status_of(child.pid)};
    }
  }
}

std::string in_child(const std::function<std::string()>& body) {
  ChildPool pool;
  pool.start([&body](const ChildPool::Report& report) {
    report(body());
    return 0;
  });
  std::string output;
  while (true) {
    const std::optional<ChildEvent> event = pool.next(std::chrono::hours(1));
    // A signal may end the wait before anything has come.
    if (!event && pool.running() > 0) continue;
    if (!event) throw std::runtime_error("a simulation process is gone without an answer");
    if (event->line) output += (output.empty() ? "" : "\n") + *event->line;
    if (!event->exit_status) continue;
    if (*event->exit_status == 0) return output;
    throw std::runtime_error(
        fmt::format("a simulation process ended with status {}", *event->exit_status));
  }
}

}  // namespace gyre
