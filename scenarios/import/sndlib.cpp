// SNDlib's native format (sndlib.put.poznan.pl): sections of one entry a line,
//   NODES ( name [( longitude latitude )] … )
//   LINKS ( id ( source target ) pre-installed capacity, three costs, ( modules ) … )

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/error.hpp"
#include "scenarios/import/attributes.hpp"
#include "scenarios/import/formats.hpp"
#include "scenarios/import/node_names.hpp"

namespace gyre {
namespace {

struct Token {
  std::string text;  ///< empty at the end of the file
  std::size_t position = 0;
};

class SndlibReader {
 public:
  explicit SndlibReader(const SourceText& source) : source_(source), text_(source.text()) {}

  RawMap map() {
    // `?SNDlib native format; type: network; version: 1.0`
    at_ = std::min(text_.find('\n'), text_.size());
    while (!peek().text.empty()) section();
    if (map_.nodes.empty()) throw InputError(source_.where(0), "no NODES section with a node");
    if (unitless_ > 0) {
      map_.notes.push_back(fmt::format("capacity without a unit (META has none), taken as none: {}",
                                       counted(unitless_, "link")));
    }
    if (bare_ > 0) {
      map_.notes.push_back(
          fmt::format("no pre-installed capacity (the modules to choose from are none): {}",
                      counted(bare_, "link")));
    }
    add_rule(map_, "coordinates are decimal degrees, longitude first");
    if (map_.nodes.size() >= 8 && minutes_) {
      map_.notes.emplace_back(
          "no coordinate has a fraction of .60 or more: they may be degrees and minutes, and were "
          "read as decimal degrees");
    }
    return std::move(map_);
  }

 private:
  [[noreturn]] void refuse(const Token& token, std::string_view wanted) const {
    throw InputError(
        source_.where(token.position),
        fmt::format("{}; {} is wanted",
                    token.text.empty() ? "the file ends here" : "'" + token.text + "'", wanted));
  }

  void skip_blanks() {
    while (at_ < text_.size() &&
           (std::isspace(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '#')) {
      at_ = text_[at_] == '#' ? std::min(text_.find('\n', at_), text_.size()) : at_ + 1;
    }
  }

  Token peek() {
    skip_blanks();
    if (at_ == text_.size()) return {.text = {}, .position = at_};
    const std::size_t end = text_[at_] == '(' || text_[at_] == ')'
                                ? at_ + 1
                                : std::min(text_.find_first_of(" \t\n()", at_), text_.size());
    return {.text = std::string(text_.substr(at_, end - at_)), .position = at_};
  }

  Token next() {
    Token token = peek();
    at_ += token.text.size();
    return token;
  }

  void expect(std::string_view text) {
    const Token token = next();
    if (token.text != text) refuse(token, fmt::format("'{}'", text));
  }

  Attribute value(std::string key) {
    const Token token = next();
    if (token.text.empty() || token.text == "(" || token.text == ")") refuse(token, key);
    return {.key = std::move(key), .value = token.text, .where = source_.where(token.position)};
  }

  void section() {
    const Token name = next();
    if (peek().text != "(") refuse(name, "the name of a section and '('");
    next();
    if (name.text == "META") {
      meta();
      return;
    }
    while (peek().text != ")") {
      if (name.text == "NODES") {
        node();
      } else if (name.text == "LINKS") {
        link();
      } else {
        skip_entry(name);
      }
    }
    next();
  }

  /// Lines of `key = text`, up to a line of `)`: the text may hold anything.
  void meta() {
    while (peek().text != ")") {
      if (peek().text.empty()) refuse(peek(), "')'");
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      const std::string_view line = text_.substr(at_, end - at_);
      const std::size_t equals = line.find('=');
      if (equals != std::string_view::npos) {
        const std::string key(line.substr(0, line.find_first_of(" =\t")));
        const std::size_t from = line.find_first_not_of(" \t", equals + 1);
        const std::string text(from == std::string_view::npos ? "" : line.substr(from));
        if (key == "unit") unit(text);
        if (key == "origin") map_.origin = text;
      }
      at_ = end;
    }
    next();
  }

  void unit(const std::string& text) {
    static const std::map<std::string, std::string> kUnits{{"BITPERSEC", "bps"},
                                                           {"KBITPERSEC", "Kbps"},
                                                           {"MBITPERSEC", "Mbps"},
                                                           {"GBITPERSEC", "Gbps"},
                                                           {"TBITPERSEC", "Tbps"}};
    const auto known = kUnits.find(text);
    if (known == kUnits.end()) return;
    unit_ = known->second;
    add_rule(map_, fmt::format("pre-installed capacities count {}, each way", text));
  }

  void skip_entry(const Token& name) {
    std::size_t depth = 0;
    do {
      const Token token = next();
      if (token.text.empty()) refuse(token, fmt::format("the ')' of {}", name.text));
      if (token.text == "(") ++depth;
      if (token.text == ")") --depth;
    } while (depth > 0);
  }

  void node() {
    const Attribute name = value("the name of a node");
    RawNode node;
    node.id = name.value;
    node.where = name.where;
    if (peek().text == "(") {
      next();
      const Attribute longitude = value("longitude");
      const Attribute latitude = value("latitude");
      expect(")");
      node.place = place_of(latitude, longitude);
      for (const double degrees : {node.place->latitude_deg, node.place->longitude_deg}) {
        const double hundredths = std::abs(degrees) * 100.0;
        const bool two_digits = std::abs(hundredths - std::round(hundredths)) < 1e-6;
        if (!two_digits || std::fmod(std::round(hundredths), 100.0) >= 60.0) minutes_ = false;
      }
    }
    if (!positions_.emplace(node.id, map_.nodes.size()).second) {
      throw InputError(node.where,
                       fmt::format("a second node '{}'; each name may stand once", node.id));
    }
    add_node(map_, std::move(node));
  }

  std::size_t end_of(const Attribute& end) const {
    const auto found = positions_.find(end.value);
    if (found == positions_.end()) {
      throw InputError(end.where, fmt::format("{} '{}' is no node; links join nodes of the file",
                                              end.key, end.value));
    }
    return found->second;
  }

  void link() {
    RawLink link;
    link.where = value("the id of a link").where;
    expect("(");
    link.from = end_of(value("source"));
    link.to = end_of(value("target"));
    expect(")");
    const Attribute capacity = value("pre-installed capacity");
    if (not_negative(capacity, "a number from 0") == 0.0) {
      ++bare_;
    } else if (unit_.empty()) {
      ++unitless_;
    } else {
      link.figures.bandwidth = bandwidth_of(capacity, unit_);
    }
    for (const char* cost : {"capacity cost", "routing cost", "setup cost"}) value(cost);
    if (peek().text != "(") refuse(peek(), "'(' of the modules");
    skip_entry(peek());
    add_link(map_, std::move(link));
  }

  const SourceText& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  RawMap map_;
  std::map<std::string, std::size_t> positions_;
  std::string unit_;
  std::size_t unitless_ = 0;
  std::size_t bare_ = 0;
  bool minutes_ = true;  ///< all coordinates so far could be degrees and minutes
};

}  // namespace

RawMap read_sndlib(const SourceText& source) { return SndlibReader(source).map(); }

}  // namespace gyre
