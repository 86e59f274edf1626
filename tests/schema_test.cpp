#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/units.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/yaml.hpp"

namespace gyre {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kScenarios = std::filesystem::path(GYRE_SOURCE_DIR) / "scenarios";

/// The reader's own YAML as JSON: what a JSON Schema is about.
Json to_json(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return nullptr;
    case YamlNode::Kind::kScalar: {
      if (node.quoted) return node.text;
      if (node.text == "true" || node.text == "false") return node.text == "true";
      if (const auto number = parse_number(node.text)) return *number;
      return node.text;
    }
    case YamlNode::Kind::kSequence: {
      Json list = Json::array();
      for (const YamlNode& item : node.items) list.push_back(to_json(item));
      return list;
    }
    case YamlNode::Kind::kMapping: {
      Json mapping = Json::object();
      for (std::size_t i = 0; i < node.keys.size(); ++i) {
        mapping[node.keys[i].text] = to_json(node.items[i]);
      }
      return mapping;
    }
  }
  return nullptr;
}

/// The structure only: keys, required keys, tags and types. Patterns and ranges are left out.
std::string structural_problem(const Json& schema, const Json& value, const std::string& path);

std::string mapping_problem(const Json& schema, const Json& value, const std::string& path) {
  if (!value.is_object()) return path + ": no mapping";
  for (const auto& [key, inner] : value.items()) {
    const std::string inner_path = key_in(path, key);
    if (!schema["properties"].contains(key)) return inner_path + ": not in the schema";
    std::string problem = structural_problem(schema["properties"][key], inner, inner_path);
    if (!problem.empty()) return problem;
  }
  for (const Json& key : schema.value("required", Json::array())) {
    if (!value.contains(key.get<std::string>())) return path + ": lacks " + key.get<std::string>();
  }
  return {};
}

std::string structural_problem(const Json& schema, const Json& value, const std::string& path) {
  if (schema.contains("oneOf")) {
    std::string problems;
    int fitting = 0;
    for (const Json& choice : schema["oneOf"]) {
      const std::string problem = structural_problem(choice, value, path);
      if (problem.empty()) ++fitting;
      problems += problem + "; ";
    }
    return fitting == 1 ? std::string() : path + " fits not one choice: " + problems;
  }
  if (schema.contains("const") && schema["const"] != value)
    return path + ": not " + schema["const"].dump();
  if (schema.contains("enum")) {
    for (const Json& name : schema["enum"]) {
      if (name == value) return {};
    }
    return path + ": none of the enum";
  }
  if (schema.contains("type") && schema["type"].is_array()) {
    return value.is_primitive() && !value.is_null() ? "" : path + ": no single value";
  }
  const std::string type = schema.value("type", "");
  if (type == "object") return mapping_problem(schema, value, path);
  if (type == "array") {
    if (!value.is_array()) return path + ": no list";
    for (const Json& item : value) {
      std::string problem = structural_problem(schema["items"], item, path + "[]");
      if (!problem.empty()) return problem;
    }
    return {};
  }
  const bool fits = type.empty() || (type == "string" && value.is_string()) ||
                    (type == "boolean" && value.is_boolean()) ||
                    ((type == "number" || type == "integer") && value.is_number());
  return fits ? std::string() : path + ": no " + type;
}

std::string problem_of(const std::filesystem::path& file, const std::string& definition) {
  const Json schema = Json::parse(scenario_schema());
  const YamlNode root = parse_yaml(read_text_file(file.string()), file.string());
  return structural_problem(schema["definitions"][definition], to_json(root), definition);
}

// GYRE_REWRITE=1 in the environment writes the file anew instead; review it by diff.
TEST(Schema, TheShippedFileIsWhatTheReaderDescribes) {
  const std::string path = (kScenarios / "gyre.schema.json").string();
  if (std::getenv("GYRE_REWRITE") != nullptr) std::ofstream(path) << scenario_schema();
  EXPECT_TRUE(read_text_file(path) == scenario_schema())
      << path << " is not up to date; run this test once with GYRE_REWRITE=1";
}

TEST(Schema, HasEveryKeyOfTheShippedScenarios) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kScenarios)) {
    if (entry.path().extension() != ".yaml") continue;
    EXPECT_EQ(problem_of(entry.path(), "scenario"), "") << entry.path();
    ++files;
  }
  EXPECT_GE(files, 3);
}

TEST(Schema, HasEveryKeyOfTheShippedStudies) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kScenarios / "studies")) {
    EXPECT_EQ(problem_of(entry.path(), "study"), "") << entry.path();
    ++files;
  }
  EXPECT_GE(files, 1);
}

TEST(Schema, HasEveryKeyOfTheShippedTopologies) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kScenarios / "topologies")) {
    EXPECT_EQ(problem_of(entry.path(), "topology_file"), "") << entry.path();
    ++files;
  }
  EXPECT_GE(files, 3);
}

TEST(Schema, HasEveryKeyThatTheReaderResolves) {
  const Json schema = Json::parse(scenario_schema())["definitions"]["scenario"];
  const LoadedScenario loaded = load_scenario((kScenarios / "two-islands.yaml").string());
  for (const ResolvedValue& value : loaded.resolved) {
    // Follow the key path through properties, list items and the choices of a kind.
    std::vector<Json> places{schema};
    std::string rest = value.key_path;
    while (!rest.empty()) {
      const std::string key = rest.substr(0, rest.find_first_of(".["));
      std::vector<Json> next;
      std::vector<Json> open = places;
      while (!open.empty()) {
        const Json place = open.back();
        open.pop_back();
        for (const Json& choice : place.value("oneOf", Json::array())) open.push_back(choice);
        if (!place.contains("properties") || !place["properties"].contains(key)) continue;
        const Json& found = place["properties"][key];
        next.push_back(found.contains("items") ? found["items"] : found);
      }
      places = next;
      const std::size_t dot = rest.find('.');
      rest = dot == std::string::npos ? std::string() : rest.substr(dot + 1);
    }
    EXPECT_FALSE(places.empty()) << value.key_path;
  }
}

TEST(Schema, RefusesWhatTheReaderRefuses) {
  const Json schema = Json::parse(scenario_schema())["definitions"]["scenario"];
  for (const char* name : {"key_misspelt", "key_missing_compute", "key_missing_kind", "list_empty",
                           "exchange_without_effect", "policy_unknown", "modes_unknown",
                           "task_option_of_another_kind", "number_quoted", "format_unknown"}) {
    const auto file =
        std::filesystem::path(GYRE_SOURCE_DIR) / "tests/bad_input" / (std::string(name) + ".yaml");
    // An empty list is refused by `minItems`, which is not structural.
    if (std::string(name) == "list_empty") {
      EXPECT_EQ(schema["properties"]["schedules"]["minItems"], 1);
    } else {
      EXPECT_NE(problem_of(file, "scenario"), "") << name;
    }
  }
}

TEST(Schema, AQuantityNeedsItsUnit) {
  const Json access =
      Json::parse(scenario_schema())["definitions"]["scenario"]["properties"]["network"]
                                    ["properties"]["access"]["properties"];
  EXPECT_EQ(access["bandwidth"]["type"], "string");
  EXPECT_EQ(access["bandwidth"]["pattern"],
            "^(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)? *([KMGT]?[bB]ps)$");
  EXPECT_EQ(access["latency"]["default"], "0 s");
}

TEST(Schema, EveryShippedFilePointsToIt) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kScenarios)) {
    if (entry.path().extension() != ".yaml") continue;
    const bool nested = entry.path().parent_path() != kScenarios;
    const std::string line = std::string("# yaml-language-server: $schema=") +
                             (nested ? "../" : "") + "gyre.schema.json\n";
    EXPECT_EQ(read_text_file(entry.path().string()).substr(0, line.size()), line) << entry.path();
  }
}

}  // namespace
}  // namespace gyre
