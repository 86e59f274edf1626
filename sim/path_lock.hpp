#pragma once

#include <chrono>
#include <filesystem>

namespace gyre {

/// Holds a folder or a file of results for this process, as long as it lives: a second gyre on the
/// same is refused. The lock is the kernel's: it leaves no file, and ends with the process however
/// that ends.
class PathLock {
 public:
  /// Waits `patience` for a holder that is just ending. Errors: `InputError` if another process
  /// holds it, or it cannot be opened.
  explicit PathLock(const std::filesystem::path& path, std::chrono::milliseconds patience = {});
  PathLock(const PathLock&) = delete;
  PathLock& operator=(const PathLock&) = delete;
  ~PathLock();

 private:
  int file_ = -1;
};

}  // namespace gyre
