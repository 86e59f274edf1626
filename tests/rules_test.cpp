// The repository's own rules: who includes whom, and what may lie where.

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace gyre {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = GYRE_SOURCE_DIR;

/// What each folder may include of ours.
const std::map<std::string, std::set<std::string>> kMayInclude{
    {"models", {"models"}},
    {"schedules", {"schedules", "models"}},
    {"scenarios", {"scenarios", "schedules", "models"}},
    {"analysis", {"analysis", "models"}},
    {"sim", {"sim", "analysis", "scenarios", "schedules", "models"}},
};

const std::set<std::string> kTopLevel{
    ".ci",          ".clang-format", ".clang-tidy",    ".gitignore",
    "CHANGELOG.md", "analysis",      "CMakeLists.txt", "CONTRIBUTING.md",
    "LICENSE",      "README.md",     "bootstrap",      "CMakePresets.json",
    "models",       "scenarios",     "schedules",      "sim",
    "tests"};

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool is_source(const fs::path& path) {
  return path.extension() == ".cpp" || path.extension() == ".hpp";
}

/// All sources below a folder, as paths relative to the root.
std::vector<fs::path> sources(const std::string& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    if (is_source(entry.path())) found.push_back(entry.path().lexically_relative(kRoot));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<fs::path> all_sources() {
  std::vector<fs::path> all;
  for (const auto& [folder, allowed] : kMayInclude) {
    for (const fs::path& path : sources(folder)) all.push_back(path);
  }
  for (const fs::path& path : sources("tests")) all.push_back(path);
  return all;
}

struct Include {
  std::string target;
  bool ours = false;  ///< in quotes
};

std::vector<Include> includes_of(const fs::path& path) {
  std::vector<Include> found;
  for (const std::string& line : lines_of(kRoot / path)) {
    if (!line.starts_with("#include")) continue;
    const std::size_t from = line.find_first_of("<\"");
    const std::size_t to = line.find_first_of(">\"", from + 1);
    found.push_back({line.substr(from + 1, to - from - 1), line[from] == '"'});
  }
  return found;
}

/// The repository's files, without what git does not track. Outside a checkout: all files of the
/// folders that may be there.
std::vector<fs::path> repository_files() {
  const std::string command =
      "git -c safe.directory='*' -C '" + kRoot.string() + "' ls-files -z 2>/dev/null";
  std::string listed;
  if (fs::exists(kRoot / ".git")) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
    std::array<char, 4096> buffer{};
    std::size_t got = 0;
    while (pipe && (got = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0) {
      listed.append(buffer.data(), got);
    }
  }
  std::vector<fs::path> files;
  std::istringstream names(listed);
  for (std::string name; std::getline(names, name, '\0');) {
    if (fs::exists(kRoot / name)) files.emplace_back(name);
  }
  if (!files.empty()) return files;
  for (const std::string& top : kTopLevel) {
    if (fs::is_regular_file(kRoot / top)) files.emplace_back(top);
    if (!fs::is_directory(kRoot / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / top)) {
      if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(kRoot));
    }
  }
  return files;
}

TEST(Rules, FoldersIncludeOnlyWhatTheyMay) {
  std::size_t seen = 0;
  for (const auto& [folder, allowed] : kMayInclude) {
    for (const fs::path& path : sources(folder)) {
      for (const Include& include : includes_of(path)) {
        if (!include.ours) continue;
        ++seen;
        const std::string target = include.target.substr(0, include.target.find('/'));
        EXPECT_EQ(allowed.count(target), 1U) << path << " includes " << include.target;
        EXPECT_TRUE(fs::exists(kRoot / include.target)) << path << " includes " << include.target;
      }
    }
  }
  EXPECT_GT(seen, 100U);
}

TEST(Rules, SimGridAndYamlStayInTheirFolders) {
  std::set<std::string> simgrid;
  std::set<std::string> yaml;
  for (const auto& [folder, allowed] : kMayInclude) {
    for (const fs::path& path : sources(folder)) {
      for (const Include& include : includes_of(path)) {
        if (include.target.starts_with("simgrid") || include.target.starts_with("xbt")) {
          simgrid.insert(folder);
        }
        if (include.target.starts_with("yaml-cpp")) yaml.insert(folder);
      }
    }
  }
  EXPECT_EQ(simgrid, std::set<std::string>{"sim"});
  EXPECT_EQ(yaml, std::set<std::string>{"scenarios"});
}

TEST(Rules, SourcesIncludeTheirOwnHeaderFirst) {
  for (const auto& [folder, allowed] : kMayInclude) {
    for (const fs::path& path : sources(folder)) {
      if (path.extension() != ".cpp") continue;
      fs::path header = path;
      header.replace_extension(".hpp");
      if (!fs::exists(kRoot / header)) continue;
      const std::vector<Include> includes = includes_of(path);
      ASSERT_FALSE(includes.empty()) << path;
      EXPECT_EQ(includes.front().target, header.string()) << path;
    }
  }
}

TEST(Rules, HeadersAreIncludedOnce) {
  for (const fs::path& path : all_sources()) {
    if (path.extension() != ".hpp") continue;
    const std::vector<std::string> lines = lines_of(kRoot / path);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "#pragma once"), 1) << path;
  }
}

TEST(Rules, SourcesStayShortAndNarrow) {
  for (const fs::path& path : all_sources()) {
    const std::vector<std::string> lines = lines_of(kRoot / path);
    EXPECT_LE(lines.size(), 450U) << path;
    for (std::size_t l = 0; l < lines.size(); ++l) {
      const auto letters = std::count_if(lines[l].begin(), lines[l].end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
      });
      EXPECT_LE(letters, 100) << path << ':' << l + 1;
    }
  }
}

// Results must not depend on the clock, the system's entropy, hashing or the library's
// distributions. Each pattern is cut in two so that this file does not hold it.
TEST(Rules, NothingThatMakesResultsDifferIsUsed) {
  const std::vector<std::string> banned{
      std::string("random_") + "device", std::string("_distri") + "bution<",
      std::string("unordered") + "_map", std::string("unordered") + "_set",
      std::string("std::ha") + "sh"};
  for (const auto& [folder, allowed] : kMayInclude) {
    for (const fs::path& path : sources(folder)) {
      for (const std::string& line : lines_of(kRoot / path)) {
        for (const std::string& word : banned) {
          EXPECT_EQ(line.find(word), std::string::npos) << path << ": " << line;
        }
      }
    }
  }
}

TEST(Rules, NoFileNamesAPathOfOneMachine) {
  const std::vector<std::string> folders{std::string("/wo") + "rk/", std::string("/ro") + "ot/",
                                         std::string("/ho") + "me/", std::string("/Us") + "ers/"};
  const auto inside_a_path = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
  };
  const std::vector<fs::path> files = repository_files();
  EXPECT_GT(files.size(), 100U);
  for (const fs::path& path : files) {
    const std::vector<std::string> lines = lines_of(kRoot / path);
    for (std::size_t l = 0; l < lines.size(); ++l) {
      for (const std::string& folder : folders) {
        const std::size_t at = lines[l].find(folder);
        if (at == std::string::npos) continue;
        EXPECT_TRUE(at > 0 && inside_a_path(lines[l][at - 1])) << path << ':' << l + 1;
      }
    }
  }
}

TEST(Rules, TheTopLevelHoldsOnlyWhatItMay) {
  for (const fs::path& path : repository_files()) {
    EXPECT_EQ(kTopLevel.count(path.begin()->string()), 1U) << path;
  }
}

TEST(Rules, EachPolicyHasItsFileAndEachFileItsPolicy) {
  std::set<std::string> named;
  for (const std::string& line : lines_of(kRoot / "schedules/policies.def")) {
    if (line.rfind("POLICY(", 0) != 0) continue;
    const std::size_t from = std::string_view("POLICY(").size();
    named.insert(line.substr(from, line.find(',') - from));
  }
  std::set<std::string> files;
  for (const fs::path& path : sources("schedules/policies")) files.insert(path.stem().string());
  EXPECT_EQ(named, files);
  EXPECT_GE(named.size(), 8U);
}

// A test that no executable builds never fails.
TEST(Rules, EveryTestIsBuilt) {
  std::ostringstream cmake;
  cmake << std::ifstream(kRoot / "tests/CMakeLists.txt").rdbuf();
  for (const fs::path& path : sources("tests")) {
    if (path.extension() != ".cpp") continue;
    EXPECT_NE(cmake.str().find(path.filename().string()), std::string::npos) << path;
  }
}

}  // namespace
}  // namespace gyre
