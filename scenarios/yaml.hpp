#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/error.hpp"

namespace gyre {

/// A node of a YAML document with the place that it was read from. Scalars keep their text: what a
/// scalar means is decided by who reads it, never by its looks.
struct YamlNode {
  enum class Kind : std::uint8_t { kNull, kScalar, kSequence, kMapping };

  struct Place {
    std::shared_ptr<const std::string> file;
    int line = 0;    ///< 1-based; 0 where the text is no file (`--set`)
    int column = 0;  ///< 1-based, in characters
  };

  struct KeyName {
    std::string text;
    Place place;
  };

  Kind kind = Kind::kNull;
  Place place;  ///< an absent value (`key:`) has the place of its key
  std::string text;
  bool quoted = false;          ///< in quotes, or a block scalar
  std::vector<KeyName> keys;    ///< of a mapping, in the order of the file
  std::vector<YamlNode> items;  ///< entries of a sequence, or values of a mapping (by key)

  /// The value of a mapping's key, or null.
  [[nodiscard]] const YamlNode* find(std::string_view key) const;
  [[nodiscard]] YamlNode* find(std::string_view key);
  /// `a list`, `a mapping`, … for error texts.
  [[nodiscard]] std::string_view kind_name() const;
};

Where where_of(const YamlNode::Place& place, std::string key_path);

/// `parent.key`, or `key` where the parent is the document.
std::string key_in(std::string_view parent, std::string_view key);
/// `parent[3]`.
std::string entry_in(std::string_view parent, std::size_t index);

/// The bytes of a file. Errors: `InputError` at `origin` (or naming the path, where it is empty)
/// for a file that cannot be read or exceeds `kLargestFile`.
std::string read_text_file(const std::string& path, const Where& origin = {});

/// Reads a document of the subset of YAML that has one meaning for every reader: block and flow
/// mappings, lists and scalars, in UTF-8 with or without byte order mark, lines ended by LF or
/// CRLF. Errors: `InputError` with file, line and column for a syntax error, an empty or a second
/// document, a duplicate or non-scalar key, anchors, aliases, merge keys, tags, directives, tabs,
/// control characters, invalid UTF-8, and more or deeper values and keys than `models/limits.hpp`
/// allows.
YamlNode parse_yaml(std::string_view text, const std::string& file);

/// The same for a value given on the command line: every place in it is the bare `subject`.
YamlNode parse_yaml_value(std::string_view text, const std::string& subject,
                          const std::string& key_path);

}  // namespace gyre
