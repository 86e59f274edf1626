#include "analysis/columns.hpp"

#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "analysis/csv.hpp"

namespace gyre {
namespace {

// F24: every number that is written has a name, a unit and a definition.
TEST(Columns, HaveEachANameAUnitAndADefinition) {
  std::set<std::string_view> tables;
  for (const OutputTable& table : output_tables()) {
    EXPECT_TRUE(tables.insert(table.name).second) << table.name;
    EXPECT_FALSE(table.summary.empty()) << table.name;
    EXPECT_FALSE(table.columns.empty()) << table.name;
    std::set<std::string_view> names;
    for (const Column& column : table.columns) {
      EXPECT_TRUE(names.insert(column.name).second) << table.name << '.' << column.name;
      EXPECT_FALSE(column.unit.empty()) << column.name;
      EXPECT_GE(column.definition.size(), 10U) << column.name;
      EXPECT_EQ(column.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789"),
                std::string_view::npos)
          << column.name;
    }
  }
  EXPECT_EQ(tables, (std::set<std::string_view>{"summary",
                                                "trace",
                                                "rounds",
                                                "links",
                                                "exchange",
                                                "islands",
                                                "plan",
                                                "switches",
                                                "crosscheck",
                                                "forecast",
                                                "time-to-accuracy",
                                                "round-time",
                                                "link-utilisation",
                                                "consensus",
                                                "spread",
                                                "map",
                                                "heard",
                                                "events",
                                                "routes",
                                                "cliques",
                                                "exchange-rate",
                                                "sensitivity"}));
}

// A name that ends with a unit says the unit that the column declares.
TEST(Columns, EndTheirNamesWithTheirUnit) {
  const auto ends_with = [](std::string_view name, std::string_view end) {
    return name.size() >= end.size() && name.substr(name.size() - end.size()) == end;
  };
  for (const OutputTable& table : output_tables()) {
    for (const Column& column : table.columns) {
      EXPECT_EQ(ends_with(column.name, "_s"), column.unit == "s") << column.name;
      EXPECT_EQ(ends_with(column.name, "_ms"), column.unit == "ms") << column.name;
      EXPECT_EQ(ends_with(column.name, "_gb"), column.unit == "GB") << column.name;
      EXPECT_EQ(ends_with(column.name, "_gbps"), column.unit == "Gbit/s") << column.name;
      EXPECT_EQ(ends_with(column.name, "bytes"), column.unit == "B") << column.name;
    }
  }
}

// What readers of the files rely on; more columns may follow.
TEST(Columns, OfTheSummaryBeginAsPromised) {
  const std::string promised =
      "schedule,policy,exchange,mode,seed,status,time_to_accuracy_s,final_accuracy_average,"
      "final_accuracy_worst,rounds,mean_round_s,bound_round_s,ratio_to_bound,communication_share,"
      "wan_gb,binding_arc";
  const std::string header = csv_header(summary_columns());
  EXPECT_EQ(header.substr(0, promised.size()), promised);
  EXPECT_TRUE(header[promised.size()] == ',' || header[promised.size()] == '\n');
}

TEST(Columns, OfAnExchangeAreAsPromised) {
  EXPECT_EQ(csv_header(exchange_columns()),
            "round,exchange,mode,routing,time_s,bandwidth_s,latency_s,bound_s,ratio_to_bound,"
            "binding_arc\n");
}

}  // namespace
}  // namespace gyre
