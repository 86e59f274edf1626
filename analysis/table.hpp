#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gyre {

/// A table of text for people: columns as wide as their widest cell, two spaces apart.
class TextTable {
 public:
  enum class Align : std::uint8_t { kLeft, kRight };
  struct Heading {
    std::string text;
    Align align = Align::kLeft;
  };

  explicit TextTable(std::vector<Heading> headings) : headings_(std::move(headings)) {}
  /// Requires one cell for each heading.
  void row(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string render() const;

 private:
  std::vector<Heading> headings_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace gyre
