#include "scenarios/import/topology_yaml.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

namespace gyre {
namespace {

constexpr std::size_t kWidth = 100;

/// `text` in lines that begin with `first`, then with `further`; words are never cut.
std::string wrapped(std::string_view text, std::string_view first, std::string_view further) {
  std::string result;
  std::string line(first);
  bool empty = true;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find(' ', i), text.size());
    const std::string_view word = text.substr(i, end - i);
    i = end + 1;
    if (word.empty()) continue;
    if (!empty && line.size() + 1 + word.size() > kWidth) {
      result += line + "\n";
      line = further;
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
  }
  return result + line + "\n";
}

}  // namespace

std::string yaml_scalar(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kWords{
      "yes", "no", "true", "false", "on", "off", "null", "y", "n", "nan", "inf", "none"};
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' ||
           c == '/';
  };
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  const bool safe = !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0 &&
                    std::all_of(text.begin(), text.end(), plain) &&
                    std::find(kWords.begin(), kWords.end(), lower) == kWords.end();
  if (safe) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string topology_yaml(const TopologySpec& spec, const std::vector<std::string>& comments) {
  std::string text;
  for (const std::string& comment : comments) {
    const bool item = comment.starts_with("- ");
    text += comment.empty() ? "#\n" : wrapped(comment, "# ", item ? "#   " : "# ");
  }
  text += "gyre: 1\n";
  if (!spec.name.value.empty()) text += fmt::format("name: {}\n", yaml_scalar(spec.name.value));
  if (!spec.source.value.empty()) text += "source: >-\n" + wrapped(spec.source.value, "  ", "  ");
  text += "switches:\n";
  for (const SwitchSpec& one : spec.switches) {
    text += fmt::format("  - {{name: {}", yaml_scalar(one.name.value));
    if (one.latitude && one.longitude) {
      text += fmt::format(", latitude: {:g}, longitude: {:g}", *one.latitude, *one.longitude);
    }
    text += "}\n";
  }
  text += "islands:\n";
  for (const IslandSpec& one : spec.islands) {
    text += fmt::format("  - {{name: {}, at: {}", yaml_scalar(one.name.value),
                        yaml_scalar(one.at.value));
    if (one.up) text += fmt::format(", up: {}", to_text(*one.up));
    if (one.down) text += fmt::format(", down: {}", to_text(*one.down));
    if (one.latency) text += fmt::format(", latency: {}", to_text(*one.latency));
    text += "}\n";
  }
  text += spec.links.empty() ? "links: []\n" : "links:\n";
  for (const LinkSpec& one : spec.links) {
    text += fmt::format("  - {{between: [{}, {}], latency: {}, bandwidth: {}",
                        yaml_scalar(one.between[0].value), yaml_scalar(one.between[1].value),
                        to_text(one.latency), to_text(one.bandwidth));
    if (one.reverse_latency) {
      text += fmt::format(", reverse_latency: {}", to_text(*one.reverse_latency));
    }
    if (one.reverse_bandwidth) {
      text += fmt::format(", reverse_bandwidth: {}", to_text(*one.reverse_bandwidth));
    }
    text += "}\n";
  }
  return text;
}

}  // namespace gyre
