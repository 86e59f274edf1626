#include "analysis/csv.hpp"

#include <array>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gyre {
namespace {

using Fields = std::vector<std::string>;

TEST(CsvLine, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(csv_line(Fields{"a", "", "b c"}), "a,,b c\n");
  EXPECT_EQ(csv_line(Fields{"a,b", "say \"so\"", "two\nlines", "cr\r"}),
            "\"a,b\",\"say \"\"so\"\"\",\"two\nlines\",\"cr\r\"\n");
}

TEST(CsvLine, IsReadBackAsItWas) {
  const std::vector<Fields> rows{{"a", "b"},
                                 {""},
                                 {"", ""},
                                 {"SEO+TYO|LON", "1,5", "\"", "\"\"", "x\"y"},
                                 {"line\nbreak", "cr\rlf\r\n", " spaces "},
                                 {"last\n"}};
  for (const Fields& fields : rows) EXPECT_EQ(parse_csv_line(csv_line(fields)), fields);
}

TEST(ParseCsvLine, TakesLineEndsOfEitherKind) {
  EXPECT_EQ(parse_csv_line("a,b\r\n"), (Fields{"a", "b"}));
  EXPECT_EQ(parse_csv_line("a,b"), (Fields{"a", "b"}));
  EXPECT_EQ(parse_csv_line(""), (Fields{""}));
}

TEST(ParseCsvLine, RefusesAnOpenQuote) {
  EXPECT_FALSE(parse_csv_line("a,\"b").has_value());
  EXPECT_FALSE(parse_csv_line("\"a\"\",b").has_value());
}

constexpr std::array kTwo{Column{"name", "-", "a name"}, Column{"time_s", "s", "a time"}};

TEST(CsvWriter, WritesTheHeaderAndRows) {
  std::ostringstream out;
  CsvWriter writer(out, kTwo);
  writer.row(Fields{"x,y", number(1.5)});
  EXPECT_EQ(out.str(), "name,time_s\n\"x,y\",1.5\n");
  EXPECT_EQ(csv_header(kTwo), "name,time_s\n");
}

TEST(CsvWriterDeathTest, WantsAFieldForEachColumn) {
  std::ostringstream out;
  CsvWriter writer(out, kTwo);
  EXPECT_DEATH(writer.row(Fields{"x"}), "field for each column");
}

TEST(Number, HasTwelveDigitsAndNoMore) {
  EXPECT_EQ(number(1.0 / 3.0), "0.333333333333");
  EXPECT_EQ(number(20.8 + 0.1569), "20.9569");
  EXPECT_EQ(number(1e15), "1e+15");
  EXPECT_EQ(number(123456789012.0), "123456789012");
  EXPECT_EQ(number(-0.0), "0");
  EXPECT_EQ(number(std::optional<double>{}), "");
  EXPECT_EQ(number(std::optional<double>{2.5}), "2.5");
  EXPECT_EQ(seconds(Duration::milliseconds(156.9)), "0.1569");
}

}  // namespace
}  // namespace gyre
