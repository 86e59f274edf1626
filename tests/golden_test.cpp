// That what came after it changes nothing where it is not asked for: results of a build from before
// faults, churn, background and latencies that change came to gyre.
//
// tests/golden/NAME.txt is what this printed with the program of commit 894c13b, the last one
// before that work (the next one, ce24b2c, brings `network.faults`):
//
//   cd $(mktemp -d) && .../tests/golden/digest .../gyre .../tests/golden/NAME.yaml [OPTION...]
//
// (OPTION is `--fidelity packet` for packets.yaml, nothing for the others). It covers the summary
// and every file of every run that this program wrote, byte for byte, but for manifest.json: its
// resolved values have keys that were not there (`network.setup_time`), and with them another
// `key`. Files that came since, routes.csv and events.csv, have nothing to be compared with.
//
// The scenarios draw no lognormal times and learn nothing with images: what they compute is the
// same with any C library, on x86-64. One correction since is left out: packets.yaml states its
// time-out, since those that follow the round trips grew without need when packets were lost.

#include "tests/cli.hpp"

namespace gyre {
namespace {

struct GoldenCase {
  const char* name;
  const char* options;
};
class Golden : public Cli, public testing::WithParamInterface<GoldenCase> {
 protected:
  // A folder's name of letters only.
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("gyre-{}-{}", GetParam().name, ::getpid());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
};

INSTANTIATE_TEST_SUITE_P(Scenarios, Golden,
                         testing::Values(GoldenCase{"flows", ""}, GoldenCase{"training", ""},
                                         GoldenCase{"packets", "--fidelity packet"}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_P(Golden, WithoutFaultsResultsAreAsBeforeThem) {
  const fs::path golden = kSource / "tests/golden";
  const Outcome outcome =
      shell(fmt::format("'{}' '{}' '{}' {}", (golden / "digest").string(), kGyre,
                        (golden / GetParam().name).string() + ".yaml", GetParam().options));
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const std::string expected = read(golden / (std::string(GetParam().name) + ".txt"));
  ASSERT_NE(expected, "");
  if (outcome.output == expected) return;
  std::istringstream was(expected);
  std::istringstream is(outcome.output);
  for (std::string a, b; std::getline(was, a) && std::getline(is, b);) EXPECT_EQ(b, a);
  FAIL() << "the results are not those of before (rows after the lines above may differ as well)";
}

}  // namespace
}  // namespace gyre
