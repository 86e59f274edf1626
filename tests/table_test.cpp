#include "analysis/table.hpp"

#include <string>

#include <gtest/gtest.h>

namespace gyre {
namespace {

TEST(TextTable, IsAsWideAsItsWidestCells) {
  TextTable table({{.text = "name"}, {.text = "s", .align = TextTable::Align::kRight}});
  table.row({"a", "1.5"});
  table.row({"longer", "20"});
  EXPECT_EQ(table.render(),
            "name      s\n"
            "------  ---\n"
            "a       1.5\n"
            "longer   20\n");
}

TEST(TextTable, HasNoSpacesAtTheEndOfALine) {
  TextTable table({{.text = "a"}, {.text = "wide"}});
  table.row({"1", ""});
  EXPECT_EQ(table.render(), "a  wide\n-  ----\n1\n");
}

// `–` and `λ` are two and three bytes of UTF-8 and one column each.
TEST(TextTable, CountsLettersNotBytes) {
  TextTable table({{.text = "λ"}, {.text = "x"}});
  table.row({"SEO–TYO", "1"});
  EXPECT_EQ(table.render(), "λ        x\n-------  -\nSEO–TYO  1\n");
}

TEST(TextTable, MayHaveNoRows) {
  EXPECT_EQ(TextTable({{.text = "only"}}).render(), "only\n----\n");
}

TEST(TextTableDeathTest, WantsACellForEachHeading) {
  TextTable table({{.text = "a"}, {.text = "b"}});
  EXPECT_DEATH(table.row({"1"}), "cell for each heading");
}

}  // namespace
}  // namespace gyre
