#include "scenarios/overrides.hpp"

#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/error.hpp"
#include "models/limits.hpp"

namespace gyre {
namespace {

constexpr std::string_view kSubject = "--set";

/// One step of a key path: into a mapping by name, or into a list by index.
struct Step {
  std::string key;
  std::optional<std::size_t> index;
};

[[noreturn]] void refuse(std::string_view key_path, std::string_view problem) {
  throw InputError(Where{.file = std::string(kSubject), .key_path = std::string(key_path)},
                   problem);
}

/// Splits `a.b[0].c`.
std::vector<Step> parse_key_path(const std::string& path) {
  const auto malformed = [&path] {
    refuse(path,
           "is not a key path; one reads like network.access.bandwidth or "
           "schedules[0].exchange");
  };
  if (path.size() > kLongestKey) {
    refuse(path.substr(0, 40),
           fmt::format("a key path of {} bytes; at most {}", path.size(), kLongestKey));
  }
  std::vector<Step> steps;
  std::size_t at = 0;
  while (true) {
    if (steps.size() > kDeepestNesting) {
      refuse(path, fmt::format("a key path of more than {} steps", kDeepestNesting));
    }
    const std::size_t end = std::min(path.find_first_of(".[", at), path.size());
    if (end == at) malformed();
    steps.push_back({.key = path.substr(at, end - at), .index = {}});
    at = end;
    while (at < path.size() && path[at] == '[') {
      std::size_t index = 0;
      const char* const last = path.data() + path.size();
      const auto [stop, error] = std::from_chars(path.data() + at + 1, last, index);
      if (error != std::errc() || stop == last || *stop != ']') malformed();
      steps.push_back({.key = {}, .index = index});
      at = static_cast<std::size_t>(stop - path.data()) + 1;
    }
    if (at == path.size()) return steps;
    if (path[at] != '.') malformed();
    ++at;
  }
}

YamlNode::Place override_place() {
  static const auto file = std::make_shared<const std::string>(kSubject);
  return {.file = file};
}

void remove_key(YamlNode& mapping, std::string_view key) {
  for (std::size_t i = 0; i < mapping.keys.size(); ++i) {
    if (mapping.keys[i].text != key) continue;
    mapping.keys.erase(mapping.keys.begin() + static_cast<std::ptrdiff_t>(i));
    mapping.items.erase(mapping.items.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

/// Two keys of one mapping that exclude each other.
struct Rivals {
  std::string_view parent;
  std::string_view first;
  std::string_view second;
};
constexpr std::array<Rivals, 4> kRivals{{{"", "seed", "seeds"},
                                         {"job", "payload", "parameters"},
                                         {"job", "payload", "bytes_per_parameter"},
                                         {"stop", "accuracy", "loss"}}};

void remove_rivals(YamlNode& mapping, std::string_view parent, std::string_view key) {
  for (const Rivals& rivals : kRivals) {
    if (rivals.parent != parent) continue;
    if (rivals.first == key) remove_key(mapping, rivals.second);
    if (rivals.second == key) remove_key(mapping, rivals.first);
  }
}

/// The value of a mapping's key; an empty one is made where there is none.
YamlNode& member(YamlNode& mapping, std::string_view parent, const std::string& key) {
  if (mapping.kind == YamlNode::Kind::kNull) {
    mapping.kind = YamlNode::Kind::kMapping;
    mapping.place = override_place();
  }
  if (mapping.kind != YamlNode::Kind::kMapping) {
    refuse(key_in(parent, key),
           fmt::format("'{}' is {}, which has no keys", parent, mapping.kind_name()));
  }
  remove_rivals(mapping, parent, key);
  if (YamlNode* found = mapping.find(key)) return *found;
  mapping.keys.push_back({.text = key, .place = override_place()});
  YamlNode& added = mapping.items.emplace_back();
  added.place = override_place();
  return added;
}

YamlNode& entry(YamlNode& list, std::string_view parent, std::size_t index) {
  const std::string path = entry_in(parent, index);
  if (list.kind != YamlNode::Kind::kSequence) {
    refuse(path,
           fmt::format("'{}' is {}, which has no entries by number", parent, list.kind_name()));
  }
  if (index >= list.items.size()) {
    refuse(path, fmt::format("'{}' has {} entries, counted from 0; only these can be set", parent,
                             list.items.size()));
  }
  return list.items[index];
}

void leave_out(YamlNode& root, const std::string& key_path) {
  const std::vector<Step> steps = parse_key_path(key_path);
  if (steps.back().index) refuse(key_path, "is an entry of a list; only a key can be left out");
  YamlNode* node = &root;
  std::string path;
  for (auto step = steps.begin(); step != std::prev(steps.end()); ++step) {
    if (step->index) {
      node = &entry(*node, path, *step->index);
      path = entry_in(path, *step->index);
    } else {
      node = node->kind == YamlNode::Kind::kMapping ? node->find(step->key) : nullptr;
      path = key_in(path, step->key);
    }
    if (node == nullptr) break;
  }
  if (node == nullptr || node->kind != YamlNode::Kind::kMapping ||
      node->find(steps.back().key) == nullptr) {
    refuse(key_path, "cannot be left out (null), since it is not there");
  }
  remove_key(*node, steps.back().key);
}

}  // namespace

void apply_override(YamlNode& root, const Override& change) {
  if (change.value == "null") return leave_out(root, change.key_path);
  YamlNode value = parse_yaml_value(change.value, std::string(kSubject), change.key_path);
  YamlNode* node = &root;
  std::string path;
  for (const Step& step : parse_key_path(change.key_path)) {
    if (step.index) {
      node = &entry(*node, path, *step.index);
      path = entry_in(path, *step.index);
    } else {
      node = &member(*node, path, step.key);
      path = key_in(path, step.key);
    }
  }
  *node = std::move(value);
}

}  // namespace gyre
