#include "sim/figure_files.hpp"

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/error.hpp"
#include "sim/manifest.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;

constexpr std::array kEndings{"csv", "gp", "svg", "pdf", "png"};

std::string read_all(int pipe) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t count = ::read(pipe, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

struct Ended {
  int status = 0;
  std::string errors;  ///< its standard error
};

constexpr int kNotFound = 127;  // what shells return for a program that is not there

/// Runs gnuplot in a folder.
Ended gnuplot(const fs::path& folder, const std::string& program) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    ::close(ends[0]);
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    if (::chdir(folder.c_str()) != 0) ::_exit(1);
    ::execlp("gnuplot", "gnuplot", program.c_str(), nullptr);
    ::_exit(errno == ENOENT ? kNotFound : 1);
  }
  ::close(ends[1]);
  Ended ended;
  ended.errors = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

}  // namespace

void clear_figures(const fs::path& folder, const std::vector<std::string_view>& names,
                   bool overwrite) {
  std::error_code error;
  if (folder.empty()) throw InputError("--output", "is empty; expected the name of a folder");
  if (fs::exists(folder, error) && !fs::is_directory(folder, error)) {
    throw InputError(folder.string(), "exists and is not a folder");
  }
  std::vector<fs::path> there;
  for (const std::string_view name : names) {
    for (const char* ending : kEndings) {
      fs::path file = folder / fmt::format("{}.{}", name, ending);
      if (fs::exists(file, error)) there.push_back(std::move(file));
    }
  }
  if (!there.empty() && !overwrite) {
    throw InputError(there.front().string(),
                     "exists; choose another folder with --output or replace the figures with "
                     "--overwrite");
  }
  // Also those that these results have nothing for: they would be another run's.
  for (const fs::path& file : there) {
    if (!fs::remove(file, error) || error) {
      throw InputError(file.string(), fmt::format("cannot be replaced: {}", error.message()));
    }
  }
  fs::create_directories(folder, error);
  if (error) {
    throw InputError(folder.string(), fmt::format("cannot be made: {}", error.message()));
  }
}

void write_figure(const fs::path& folder, std::string_view name, const Drawing& drawing) {
  write_file(folder / fmt::format("{}.csv", name), drawing.csv);
  write_file(folder / fmt::format("{}.gp", name), drawing.plot);
}

bool draw_figures(const fs::path& folder, const std::vector<std::string_view>& names) {
  bool all = true;
  for (const std::string_view name : names) {
    const Ended ended = gnuplot(folder, fmt::format("{}.gp", name));
    if (ended.status == 0) continue;
    if (ended.status == kNotFound) {
      fmt::print(stderr,
                 "gnuplot is not installed, so that nothing was drawn (Debian package: "
                 "gnuplot-nox). Data and plot sources are in {}\n",
                 folder.string());
      return false;
    }
    fmt::print(stderr, "{}: gnuplot ended with status {}\n{}", name, ended.status, ended.errors);
    all = false;
  }
  return all;
}

}  // namespace gyre
