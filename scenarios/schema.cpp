#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/error.hpp"
#include "scenarios/scalars.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/study.hpp"
#include "scenarios/topology_file.hpp"

namespace gyre {
namespace {

using Json = nlohmann::ordered_json;

std::string quantity_pattern(const Range& range, std::string_view units) {
  const bool negative = range.at_least < 0.0 && range.above < 0.0;
  return fmt::format("^{}(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)? *({})$",
                     negative ? "-?" : "", units);
}

Json quantity_schema(const Range& range, std::string_view units) {
  return {{"type", "string"}, {"pattern", quantity_pattern(range, units)}};
}

Json bound_json(double bound) {
  const bool whole = bound == std::trunc(bound) && std::abs(bound) < 9007199254740992.0;
  return whole ? Json(static_cast<std::int64_t>(bound)) : Json(bound);
}

Json number_schema(std::string_view type, const Range& range) {
  Json schema{{"type", type}};
  if (range.at_least == range.at_most) {
    schema["const"] = bound_json(range.at_least);
    return schema;
  }
  const auto add = [&schema](const char* word, double bound) {
    if (std::isfinite(bound)) schema[word] = bound_json(bound);
  };
  add("minimum", range.at_least);
  add("exclusiveMinimum", range.above);
  add("maximum", range.at_most);
  add("exclusiveMaximum", range.below);
  return schema;
}

Json scalar_schema(const ScalarRef& value, const Range& range) {
  struct ByType {
    const Range& range;
    Json operator()(const bool* /*value*/) const { return {{"type", "boolean"}}; }
    Json operator()(const std::int64_t* /*value*/) const { return number_schema("integer", range); }
    Json operator()(const double* /*value*/) const { return number_schema("number", range); }
    Json operator()(const Duration* /*value*/) const {
      return quantity_schema(range, "ps|ns|us|ms|s|min|h|d");
    }
    Json operator()(const Bandwidth* /*value*/) const {
      return quantity_schema(range, "[KMGT]?[bB]ps");
    }
    Json operator()(const Bytes* /*value*/) const {
      return quantity_schema(range, "[KMGT]?B|[KMGT]iB");
    }
    Json operator()(const FlopRate* /*value*/) const {
      return quantity_schema(range, "[MGTPE]?FLOPS");
    }
    // Any single value, as written.
    Json operator()(const Text* /*value*/) const {
      return {{"type", {"string", "number", "boolean"}}};
    }
  };
  return std::visit(ByType{range}, value);
}

/// The default of a scalar as JSON. Texts have none: theirs depend on other keys.
std::optional<Json> default_json(const ScalarRef& value) {
  if (const auto* flag = std::get_if<bool*>(&value)) return Json(**flag);
  if (const auto* whole = std::get_if<std::int64_t*>(&value)) return Json(**whole);
  if (const auto* number = std::get_if<double*>(&value)) return bound_json(**number);
  if (std::holds_alternative<Text*>(value)) return std::nullopt;
  return Json(print_scalar(value));
}

/// Writes the schema of one mapping from its description.
class SchemaWriter final : public Fields {
 public:
  static Json write(const Describe& describe) {
    SchemaWriter writer;
    writer.collect(describe);
    return writer.finish();
  }

  std::size_t variant(Key key, std::span<const Alternative> alternatives,
                      std::optional<std::size_t> otherwise) override {
    check(tag_.empty(), "a mapping has one kind at most");
    tag_ = key.name;
    for (std::size_t i = 0; i < alternatives.size(); ++i) {
      SchemaWriter writer;
      Json tag{{"const", alternatives[i].name}, {"description", key.doc}};
      if (otherwise) tag["default"] = alternatives[*otherwise].name;
      writer.properties_[key.name] = std::move(tag);
      if (otherwise != i) writer.required_.emplace_back(key.name);
      if (alternatives[i].describe) writer.collect(alternatives[i].describe);
      check(writer.tag_.empty(), "a kind has no kinds of its own");
      kinds_.push_back({.name = alternatives[i].name,
                        .doc = alternatives[i].doc,
                        .properties = std::move(writer.properties_),
                        .required = std::move(writer.required_)});
    }
    return 0;
  }

  bool text_or_object(Key key, Text& /*text*/, const Describe& describe) override {
    Json mapping = write(describe);
    add(key, Presence::kRequired, {{"oneOf", {{{"type", "string"}}, std::move(mapping)}}});
    return false;
  }

  [[nodiscard]] Where where(std::string_view key) const override {
    return {.file = "schema", .key_path = std::string(key)};
  }

 protected:
  bool scalar(Key key, Presence presence, ScalarRef value, Range range) override {
    Json schema = scalar_schema(value, range);
    if (presence == Presence::kDefaulted) {
      if (auto standard = default_json(value)) schema["default"] = std::move(*standard);
    }
    add(key, presence, schema);
    return false;
  }

  std::size_t choice(Key key, Presence presence, std::span<const std::string_view> names,
                     std::size_t otherwise) override {
    Json schema{{"enum", names}};
    if (presence == Presence::kDefaulted) schema["default"] = names[otherwise];
    add(key, presence, schema);
    return otherwise;
  }

  bool choices(Key key, Presence presence, std::span<const std::string_view> names,
               std::vector<std::size_t>& indices) override {
    Json schema{
        {"type", "array"}, {"items", {{"enum", names}}}, {"minItems", 1}, {"uniqueItems", true}};
    if (presence == Presence::kDefaulted) {
      Json standard = Json::array();
      for (const std::size_t index : indices) standard.push_back(names[index]);
      schema["default"] = std::move(standard);
    }
    add(key, presence, schema);
    return false;
  }

  bool scalars(Key key, Presence presence, std::size_t least, Range range,
               const std::function<ScalarRef()>& append) override {
    add(key, presence, array_of(scalar_schema(append(), range), least));
    return false;
  }

  bool objects(Key key, Presence presence, std::size_t least, const Describe& append) override {
    add(key, presence, array_of(write(append), least));
    return false;
  }

  bool object(Key key, Presence presence, const Describe& describe) override {
    add(key, presence, write(describe));
    return false;
  }

 private:
  struct Kind {
    std::string name;
    std::string doc;
    Json properties;
    std::vector<std::string> required;
  };

  /// A description may judge its values once it has named its keys; nothing has been read here.
  void collect(const Describe& describe) {
    try {
      describe(*this);
    } catch (const InputError&) {
      return;
    }
  }

  static Json array_of(Json items, std::size_t least) {
    Json schema{{"type", "array"}, {"items", std::move(items)}};
    if (least > 0) schema["minItems"] = least;
    return schema;
  }

  static Json mapping_of(Json properties, const std::vector<std::string>& required) {
    Json schema{{"type", "object"}, {"properties", std::move(properties)}};
    if (!required.empty()) schema["required"] = required;
    schema["additionalProperties"] = false;
    return schema;
  }

  void add(Key key, Presence presence, const Json& schema) {
    Json described{{"description", key.doc}};
    described.update(schema);
    check(!properties_.contains(key.name), "a key is described once");
    properties_[key.name] = std::move(described);
    if (presence == Presence::kRequired) required_.emplace_back(key.name);
  }

  Json finish() {
    if (tag_.empty()) return mapping_of(std::move(properties_), required_);
    Json choices = Json::array();
    for (Kind& kind : kinds_) {
      Json properties = std::move(kind.properties);
      properties.update(properties_);
      std::vector<std::string> required = std::move(kind.required);
      required.insert(required.end(), required_.begin(), required_.end());
      Json schema{{"title", kind.name}, {"description", kind.doc}};
      schema.update(mapping_of(std::move(properties), required));
      choices.push_back(std::move(schema));
    }
    return {{"oneOf", std::move(choices)}};
  }

  Json properties_ = Json::object();
  std::vector<std::string> required_;
  std::string tag_;
  std::vector<Kind> kinds_;
};

Json titled(std::string_view title, std::string_view description, const Json& schema) {
  Json result{{"title", title}, {"description", description}};
  result.update(schema);
  return result;
}

}  // namespace

std::string scenario_schema() {
  Scenario scenario;
  TopologySpec topology;
  const auto has_key = [](std::string_view key) -> Json { return {{"required", {key}}}; };
  Json definitions;
  definitions["scenario"] =
      titled("gyre scenario", "A network, a training job and the schedules to compare on it.",
             SchemaWriter::write([&](Fields& fields) { scenario.describe(fields); }));
  definitions["topology_file"] = titled(
      "gyre topology file", "Islands, switches and links of a network.",
      SchemaWriter::write([&](Fields& fields) { describe_topology_file(fields, topology); }));
  Study study;
  definitions["study"] =
      titled("gyre study", "A scenario and what to vary in it.",
             SchemaWriter::write([&](Fields& fields) { study.describe(fields); }));
  // One schema serves all kinds of files: each has keys at its top that the others have not.
  const Json schema{
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "gyre scenarios, topology files and studies"},
      {"if", {{"anyOf", {has_key("switches"), has_key("islands"), has_key("links")}}}},
      {"then", {{"$ref", "#/definitions/topology_file"}}},
      {"else",
       {{"if", has_key("axes")},
        {"then", {{"$ref", "#/definitions/study"}}},
        {"else", {{"$ref", "#/definitions/scenario"}}}}},
      {"definitions", definitions}};
  return schema.dump(2) + "\n";
}

}  // namespace gyre
