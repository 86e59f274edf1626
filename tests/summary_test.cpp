#include "analysis/summary.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/columns.hpp"
#include "analysis/csv.hpp"

namespace gyre {
namespace {

/// A row whose every field has a value of its own.
SummaryRow full_row() {
  SummaryRow row;
  row.schedule = "two, \"rounds\"";
  row.policy = "explicit";
  row.exchange = "direct";
  row.mode = "neither";
  row.seed = 42;
  row.status = "complete";
  row.time_to_accuracy_s = 1.25;
  row.final_accuracy_average = 0.8125;
  row.final_accuracy_worst = 0.5;
  row.rounds = 2000;
  row.mean_round_s = 4.5;
  row.bound_round_s = 3.0;
  row.ratio_to_bound = 1.5;
  row.communication_share = 0.75;
  row.wan_gb = 1234.5;
  row.binding_arc = "LON->AMS";
  row.bound_by = "latency";
  row.wait_share = 0.0625;
  row.mean_communication_s = 3.25;
  row.final_loss_average = 0.4375;
  row.simulated_s = 9000.5;
  return row;
}

TEST(SummaryRow, HasAFieldForEachColumn) {
  EXPECT_EQ(full_row().fields().size(), summary_columns().size());
}

// Each field stands below the column of its name.
TEST(SummaryRow, PutsEachValueBelowItsColumn) {
  const std::vector<std::string> fields = full_row().fields();
  const auto below = [&fields](std::string_view name) -> std::string {
    for (std::size_t c = 0; c < fields.size(); ++c) {
      if (summary_columns()[c].name == name) return fields[c];
    }
    return "no such column";
  };
  EXPECT_EQ(below("schedule"), "two, \"rounds\"");
  EXPECT_EQ(below("seed"), "42");
  EXPECT_EQ(below("time_to_accuracy_s"), "1.25");
  EXPECT_EQ(below("final_accuracy_average"), "0.8125");
  EXPECT_EQ(below("final_accuracy_worst"), "0.5");
  EXPECT_EQ(below("rounds"), "2000");
  EXPECT_EQ(below("mean_round_s"), "4.5");
  EXPECT_EQ(below("bound_round_s"), "3");
  EXPECT_EQ(below("ratio_to_bound"), "1.5");
  EXPECT_EQ(below("communication_share"), "0.75");
  EXPECT_EQ(below("wan_gb"), "1234.5");
  EXPECT_EQ(below("binding_arc"), "LON->AMS");
  EXPECT_EQ(below("bound_by"), "latency");
  EXPECT_EQ(below("wait_share"), "0.0625");
  EXPECT_EQ(below("mean_communication_s"), "3.25");
  EXPECT_EQ(below("final_loss_average"), "0.4375");
  EXPECT_EQ(below("simulated_s"), "9000.5");
}

std::optional<SummaryRow> reread(const SummaryRow& row) {
  return parse_summary_row(*parse_csv_line(csv_line(row.fields())));
}

TEST(ParseSummaryRow, ReadsBackWhatWasWritten) {
  ASSERT_TRUE(reread(full_row()).has_value());
  EXPECT_EQ(reread(full_row())->fields(), full_row().fields());
  SummaryRow unreached = full_row();
  unreached.time_to_accuracy_s.reset();
  unreached.final_accuracy_average.reset();
  unreached.final_accuracy_worst.reset();
  ASSERT_TRUE(reread(unreached).has_value());
  EXPECT_FALSE(reread(unreached)->time_to_accuracy_s.has_value());
  EXPECT_FALSE(reread(unreached)->final_accuracy_worst.has_value());
}

// Whole numbers keep all their digits, beyond what a double holds.
TEST(ParseSummaryRow, KeepsLargeSeeds) {
  SummaryRow row = full_row();
  for (const std::int64_t seed :
       {(std::int64_t{1} << 53) + 1, std::numeric_limits<std::int64_t>::max()}) {
    row.seed = seed;
    ASSERT_TRUE(reread(row).has_value());
    EXPECT_EQ(reread(row)->seed, seed);
  }
}

// A run that diverges ends with such a loss; its row has to be readable all the same.
TEST(ParseSummaryRow, ReadsTheLossOfADivergedRun) {
  SummaryRow row = full_row();
  row.final_loss_average = std::numeric_limits<double>::infinity();
  ASSERT_TRUE(reread(row).has_value());
  EXPECT_TRUE(std::isinf(reread(row)->final_loss_average.value()));
  row.final_loss_average = std::nan("");
  ASSERT_TRUE(reread(row).has_value());
  EXPECT_TRUE(std::isnan(reread(row)->final_loss_average.value()));
}

TEST(ParseSummaryRow, RefusesOtherRows) {
  std::vector<std::string> fields = full_row().fields();
  fields.pop_back();
  EXPECT_FALSE(parse_summary_row(fields).has_value());
  fields = full_row().fields();
  fields.emplace_back("more");
  EXPECT_FALSE(parse_summary_row(fields).has_value());
  for (const std::size_t number : {4U, 6U, 9U, 10U, 14U}) {
    fields = full_row().fields();
    fields[number] = "x";
    EXPECT_FALSE(parse_summary_row(fields).has_value()) << number;
  }
  fields = full_row().fields();
  fields[4].clear();  // seed
  EXPECT_FALSE(parse_summary_row(fields).has_value());
  fields = full_row().fields();
  fields[9] = "1.5";  // rounds
  EXPECT_FALSE(parse_summary_row(fields).has_value());
  EXPECT_FALSE(parse_summary_row({}).has_value());
}

// A run that crashed has a name and a status; its numbers stay empty instead of looking like zeros.
TEST(SummaryRow, LeavesEmptyWhatWasNotMeasured) {
  SummaryRow row;
  row.schedule = "s";
  row.mode = "both";
  row.status = "failed";
  const std::vector<std::string> fields = row.fields();
  for (std::size_t c = 6; c < fields.size(); ++c) EXPECT_EQ(fields[c], "") << c;
  EXPECT_TRUE(parse_summary_row(fields).has_value());
}

SummaryRow ranked(const std::string& name, const std::string& mode, const std::string& status,
                  std::optional<double> time_s, std::optional<double> accuracy, double loss) {
  SummaryRow row;
  row.schedule = name;
  row.mode = mode;
  row.status = status;
  row.time_to_accuracy_s = time_s;
  row.final_accuracy_average = accuracy;
  row.final_loss_average = loss;
  return row;
}

std::string order(std::vector<SummaryRow> rows) {
  rank(rows);
  std::string names;
  for (const SummaryRow& row : rows) names += row.schedule;
  return names;
}

TEST(Rank, PutsReachedTargetsFirstByTime) {
  EXPECT_EQ(order({ranked("c", "both", "complete", {}, 0.9, 0.1),
                   ranked("b", "both", "complete", 20.0, 0.8, 0.3),
                   ranked("a", "both", "complete", 10.0, 0.7, 0.4)}),
            "abc");
}

TEST(Rank, OrdersTheRestByAccuracyThenByLoss) {
  EXPECT_EQ(order({ranked("b", "both", "complete", {}, 0.7, 0.1),
                   ranked("a", "both", "complete", {}, 0.8, 0.9)}),
            "ab");
  EXPECT_EQ(order({ranked("b", "both", "complete", {}, {}, 0.9),
                   ranked("a", "both", "complete", {}, {}, 0.1)}),
            "ab");
}

TEST(Rank, PutsIncompleteRunsLast) {
  EXPECT_EQ(order({ranked("c", "both", "truncated", 1.0, 0.9, 0.1),
                   ranked("b", "both", "complete", {}, 0.1, 0.9),
                   ranked("a", "both", "complete", 5.0, 0.8, 0.5)}),
            "abc");
}

TEST(Rank, KeepsModesTogetherInTheirOrder) {
  EXPECT_EQ(order({ranked("b", "neither", "complete", 9.0, {}, 0.0),
                   ranked("c", "both", "complete", 1.0, {}, 0.0),
                   ranked("a", "neither", "complete", 8.0, {}, 0.0)}),
            "abc");
}

TEST(Rank, KeepsTheOrderOfTies) {
  EXPECT_EQ(order({ranked("a", "both", "complete", 1.0, 0.5, 0.5),
                   ranked("b", "both", "complete", 1.0, 0.5, 0.5),
                   ranked("c", "both", "complete", 1.0, 0.5, 0.5)}),
            "abc");
  std::vector<SummaryRow> none;
  rank(none);
  EXPECT_TRUE(none.empty());
}

// Not a number compares with nothing, which would leave the others in any order.
TEST(Rank, PutsDivergedRunsAfterTheOthers) {
  const double nan = std::nan("");
  EXPECT_EQ(order({ranked("d", "both", "complete", {}, {}, nan),
                   ranked("c", "both", "complete", {}, {}, 3.0),
                   ranked("e", "both", "complete", {}, {}, nan),
                   ranked("a", "both", "complete", {}, {}, 1.0),
                   ranked("b", "both", "complete", {}, {}, 2.0)}),
            "abcde");
}

}  // namespace
}  // namespace gyre
