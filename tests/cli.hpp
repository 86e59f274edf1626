#pragma once

// Running the program as a process, in a folder of the test's own.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/csv.hpp"

namespace gyre {

namespace fs = std::filesystem;

inline const fs::path kSource = GYRE_SOURCE_DIR;
inline const std::string kGyre = GYRE_EXECUTABLE;

struct Outcome {
  int status = -1;
  std::string output;  ///< standard output
  std::string errors;  ///< standard error
};

/// Whether `gyre figures` can draw here.
inline bool has_gnuplot() {
  return std::system("gnuplot --version >/dev/null 2>&1") == 0;  // NOLINT(concurrency-mt-unsafe)
}

inline std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// What a report's page holds.
inline nlohmann::json report_data(const std::string& html) {
  const std::string open = R"(<script type="application/json" id="data">)";
  const std::size_t from = html.find(open) + open.size();
  return nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
}

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / fmt::format("gyre-{}-{}", info->name(), ::getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Runs `gyre ARGUMENTS` (shell words) in the test's folder.
  [[nodiscard]] Outcome gyre(const std::string& arguments) const {
    return shell(fmt::format("'{}' {}", kGyre, arguments));
  }
  [[nodiscard]] Outcome shell(const std::string& command) const {
    const fs::path out = folder_ / ".out";
    const fs::path err = folder_ / ".err";
    const std::string line = fmt::format("cd '{}' && {{ {} ; }} >'{}' 2>'{}' </dev/null",
                                         folder_.string(), command, out.string(), err.string());
    const int raw = std::system(line.c_str());  // NOLINT(concurrency-mt-unsafe)
    Outcome outcome{.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw),
                    .output = read(out),
                    .errors = read(err)};
    fs::remove(out);
    fs::remove(err);
    return outcome;
  }
  /// The comparison of two-islands.yaml in the folder `out`, with more arguments.
  void compare(const std::string& more = "") const {
    const Outcome outcome =
        gyre("compare " + shipped("two-islands.yaml") + " -o out --quiet " + more);
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
  }
  [[nodiscard]] fs::path file(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }
  static std::string shipped(const std::string& name) {
    return fmt::format("'{}'", (kSource / "scenarios" / name).string());
  }
  /// Every file below a folder with its content.
  static std::map<std::string, std::string> tree(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) files[fs::relative(entry.path(), folder)] = read(entry.path());
    }
    return files;
  }

  fs::path folder_;
};

inline std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) rows.push_back(*parse_csv_line(line));
  return rows;
}

}  // namespace gyre
