#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gyre {

/// A text for an attribute or an element of an XML document. Control characters become blanks.
std::string xml_escaped(std::string_view text);

/// A comment of several lines. XML allows no `--` in it: a blank parts them.
std::string xml_comment(const std::vector<std::string>& lines);

}  // namespace gyre
