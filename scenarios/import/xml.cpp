// Boost.PropertyTree parses: it is there wherever Boost's headers are. It keeps no places, so that
// these come from the start tags of the text: their order is that of the elements.

#include "scenarios/import/xml.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <fmt/format.h>

#include "models/error.hpp"
#include "models/limits.hpp"
#include "scenarios/utf8.hpp"

namespace gyre {
namespace {

namespace pt = boost::property_tree;

/// Where the start tags are, by the rules of the parser but stricter: what it would take for
/// another tag, and so for another depth, is refused here.
class TagScanner {
 public:
  explicit TagScanner(const SourceText& source) : source_(source), text_(source.text()) {}

  /// Errors: `InputError` for tags that are no XML, for elements nested too deeply, which would
  /// exhaust the stack of the parser, and for more of them than memory is wanted for.
  std::vector<std::size_t> start_tags() {
    for (at_ = text_.find('<'); at_ < text_.size(); at_ = text_.find('<', at_)) {
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("<!--")) {
        go_behind("-->", 4);
      } else if (rest.starts_with("<![CDATA[")) {
        go_behind("]]>", 9);
      } else if (rest.starts_with("<!DOCTYPE")) {
        document_type();
      } else if (rest.starts_with("<!")) {
        go_behind(">", 2);
      } else if (rest.starts_with("<?")) {
        go_behind("?>", 2);
      } else if (rest.starts_with("</")) {
        if (depth_ > 0) --depth_;
        go_behind(">", 2);
      } else {
        start_tag();
      }
    }
    return std::move(tags_);
  }

 private:
  [[noreturn]] void refuse(std::size_t position, std::string_view problem) const {
    throw InputError(source_.where(position), problem);
  }

  /// Behind the first `end` that follows the first `skipped` letters of what stands here.
  void go_behind(std::string_view end, std::size_t skipped) {
    const std::size_t found = text_.find(end, at_ + skipped);
    if (found == std::string_view::npos) {
      refuse(at_, fmt::format("'{}' does not follow; well-formed XML is wanted", end));
    }
    at_ = found + end.size();
  }

  /// Behind the `>` that is not inside of brackets.
  void document_type() {
    const std::size_t start = at_;
    if (text_.find_first_of(" \t\n", start) != start + 9) {
      refuse(start, "a blank is wanted behind <!DOCTYPE");
    }
    std::size_t brackets = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '[') ++brackets;
      if (c == ']' && brackets > 0) --brackets;
      if (c == '>' && brackets == 0) return;
    }
    refuse(start, "'>' does not follow; well-formed XML is wanted");
  }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\n", at_), text_.size()); }
  [[nodiscard]] char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  /// Over a name of an element or an attribute.
  void name() {
    const std::size_t start = at_;
    at_ = std::min(text_.find_first_of(" \t\n/<>=?!\"'&", at_), text_.size());
    if (at_ == start) refuse(start, "no name of XML; well-formed XML is wanted");
  }

  void start_tag() {
    tags_.push_back(at_);
    const std::size_t start = at_++;
    name();
    for (skip_blanks(); here() != '>' && here() != '/'; skip_blanks()) {
      attribute(start);
    }
    count(start);
    if (here() == '/') {
      if (text_.substr(at_, 2) != "/>") refuse(at_, "'/>' is wanted");
      return;
    }
    if (++depth_ > kDeepestNesting) {
      refuse(start, fmt::format("nested too deeply; at most {} levels", kDeepestNesting));
    }
  }

  void attribute(std::size_t tag) {
    name();
    skip_blanks();
    if (here() != '=') refuse(at_, "an attribute without '='; well-formed XML is wanted");
    ++at_;
    skip_blanks();
    const char quote = here();
    if (quote != '"' && quote != '\'') refuse(at_, "an attribute's value stands in quotes");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) refuse(at_, "a quote that is never closed");
    at_ = end + 1;
    count(tag);
  }

  void count(std::size_t tag) {
    if (++count_ <= kMostValues) return;
    refuse(tag, fmt::format("more than {} elements and attributes", kMostValues));
  }

  const SourceText& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::size_t> tags_;
  std::size_t depth_ = 0;
  std::size_t count_ = 0;
};

std::string local_name(const std::string& name) {
  const std::size_t colon = name.find(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

std::string trimmed(const std::string& text) {
  const std::size_t from = text.find_first_not_of(" \t\n");
  if (from == std::string::npos) return "";
  return text.substr(from, text.find_last_not_of(" \t\n") - from + 1);
}

/// References such as `&#xD800;` may name what is no character.
std::string checked(std::string text, const Where& where) {
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = decode_utf8(text, i);
    if (c.length == 0 || c.value == 0) {
      throw InputError(where, "a reference (&#...;) to what is no character");
    }
    i += c.length;
  }
  return text;
}

/// Makes elements of a tree, in the order of their start tags.
class Builder {
 public:
  Builder(const SourceText& source, std::vector<std::size_t> tags)
      : source_(source), tags_(std::move(tags)) {}

  XmlElement element(const std::string& name, const pt::ptree& tree) {
    XmlElement result;
    result.name = local_name(name);
    result.where = source_.where(next_ < tags_.size() ? tags_[next_] : 0);
    ++next_;
    result.text = checked(trimmed(tree.data()), result.where);
    for (const auto& [key, child] : tree) {
      if (key == "<xmlattr>") {
        for (const auto& [attribute, value] : child) {
          result.attributes.push_back({.key = local_name(attribute),
                                       .value = checked(value.data(), result.where),
                                       .where = result.where});
        }
      } else if (!key.starts_with('<')) {
        result.children.push_back(element(key, child));
      }
    }
    return result;
  }

 private:
  const SourceText& source_;
  std::vector<std::size_t> tags_;
  std::size_t next_ = 0;
};

}  // namespace

const XmlElement* XmlElement::child(std::string_view child_name) const {
  const auto found = std::find_if(children.begin(), children.end(),
                                  [&](const XmlElement& one) { return one.name == child_name; });
  return found == children.end() ? nullptr : &*found;
}

const XmlElement* XmlElement::below(std::string_view descendant) const {
  for (const XmlElement& one : children) {
    if (one.name == descendant) return &one;
    if (const XmlElement* found = one.below(descendant)) return found;
  }
  return nullptr;
}

const Attribute& XmlElement::required(std::string_view attribute) const {
  const Attribute* found = find(attributes, attribute);
  if (found == nullptr) {
    throw InputError(where,
                     fmt::format("<{}> without '{}'; each has to have one", name, attribute));
  }
  return *found;
}

XmlElement parse_xml(const SourceText& source, std::string_view root) {
  std::vector<std::size_t> tags = TagScanner(source).start_tags();
  pt::ptree tree;
  try {
    std::istringstream stream{std::string(source.text())};
    pt::read_xml(stream, tree, pt::xml_parser::no_comments);
  } catch (const pt::xml_parser_error& error) {
    Where where = source.where(0);
    where.line = static_cast<int>(error.line());
    throw InputError(where, fmt::format("{}; well-formed XML is wanted", error.message()));
  }
  for (const auto& [name, child] : tree) {
    if (name.starts_with('<')) continue;
    XmlElement element = Builder(source, std::move(tags)).element(name, child);
    if (element.name == root) return element;
    throw InputError(element.where,
                     fmt::format("the document is a <{}>; a <{}> is wanted", element.name, root));
  }
  throw InputError(source.where(0), fmt::format("no element in the file; a <{}> is wanted", root));
}

}  // namespace gyre
