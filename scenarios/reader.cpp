#include "scenarios/reader.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "models/limits.hpp"
#include "scenarios/scalars.hpp"

namespace gyre {
namespace {

/// What the readers of one document share: the values read, and the first problem.
class Session {
 public:
  explicit Session(std::string_view prefix) : prefix_(prefix) {}

  void record(std::string_view key_path, std::string value, std::string origin) {
    resolved_.push_back({.key_path = key_in(prefix_, key_path),
                         .value = std::move(value),
                         .origin = std::move(origin)});
  }

  void note(const Where& at, const InputError& problem) {
    const std::pair order{at.line == 0 ? std::numeric_limits<int>::max() : at.line, at.column};
    if (first_ && first_order_ <= order) return;
    first_ = problem;
    first_order_ = order;
  }

  std::vector<ResolvedValue> finish() {
    if (first_) throw InputError(*first_);
    return std::move(resolved_);
  }

 private:
  std::string prefix_;
  std::vector<ResolvedValue> resolved_;
  std::optional<InputError> first_;
  std::pair<int, int> first_order_;
};

/// Thrown where a mapping cannot be read any further; its problem has been noted.
struct Abandoned {};

/// Reads one mapping. A problem is noted and reading goes on, so that the first one in the file can
/// be told; what depends on a value that could not be read is then left unsaid.
class Reader final : public Fields {
 public:
  /// `node` is null for a mapping that is not there: all its keys keep their defaults.
  Reader(Session& session, const YamlNode* node, Where where)
      : session_(session), node_(node), where_(std::move(where)) {}

  /// Returns whether all went well.
  bool read(const Describe& describe) {
    try {
      describe(*this);
      report_strangers();
    } catch (const Abandoned&) {
      broken_ = true;
    } catch (const InputError& problem) {
      // After another problem in this mapping it may be no more than a consequence.
      if (!broken_) session_.note(where_, problem);
      report_missing();
      broken_ = true;
    }
    return !broken_;
  }

  std::size_t variant(Key key, std::span<const Alternative> alternatives,
                      std::optional<std::size_t> otherwise) override {
    std::vector<std::string> names;
    names.reserve(alternatives.size());
    for (const Alternative& alternative : alternatives) names.push_back(alternative.name);
    const YamlNode* node = take(key, otherwise ? Presence::kDefaulted : Presence::kRequired);
    if (node == nullptr && !otherwise) {
      if (node_ == nullptr) return 0;
      // The other keys depend on the kind; without it, a misspelt key is all that can be judged.
      report_missing();
      throw Abandoned{};
    }
    std::size_t kind = otherwise.value_or(0);
    if (node != nullptr) {
      const std::optional<std::size_t> found = find_name(key.name, *node, names);
      if (!found) throw Abandoned{};
      kind = *found;
    }
    record(key.name, names[kind], node);
    variant_of_ = fmt::format(" with {} '{}'", key.name, names[kind]);
    if (alternatives[kind].describe) alternatives[kind].describe(*this);
    return kind;
  }

  bool text_or_object(Key key, Text& text, const Describe& describe) override {
    const YamlNode* node = take(key, Presence::kRequired);
    if (node == nullptr) return false;
    if (node->kind == YamlNode::Kind::kMapping) {
      read_child(key.name, node, describe);
      return true;
    }
    if (node->kind != YamlNode::Kind::kScalar) {
      note(place_of(key.name, *node),
           fmt::format("{} is given where a path or a mapping is wanted", node->kind_name()));
      return false;
    }
    store(place_of(key.name, *node), *node, &text, {});
    record(key.name, print_scalar(&text), node);
    return false;
  }

  [[nodiscard]] Where where(std::string_view key) const override {
    if (key.empty()) return where_;
    const YamlNode* node = node_ == nullptr ? nullptr : node_->find(key);
    if (node != nullptr) return place_of(key, *node);
    Where place = where_;
    place.key_path = key_in(where_.key_path, key);
    return place;
  }

 protected:
  bool scalar(Key key, Presence presence, ScalarRef value, Range range) override {
    const YamlNode* node = take(key, presence);
    if (node == nullptr) {
      if (presence == Presence::kDefaulted) record(key.name, print_scalar(value), nullptr);
      return false;
    }
    if (!store(place_of(key.name, *node), *node, value, range)) return false;
    record(key.name, print_scalar(value), node);
    return true;
  }

  std::size_t choice(Key key, Presence presence, std::span<const std::string_view> names,
                     std::size_t otherwise) override {
    const YamlNode* node = take(key, presence);
    const std::optional<std::size_t> found =
        node == nullptr ? std::nullopt : find_name(key.name, *node, {names.begin(), names.end()});
    const std::size_t index = found.value_or(otherwise);
    if (found || presence == Presence::kDefaulted) {
      record(key.name, std::string(names[index]), node);
    }
    return index;
  }

  bool choices(Key key, Presence presence, std::span<const std::string_view> names,
               std::vector<std::size_t>& indices) override {
    const YamlNode* node = take(key, presence);
    if (node != nullptr) {
      if (!is_list(key.name, *node, 1)) return false;
      indices.clear();
      for (std::size_t i = 0; i < node->items.size(); ++i) {
        const YamlNode& item = node->items[i];
        const std::string name = entry_in(key.name, i);
        const auto index = find_name(name, item, {names.begin(), names.end()});
        if (!index) continue;
        if (std::find(indices.begin(), indices.end(), *index) != indices.end()) {
          note(place_of(name, item),
               fmt::format("'{}' is there twice; each may stand once", names[*index]));
        }
        indices.push_back(*index);
      }
    }
    if (node != nullptr || presence == Presence::kDefaulted) {
      std::vector<std::string_view> chosen;
      chosen.reserve(indices.size());
      for (const std::size_t index : indices) chosen.push_back(names[index]);
      record(key.name, fmt::format("[{}]", fmt::join(chosen, ", ")), node);
    }
    return node != nullptr;
  }

  bool scalars(Key key, Presence presence, std::size_t least, Range range,
               const std::function<ScalarRef()>& append) override {
    const YamlNode* node = take(key, presence);
    if (node == nullptr || !is_list(key.name, *node, least)) return false;
    std::vector<std::string> printed;
    for (std::size_t i = 0; i < node->items.size(); ++i) {
      const YamlNode& item = node->items[i];
      const ScalarRef value = append();
      if (!store(place_of(entry_in(key.name, i), item), item, value, range)) continue;
      printed.push_back(print_scalar(value));
    }
    record(key.name, fmt::format("[{}]", fmt::join(printed, ", ")), node);
    return true;
  }

  bool objects(Key key, Presence presence, std::size_t least, const Describe& append) override {
    const YamlNode* node = take(key, presence);
    if (node == nullptr || !is_list(key.name, *node, least)) return false;
    for (std::size_t i = 0; i < node->items.size(); ++i) {
      read_child(entry_in(key.name, i), &node->items[i], append);
    }
    return true;
  }

  bool object(Key key, Presence presence, const Describe& describe) override {
    const YamlNode* node = take(key, presence);
    if (node == nullptr && presence != Presence::kDefaulted) return false;
    read_child(key.name, node, describe);
    return node != nullptr;
  }

 private:
  /// The key's value, or null where it is absent; then a required one is remembered as missing.
  const YamlNode* take(Key key, Presence presence) {
    known_.emplace_back(key.name);
    if (node_ == nullptr) return nullptr;
    const YamlNode* node = node_->find(key.name);
    if (node == nullptr && presence == Presence::kRequired) {
      missing_.push_back(key);
      broken_ = true;
    }
    return node;
  }

  [[nodiscard]] Where place_of(std::string_view key, const YamlNode& node) const {
    return where_of(node.place, key_in(where_.key_path, key));
  }

  void note(const Where& at, std::string_view problem) {
    session_.note(at, InputError(at, problem));
    broken_ = true;
  }

  void record(std::string_view key, std::string value, const YamlNode* node) {
    std::string origin = "default";
    if (node != nullptr) {
      origin = node->place.line == 0 ? *node->place.file
                                     : fmt::format("{}:{}", *node->place.file, node->place.line);
    }
    session_.record(key_in(where_.key_path, key), std::move(value), std::move(origin));
  }

  bool store(const Where& at, const YamlNode& node, ScalarRef value, Range range) {
    const std::string problem = read_scalar(node, value, range, at);
    if (!problem.empty()) note(at, problem);
    return problem.empty();
  }

  std::optional<std::size_t> find_name(std::string_view key, const YamlNode& node,
                                       const std::vector<std::string>& names) {
    Text text;
    if (!store(place_of(key, node), node, &text, {})) return std::nullopt;
    const auto found = std::find(names.begin(), names.end(), text.value);
    if (found == names.end()) {
      note(text.where, fmt::format("unknown value '{}'{}; must be {}", text.value,
                                   did_you_mean(text.value, names), one_of(names)));
      return std::nullopt;
    }
    return static_cast<std::size_t>(found - names.begin());
  }

  bool is_list(std::string_view key, const YamlNode& node, std::size_t least) {
    const bool list = node.kind == YamlNode::Kind::kSequence;
    if (list && node.items.size() > kMostEntries) {
      note(place_of(key, node), fmt::format("a list of {} entries; at most {} are allowed",
                                            node.items.size(), kMostEntries));
      return false;
    }
    if (list && node.items.size() >= least) return true;
    const auto entries = [](std::size_t count) {
      return fmt::format("{} {}", count, count == 1 ? "entry" : "entries");
    };
    note(place_of(key, node),
         fmt::format(
             "{} is given where {} is wanted",
             list ? "a list of " + entries(node.items.size()) : std::string(node.kind_name()),
             least == 0 ? "a list" : "a list of at least " + entries(least)));
    return false;
  }

  void read_child(std::string_view key, const YamlNode* node, const Describe& describe) {
    Where place = where_;
    place.key_path = key_in(where_.key_path, key);
    if (node != nullptr) place = place_of(key, *node);
    if (node != nullptr && node->kind != YamlNode::Kind::kMapping) {
      note(place, fmt::format("{} is given where a mapping of keys is wanted", node->kind_name()));
      return;
    }
    Reader child(session_, node, std::move(place));
    if (!child.read(describe)) broken_ = true;
  }

  [[nodiscard]] bool is_known(const std::string& key) const {
    return std::find(known_.begin(), known_.end(), key) != known_.end();
  }

  void report_strangers() {
    if (node_ == nullptr) return;
    bool any = false;
    for (const YamlNode::KeyName& key : node_->keys) {
      if (is_known(key.text)) continue;
      any = true;
      const std::string hint = did_you_mean(key.text, known_);
      note(where_of(key.place, key_in(where_.key_path, key.text)),
           fmt::format("unknown key{}; allowed here: {}", hint.empty() ? variant_of_ : hint,
                       fmt::join(known_, ", ")));
    }
    if (!any) report_missing();
  }

  /// Reports what is missing, or the misspelt key that stands in its place.
  void report_missing() {
    for (const Key& missing : missing_) {
      const auto misspelt =
          std::find_if(node_->keys.begin(), node_->keys.end(), [&](const YamlNode::KeyName& key) {
            return !is_known(key.text) && !did_you_mean(key.text, {missing.name}).empty();
          });
      if (misspelt == node_->keys.end()) {
        note(where(missing.name),
             fmt::format("this key is missing; it is required: {}", missing.doc));
        continue;
      }
      note(where_of(misspelt->place, key_in(where_.key_path, misspelt->text)),
           fmt::format("unknown key{}; '{}' is required here",
                       did_you_mean(misspelt->text, {missing.name}), missing.name));
    }
  }

  Session& session_;
  const YamlNode* node_;
  Where where_;
  std::vector<std::string> known_;
  std::vector<Key> missing_;
  std::string variant_of_;
  bool broken_ = false;
};

}  // namespace

std::vector<ResolvedValue> read_mapping(const YamlNode& root, const Fields::Describe& describe,
                                        std::string_view prefix) {
  const Where place = where_of(root.place, {});
  if (root.kind != YamlNode::Kind::kMapping) {
    throw InputError(
        place, fmt::format("{} is given where a mapping of keys is wanted", root.kind_name()));
  }
  Session session(prefix);
  Reader(session, &root, place).read(describe);
  return session.finish();
}

}  // namespace gyre
