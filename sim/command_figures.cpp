#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/figures.hpp"
#include "models/error.hpp"
#include "sim/cli.hpp"
#include "sim/cli_figures.hpp"
#include "sim/manifest.hpp"
#include "sim/version.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;

constexpr std::array kEndings{"csv", "gp", "svg", "pdf", "png"};

struct Written {
  std::string_view name;
  std::vector<std::string> notes;
};

void prepare(const fs::path& folder, bool overwrite) {
  std::error_code error;
  if (folder.empty()) throw InputError("--output", "is empty; expected the name of a folder");
  if (fs::exists(folder, error) && !fs::is_directory(folder, error)) {
    throw InputError(folder.string(), "exists and is not a folder");
  }
  std::vector<fs::path> there;
  for (const Figure& figure : figures()) {
    for (const char* ending : kEndings) {
      fs::path file = folder / fmt::format("{}.{}", figure.name, ending);
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

/// Whether all were drawn. Says on standard error why not.
bool draw(const fs::path& folder, const std::vector<Written>& written) {
  bool all = true;
  for (const Written& figure : written) {
    const Ended ended = gnuplot(folder, fmt::format("{}.gp", figure.name));
    if (ended.status == 0) continue;
    if (ended.status == kNotFound) {
      fmt::print(stderr,
                 "gnuplot is not installed, so that nothing was drawn (Debian package: "
                 "gnuplot-nox). Data and plot sources are in {}\n",
                 folder.string());
      return false;
    }
    fmt::print(stderr, "{}: gnuplot ended with status {}\n{}", figure.name, ended.status,
               ended.errors);
    all = false;
  }
  return all;
}

}  // namespace

int command_figures(const FiguresOptions& options) {
  const Results results = read_results(options.results, kVersion);
  const fs::path folder =
      options.output ? fs::path(*options.output) : fs::path(options.results) / "figures";
  struct Made {
    const Figure* figure;
    DrawnFigure drawn;
  };
  std::vector<Made> made;
  bool any = false;
  for (const Figure& figure : figures()) {
    made.push_back({.figure = &figure, .drawn = figure.draw(figure, results)});
    any = any || std::holds_alternative<Drawing>(made.back().drawn);
  }
  if (!any) {
    throw InputError(options.results,
                     "holds nothing that could be drawn: no run was evaluated or ended a round; "
                     "run the comparison again");
  }
  prepare(folder, options.overwrite);
  const auto say = [&options](const std::string& text) {
    if (!options.quiet) fmt::print(stderr, "{}\n", text);
  };
  for (const std::string& note : results.notes) say("note: " + note);
  std::vector<Written> written;
  for (const auto& [figure, drawn] : made) {
    if (const auto* left_out = std::get_if<LeftOut>(&drawn)) {
      say(fmt::format("{}: left out, since {}", figure->name, left_out->reason));
      continue;
    }
    const Drawing& drawing = std::get<Drawing>(drawn);
    write_file(folder / fmt::format("{}.csv", figure->name), drawing.csv);
    write_file(folder / fmt::format("{}.gp", figure->name), drawing.plot);
    written.push_back({.name = figure->name, .notes = drawing.notes});
    for (const std::string& note : drawing.notes) say(fmt::format("{}: {}", figure->name, note));
  }
  if (!draw(folder, written)) return kExitFailed;
  say(fmt::format("{} figures in {}", written.size(), folder.string()));
  return kExitDone;
}

}  // namespace gyre
