#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/import/attributes.hpp"
#include "scenarios/import/source_text.hpp"

namespace gyre {

/// An element of an XML document. Names are without namespace prefixes.
struct XmlElement {
  std::string name;
  Attributes attributes;
  std::string text;  ///< of the element itself, without blanks at its ends
  std::vector<XmlElement> children;
  Where where;

  /// The first child of that name, or null.
  [[nodiscard]] const XmlElement* child(std::string_view child_name) const;
  /// The first element of that name below this one, in the order of the file, or null.
  [[nodiscard]] const XmlElement* below(std::string_view descendant) const;
  /// Errors: `InputError` where the element has no such attribute.
  [[nodiscard]] const Attribute& required(std::string_view attribute) const;
};

/// Errors: `InputError` with file and line for what is no well-formed XML, for a document without
/// a root `root`, and for elements nested deeper than
/// `kDeepestNesting` or more than `kMostValues`.
XmlElement parse_xml(const SourceText& source, std::string_view root);

}  // namespace gyre
