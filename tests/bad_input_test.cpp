// Each file in tests/bad_input is a scenario with one mistake. Its first line says the error text
// that follows the file's name: `# expect: LINE:COLUMN: key.path: message`.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/error.hpp"
#include "scenarios/scenario.hpp"

namespace gyre {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(GYRE_SOURCE_DIR) / "tests/bad_input";

std::vector<std::string> bad_inputs() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class BadInput : public testing::TestWithParam<std::string> {};

TEST_P(BadInput, IsRefusedWithPlaceAndReason) {
  const std::string path = (kFolder / (GetParam() + ".yaml")).string();
  std::string first_line;
  std::getline(std::ifstream(path) >> std::ws, first_line);
  const std::string mark = "# expect: ";
  ASSERT_EQ(first_line.compare(0, mark.size(), mark), 0) << first_line;
  std::string message = "no error";
  try {
    const LoadedScenario loaded = load_scenario(path);
    check_fidelity(loaded.scenario,
                   GetParam().starts_with("packet_") ? Fidelity::kPacket : Fidelity::kFlow);
  } catch (const InputError& error) {
    message = error.what();
  }
  // Texts that name a file name it as the user did, with the folder.
  const std::string folder = kFolder.string() + "/";
  for (std::size_t at = message.find(folder); at != std::string::npos; at = message.find(folder)) {
    message.erase(at, folder.size());
  }
  EXPECT_EQ(message, GetParam() + ".yaml:" + first_line.substr(mark.size()));
}

INSTANTIATE_TEST_SUITE_P(Corpus, BadInput, testing::ValuesIn(bad_inputs()),
                         [](const auto& param_info) { return param_info.param; });

TEST(BadInputCorpus, IsThere) { EXPECT_GE(bad_inputs().size(), 100U); }

}  // namespace
}  // namespace gyre
