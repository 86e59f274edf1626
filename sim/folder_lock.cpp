#include "sim/folder_lock.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "models/error.hpp"

namespace gyre {

FolderLock::FolderLock(const std::filesystem::path& folder) {
  file_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file_ < 0) {
    throw InputError(folder.string(),
                     fmt::format("cannot be opened: {}", std::generic_category().message(errno)));
  }
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  ::close(file_);
  throw InputError(folder.string(),
                   "another gyre is writing there; wait for it, or choose another "
                   "folder with --output");
}

FolderLock::~FolderLock() { ::close(file_); }

}  // namespace gyre
