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

namespace gyre {
namespace {

namespace pt = boost::property_tree;

constexpr std::size_t kDeepestElement = 64;

/// Behind the first `end` from `from` on, or the end of the text.
std::size_t behind(std::string_view text, std::string_view end, std::size_t from) {
  const std::size_t found = text.find(end, from);
  return found == std::string_view::npos ? text.size() : found + end.size();
}

/// Behind the `>` of the tag or declaration at `from`; the `>` in quotes and brackets do not count.
std::size_t behind_tag(std::string_view text, std::size_t from) {
  char quote = '\0';
  std::size_t brackets = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[') {
      ++brackets;
    } else if (c == ']' && brackets > 0) {
      --brackets;
    } else if (c == '>' && brackets == 0) {
      return i + 1;
    }
  }
  return text.size();
}

/// Where the start tags are. Errors: `InputError` for elements nested too deeply, which would
/// exhaust the stack of the parser.
std::vector<std::size_t> start_tags(const SourceText& source) {
  const std::string_view text = source.text();
  std::vector<std::size_t> tags;
  std::size_t depth = 0;
  for (std::size_t i = text.find('<'); i < text.size(); i = text.find('<', i)) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("<!--")) {
      i = behind(text, "-->", i);
    } else if (rest.starts_with("<![CDATA[")) {
      i = behind(text, "]]>", i);
    } else if (rest.starts_with("<?")) {
      i = behind(text, "?>", i);
    } else if (rest.starts_with("<!")) {
      i = behind_tag(text, i);
    } else if (rest.starts_with("</")) {
      if (depth > 0) --depth;
      i = behind(text, ">", i);
    } else {
      tags.push_back(i);
      const std::size_t end = behind_tag(text, i);
      if (text.substr(end - 2, 2) != "/>" && ++depth > kDeepestElement) {
        throw InputError(source.where(i),
                         fmt::format("nested too deeply; at most {} levels", kDeepestElement));
      }
      i = end;
    }
  }
  return tags;
}

std::string local_name(const std::string& name) {
  const std::size_t colon = name.find(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

std::string trimmed(const std::string& text) {
  const std::size_t from = text.find_first_not_of(" \t\n");
  if (from == std::string::npos) return "";
  return text.substr(from, text.find_last_not_of(" \t\n") - from + 1);
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
    result.text = trimmed(tree.data());
    for (const auto& [key, child] : tree) {
      if (key == "<xmlattr>") {
        for (const auto& [attribute, value] : child) {
          result.attributes.push_back(
              {.key = local_name(attribute), .value = value.data(), .where = result.where});
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
  std::vector<std::size_t> tags = start_tags(source);
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
