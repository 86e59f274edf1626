#include "scenarios/export/xml_text.hpp"

#include "scenarios/import/node_names.hpp"

namespace gyre {

std::string xml_escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '>':  // may stand as it is, but not in `]]>`
        result += result.ends_with(']') ? "&gt;" : ">";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string xml_comment(const std::vector<std::string>& lines) {
  std::string text = "<!--\n";
  for (const std::string& line : lines) {
    if (!line.empty()) text += "  ";
    for (const char c : printable(line)) {
      if (c == '-' && text.back() == '-') text += ' ';
      text += c;
    }
    text += '\n';
  }
  return text + "-->\n";
}

}  // namespace gyre
