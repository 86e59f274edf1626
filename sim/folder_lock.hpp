#pragma once

#include <filesystem>

namespace gyre {

/// Holds a results folder for this process, as long as it lives: a second gyre on the same folder
/// is refused. The lock is the kernel's: it leaves no file, and ends with the process however that
/// ends.
class FolderLock {
 public:
  /// Errors: `InputError` if another process holds the folder, or it cannot be opened.
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int file_ = -1;
};

}  // namespace gyre
