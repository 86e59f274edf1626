#include "scenarios/reader.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/yaml.hpp"

namespace gyre {
namespace {

enum class Colour : std::uint8_t { kRed, kGreen };
constexpr std::array<std::string_view, 2> kColours{"red", "green"};

struct Inner {
  Duration time = Duration::seconds(1);
  std::int64_t count = 7;

  void describe(Fields& fields) {
    fields.optional({"time", "A time."}, time, kPositive);
    fields.required({"count", "A count."}, count, Range{.at_least = 1.0, .below = 100.0});
  }
};

struct Everything {
  bool flag = false;
  double number = 0.5;
  Bandwidth rate = Bandwidth::gigabits_per_second(1);
  std::optional<Bytes> size;
  Text text;
  Colour colour = Colour::kGreen;
  std::vector<Colour> colours{Colour::kRed, Colour::kGreen};
  std::vector<std::int64_t> whole;
  std::optional<std::vector<Text>> names;
  Inner inner;
  std::optional<Inner> maybe;
  std::vector<Inner> several;
  std::size_t kind = 0;
  double width = 1.0;
  Text path;
  Inner in_place;

  void describe(Fields& fields) {
    fields.required({"text", "A text."}, text);
    fields.optional({"flag", "A flag."}, flag);
    fields.optional({"number", "A number."}, number, Range{.above = 0.0, .at_most = 1.0});
    fields.optional({"rate", "A rate."}, rate, kPositive);
    fields.optional({"size", "A size."}, size);
    fields.optional_choice({"colour", "A colour."}, colour, kColours);
    fields.list_of_choices({"colours", "Colours."}, Presence::kDefaulted, colours, kColours);
    fields.list({"whole", "Whole numbers."}, Presence::kDefaulted, whole, 0);
    fields.list({"names", "Names."}, names);
    fields.optional_object({"inner", "A mapping."}, inner);
    fields.optional_object({"maybe", "A mapping that need not be."}, maybe);
    fields.list_of({"several", "Mappings."}, Presence::kDefaulted, several);
    const std::array<Fields::Alternative, 2> kinds{{
        {"round", "No own keys.", [](Fields&) {}},
        {"square", "With a width.",
         [this](Fields& inner_fields) {
           inner_fields.optional({"width", "A width."}, width, kPositive);
         }},
    }};
    kind = fields.variant({"kind", "A kind."}, kinds, 0);
    fields.text_or_object({"path", "A path or a mapping."}, path,
                          [this](Fields& inner_fields) { in_place.describe(inner_fields); });
  }
};

struct Result {
  Everything value;
  std::string resolved;
};

Result read(const std::string& text) {
  Result result;
  const auto values =
      read_mapping(parse_yaml(text, "f"), [&](Fields& fields) { result.value.describe(fields); });
  for (const ResolvedValue& value : values) {
    result.resolved += value.key_path + "=" + value.value + " (" + value.origin + ")\n";
  }
  return result;
}

std::string problem(const std::string& text) {
  try {
    return "no error: " + read(text).resolved;
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Reader, ReadsEveryKindOfValue) {
  const Everything value = read(R"(
text: NO
flag: true
number: 1e-3
rate: 10 GBps
size: 2 GiB
colour: red
colours: [green]
whole: [1e3, -2]
names: [010, "a b"]
inner: {time: 4.5 ms, count: 3}
maybe: {count: 4}
several: [{count: 5}, {count: 6, time: 2 min}]
kind: square
width: 2
path: a/b.yaml
)")
                               .value;
  EXPECT_EQ(value.text.value, "NO");
  EXPECT_EQ(value.text.where.place(), "f:2:7");
  EXPECT_EQ(value.text.where.key_path, "text");
  EXPECT_TRUE(value.flag);
  EXPECT_EQ(value.number, 1e-3);
  EXPECT_EQ(value.rate, Bandwidth::gigabits_per_second(80));
  EXPECT_EQ(value.size, Bytes::count(2'147'483'648));
  EXPECT_EQ(value.colour, Colour::kRed);
  EXPECT_EQ(value.colours, std::vector<Colour>{Colour::kGreen});
  EXPECT_EQ(value.whole, (std::vector<std::int64_t>{1000, -2}));
  const std::vector<Text> names = value.names.value_or(std::vector<Text>{});
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names[0].value, "010");
  EXPECT_EQ(names[1].value, "a b");
  EXPECT_EQ(names[1].where.key_path, "names[1]");
  EXPECT_EQ(value.inner.time, Duration::seconds(0.0045));
  EXPECT_EQ(value.inner.count, 3);
  EXPECT_EQ(value.maybe.value_or(Inner{}).count, 4);
  ASSERT_EQ(value.several.size(), 2U);
  EXPECT_EQ(value.several[1].time, Duration::seconds(120));
  EXPECT_EQ(value.kind, 1U);
  EXPECT_EQ(value.width, 2.0);
  EXPECT_EQ(value.path.value, "a/b.yaml");
}

TEST(Reader, ResolvedValuesSayWhereTheyCameFrom) {
  EXPECT_EQ(
      read("text: x\npath:\n  count: 2\nnames: []\nwhole: [1, 2]\nmaybe: {count: 1e1}").resolved,
      "text=x (f:1)\n"
      "flag=false (default)\n"
      "number=0.5 (default)\n"
      "rate=1 Gbps (default)\n"
      "colour=green (default)\n"
      "colours=[red, green] (default)\n"
      "whole=[1, 2] (f:5)\n"
      "names=[] (f:4)\n"
      "inner.time=1 s (default)\n"
      "maybe.time=1 s (default)\n"
      "maybe.count=10 (f:6)\n"
      "kind=round (default)\n"
      "path.time=1 s (default)\n"
      "path.count=2 (f:3)\n");
}

TEST(Reader, AnAbsentMappingKeepsItsDefaults) {
  const Everything value = read("text: x\npath: y").value;
  EXPECT_EQ(value.inner.count, 7);
  EXPECT_FALSE(value.maybe);
  EXPECT_FALSE(value.names);
  EXPECT_FALSE(value.size);
}

TEST(Reader, AQuantityMayBeQuotedANumberNot) {
  EXPECT_EQ(read("text: x\npath: y\nrate: '10 Gbps'").value.rate,
            Bandwidth::gigabits_per_second(10));
  EXPECT_EQ(problem("text: x\npath: y\nnumber: '1'"),
            "f:3:9: number: \"1\" is text, because of its quotes; write a number without them");
}

TEST(Reader, WholeNumbersAreExactToTheEndOfTheirRange) {
  EXPECT_EQ(read("text: x\npath: y\nwhole: [9223372036854775807, 9007199254740993, 1.5e1, -0]")
                .value.whole,
            (std::vector<std::int64_t>{9223372036854775807, 9007199254740993, 15, 0}));
  EXPECT_EQ(
      problem("text: x\npath: y\nwhole: [9223372036854775808]"),
      "f:3:9: whole[0]: '9223372036854775808' is too large; at most 2^63 - 1, written in digits "
      "beyond 2^53");
}

TEST(Reader, RangesAreToldWithTheirUnit) {
  EXPECT_EQ(problem("text: x\npath: y\nnumber: 2"),
            "f:3:9: number: 2 is out of range; must be above 0 and at most 1");
  EXPECT_EQ(problem("text: x\npath: y\nmaybe: {count: 100}"),
            "f:3:16: maybe.count: 100 is out of range; must be at least 1 and below 100");
  EXPECT_EQ(problem("text: x\npath: y\nmaybe: {count: 1, time: 0 ms}"),
            "f:3:25: maybe.time: 0 s is out of range; must be above 0 s");
}

TEST(Reader, TheFirstProblemOfTheFileIsTold) {
  // Not the first in reading order: `text` is read first, `several` late.
  EXPECT_EQ(problem("several: [{count: 0}]\nnumber: 7\ntext: [x]\npath: y")
                .find("f:1:19: several[0].count:"),
            0U);
  EXPECT_EQ(problem("number: 7\nunknown: 1\ntext: x\npath: y").find("f:1:9: number:"), 0U);
  EXPECT_EQ(problem("unknown: 1\nnumber: 7\ntext: x\npath: y").find("f:1:1: unknown:"), 0U);
}

TEST(Reader, AMisspeltKeyIsToldBeforeTheMissingOne) {
  EXPECT_EQ(
      problem("txt: x\npath: y"),
      "f:1:1: txt: unknown key (did you mean 'text'?); allowed here: text, flag, number, rate, "
      "size, colour, colours, whole, names, inner, maybe, several, kind, path");
  EXPECT_EQ(problem("path: y"), "f:1:1: text: this key is missing; it is required: A text.");
}

TEST(Reader, KeysOfAnotherKindAreUnknown) {
  EXPECT_EQ(
      problem("text: x\npath: y\nwidth: 2").find("f:3:1: width: unknown key with kind 'round'; "),
      0U);
}

TEST(Reader, MissingValues) {
  for (const char* nothing : {"", " ~", " null", " # nothing"}) {
    EXPECT_EQ(problem(std::string("path: y\ntext:") + nothing).find("text: the value is missing"),
              7U)
        << nothing;
  }
  EXPECT_EQ(problem("text: x\npath: y\ninner:"),
            "f:3:1: inner: nothing is given where a mapping of keys is wanted");
}

TEST(Reader, WhatADescriptionThrowsIsNotToldAfterAnotherProblem) {
  const auto describe = [](Fields& fields) {
    double value = 0.0;
    fields.required({"value", "A value."}, value, kPositive);
    if (value <= 0.0) throw InputError(fields.where("value"), "a consequence");
  };
  const auto reading = [&describe](const std::string& text) -> std::string {
    try {
      read_mapping(parse_yaml(text, "f"), describe);
    } catch (const InputError& error) {
      return error.what();
    }
    return "read";
  };
  EXPECT_EQ(reading("value: -1"), "f:1:8: value: -1 is out of range; must be above 0");
  EXPECT_EQ(reading("{}"), "f:1:1: value: this key is missing; it is required: A value.");
  EXPECT_EQ(reading("valu: 1"),
            "f:1:1: valu: unknown key (did you mean 'value'?); 'value' is required here");
  EXPECT_EQ(reading("value: 1"), "read");
  EXPECT_EQ(reading("- 1"), "f:1:1: a list is given where a mapping of keys is wanted");
}

}  // namespace
}  // namespace gyre
