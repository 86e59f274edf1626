#include "scenarios/import/node_names.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "scenarios/utf8.hpp"

namespace gyre {

std::string printable(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint c = decode_utf8(text, i);
    const std::size_t length = std::max<std::size_t>(c.length, 1);
    if (c.length == 0 || is_control(c.value)) {
      result += ' ';
    } else {
      result += text.substr(i, length);
    }
    i += length;
  }
  return result;
}

std::string legal_name(std::string_view text) {
  std::string name = printable(text);
  std::replace(name.begin(), name.end(), '+', '-');
  std::replace(name.begin(), name.end(), '|', '-');
  const std::size_t from = name.find_first_not_of(' ');
  if (from == std::string::npos) return "";
  name = name.substr(from, name.find_last_not_of(' ') - from + 1);
  return name == "-" ? "" : name;
}

std::string counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) {
    text += fmt::format("{}'{}'", i > 0 ? ", " : "", printable(names[i]));
  }
  if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
  return text;
}

std::vector<std::string> node_names(const std::vector<RawNode>& nodes,
                                    std::vector<std::string>& notes) {
  std::vector<std::string> names;
  std::vector<std::string> illegal;
  std::map<std::string, std::size_t> count;
  for (const RawNode& node : nodes) {
    const std::string& wanted = node.label.empty() ? node.id : node.label;
    std::string name = legal_name(wanted);
    if (name.empty()) name = "node-" + legal_name(node.id);
    if (name != wanted) illegal.push_back(wanted);
    ++count[name];
    names.push_back(std::move(name));
  }
  if (!illegal.empty()) {
    notes.push_back(fmt::format(
        "{} not legal in gyre: '+' and '|' became '-', control characters and blanks at the ends "
        "went: {}",
        counted(illegal.size(), "name"), some_of(illegal)));
  }
  std::set<std::string> used;
  for (const auto& [name, nodes_of_it] : count) {
    if (nodes_of_it == 1) used.insert(name);
  }
  std::vector<std::string> repeated;
  std::map<std::string, std::size_t> next;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (count.at(names[i]) == 1) continue;
    const std::string base = names[i] + "-" + legal_name(nodes[i].id);
    names[i] = base;
    // The first number that may be free: those before it are taken.
    std::size_t& k = next.emplace(base, 2).first->second;
    for (; !used.insert(names[i]).second; ++k) names[i] = fmt::format("{}-{}", base, k);
    repeated.push_back(names[i]);
  }
  if (!repeated.empty()) {
    notes.push_back(fmt::format("{} of a name that others have too, told apart by id: {}",
                                counted(repeated.size(), "node"), some_of(repeated)));
  }
  return names;
}

}  // namespace gyre
