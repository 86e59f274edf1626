#include "sim/path_lock.hpp"

#include <cerrno>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "models/error.hpp"

namespace gyre {

PathLock::PathLock(const std::filesystem::path& path, std::chrono::milliseconds patience) {
  file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) {
    throw InputError(path.string(),
                     fmt::format("cannot be opened: {}", std::generic_category().message(errno)));
  }
  constexpr std::chrono::milliseconds kPause{20};
  for (std::chrono::milliseconds waited{};; waited += kPause) {
    if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    if (waited >= patience) break;
    std::this_thread::sleep_for(kPause);
  }
  ::close(file_);
  throw InputError(path.string(),
                   "another gyre is writing there; wait for it, or choose another "
                   "place with --output");
}

PathLock::~PathLock() { ::close(file_); }

}  // namespace gyre
