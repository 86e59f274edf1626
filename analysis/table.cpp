#include "analysis/table.hpp"

#include <algorithm>
#include <utility>

#include "models/error.hpp"

namespace gyre {
namespace {

/// Columns on a terminal: code points, each taken as one wide.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

}  // namespace

void TextTable::row(std::vector<std::string> cells) {
  check(cells.size() == headings_.size(), "a table row has to have a cell for each heading");
  rows_.push_back(std::move(cells));
}

std::string TextTable::render() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < headings_.size(); ++c) {
    widths.push_back(width_of(headings_[c].text));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  std::string out;
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t c = 0; c < headings_.size(); ++c) {
      const std::string cell = cell_of(c);
      const std::string pad(widths[c] - width_of(cell), ' ');
      if (c > 0) text += "  ";
      text += headings_[c].align == Align::kRight ? pad + cell : cell + pad;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line([this](std::size_t c) { return headings_[c].text; });
  line([&widths](std::size_t c) { return std::string(widths[c], '-'); });
  for (const auto& row : rows_) line([&row](std::size_t c) { return row[c]; });
  return out;
}

}  // namespace gyre
