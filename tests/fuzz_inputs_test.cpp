// What the fuzzer found once, and what it begins with: tests/fuzz_inputs/READER/FILE. Each of these
// files loads or is refused with an `InputError`; a name that begins with `bad-` is refused.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/fuzz/readers.hpp"

namespace gyre {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(GYRE_SOURCE_DIR) / "tests/fuzz_inputs";

std::vector<fs::path> inputs_of(std::string_view reader) {
  std::vector<fs::path> paths;
  if (!fs::is_directory(kFolder / reader)) return paths;
  for (const auto& entry : fs::directory_iterator(kFolder / reader)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(FuzzInputs, LoadOrAreRefused) {
  std::size_t seen = 0;
  for (const FedReader& reader : fed_readers()) {
    for (const fs::path& path : inputs_of(reader.name)) {
      std::ostringstream bytes;
      bytes << std::ifstream(path, std::ios::binary).rdbuf();
      const std::string problem = reader.read(bytes.str());
      const bool bad = path.filename().string().starts_with("bad-");
      EXPECT_EQ(problem.empty(), !bad) << path << ": " << problem;
      ++seen;
    }
  }
  std::size_t there = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kFolder)) {
    if (entry.is_regular_file()) ++there;
  }
  EXPECT_EQ(seen, there) << "a folder is not named after a reader";
  EXPECT_GE(seen, 10U);
}

}  // namespace
}  // namespace gyre
