#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace gyre {

/// Something a child process did.
struct ChildEvent {
  std::size_t child = 0;            ///< as `start` numbered it
  std::optional<std::string> line;  ///< it reported this line
  std::optional<int> exit_status;   ///< it ended: its status, or 128 + the signal that killed it
};

/// Runs bodies in forked processes, one simulation each: the engine is a singleton, and a crash
/// stays in its process. Lines that a body reports arrive in order, before its end.
class ChildPool {
 public:
  using Report = std::function<void(std::string_view line)>;
  using Body = std::function<int(const Report& report)>;

  ChildPool() = default;
  ChildPool(const ChildPool&) = delete;
  ChildPool& operator=(const ChildPool&) = delete;
  ~ChildPool();

  /// Forks. The body's return value is the exit status; nothing runs at exit but what flushes
  /// files. Errors: `std::system_error` where no process or pipe can be had.
  std::size_t start(const Body& body);
  /// The next event, or nothing if none came within `patience` or no child is left.
  std::optional<ChildEvent> next(std::chrono::milliseconds patience);
  [[nodiscard]] std::size_t running() const;
  void signal_all(int signal);

 private:
  struct Child {
    pid_t pid = -1;
    int pipe = -1;
    std::string pending;
    bool open = false;
  };
  std::vector<Child> children_;
};

/// Runs `body` in a process of its own and returns what it returned.
/// Errors: `std::runtime_error` if the process ends otherwise.
std::string in_child(const std::function<std::string()>& body);

}  // namespace gyre
