#include "scenarios/yaml.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "models/limits.hpp"
#include "scenarios/yaml_text.hpp"

namespace gyre {
namespace {

/// Builds the tree from yaml-cpp's events. Its own tree would drop duplicate keys, the places of
/// keys and the difference between `5` and `"5"`.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const YamlText& source) : source_(source) {}

  YamlNode take() { return std::move(root_); }
  [[nodiscard]] bool empty() const { return root_.kind == YamlNode::Kind::kNull; }
  [[nodiscard]] std::string key_path() const {
    return frames_.empty() ? std::string() : frames_.back().value_path();
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 1) return;
    if (source_.text().compare(position(mark), 3, "---") == 0) {
      refuse(mark, "a second document; one file holds one document");
    }
    refuse(mark, "text after the end of the document; check the indentation of this line");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    if (wants_key()) refuse(mark, "a key that is empty or null; a key is a name");
    YamlNode node = start(mark, YamlNode::Kind::kNull);
    if (!frames_.empty() && frames_.back().is_mapping()) node.place = frames_.back().key().place;
    add(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    refuse(mark, "an alias; write the value out");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    const bool quoted = tag == "!";
    if (wants_key()) {
      add_key(mark, value, quoted);
      return;
    }
    YamlNode node = start(mark, YamlNode::Kind::kScalar);
    node.text = value;
    node.quoted = quoted;
    add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, YamlNode::Kind::kSequence);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, YamlNode::Kind::kMapping);
  }
  void OnMapEnd() override { close(); }

 private:
  /// A collection whose end has not been seen yet.
  struct Frame {
    YamlNode node;
    std::string path;
    std::map<std::string, int> key_lines;

    [[nodiscard]] bool is_mapping() const { return node.kind == YamlNode::Kind::kMapping; }
    [[nodiscard]] bool wants_key() const {
      return is_mapping() && node.keys.size() == node.items.size();
    }
    [[nodiscard]] const YamlNode::KeyName& key() const { return node.keys.back(); }
    [[nodiscard]] std::string value_path() const {
      if (!is_mapping()) return entry_in(path, node.items.size());
      return wants_key() ? path : key_in(path, key().text);
    }
  };

  [[nodiscard]] bool wants_key() const { return !frames_.empty() && frames_.back().wants_key(); }

  [[nodiscard]] static std::size_t position(const YAML::Mark& mark) {
    return mark.pos < 0 ? 0 : static_cast<std::size_t>(mark.pos);
  }

  [[noreturn]] void refuse(const YAML::Mark& mark, std::string_view problem) const {
    throw InputError(where_of(source_.place(position(mark)), key_path()), problem);
  }

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != 0) refuse(mark, "an anchor; write the value out where it is used");
  }

  /// Plain scalars come with the tag `?`, quoted ones with `!`, collections with `?` or nothing.
  /// A `!` in the text is a tag too.
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    const std::size_t at = position(mark);
    const bool written = at < source_.text().size() && source_.text()[at] == '!';
    if (written || (!tag.empty() && tag != "?" && tag != "!")) {
      refuse(mark, "a tag; the key decides the type of its value");
    }
  }

  [[nodiscard]] YamlNode start(const YAML::Mark& mark, YamlNode::Kind kind) {
    if (++values_ > kMostValues) refuse(mark, fmt::format("more than {} values", kMostValues));
    YamlNode node;
    node.kind = kind;
    node.place = source_.place(position(mark));
    return node;
  }

  void add_key(const YAML::Mark& mark, const std::string& name, bool quoted) {
    YamlNode& mapping = frames_.back().node;
    if (name == "<<" && !quoted) refuse(mark, "a merge key; write the keys out");
    if (name.size() > kLongestKey) {
      refuse(mark, fmt::format("a key of {} bytes; at most {}", name.size(), kLongestKey));
    }
    if (mapping.keys.size() == kMostKeys) {
      refuse(mark, fmt::format("more than {} keys in one mapping", kMostKeys));
    }
    const YamlNode::Place place = source_.place(position(mark));
    const auto [first, is_new] = frames_.back().key_lines.emplace(name, place.line);
    if (!is_new) {
      throw InputError(
          where_of(place, key_in(frames_.back().path, name)),
          fmt::format("the key is there twice, first in line {}; keep one", first->second));
    }
    mapping.keys.push_back({.text = name, .place = place});
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YamlNode::Kind kind) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (wants_key())
      refuse(mark, "a list or mapping as a key, or a bracket that is not closed; a key is a name");
    if (frames_.size() == kDeepestNesting) {
      refuse(mark, fmt::format("nested too deeply; at most {} levels", kDeepestNesting));
    }
    frames_.push_back({.node = start(mark, kind), .path = key_path(), .key_lines = {}});
  }

  void close() {
    YamlNode node = std::move(frames_.back().node);
    frames_.pop_back();
    add(std::move(node));
  }

  void add(YamlNode node) {
    if (frames_.empty()) {
      root_ = std::move(node);
    } else {
      frames_.back().node.items.push_back(std::move(node));
    }
  }

  const YamlText& source_;
  std::vector<Frame> frames_;
  YamlNode root_;
  std::size_t values_ = 0;
  int documents_ = 0;
};

YamlNode parse(const YamlText& source) {
  std::istringstream stream(source.text());
  TreeBuilder builder(source);
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    // Only a further document calls the builder again, which refuses it.
    parser.HandleNextDocument(builder);
  } catch (const YAML::Exception& error) {
    const std::size_t at = error.mark.pos < 0 ? 0 : static_cast<std::size_t>(error.mark.pos);
    throw InputError(
        where_of(source.place(at), builder.key_path()),
        fmt::format("not valid YAML: {}; check indentation, ':' and brackets", error.msg));
  }
  return builder.take();
}

void place_everywhere(YamlNode& node, const YamlNode::Place& place) {
  node.place = place;
  for (YamlNode::KeyName& key : node.keys) key.place = place;
  for (YamlNode& item : node.items) place_everywhere(item, place);
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].text == key) return &items[i];
  }
  return nullptr;
}

YamlNode* YamlNode::find(std::string_view key) {
  return const_cast<YamlNode*>(std::as_const(*this).find(key));
}

std::string_view YamlNode::kind_name() const {
  switch (kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kScalar:
      return "a single value";
    case Kind::kSequence:
      return "a list";
    case Kind::kMapping:
      return "a mapping";
  }
  return {};
}

Where where_of(const YamlNode::Place& place, std::string key_path) {
  return {.file = place.file ? *place.file : std::string(),
          .line = place.line,
          .column = place.column,
          .key_path = std::move(key_path)};
}

std::string key_in(std::string_view parent, std::string_view key) {
  return parent.empty() ? std::string(key) : fmt::format("{}.{}", parent, key);
}

std::string entry_in(std::string_view parent, std::size_t index) {
  return fmt::format("{}[{}]", parent, index);
}

std::string read_text_file(const std::string& path, const Where& origin) {
  const auto refuse = [&](const std::string& problem) {
    if (origin.file.empty()) throw InputError(path, problem);
    throw InputError(origin, fmt::format("'{}': {}", path, problem));
  };
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  // A folder opens like a file and fails at the first read.
  if (!file || file.peek() == std::ifstream::traits_type::eof()) {
    const int reason = errno;
    if (reason != 0) refuse(fmt::format("cannot be read: {}", std::strerror(reason)));
    if (file.is_open()) return {};
    refuse("cannot be read");
  }
  std::string text;
  std::array<char, 65536> part{};
  while (file && text.size() <= kLargestFile) {
    file.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (text.size() > kLargestFile) refuse("is too large; at most 16 MiB");
  return text;
}

YamlNode parse_yaml(std::string_view text, const std::string& file) {
  YamlNode root = parse(YamlText(text, file));
  if (root.kind == YamlNode::Kind::kNull) {
    throw InputError(file, "the file is empty; a mapping of keys is expected");
  }
  return root;
}

YamlNode parse_yaml_value(std::string_view text, const std::string& subject,
                          const std::string& key_path) {
  YamlNode node;
  try {
    node = parse(YamlText(text, subject));
  } catch (const InputError&) {
    throw InputError(Where{.file = subject, .key_path = key_path},
                     fmt::format("'{}' is not a single YAML value such as 10 Gbps, [1, 2] or "
                                 "{{bandwidth: 10 Gbps}}",
                                 text));
  }
  place_everywhere(node, {.file = std::make_shared<const std::string>(subject)});
  return node;
}

}  // namespace gyre
