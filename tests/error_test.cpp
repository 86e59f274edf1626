#include "models/error.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gyre {
namespace {

TEST(Error, AnInputErrorNamesPlaceAndKey) {
  const Where where{.file = "a.yaml", .line = 3, .column = 5, .key_path = "network.access"};
  EXPECT_STREQ(InputError(where, "is wrong; must be right").what(),
               "a.yaml:3:5: network.access: is wrong; must be right");
}

TEST(Error, WithoutALineTheFileStandsAlone) {
  EXPECT_STREQ(InputError(Where{.file = "--set", .key_path = "seed"}, "is wrong").what(),
               "--set: seed: is wrong");
  EXPECT_STREQ(
      InputError(Where{.file = "a.yaml", .line = 1, .column = 1, .key_path = {}}, "is wrong")
          .what(),
      "a.yaml:1:1: is wrong");
  EXPECT_STREQ(InputError("--jobs", "must be at least 1").what(), "--jobs: must be at least 1");
}

TEST(Error, DidYouMeanFindsTheClosestName) {
  const std::vector<std::string> known{"bandwidth", "latency", "between"};
  EXPECT_EQ(did_you_mean("bandwith", known), " (did you mean 'bandwidth'?)");
  EXPECT_EQ(did_you_mean("lateny", known), " (did you mean 'latency'?)");
  EXPECT_EQ(did_you_mean("Latency", known), " (did you mean 'latency'?)");
  EXPECT_EQ(did_you_mean("FR", {"AMS", "FRA"}), " (did you mean 'FRA'?)");
}

TEST(Error, DidYouMeanIsSilentForAnythingElse) {
  EXPECT_EQ(did_you_mean("colour", {"bandwidth", "latency"}), "");
  EXPECT_EQ(did_you_mean("at", {"up", "latency"}), "");
  EXPECT_EQ(did_you_mean("x", {}), "");
  EXPECT_EQ(did_you_mean("", {"up"}), "");
}

TEST(Error, DidYouMeanTakesTheFirstOfEquals) {
  EXPECT_EQ(did_you_mean("AMX", {"AMS", "AMT"}), " (did you mean 'AMS'?)");
  EXPECT_EQ(did_you_mean("abcd", {"abxd", "abcd"}), " (did you mean 'abcd'?)");
}

TEST(Error, OneOf) {
  EXPECT_EQ(one_of({}), "");
  EXPECT_EQ(one_of({"a"}), "a");
  EXPECT_EQ(one_of({"a", "b"}), "a or b");
  EXPECT_EQ(one_of({"a", "b", "c"}), "a, b or c");
}

TEST(ErrorDeathTest, ABrokenInvariantAborts) {
  EXPECT_DEATH(check(false, "two is not three"), "broken invariant: two is not three");
  check(true, "two is two");
}

}  // namespace
}  // namespace gyre
