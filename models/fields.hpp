#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/error.hpp"
#include "models/units.hpp"

namespace gyre {

/// A string of the input together with its place, so that a later check can name the line.
struct Text {
  std::string value;
  Where where;
};

/// A key of a mapping and the sentence that documents it.
struct Key {
  const char* name;
  const char* doc;
};

/// The closed or open interval that a number, or a quantity in its base unit, has to lie in.
struct Range {
  double at_least = -std::numeric_limits<double>::infinity();
  double above = -std::numeric_limits<double>::infinity();
  double at_most = std::numeric_limits<double>::infinity();
  double below = std::numeric_limits<double>::infinity();
};
inline constexpr Range kPositive{.above = 0.0};
inline constexpr Range kNotNegative{.at_least = 0.0};

using ScalarRef =
    std::variant<bool*, std::int64_t*, double*, Duration*, Bandwidth*, Bytes*, FlopRate*, Text*>;

/// What an absent key means.
enum class Presence : std::uint8_t {
  kRequired,   ///< an error
  kDefaulted,  ///< the value stays what it was
  kNullable,   ///< the thing is not there
};

/// The one description of a mapping's keys: what a struct's `describe(Fields&)` says about its
/// members serves to read them, to print them, and to write the JSON Schema. Nothing else knows a
/// key. Implemented by the reader and by the schema writer.
class Fields {
 public:
  using Describe = std::function<void(Fields&)>;
  /// One kind of a tagged mapping: the tag's value and the keys that come with it.
  struct Alternative {
    std::string name;
    std::string doc;
    Describe describe;
  };

  virtual ~Fields() = default;

  template <class T>
  void required(Key key, T& value, Range range = {}) {
    scalar(key, Presence::kRequired, &value, range);
  }
  template <class T>
  void optional(Key key, T& value, Range range = {}) {
    scalar(key, Presence::kDefaulted, &value, range);
  }
  template <class T>
  void optional(Key key, std::optional<T>& value, Range range = {}) {
    T read{};
    if (scalar(key, Presence::kNullable, &read, range)) value = std::move(read);
  }

  /// One of `names`; the enumerators count from 0 in the same order.
  template <class Enum>
  void required_choice(Key key, Enum& value, std::span<const std::string_view> names) {
    value = static_cast<Enum>(choice(key, Presence::kRequired, names, 0));
  }
  template <class Enum>
  void optional_choice(Key key, Enum& value, std::span<const std::string_view> names) {
    value = static_cast<Enum>(
        choice(key, Presence::kDefaulted, names, static_cast<std::size_t>(value)));
  }

  template <class Enum>
  void optional_choice(Key key, std::optional<Enum>& value,
                       std::span<const std::string_view> names) {
    const std::size_t found = choice(key, Presence::kNullable, names, names.size());
    if (found < names.size()) value = static_cast<Enum>(found);
  }

  /// A list of scalars, at least `least` long if it is given. Replaces the default.
  template <class T>
  void list(Key key, Presence presence, std::vector<T>& values, std::size_t least = 1,
            Range range = {}) {
    std::vector<T> read;
    if (scalars(key, presence, least, range,
                [&read]() -> ScalarRef { return &read.emplace_back(); })) {
      values = std::move(read);
    }
  }
  /// The same where an absent list means something else than an empty one.
  template <class T>
  void list(Key key, std::optional<std::vector<T>>& values, std::size_t least = 0,
            Range range = {}) {
    std::vector<T> read;
    const auto append = [&read]() -> ScalarRef { return &read.emplace_back(); };
    if (scalars(key, Presence::kNullable, least, range, append)) values = std::move(read);
  }
  /// A list of mappings, each described by `T::describe`. Replaces the default.
  template <class T>
  void list_of(Key key, Presence presence, std::vector<T>& values, std::size_t least = 1) {
    std::vector<T> read;
    if (objects(key, presence, least,
                [&read](Fields& fields) { read.emplace_back().describe(fields); })) {
      values = std::move(read);
    }
  }
  /// A list whose entries are each one of `names`, without repetition. Replaces the default.
  template <class Enum>
  void list_of_choices(Key key, Presence presence, std::vector<Enum>& values,
                       std::span<const std::string_view> names) {
    std::vector<std::size_t> read;
    read.reserve(values.size());
    for (const Enum value : values) read.push_back(static_cast<std::size_t>(value));
    if (!choices(key, presence, names, read)) return;
    values.clear();
    for (const std::size_t index : read) values.push_back(static_cast<Enum>(index));
  }

  template <class T>
  void required_object(Key key, T& value) {
    object(key, Presence::kRequired, [&value](Fields& fields) { value.describe(fields); });
  }
  /// All keys of an absent mapping keep their defaults.
  template <class T>
  void optional_object(Key key, T& value) {
    object(key, Presence::kDefaulted, [&value](Fields& fields) { value.describe(fields); });
  }
  template <class T>
  void optional_object(Key key, std::optional<T>& value) {
    T read{};
    if (object(key, Presence::kNullable, [&read](Fields& fields) { read.describe(fields); })) {
      value = std::move(read);
    }
  }

  /// A mapping's kind: the value of `key` says which alternative's keys the same mapping holds.
  /// Returns its index. Without `otherwise` the key is required.
  virtual std::size_t variant(Key key, std::span<const Alternative> alternatives,
                              std::optional<std::size_t> otherwise = {}) = 0;
  /// A string (a path, stored in `text`) or an inline mapping (true is returned).
  virtual bool text_or_object(Key key, Text& text, const Describe& describe) = 0;
  /// The place of this mapping, or of the value of one of its keys where that is given.
  [[nodiscard]] virtual Where where(std::string_view key = {}) const = 0;
  /// Whether a key of this mapping is there: its value then has a place of its own.
  [[nodiscard]] bool given(std::string_view key) const { return !where(key).same_place(where()); }

 protected:
  // Each returns whether the key was there.
  virtual bool scalar(Key key, Presence presence, ScalarRef value, Range range) = 0;
  virtual std::size_t choice(Key key, Presence presence, std::span<const std::string_view> names,
                             std::size_t otherwise) = 0;
  // `indices` holds the default on entry.
  virtual bool choices(Key key, Presence presence, std::span<const std::string_view> names,
                       std::vector<std::size_t>& indices) = 0;
  virtual bool scalars(Key key, Presence presence, std::size_t least, Range range,
                       const std::function<ScalarRef()>& append) = 0;
  virtual bool objects(Key key, Presence presence, std::size_t least, const Describe& append) = 0;
  virtual bool object(Key key, Presence presence, const Describe& describe) = 0;
};

}  // namespace gyre
