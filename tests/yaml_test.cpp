#include "scenarios/yaml.hpp"

#include <cstdio>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "models/limits.hpp"

namespace gyre {
namespace {

/// The tree on one line: places, quotes and order included.
std::string dump(const YamlNode& node) {
  std::string text = std::to_string(node.place.line) + ":" + std::to_string(node.place.column);
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return text + "~";
    case YamlNode::Kind::kScalar:
      return text + (node.quoted ? "'" + node.text + "'" : "<" + node.text + ">");
    case YamlNode::Kind::kSequence:
      text += "[";
      for (const YamlNode& item : node.items) text += dump(item) + ",";
      return text + "]";
    case YamlNode::Kind::kMapping:
      text += "{";
      for (std::size_t i = 0; i < node.keys.size(); ++i) {
        text += std::to_string(node.keys[i].place.line) + ":" +
                std::to_string(node.keys[i].place.column) + node.keys[i].text + "=" +
                dump(node.items[i]) + ",";
      }
      return text + "}";
  }
  return text;
}

std::string read(std::string_view text) { return dump(parse_yaml(text, "f")); }

std::string problem(std::string_view text) {
  try {
    return "no error: " + read(text);
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Yaml, KeepsOrderPlacesAndQuotes) {
  EXPECT_EQ(read("b: 1\na: '1'\nc: [x, \"y\"]\n"),
            "1:1{1:1b=1:4<1>,2:1a=2:4'1',3:1c=3:4[3:5<x>,3:8'y',],}");
  EXPECT_EQ(read("a:\n  b: {c: 010}\n"), "1:1{1:1a=2:3{2:3b=2:6{2:7c=2:10<010>,},},}");
}

TEST(Yaml, AMissingValueHasThePlaceOfItsKey) {
  EXPECT_EQ(read("a:\nb: ~\nc: null\nd: 'null'"),
            "1:1{1:1a=1:1~,2:1b=2:1~,3:1c=3:1~,4:1d=4:4'null',}");
}

TEST(Yaml, ScalarsKeepTheirText) {
  EXPECT_EQ(
      read("[NO, 010, 0x1F, .nan, 12:30, 1_000, yes, 1e3]"),
      "1:1[1:2<NO>,1:6<010>,1:11<0x1F>,1:17<.nan>,1:23<12:30>,1:30<1_000>,1:37<yes>,1:42<1e3>,]");
}

TEST(Yaml, BlockScalarsAreTexts) {
  EXPECT_EQ(read("a: |\n  x\n  y\nb: >-\n  x\n  y\n"), "1:1{1:1a=1:4'x\ny\n',4:1b=4:4'x y',}");
}

TEST(Yaml, DocumentMarkersAreAllowedOnce) {
  EXPECT_EQ(read("---\na: 1\n...\n"), "2:1{2:1a=2:4<1>,}");
}

// Fault F18: an editor's byte order mark or line ends change nothing.
TEST(Yaml, ByteOrderMarkAndCrLfMeanTheSame) {
  const std::string plain = "# c\na: 1\nb:\n  - \"x\n    y\"\n  - |\n    z\nc: ä\n";
  std::string crlf = "\xEF\xBB\xBF";
  for (const char c : plain) {
    if (c == '\n') crlf += '\r';
    crlf += c;
  }
  EXPECT_EQ(read(crlf), read(plain));
  EXPECT_EQ(read("\xEF\xBB\xBF" + plain), read(plain));
}

TEST(Yaml, ColumnsCountCharacters) {
  EXPECT_EQ(problem("ä: {é: 1, é: 2}"),
            "f:1:11: ä.é: the key is there twice, first in line 1; keep one");
}

TEST(Yaml, DuplicateKeys) {
  EXPECT_EQ(problem("a: 1\nb:\n  c: 1\n  c: 2\n"),
            "f:4:3: b.c: the key is there twice, first in line 3; keep one");
  EXPECT_EQ(problem("a: 1\n\"a\": 1\n"),
            "f:2:1: a: the key is there twice, first in line 1; keep one");
}

TEST(Yaml, OneDocumentOnly) {
  EXPECT_EQ(problem("a: 1\n---\nb: 2\n"), "f:2:1: a second document; one file holds one document");
  EXPECT_EQ(problem("a: 1\n...\nb: 2\n"),
            "f:3:1: text after the end of the document; check the indentation of this line");
  EXPECT_EQ(problem("  a: 1\nb: 2\n"),
            "f:2:1: text after the end of the document; check the indentation of this line");
}

TEST(Yaml, EmptyFiles) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "\xEF\xBB\xBF", "~"}) {
    EXPECT_EQ(problem(text), "f: the file is empty; a mapping of keys is expected") << text;
  }
}

TEST(Yaml, AnchorsAliasesTagsAndMergeKeys) {
  EXPECT_EQ(problem("a: &x 1\n"), "f:1:4: a: an anchor; write the value out where it is used");
  EXPECT_EQ(problem("a: &x {b: 1}\n"), "f:1:4: a: an anchor; write the value out where it is used");
  EXPECT_EQ(problem("a: [1]\nb: *x\n").find("f:2:4: b: "), 0U);
  EXPECT_EQ(problem("a: !!str 1\n"), "f:1:4: a: a tag; the key decides the type of its value");
  EXPECT_EQ(problem("a: ! 1\n"), "f:1:4: a: a tag; the key decides the type of its value");
  EXPECT_EQ(problem("a: !x [1]\n"), "f:1:4: a: a tag; the key decides the type of its value");
  EXPECT_EQ(problem("<<: {a: 1}\n"), "f:1:1: a merge key; write the keys out");
  EXPECT_EQ(read("'<<': 1\n"), "1:1{1:1<<=1:7<1>,}");
  EXPECT_EQ(problem("%YAML 1.2\n---\na: 1\n"),
            "f:1:1: a YAML directive; write the document without '%' lines");
}

TEST(Yaml, KeysAreNames) {
  const std::string list =
      "a list or mapping as a key, or a bracket that is not closed; a key is a name";
  EXPECT_EQ(problem("? [a]\n: 1\n"), "f:1:3: " + list);
  EXPECT_EQ(problem("{a: 1"), "f:1:1: " + list);
  EXPECT_EQ(problem(": 1\n"), "f:1:1: a key that is empty or null; a key is a name");
  EXPECT_EQ(problem("~: 1\n"), "f:1:1: a key that is empty or null; a key is a name");
}

TEST(Yaml, SyntaxErrorsHaveTheirPlace) {
  EXPECT_EQ(problem("a: 1\n b: 2\n"),
            "f:2:3: not valid YAML: illegal map value; check indentation, ':' and brackets");
  EXPECT_EQ(problem("a:\n  b: 1\n c: 2\n").find("f:3:2: "), 0U);
  EXPECT_EQ(problem("a: [1, 2").find("f:1:9: "), 0U);
  EXPECT_EQ(problem("a: \"x").find("f:1:6: "), 0U);
  EXPECT_EQ(problem("a: @x").find("f:1:4: "), 0U);
}

TEST(Yaml, TabsAreRefused) {
  const std::string tab = "a tab; indent and separate with spaces";
  EXPECT_EQ(problem("a:\n\tb: 1\n"), "f:2:1: " + tab);
  EXPECT_EQ(problem("a:\t1\n"), "f:1:3: " + tab);
}

TEST(Yaml, UnprintableBytesAreRefused) {
  EXPECT_EQ(problem(std::string("a: x\0y\n", 7)),
            "f:1:5: the control character U+0000; only printable text is allowed");
  EXPECT_EQ(problem("a: 1\nb: \x1b[0m\n"),
            "f:2:4: the control character U+001B; only printable text is allowed");
  EXPECT_EQ(problem("a: \x7f"),
            "f:1:4: the control character U+007F; only printable text is allowed");
  EXPECT_EQ(problem("a: \xC2\x85"),
            "f:1:4: the control character U+0085; only printable text is allowed");
  EXPECT_EQ(problem("a: 1\rb: 2\r"),
            "f:1:5: a carriage return without a line feed; lines end with LF or CRLF");
}

TEST(Yaml, InvalidUtf8IsRefused) {
  for (const char* text : {"a: \xFF", "a: \xC0\xAF", "a: \xE2\x82", "a: \xED\xA0\x80",
                           "a: \xF4\x90\x80\x80", "a: \x80", "a: \xE0\x80\x80", "a: \xC3("}) {
    EXPECT_EQ(problem(text), "f:1:4: invalid UTF-8; save the file as UTF-8") << text;
  }
  EXPECT_EQ(read("a: \xF0\x9F\x8C\x8D"), "1:1{1:1a=1:4<\xF0\x9F\x8C\x8D>,}");
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(Yaml, NestingIsLimitedInEveryNotation) {
  const std::string deep = "nested too deeply; at most 64 levels";
  EXPECT_EQ(read("a: " + repeated("[", 63) + repeated("]", 63)).find("1:1{1:1a=1:4[1:5["), 0U);
  const auto is_refused = [&deep](const std::string& text) {
    return problem(text).find(deep) != std::string::npos;
  };
  EXPECT_TRUE(is_refused("a: " + repeated("[", 64) + repeated("]", 64)));
  EXPECT_TRUE(is_refused(repeated("[", 1'000'000)));
  EXPECT_TRUE(is_refused(repeated("{a: ", 1'000'000)));
  EXPECT_TRUE(is_refused(repeated("- ", 1'000'000) + "a"));
  std::string blocks;
  for (int i = 0; i < 2000; ++i) blocks += repeated(" ", i) + "a:\n";
  EXPECT_TRUE(is_refused(blocks));
}

TEST(Yaml, ValuesOfTheCommandLineHaveOnlyTheirSubject) {
  const YamlNode node = parse_yaml_value("{a: [1]}", "--set", "x");
  EXPECT_EQ(where_of(node.items[0].items[0].place, "x").place(), "--set");
  EXPECT_EQ(dump(node), "0:0{0:0a=0:0[0:0<1>,],}");
  EXPECT_EQ(parse_yaml_value("", "--set", "x").kind, YamlNode::Kind::kNull);
  try {
    parse_yaml_value("[1", "--set", "a.b");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "--set: a.b: '[1' is not a single YAML value such as 10 Gbps, [1, 2] or "
                 "{bandwidth: 10 Gbps}");
  }
}

TEST(Yaml, FilesThatCannotBeRead) {
  const auto reading = [](const std::string& path, const Where& origin) -> std::string {
    try {
      read_text_file(path, origin);
    } catch (const InputError& error) {
      return error.what();
    }
    return "read";
  };
  EXPECT_EQ(reading("no/such.yaml", {}), "no/such.yaml: cannot be read: No such file or directory");
  EXPECT_EQ(reading(".", {}), ".: cannot be read: Is a directory");
  EXPECT_EQ(reading("no.yaml", {.file = "s.yaml", .line = 4, .column = 7, .key_path = "topology"}),
            "s.yaml:4:7: topology: 'no.yaml': cannot be read: No such file or directory");
}

TEST(Yaml, FilesHaveASizeLimit) {
  const std::string path = testing::TempDir() + "gyre_yaml_test_large.yaml";
  std::ofstream(path) << std::string(kLargestFile, '#');
  EXPECT_EQ(read_text_file(path).size(), kLargestFile);
  std::ofstream(path, std::ios::app) << '#';
  EXPECT_THROW(read_text_file(path), InputError);
  std::ofstream(path, std::ios::trunc).close();
  EXPECT_EQ(read_text_file(path), "");
  std::remove(path.c_str());
}

}  // namespace
}  // namespace gyre
