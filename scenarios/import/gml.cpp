// GML (Himsolt, "GML: a portable graph file format", 1997): pairs of a key and a number, a string
// or a list in brackets.

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/limits.hpp"
#include "scenarios/import/attributes.hpp"
#include "scenarios/import/formats.hpp"
#include "scenarios/utf8.hpp"

namespace gyre {
namespace {

struct GmlPair {
  std::string key;
  std::string value;
  bool is_list = false;
  std::vector<GmlPair> list;
  std::size_t position = 0;  ///< of the key
  std::size_t value_position = 0;
};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// The character of an entity's name (`amp`, `#233`), or nothing where it is none that we know.
std::string entity(std::string_view name) {
  static const std::map<std::string_view, std::string> kNamed{
      {"amp", "&"}, {"quot", "\""}, {"lt", "<"}, {"gt", ">"}, {"apos", "'"}};
  if (const auto known = kNamed.find(name); known != kNamed.end()) return known->second;
  std::uint32_t code = 0;
  if (name.size() < 2 || name.front() != '#') return "";
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + 1, end, code);
  const bool surrogate = code >= 0xD800U && code <= 0xDFFFU;
  if (error != std::errc() || stop != end || code == 0 || code > 0x10FFFFU || surrogate) return "";
  return encode_utf8(code);
}

/// GML is ASCII: other characters are entities. Unknown ones stay as they are.
std::string with_entities(std::string_view text) {
  constexpr std::size_t kLongest = 10;
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end =
        text[i] == '&' ? text.substr(i, kLongest).find(';') : std::string_view::npos;
    const std::string known =
        end == std::string_view::npos ? "" : entity(text.substr(i + 1, end - 1));
    result += known.empty() ? std::string(1, text[i]) : known;
    if (!known.empty()) i += end;
  }
  return result;
}

class GmlParser {
 public:
  explicit GmlParser(const SourceText& source) : source_(source), text_(source.text()) {}

  std::vector<GmlPair> document() {
    std::vector<GmlPair> pairs = list(0);
    if (at_ < text_.size()) refuse(at_, "a ']' that closes no list");
    return pairs;
  }

 private:
  [[noreturn]] void refuse(std::size_t position, std::string_view problem) const {
    throw InputError(source_.where(position), problem);
  }

  void skip_blanks() {
    while (at_ < text_.size() && (is_space(text_[at_]) || text_[at_] == '#')) {
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        ++at_;
      }
    }
  }

  /// The pairs up to a `]` or the end of the file.
  std::vector<GmlPair> list(std::size_t depth) {
    std::vector<GmlPair> pairs;
    for (skip_blanks(); at_ < text_.size() && text_[at_] != ']'; skip_blanks()) {
      pairs.push_back(pair(depth));
    }
    return pairs;
  }

  GmlPair pair(std::size_t depth) {
    GmlPair result;
    result.position = at_;
    if (++count_ > kMostValues) refuse(at_, fmt::format("more than {} pairs", kMostValues));
    if (!is_letter(text_[at_])) {
      const std::size_t length = std::max<std::size_t>(decode_utf8(text_, at_).length, 1);
      refuse(at_, fmt::format("'{}' begins no key; a key of letters and digits or ']' is wanted",
                              text_.substr(at_, length)));
    }
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) {
      result.key += text_[at_++];
    }
    skip_blanks();
    result.value_position = at_;
    if (at_ == text_.size()) refuse(at_, fmt::format("the file ends after '{}'", result.key));
    if (text_[at_] == '[') {
      if (depth + 1 > kDeepestNesting) {
        refuse(at_, fmt::format("nested too deeply; at most {} levels", kDeepestNesting));
      }
      ++at_;
      result.is_list = true;
      result.list = list(depth + 1);
      if (at_ == text_.size()) {
        refuse(result.value_position,
               fmt::format("the list of '{}' is not closed; ']' is wanted", result.key));
      }
      ++at_;
    } else if (text_[at_] == '"') {
      const std::size_t end = text_.find('"', at_ + 1);
      if (end == std::string_view::npos) refuse(at_, "a string without a closing quote");
      result.value = with_entities(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
    } else {
      while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != ']') {
        result.value += text_[at_++];
      }
      // A sign, or a number that only some writers put so (`+1`, `.5`): what reads it judges.
      const char first = result.value.empty() ? ']' : result.value.front();
      if (!is_digit(first) && first != '-' && first != '+' && first != '.') {
        refuse(result.value_position,
               fmt::format("'{}' is no value for '{}'; a number, a string in quotes or a list in "
                           "brackets is wanted",
                           result.value, result.key));
      }
    }
    return result;
  }

  const SourceText& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t count_ = 0;
};

Attributes attributes_of(const SourceText& source, const GmlPair& pair) {
  Attributes attributes;
  for (const GmlPair& entry : pair.list) {
    if (entry.is_list) continue;
    attributes.push_back(
        {.key = entry.key, .value = entry.value, .where = source.where(entry.value_position)});
  }
  return attributes;
}

const Attribute& required(const Attributes& attributes, std::string_view key, const Where& where,
                          std::string_view of) {
  const Attribute* attribute = find(attributes, key);
  if (attribute == nullptr) {
    throw InputError(where, fmt::format("{} without '{}'; each has to have one", of, key));
  }
  return *attribute;
}

}  // namespace

RawMap read_gml(const SourceText& source) {
  const std::vector<GmlPair> document = GmlParser(source).document();
  const auto graph = std::find_if(document.begin(), document.end(), [](const GmlPair& pair) {
    return pair.key == "graph" && pair.is_list;
  });
  if (graph == document.end()) {
    throw InputError(source.where(0), "no 'graph [ … ]' in the file; GML has one");
  }
  AttributeMap map;
  const Attributes about = attributes_of(source, *graph);
  const Attribute* directed = find(about, "directed");
  for (const GmlPair& node : graph->list) {
    if (node.key != "node" || !node.is_list) continue;
    const Where where = source.where(node.position);
    const Attributes attributes = attributes_of(source, node);
    map.add_node(required(attributes, "id", where, "a node").value, attributes, where);
  }
  for (const GmlPair& edge : graph->list) {
    if (edge.key != "edge" || !edge.is_list) continue;
    const Where where = source.where(edge.position);
    const Attributes attributes = attributes_of(source, edge);
    map.add_link(required(attributes, "source", where, "an edge"),
                 required(attributes, "target", where, "an edge"),
                 directed != nullptr && directed->value == "1", attributes, where);
  }
  RawMap result = map.take();
  if (const Attribute* name = find(about, "Network")) result.name = name->value;
  if (const Attribute* origin = find(about, "Source")) result.origin = origin->value;
  return result;
}

}  // namespace gyre
